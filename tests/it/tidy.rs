//! The rules that no lint can state: which way code may look, how large files are, that nothing is forgotten.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of a file; one that needs more says why in its module documentation.
const LINES: usize = 500;
/// How such a reason begins.
const REASON: &str = "Longer than 500 lines because";

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap()
}

/// A source file, by its path from the root.
struct Source {
    path: String,
    text: String,
}

impl Source {
    fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines().map(str::trim)
    }

    /// Its code without comments and without what only tests use.
    fn code(&self) -> String {
        let product = self
            .text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        product
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn is_test(&self) -> bool {
        self.path.ends_with("tests.rs") || self.path.contains("/tests/") || self.path.starts_with("tests/")
    }
}

/// All sources with one of these endings, in the folders that are ours.
fn sources(endings: &[&str]) -> Vec<Source> {
    let mut sources = Vec::new();
    let mut folders: Vec<PathBuf> = [
        "contract",
        "server",
        "native-host",
        "tests",
        "web-extension",
        "e2e",
    ]
    .map(|folder| root().join(folder))
    .into();
    let skipped = [
        "node_modules",
        "target",
        "dist",
        ".output",
        ".wxt",
        "generated",
        "artifacts",
        "playwright-report",
        "test-results",
    ];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if path.is_dir() && !skipped.contains(&name.as_ref()) {
                folders.push(path);
            } else if path.is_file()
                && !name.contains(".generated.")
                && endings.iter().any(|ending| name.ends_with(ending))
            {
                let text = fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
                sources.push(Source { path, text });
            }
        }
    }
    sources.sort_by(|one, other| one.path.cmp(&other.path));
    sources
}

fn rust_in(folder: &str) -> Vec<Source> {
    sources(&[".rs"])
        .into_iter()
        .filter(|source| source.path.starts_with(folder))
        .collect()
}

/// A rule: code below a folder does not mention these words.
struct Never {
    below: &'static str,
    except: &'static [&'static str],
    words: &'static [&'static str],
}

/// design.md, "Allowed directions".
const DIRECTIONS: &[Never] = &[
    Never {
        below: "contract/src/",
        except: &[],
        words: &["sidewire_", "tokio"],
    },
    Never {
        below: "server/agent/src/",
        except: &[],
        words: &[
            "sidewire_contract::frames",
            "sidewire_contract::chat",
            "sidewire_contract::bridge",
            "sidewire_contract::host_tool",
            "sidewire_contract::media_asset",
            "sidewire_contract::native_frame",
            "axum",
            "reqwest",
            "tungstenite",
            "hyper",
        ],
    },
    Never {
        below: "server/src/browser",
        except: &[],
        words: &[
            "crate::providers",
            "crate::commands",
            "crate::app",
            "crate::config",
            "crate::acp",
            "crate::tools",
            "crate::mcp",
            "crate::plugins",
        ],
    },
    Never {
        below: "server/src/acp",
        except: &[],
        words: &[
            "crate::providers",
            "crate::browser",
            "crate::app",
            "crate::tools",
            "crate::mcp",
            "crate::plugins",
        ],
    },
    Never {
        below: "server/src/providers",
        except: &[],
        words: &[
            "crate::browser",
            "crate::acp",
            "crate::commands",
            "crate::app",
            "crate::config",
            "sidewire_contract::frames",
            "sidewire_contract::bridge",
        ],
    },
    Never {
        below: "server/src/providers/openai",
        except: &[],
        words: &[
            "providers::offline",
            "super::offline",
            "providers::anthropic",
            "super::anthropic",
        ],
    },
    Never {
        below: "server/src/providers/anthropic",
        except: &[],
        words: &[
            "providers::offline",
            "super::offline",
            "providers::openai",
            "super::openai",
        ],
    },
    Never {
        below: "server/src/providers/http",
        except: &[],
        words: &[
            "providers::offline",
            "super::offline",
            "providers::openai",
            "super::openai",
            "providers::anthropic",
            "super::anthropic",
        ],
    },
    Never {
        below: "server/src/providers/offline",
        except: &[],
        words: &[
            "providers::http",
            "super::http",
            "providers::openai",
            "super::openai",
            "reqwest",
        ],
    },
    Never {
        below: "server/src/media",
        except: &[],
        words: &[
            "crate::browser",
            "crate::acp",
            "crate::providers",
            "crate::tools",
            "crate::commands",
            "crate::app",
            "crate::config",
            "sidewire_contract::frames",
            "sidewire_contract::bridge",
        ],
    },
    Never {
        below: "server/src/tools",
        except: &[],
        words: &[
            "crate::browser",
            "crate::acp",
            "crate::providers",
            "crate::commands",
            "crate::app",
            "crate::config",
            "sidewire_contract::frames",
            "sidewire_contract::bridge",
        ],
    },
    Never {
        below: "server/src/mcp",
        except: &[],
        words: &[
            "crate::browser",
            "crate::acp",
            "crate::providers",
            "crate::tools",
            "crate::commands",
            "crate::app",
            "crate::config",
            "sidewire_contract::frames",
            "sidewire_contract::bridge",
        ],
    },
    Never {
        below: "server/src/config",
        except: &[],
        words: &[
            "crate::browser",
            "crate::providers",
            "crate::commands",
            "crate::app",
        ],
    },
    Never {
        below: "native-host/src/",
        except: &[],
        words: &[
            "sidewire_agent",
            "sidewire_contract::chat",
            "sidewire_contract::host_tool",
            "axum",
            "reqwest",
            "rusqlite",
        ],
    },
    Never {
        below: "tests/",
        except: &["tests/it/tidy.rs"],
        words: &["sidewire_agent", "rusqlite"],
    },
];

