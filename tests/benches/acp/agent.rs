//! The agents that are compared, and how each is told where its model is.

use std::fs;
use std::path::{Path, PathBuf};

use sidewire_tests::{Home, program};

use crate::provider::Pace;

/// An agent that speaks ACP.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agent {
    Sidewire,
    Reasonix,
    Codex,
}

impl Agent {
    pub(crate) const ALL: [Self; 3] = [Self::Sidewire, Self::Reasonix, Self::Codex];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sidewire => "sidewire",
            Self::Reasonix => "reasonix 1.38.11",
            Self::Codex => "codex-acp 0.16.0",
        }
    }

    /// Its program and arguments; `None` when it is not installed.
    pub(crate) fn program(self) -> Option<(PathBuf, &'static [&'static str])> {
        let (path, args): (_, &[&str]) = match self {
            Self::Sidewire => (program("sidewire"), &["acp"]),
            Self::Reasonix => (peer("reasonix"), &["acp"]),
            Self::Codex => (peer("codex-acp"), &[]),
        };
        path.exists().then_some((path, args))
    }

    /// Writes its settings into `home`: the scripted model at `url`.
    pub(crate) fn configure(self, home: &Home, url: &str, pace: Pace) {
        let model = pace.name();
        match self {
            Self::Sidewire => home.configure(&format!(
                "[provider]\nkind = \"openai\"\nbase_url = \"{url}\"\nmodel = \"{model}\"\nwindow = 200000\n"
            )),
            Self::Reasonix => {
                let folder = folder(home, "reasonix");
                let settings = format!(
                    "default_model = \"mock/{model}\"\n[[providers]]\nname = \"mock\"\nkind = \"openai\"\n\
                     base_url = \"{url}\"\nmodel = \"{model}\"\napi_key_env = \"MOCK_KEY\"\n"
                );
                fs::write(folder.join("config.toml"), settings).unwrap();
                fs::write(folder.join(".env"), "MOCK_KEY=k\n").unwrap();
            }
            Self::Codex => {
                let settings = format!(
                    "model = \"{model}\"\nmodel_provider = \"mock\"\n[model_providers.mock]\nname = \"mock\"\n\
                     base_url = \"{url}\"\nwire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\n"
                );
                fs::write(folder(home, "codex").join("config.toml"), settings).unwrap();
            }
        }
    }

    /// Its environment beyond the usual.
    pub(crate) fn environment(self, home: &Path) -> Vec<(&'static str, PathBuf)> {
        match self {
            Self::Sidewire => vec![("SIDEWIRE_HOME", home.to_owned())],
            Self::Reasonix => vec![("REASONIX_HOME", home.join("reasonix"))],
            Self::Codex => vec![("CODEX_HOME", home.join("codex")), ("MOCK_KEY", "k".into())],
        }
    }
}

/// Where `make peers` puts the others.
fn peer(name: &str) -> PathBuf {
    let bench = std::env::current_exe().unwrap();
    // target/release/deps/bench-… → target/peers
    let target = bench.ancestors().nth(3).unwrap();
    target.join("peers/node_modules/.bin").join(name)
}

fn folder(home: &Home, name: &str) -> PathBuf {
    let folder = home.path().join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}
