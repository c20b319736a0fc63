//! One machine of a test: a folder for everything Sidewire keeps, and the processes that use it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use sidewire_contract::ids::Hex256;
use sidewire_contract::layout::{Layout, WorkerState};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::guard::pause;
use crate::process::{Process, arguments, command, kill_all_of, program, read_all};
use crate::{Offer, ScriptedModel, Worker, within};

/// A folder of its own; every process that was started for it ends with it.
pub struct Home {
    path: PathBuf,
    _folder: Option<TempDir>,
}

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed.
    pub out: String,
    /// What it remarked.
    pub err: String,
}

impl Ran {
    /// Its output, when it went well.
    ///
    /// # Panics
    /// When it failed.
    pub fn ok(self) -> String {
        assert!(self.status.success(), "the command failed: {self:?}");
        self.out
    }

    /// Its error text, when it failed as it should.
    ///
    /// # Panics
    /// When it succeeded, or was ended by a signal.
    pub fn failed(self) -> String {
        assert!(
            self.status.code().is_some_and(|code| code != 0),
            "the command should have failed: {self:?}"
        );
        self.err
    }
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

impl Home {
    /// A fresh folder that is private, as a home of Sidewire is.
    ///
    /// # Panics
    /// When there is no room for one.
    #[must_use]
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("sidewire-test-")
            .tempdir()
            .unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        Self {
            path: folder.path().to_owned(),
            _folder: Some(folder),
        }
    }

    /// A home below this one that does not exist yet.
    #[must_use]
    pub fn below(&self, path: &str) -> Self {
        Self {
            path: self.path.join(path),
            _folder: None,
        }
    }

    /// A fresh folder in which a scripted model is set up.
    #[must_use]
    pub fn with_model(model: &ScriptedModel) -> Self {
        let home = Self::new();
        home.use_model(model);
        home
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its files.
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout::in_folder(self.path().to_owned())
    }

    /// Sets a scripted model up, as `sidewire setup` would.
    pub fn use_model(&self, model: &ScriptedModel) {
        self.configure(&provider(&model.base_url()));
    }

    /// Sets a scripted model up whose window is this small.
    pub fn use_model_with_window(&self, model: &ScriptedModel, tokens: u32) {
        self.configure(&format!("{}window = {tokens}\n", provider(&model.base_url())));
    }

    /// Sets a server up at which nobody listens.
    pub fn use_dead_model(&self) {
        self.configure(&provider("http://127.0.0.1:1/v1"));
    }

    /// Writes the configuration.
    pub fn configure(&self, toml: &str) {
        self.write_private("config.toml", toml);
    }

    /// Writes the key file.
    pub fn key(&self, key: &str) {
        self.write_private(".env", &format!("SIDEWIRE_API_KEY='{key}'\n"));
    }

    /// Writes a file that only its owner can read.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write_private(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// The permission bits of a file.
    ///
    /// # Panics
    /// When there is no such file.
    #[must_use]
    pub fn mode(&self, name: &str) -> u32 {
        let metadata = fs::symlink_metadata(self.path().join(name));
        metadata
            .unwrap_or_else(|error| panic!("{name}: {error}"))
            .permissions()
            .mode()
            & 0o7777
    }

    /// What a worker wrote down of itself.
    #[must_use]
    pub fn worker_state(&self) -> Option<WorkerState> {
        let text = fs::read(self.layout().worker_file()).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// The secret of local programs.
    ///
    /// # Panics
    /// When there is none yet.
    #[must_use]
    pub fn local_secret(&self) -> Hex256 {
        fs::read_to_string(self.layout().local_secret())
            .unwrap()
            .trim()
            .parse()
            .unwrap()
    }

    /// Every file below this folder with its content.
    ///
    /// # Panics
    /// When one cannot be read.
    #[must_use]
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap().flatten() {
                let path = entry.path();
                match fs::symlink_metadata(&path) {
                    Ok(found) if found.is_dir() => folders.push(path),
                    // A database's side files come and go.
                    Ok(found) if found.is_file() => {
                        files.extend(fs::read(&path).ok().map(|bytes| (path, bytes)));
                    }
                    Ok(_) | Err(_) => {}
                }
            }
        }
        files
    }

    /// The files that hold these words.
    #[must_use]
    pub fn files_with(&self, words: &str) -> Vec<PathBuf> {
        let holds = |bytes: &[u8]| {
            bytes
                .windows(words.len())
                .any(|window| window == words.as_bytes())
        };
        self.files()
            .into_iter()
            .filter(|(_, bytes)| holds(bytes))
            .map(|(path, _)| path)
            .collect()
    }

    /// Makes sure that no file holds these words.
    ///
    /// # Panics
    /// When one does.
    pub fn assert_nowhere(&self, words: &str) {
        let found = self.files_with(words);
        assert!(found.is_empty(), "{words} is in {found:?}");
    }

    /// Starts a worker on any free port and waits until it is ready.
    pub async fn worker(&self) -> Worker {
        self.worker_with(&["--port", "0"]).await
    }

    /// Starts `sidewire serve` with these arguments and waits until it is ready.
    pub async fn worker_with(&self, args: &[&str]) -> Worker {
        Worker::start(self, args).await
    }

    /// Starts a worker whose log leaves nothing out.
    pub async fn worker_that_logs(&self, level: &str) -> Worker {
        let mut command = self.sidewire(&["serve", "--port", "0"]);
        command.env("SIDEWIRE_LOG", level);
        Worker::wait(self, Process::spawn(command)).await
    }

    /// Starts `sidewire` without waiting for it.
    #[must_use]
    pub fn start(&self, args: &[&str]) -> Process {
        Process::spawn(self.sidewire(args))
    }

    pub(crate) fn sidewire(&self, args: &[&str]) -> Command {
        let mut command = command(&program("sidewire"), self.path());
        command.args(arguments(args));
        command
    }

    /// Runs `sidewire` to its end.
    pub async fn run(&self, args: &[&str]) -> Ran {
        self.run_with_input(args, "").await
    }

    /// Runs `sidewire` to its end with something on standard input.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn run_with_input(&self, args: &[&str], input: &str) -> Ran {
        let mut process = self.start(args);
        let mut stdin = process.take_stdin();
        // A command that reads nothing may be gone already.
        drop(stdin.write_all(input.as_bytes()).await);
        drop(stdin);
        let out = read_all(process.take_stdout()).await;
        let status = process.ended().await;
        let err = process.errors().await;
        Ran {
            status,
            out: String::from_utf8(out).expect("output is text"),
            err,
        }
    }

    /// Waits until a conversation that holds these words is on the disk: what a crash would leave.
    pub async fn until_stored(&self, words: &str) {
        let stored = async {
            while !self.run(&["data", "export"]).await.ok().contains(words) {
                pause().await;
            }
        };
        within("storing the words", stored).await;
    }

    /// Makes a pairing offer as a person does, with `sidewire pair`.
    pub async fn offer(&self) -> Offer {
        Offer::parse(&self.run(&["pair"]).await.ok())
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        kill_all_of(self.path());
    }
}

/// The lines of `config.toml` that set a server up.
fn provider(base_url: &str) -> String {
    format!("[provider]\nkind = \"openai\"\nbase_url = \"{base_url}\"\nmodel = \"scripted\"\n")
}