#[test]
fn code_looks_only_where_it_may() {
    let mut wrong = Vec::new();
    for rule in DIRECTIONS {
        for source in rust_in(rule.below)
            .iter()
            .filter(|source| !rule.except.contains(&source.path.as_str()))
        {
            let code = source.code();
            wrong.extend(
                rule.words
                    .iter()
                    .filter(|word| code.contains(**word))
                    .map(|word| format!("{}: {word}", source.path)),
            );
        }
    }
    assert_eq!(wrong, [] as [&str; 0]);
}

#[test]
fn manifests_hold_no_more_than_they_may() {
    let manifest = |folder: &str| fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let before_dev = |text: String| {
        text.split("[dev-dependencies]")
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let rows = [
        ("contract", ["tokio", "sidewire-agent", "axum"].as_slice()),
        (
            "server/agent",
            &["axum", "reqwest", "tungstenite", "agent-client-protocol", "clap"],
        ),
        ("native-host", &["sidewire-agent", "axum", "reqwest", "rusqlite"]),
    ];
    for (folder, words) in rows {
        let text = before_dev(manifest(folder));
        for word in words {
            assert!(!text.contains(word), "{folder}/Cargo.toml: {word}");
        }
    }
}

#[test]
fn processes_start_in_two_places_only() {
    let allowed = [
        "server/src/process.rs",
        "server/src/process/test_program.rs",
        "native-host/src/start.rs",
        "tests/src/process.rs",
    ];
    let wrong: Vec<String> = sources(&[".rs"])
        .iter()
        .filter(|source| !source.path.starts_with("tests/benches/"))
        .filter(|source| !allowed.contains(&source.path.as_str()) && source.path != "tests/it/tidy.rs")
        // A slash command is no process.
        .filter(|source| {
            source
                .code()
                .replace("AvailableCommand::new(", "")
                .contains("Command::new(")
        })
        .map(|source| source.path.clone())
        .collect();
    assert_eq!(wrong, [] as [&str; 0]);
}

#[test]
fn nothing_waits_without_bound() {
    let wrong: Vec<String> = sources(&[".rs"])
        .iter()
        .filter(|source| !source.is_test())
        .filter(|source| {
            ["unbounded_channel", "mpsc::channel()"]
                .iter()
                .any(|word| source.code().contains(word))
        })
        .map(|source| source.path.clone())
        .collect();
    assert_eq!(wrong, [] as [&str; 0]);
}

#[test]
fn no_file_is_too_long_without_a_reason() {
    let wrong: Vec<String> = sources(&[".rs", ".ts", ".tsx", ".mjs", ".css"])
        .iter()
        .filter(|source| source.lines().count() > LINES && !source.text.contains(REASON))
        .map(|source| format!("{}: {} lines", source.path, source.lines().count()))
        .collect();
    assert_eq!(wrong, [] as [&str; 0]);
}

#[test]
fn every_module_says_what_it_is_for() {
    let undocumented = |source: &Source| !source.lines().any(|line| line.starts_with("//!"));
    // Tests beside their module are explained by it.
    let is_inner = |source: &Source| {
        source.path.ends_with("/tests.rs")
            || source.path.contains("/tests/") && source.path.starts_with("server/")
    };
    let wrong: Vec<String> = sources(&[".rs"])
        .iter()
        .filter(|source| undocumented(source) && !is_inner(source))
        .map(|source| source.path.clone())
        .collect();
    assert_eq!(wrong, [] as [&str; 0]);
}

/// Every Rust file is a module of its crate: one that is not declared is compiled by nobody.
#[test]
fn every_file_is_declared() {
    let all = sources(&[".rs"]);
    let known: BTreeSet<&str> = all.iter().map(|source| source.path.as_str()).collect();
    let mut wrong = Vec::new();
    for source in &all {
        let path = Path::new(&source.path);
        let name = path.file_stem().unwrap().to_string_lossy();
        if matches!(name.as_ref(), "main" | "lib" | "build")
            || source.path.contains("/benches/")
            || source.path.contains("/examples/")
        {
            continue;
        }
        let declares = |parent: &str| {
            all.iter()
                .any(|other| other.path == parent && other.lines().any(|line| declares_module(line, &name)))
        };
        let folder = path.parent().unwrap();
        let parents = if name == "mod" {
            parents_of(folder)
        } else {
            [parents_of_file(folder), parents_of(folder)].concat()
        };
        let name_of_folder = folder.file_name().unwrap().to_string_lossy();
        let declared = if name == "mod" {
            parents_of_file(folder.parent().unwrap()).iter().any(|parent| {
                known.contains(parent.as_str())
                    && all.iter().any(|other| {
                        other.path == *parent
                            && other.lines().any(|line| declares_module(line, &name_of_folder))
                    })
            })
        } else {
            parents.iter().any(|parent| declares(parent))
        };
        if !declared {
            wrong.push(source.path.clone());
        }
    }
    assert_eq!(wrong, [] as [&str; 0]);
}

fn declares_module(line: &str, name: &str) -> bool {
    let line = line.strip_prefix("#[cfg(test)] ").unwrap_or(line);
    let rest = line.strip_prefix("pub ").or_else(|| {
        line.split_once(") ")
            .filter(|(visibility, _)| visibility.starts_with("pub("))
            .map(|(_, rest)| rest)
    });
    rest.unwrap_or(line) == format!("mod {name};")
}

/// Files of the same folder that may declare a module in it.
fn parents_of_file(folder: &Path) -> Vec<String> {
    ["main.rs", "lib.rs", "mod.rs"]
        .iter()
        .map(|name| folder.join(name).to_string_lossy().into_owned())
        .collect()
}

/// The file that stands for a folder.
fn parents_of(folder: &Path) -> Vec<String> {
    vec![format!("{}.rs", folder.to_string_lossy())]
}

#[test]
fn nobody_prints_but_the_places_for_it() {
    let allowed = [
        "server/src/ui.rs",
        "native-host/src/main.rs",
        "tests/src/process.rs",
    ];
    let wrong: Vec<String> = sources(&[".rs"])
        .iter()
        .filter(|source| !source.is_test() && !allowed.contains(&source.path.as_str()))
        .filter(|source| {
            ["println!", "print!(", "io::stdout()"]
                .iter()
                .any(|word| source.code().contains(word))
        })
        // The export is a command's result, written as it is read; an editor reads its protocol there.
        .filter(|source| {
            !matches!(
                source.path.as_str(),
                "server/src/commands/data.rs" | "server/src/commands/acp.rs" | "native-host/src/browser.rs"
            )
        })
        .map(|source| source.path.clone())
        .collect();
    assert_eq!(wrong, [] as [&str; 0]);
}

#[test]
fn no_test_sleeps_to_be_in_time() {
    let wrong: Vec<String> = rust_in("tests/")
        .iter()
        // Where nobody tells, one place looks again and again.
        .filter(|source| !["tests/it/tidy.rs", "tests/src/guard.rs"].contains(&source.path.as_str()))
        .filter(|source| source.code().contains("sleep("))
        .map(|source| source.path.clone())
        .collect();
    assert_eq!(wrong, [] as [&str; 0]);
}
