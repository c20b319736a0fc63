//! Our own folders and files: there, ours, closed to others, readable.

use std::collections::BTreeSet;

use sidewire_contract::layout::Layout;

use super::finding::Finding;
use crate::config::{Config, ConfigError, KeySource, Keys, NamedProvider};
use crate::private_file::{PrivateFileError, inspect_private};

/// Checks the folders.
pub(super) fn folders(layout: &Layout) -> Vec<Finding> {
    let folders = BTreeSet::from([&layout.config, &layout.data, &layout.state]);
    let check = |folder: &std::path::PathBuf| match inspect_private(folder) {
        Ok(Some(())) => Finding::ok(format_args!("{} is closed to other users", folder.display())),
        Ok(None) => Finding::ok(format_args!("{} does not exist yet", folder.display())),
        // The worker closes it when it starts; until then a look inside is possible.
        Err(error @ PrivateFileError::TooOpen { .. }) => Finding::warn(error),
        Err(error) => Finding::fail(error),
    };
    folders.into_iter().map(check).collect()
}

/// Checks the files that only their owner may read; says nothing about good ones.
pub(super) fn files(layout: &Layout) -> Vec<Finding> {
    let private = [
        layout.key_file(),
        layout.local_secret(),
        layout.worker_file(),
        layout.extensions(),
    ];
    private
        .iter()
        .filter_map(|file| inspect_private(file).err())
        .map(Finding::fail)
        .collect()
}

/// Checks what is configured, and that the key can be read.
pub(super) fn config(layout: &Layout, config: &Result<Config, ConfigError>) -> Finding {
    let path = layout.config_file();
    let config = match config {
        Ok(config) => config,
        Err(error) => return Finding::fail(error).fix("correct that line"),
    };
    if let Err(error) = keys(layout, config) {
        return Finding::fail(error).fix("run `sidewire setup` and give the key again, or correct that line");
    }
    match inspect_private(&path) {
        Ok(None) => Finding::ok(format_args!(
            "{} does not exist, so the defaults hold",
            path.display()
        )),
        Err(PrivateFileError::TooOpen { mode, .. }) if mode & 0o022 != 0 => {
            let what = format!(
                "{} can be changed by other users (mode {mode:04o})",
                path.display()
            );
            Finding::fail(what).fix(format_args!("run `chmod 600 {}`", path.display()))
        }
        // It holds no key, so others may read it.
        Ok(Some(())) | Err(_) => Finding::ok(format_args!("{} is understood", path.display())),
    }
}

/// Reads every key that is configured.
fn keys(layout: &Layout, config: &Config) -> Result<(), ConfigError> {
    let keys = Keys::load(layout)?;
    let named = config.providers.iter().map(NamedProvider::key);
    for source in named.chain([&KeySource::Own]) {
        keys.get(source)?;
    }
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use super::super::finding::Level;
    use super::*;
    use crate::private_file::write_private;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn home() -> (tempfile::TempDir, Layout) {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::in_folder(folder.path().join("home"));
        (folder, layout)
    }

    fn check_config(layout: &Layout) -> Finding {
        config(layout, &Config::load(layout))
    }

    #[test]
    fn a_fresh_machine_is_fine() {
        let (_folder, layout) = home();
        assert!(folders(&layout).iter().all(|finding| finding.level == Level::Ok));
        assert_eq!(files(&layout), []);
        assert_eq!(check_config(&layout).level, Level::Ok);
    }

    #[test]
    fn an_open_folder_is_a_warning_and_a_link_a_fault() {
        let (folder, layout) = home();
        fs::create_dir(&layout.config).unwrap();
        set_mode(&layout.config, 0o755);
        let findings = folders(&layout);
        assert_eq!(findings.len(), 1, "one folder is looked at once");
        assert_eq!(findings[0].level, Level::Warn);
        assert!(findings[0].what.contains("chmod 700"), "{}", findings[0].what);
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(&layout.config, &elsewhere).unwrap();
        symlink(&elsewhere, &layout.config).unwrap();
        assert_eq!(folders(&layout)[0].level, Level::Fail);
    }

    #[test]
    fn open_secrets_are_faults() {
        let (_folder, layout) = home();
        for file in [
            layout.key_file(),
            layout.local_secret(),
            layout.worker_file(),
            layout.extensions(),
        ] {
            write_private(&file, b"x").unwrap();
            set_mode(&file, 0o640);
            let findings = files(&layout);
            assert_eq!(findings.len(), 1, "{}", file.display());
            assert!(findings[0].what.contains("chmod 600"), "{}", findings[0].what);
            fs::remove_file(&file).unwrap();
        }
    }

    #[test]
    fn each_fault_of_the_configuration_is_told() {
        let (_folder, layout) = home();
        write_private(&layout.config_file(), b"[provider]\nkind = 1\n").unwrap();
        let finding = check_config(&layout);
        assert_eq!(finding.level, Level::Fail);
        assert!(finding.what.contains("line 2"), "{}", finding.what);

        write_private(&layout.config_file(), b"").unwrap();
        set_mode(&layout.config_file(), 0o644);
        assert_eq!(check_config(&layout).level, Level::Ok, "it holds no key");
        set_mode(&layout.config_file(), 0o664);
        assert_eq!(check_config(&layout).level, Level::Fail);
        set_mode(&layout.config_file(), 0o600);

        write_private(&layout.key_file(), b"SIDEWIRE_API_KEY=$X\n").unwrap();
        assert!(check_config(&layout).what.contains(".env, line 1"));
    }
}
