use std::os::unix::fs::PermissionsExt as _;

use sidewire_contract::layout::Layout;

use super::super::finding::Level;
use super::*;
use crate::commands::browsers::{Os, Places};
use crate::commands::manifest::render;
use crate::process::test_program;

struct Home {
    folder: tempfile::TempDir,
    env: Env,
}

impl Home {
    /// A machine with Chromium and a host that prints `version`.
    fn new(version: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let places = Places {
            os: Os::Linux,
            config_home: home.join(".config"),
            home: home.clone(),
            root: folder.path().join("root"),
        };
        fs::create_dir_all(home.join(".config/chromium/Default")).unwrap();
        let programs = folder.path().join("bin");
        fs::create_dir_all(&programs).unwrap();
        let env = Env {
            layout: Layout::in_folder(home.join("sidewire")),
            places,
            programs,
        };
        host(&env.host_program(), version);
        Self { folder, env }
    }

    fn manifest_file(&self) -> PathBuf {
        self.env.places.user_manifests(Browser::Chromium)[0].join(manifest_name())
    }

    fn register(self, text: &str) -> Self {
        fs::create_dir_all(self.manifest_file().parent().unwrap()).unwrap();
        fs::write(self.manifest_file(), text).unwrap();
        self
    }

    fn register_host(self, host: &Path) -> Self {
        let text = render(Family::Chromium, host, &[]);
        self.register(&text)
    }

    async fn findings(&self) -> Vec<(Level, String)> {
        let findings = check(&self.env, None).await;
        findings
            .into_iter()
            .map(|finding| (finding.level, finding.to_string()))
            .collect()
    }
}

fn host(path: &Path, version: &str) {
    test_program::write(path, &format!("#!/bin/sh\necho '{version}'\n"));
}

fn current() -> String {
    format!("sidewire-host {}", env!("CARGO_PKG_VERSION"))
}

fn only(findings: &[(Level, String)], level: Level, part: &str) {
    let bad: Vec<_> = findings.iter().filter(|(found, _)| *found != Level::Ok).collect();
    assert!(
        matches!(bad.as_slice(), [(found, text)] if *found == level && text.contains(part)),
        "{part}: {findings:?}"
    );
}

#[tokio::test]
async fn a_good_registration_is_fine() {
    let home = Home::new(&current());
    let program = home.env.host_program();
    let findings = home.register_host(&program).findings().await;
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(
        findings.iter().all(|(level, _)| *level == Level::Ok),
        "{findings:?}"
    );
}

#[tokio::test]
async fn a_used_browser_without_manifest_is_told_to_install() {
    let home = Home::new(&current());
    only(
        &home.findings().await,
        Level::Warn,
        "Chromium has no manifest of Sidewire — run `sidewire install`",
    );
    let program = home.env.host_program();
    let home = home.register_host(&program);
    fs::create_dir_all(home.env.places.config_home.join("vivaldi/Default")).unwrap();
    only(&home.findings().await, Level::Warn, "Vivaldi has no manifest");
}

#[tokio::test]
async fn who_uses_an_editor_only_needs_neither_manifest_nor_host() {
    let home = Home::new(&current());
    fs::remove_file(home.env.host_program()).unwrap();
    let findings = home.findings().await;
    let levels: Vec<Level> = findings.iter().map(|(level, _)| *level).collect();
    assert_eq!(levels, [Level::Warn, Level::Warn], "{findings:?}");
    // A manifest that is there, but broken, is meant.
    let findings = home.register("{").findings().await;
    assert!(
        findings.iter().all(|(level, _)| *level == Level::Fail),
        "{findings:?}"
    );
}

#[tokio::test]
async fn a_broken_manifest_names_file_and_fault() {
    let home = Home::new(&current()).register("{");
    let file = home.manifest_file();
    only(
        &home.findings().await,
        Level::Fail,
        &format!("{}: it is not JSON — run", file.display()),
    );
}

#[tokio::test]
async fn a_manifest_of_another_name_or_id_is_refused() {
    let home = Home::new(&current());
    let good = render(Family::Chromium, &home.env.host_program(), &[]);
    let stranger = good.replace(sidewire_contract::identity::EXTENSION_ID, &"a".repeat(32));
    only(
        &home.register(&stranger).findings().await,
        Level::Fail,
        "does not allow our extension",
    );
}

#[tokio::test]
async fn a_host_that_cannot_start_is_a_fault() {
    let home = Home::new(&current());
    let program = home.env.host_program();
    let home = home.register_host(&program);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
    let findings = home.findings().await;
    assert!(
        findings
            .iter()
            .any(|(_, text)| text.contains("not executable (mode 0644)")),
        "{findings:?}"
    );
}

#[tokio::test]
async fn another_version_is_a_warning_and_another_program_a_fault() {
    let home = Home::new("sidewire-host 0.0.1");
    let program = home.env.host_program();
    let home = home.register_host(&program);
    only(&home.findings().await, Level::Warn, "has version 0.0.1");
    host(&program, "hello");
    only(&home.findings().await, Level::Fail, "is not sidewire-host");
}

#[tokio::test]
async fn the_host_of_another_installation_is_a_warning() {
    let home = Home::new(&current());
    let other = home.folder.path().join("other-host");
    host(&other, &current());
    only(
        &home.register_host(&other).findings().await,
        Level::Warn,
        "another installation",
    );
}

#[tokio::test]
async fn a_profile_that_was_named_must_have_its_manifest() {
    let home = Home::new(&current());
    let program = home.env.host_program();
    let home = home.register_host(&program);
    let profile = home.folder.path().join("profile");
    let findings = check(&home.env, Some(&profile)).await;
    assert!(
        findings
            .iter()
            .any(|finding| finding.what.contains("the profile has no manifest")),
        "{findings:?}"
    );
}
