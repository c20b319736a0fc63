use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;
use crate::commands::browsers::Places;
use crate::config::ExtensionId;

struct Home {
    folder: tempfile::TempDir,
    env: Env,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let programs = folder.path().join("bin");
        fs::create_dir_all(&programs).unwrap();
        fs::write(programs.join("sidewire-host"), "binary").unwrap();
        fs::set_permissions(programs.join("sidewire-host"), fs::Permissions::from_mode(0o755)).unwrap();
        let places = Places {
            os: Os::Linux,
            config_home: home.join(".config"),
            home: home.clone(),
            root: folder.path().join("root"),
        };
        let layout = Layout::in_folder(home.join("sidewire"));
        Self {
            folder,
            env: Env {
                layout,
                places,
                programs,
            },
        }
    }

    fn with_profiles(self, profiles: &[&str]) -> Self {
        for profile in profiles {
            fs::create_dir_all(self.path(profile).join("Default")).unwrap();
        }
        self
    }

    fn path(&self, below_home: &str) -> PathBuf {
        self.env.places.home.join(below_home)
    }

    fn install(&self, change: impl FnOnce(&mut InstallArgs)) -> Vec<Line> {
        install_lines(&self.env, &install_args(change)).unwrap()
    }

    fn uninstall(&self, browser: &[Browser]) -> Vec<Line> {
        uninstall_lines(
            &self.env,
            &UninstallArgs {
                browser: browser.to_vec(),
                profile: None,
            },
        )
        .unwrap()
    }
}

fn install_args(change: impl FnOnce(&mut InstallArgs)) -> InstallArgs {
    let mut args = InstallArgs {
        browser: Vec::new(),
        all: false,
        profile: None,
        extension_id: Vec::new(),
        host_path: None,
    };
    change(&mut args);
    args
}

fn files(lines: &[Line]) -> Vec<&Path> {
    lines
        .iter()
        .filter_map(|line| match line {
            Line::Wrote(path) | Line::Unchanged(path) | Line::Removed(path) => Some(path.as_path()),
            Line::NotUsed(_) | Line::Sandboxed(..) | Line::NothingToRemove | Line::NoBrowser => None,
        })
        .collect()
}

const CHROMIUM: &str = ".config/chromium/NativeMessagingHosts/dev.sidewire.host.json";
const CHROME: &str = ".config/google-chrome/NativeMessagingHosts/dev.sidewire.host.json";
const FIREFOX: &str = ".mozilla/native-messaging-hosts/dev.sidewire.host.json";

#[test]
fn used_browsers_are_registered_and_the_rest_is_named() {
    let home = Home::new().with_profiles(&[".config/chromium", ".mozilla"]);
    let lines = home.install(|_| {});
    assert_eq!(files(&lines), [home.path(CHROMIUM), home.path(FIREFOX)]);
    let rest = vec![
        Browser::Chrome,
        Browser::Edge,
        Browser::Brave,
        Browser::Vivaldi,
        Browser::Opera,
    ];
    assert_eq!(lines.last(), Some(&Line::NotUsed(rest)));
    let text = fs::read_to_string(home.path(CHROMIUM)).unwrap();
    let (faults, host) = crate::commands::manifest::examine(&text, Family::Chromium);
    assert_eq!((faults, host), (Vec::new(), Some(home.env.host_program())));
    let mode = fs::metadata(home.path(CHROMIUM)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o644);
}

