//! What a command may know about the machine. Tests build one from a folder of their own.

use std::fs::{File, TryLockError};
use std::path::PathBuf;

use anyhow::Context as _;
use sidewire_contract::layout::Layout;

use super::browsers::{Os, Places};

/// The machine as commands see it.
#[derive(Clone, Debug)]
pub(crate) struct Env {
    /// Our own folders.
    pub(crate) layout: Layout,
    /// Where browsers keep their things.
    pub(crate) places: Places,
    /// The folder this program lies in, beside its host.
    pub(crate) programs: PathBuf,
}

impl Env {
    /// The real one.
    pub(crate) fn of_process() -> anyhow::Result<Self> {
        let layout = Layout::from_env(|name| std::env::var_os(name))
            .context("failed to find the folders of Sidewire")?;
        let home = std::env::home_dir().context("failed to find the home folder")?;
        let config_home = std::env::var_os("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute());
        let places = Places {
            os: Os::current(),
            config_home: config_home.unwrap_or_else(|| home.join(".config")),
            home,
            root: PathBuf::from("/"),
        };
        let program = std::env::current_exe().context("failed to find where this program lies")?;
        let programs = program
            .parent()
            .context("this program lies in no folder")?
            .to_owned();
        Ok(Self {
            layout,
            places,
            programs,
        })
    }

    /// Where the native messaging host is expected.
    pub(crate) fn host_program(&self) -> PathBuf {
        self.programs
            .join(format!("sidewire-host{}", std::env::consts::EXE_SUFFIX))
    }
}

/// Whether a worker lives: the kernel holds its lock exactly as long.
pub(crate) fn worker_lives(layout: &Layout) -> bool {
    let lock = File::open(layout.worker_lock());
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