#[test]
fn a_second_run_changes_nothing_and_uninstall_removes_exactly_what_was_written() {
    let home = Home::new().with_profiles(&[".config/chromium"]);
    home.install(|_| {});
    let neighbour = home.path(CHROMIUM).with_file_name("org.other.json");
    fs::write(&neighbour, r#"{"name":"org.other"}"#).unwrap();
    assert!(
        home.install(|_| {})
            .contains(&Line::Unchanged(home.path(CHROMIUM)))
    );
    assert_eq!(home.uninstall(&[]), [Line::Removed(home.path(CHROMIUM))]);
    assert!(neighbour.exists());
    assert_eq!(home.uninstall(&[]), [Line::NothingToRemove]);
}

#[test]
fn a_foreign_file_under_our_name_is_not_removed() {
    let home = Home::new().with_profiles(&[".config/chromium"]);
    fs::create_dir_all(home.path(CHROMIUM).parent().unwrap()).unwrap();
    fs::write(home.path(CHROMIUM), r#"{"name":"org.other"}"#).unwrap();
    assert_eq!(home.uninstall(&[]), [Line::NothingToRemove]);
}

#[test]
fn extra_extensions_are_remembered_between_runs_and_told_to_the_host() {
    let home = Home::new().with_profiles(&[".config/chromium"]);
    let id: ExtensionId = "b".repeat(32).parse().unwrap();
    home.install(|args| args.extension_id = vec![id.clone()]);
    home.install(|_| {});
    let text = fs::read_to_string(home.path(CHROMIUM)).unwrap();
    assert!(
        text.contains(&format!("chrome-extension://{}/", id.as_str())),
        "{text}"
    );
    let allowed = load_extra_ids(&home.env.layout).unwrap();
    assert_eq!(allowed.allowed_extensions, [id.as_str()]);
    home.uninstall(&[]);
    assert!(!home.env.layout.extensions().exists());
}

#[test]
fn a_throw_away_profile_touches_nothing_else() {
    let home = Home::new().with_profiles(&[".config/chromium"]);
    let profile = home.folder.path().join("profile");
    let lines = home.install(|args| args.profile = Some(profile.clone()));
    let file = profile.join("NativeMessagingHosts/dev.sidewire.host.json");
    assert_eq!(lines, [Line::Wrote(file.clone())]);
    assert!(!home.path(CHROMIUM).exists());
    let args = UninstallArgs {
        browser: Vec::new(),
        profile: Some(profile),
    };
    assert_eq!(uninstall_lines(&home.env, &args).unwrap(), [Line::Removed(file)]);
}

#[test]
fn a_shared_folder_stays_while_another_browser_uses_it() {
    let home = Home::new().with_profiles(&[".config/google-chrome", ".config/BraveSoftware/Brave-Browser"]);
    home.install(|_| {});
    let brave = ".config/BraveSoftware/Brave-Browser/NativeMessagingHosts/dev.sidewire.host.json";
    assert_eq!(
        home.uninstall(&[Browser::Brave]),
        [Line::Removed(home.path(brave))]
    );
    assert!(home.path(CHROME).exists());
}

#[test]
fn all_registers_without_any_browser_and_none_says_so() {
    let home = Home::new();
    assert!(home.install(|_| {}).contains(&Line::NoBrowser));
    let lines = home.install(|args| args.all = true);
    assert_eq!(files(&lines).len(), 6, "Opera shares Chrome's folder: {lines:?}");
}

#[test]
fn a_sandboxed_browser_gets_a_hint_instead_of_silence() {
    let home = Home::new();
    fs::create_dir_all(home.path("snap/firefox/common")).unwrap();
    let lines = home.install(|_| {});
    assert!(lines.contains(&Line::Sandboxed(Browser::Firefox, "Snap")));
    let unused = lines.iter().find_map(|line| {
        if let Line::NotUsed(unused) = line {
            Some(unused)
        } else {
            None
        }
    });
    assert!(!unused.unwrap().contains(&Browser::Firefox), "{lines:?}");
}

#[test]
fn a_host_that_cannot_start_is_refused_before_anything_is_written() {
    let home = Home::new().with_profiles(&[".config/chromium"]);
    fs::set_permissions(home.env.host_program(), fs::Permissions::from_mode(0o600)).unwrap();
    let error = install_lines(&home.env, &install_args(|_| {})).unwrap_err();
    assert!(format!("{error:#}").contains("not executable"), "{error:#}");
    assert!(!home.path(CHROMIUM).exists());
}

#[test]
fn a_link_in_the_place_of_our_manifest_is_replaced_and_its_target_kept() {
    let home = Home::new().with_profiles(&[".config/chromium"]);
    let target = home.folder.path().join("precious");
    fs::write(&target, "precious").unwrap();
    fs::create_dir_all(home.path(CHROMIUM).parent().unwrap()).unwrap();
    symlink(&target, home.path(CHROMIUM)).unwrap();
    home.install(|_| {});
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    assert!(!home.path(CHROMIUM).is_symlink());
}

#[test]
fn windows_gets_a_clear_answer() {
    let mut home = Home::new();
    home.env.places.os = Os::Windows;
    let error = install_lines(&home.env, &install_args(|_| {})).unwrap_err();
    assert!(error.to_string().contains("not supported yet"));
}
