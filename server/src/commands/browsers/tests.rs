use super::*;

fn places(os: Os, home: &Path) -> Places {
    Places {
        os,
        home: home.to_owned(),
        config_home: home.join(".config"),
        root: PathBuf::from("/"),
    }
}

/// The user-level folders below the home folder, per system, as browser-platform.md B1 has them.
#[test]
fn manifests_lie_where_the_browsers_look() {
    let linux: [(Browser, &[&str]); 7] = [
        (Browser::Chrome, &[".config/google-chrome/NativeMessagingHosts"]),
        (Browser::Chromium, &[".config/chromium/NativeMessagingHosts"]),
        (Browser::Edge, &[".config/microsoft-edge/NativeMessagingHosts"]),
        (
            Browser::Brave,
            &[
                ".config/BraveSoftware/Brave-Browser/NativeMessagingHosts",
                ".config/google-chrome/NativeMessagingHosts",
            ],
        ),
        (Browser::Vivaldi, &[".config/vivaldi/NativeMessagingHosts"]),
        (Browser::Opera, &[".config/google-chrome/NativeMessagingHosts"]),
        (Browser::Firefox, &[".mozilla/native-messaging-hosts"]),
    ];
    let macos: [(Browser, &[&str]); 7] = [
        (Browser::Chrome, &["Google/Chrome/NativeMessagingHosts"]),
        (Browser::Chromium, &["Chromium/NativeMessagingHosts"]),
        (Browser::Edge, &["Microsoft Edge/NativeMessagingHosts"]),
        (
            Browser::Brave,
            &[
                "BraveSoftware/Brave-Browser/NativeMessagingHosts",
                "Google/Chrome/NativeMessagingHosts",
            ],
        ),
        (Browser::Vivaldi, &["Vivaldi/NativeMessagingHosts"]),
        (Browser::Opera, &["Google/Chrome/NativeMessagingHosts"]),
        (Browser::Firefox, &["Mozilla/NativeMessagingHosts"]),
    ];
    let home = Path::new("/nowhere");
    for (os, base, rows) in [
        (Os::Linux, home.to_owned(), linux),
        (Os::Mac, home.join("Library/Application Support"), macos),
    ] {
        for (browser, expected) in rows {
            let expected: Vec<PathBuf> = expected.iter().map(|folder| base.join(folder)).collect();
            assert_eq!(
                places(os, home).user_manifests(browser),
                expected,
                "{os:?} {browser:?}"
            );
        }
    }
}

#[test]
fn system_folders_lie_below_the_root() {
    let rows = [
        (
            Os::Linux,
            Browser::Chrome,
            "/etc/opt/chrome/native-messaging-hosts",
        ),
        (
            Os::Linux,
            Browser::Chromium,
            "/etc/chromium/native-messaging-hosts",
        ),
        (Os::Linux, Browser::Edge, "/etc/opt/edge/native-messaging-hosts"),
        (
            Os::Linux,
            Browser::Firefox,
            "/usr/lib/mozilla/native-messaging-hosts",
        ),
        (
            Os::Mac,
            Browser::Chrome,
            "/Library/Google/Chrome/NativeMessagingHosts",
        ),
        (
            Os::Mac,
            Browser::Chromium,
            "/Library/Application Support/Chromium/NativeMessagingHosts",
        ),
        (
            Os::Mac,
            Browser::Edge,
            "/Library/Microsoft/Edge/NativeMessagingHosts",
        ),
        (
            Os::Mac,
            Browser::Firefox,
            "/Library/Application Support/Mozilla/NativeMessagingHosts",
        ),
    ];
    for (os, browser, expected) in rows {
        let found = places(os, Path::new("/nowhere")).system_manifests(browser);
        assert_eq!(
            found.first().map(PathBuf::as_path),
            Some(Path::new(expected)),
            "{os:?} {browser:?}"
        );
    }
}

#[test]
fn a_browser_is_there_when_its_profile_holds_more_than_manifests() {
    let home = tempfile::tempdir().unwrap();
    let places = places(Os::Linux, home.path());
    let profile = home.path().join(".config/chromium");
    assert!(!places.has(Browser::Chromium));
    fs::create_dir_all(profile.join("NativeMessagingHosts")).unwrap();
    assert!(!places.has(Browser::Chromium), "a manifest of ours is no browser");
    fs::create_dir(profile.join("Default")).unwrap();
    assert!(places.has(Browser::Chromium));
    assert!(!places.has(Browser::Chrome));
}

#[test]
fn firefox_since_147_is_found_and_gets_both_folders() {
    let home = tempfile::tempdir().unwrap();
    let places = places(Os::Linux, home.path());
    fs::create_dir_all(home.path().join(".config/mozilla/firefox")).unwrap();
    assert!(places.has(Browser::Firefox));
    let expected = [
        ".mozilla/native-messaging-hosts",
        ".config/mozilla/native-messaging-hosts",
    ];
    assert_eq!(
        places.user_manifests(Browser::Firefox),
        expected.map(|folder| home.path().join(folder))
    );
}

#[test]
fn sandboxed_browsers_are_recognised() {
    let home = tempfile::tempdir().unwrap();
    let places = places(Os::Linux, home.path());
    fs::create_dir_all(home.path().join("snap/chromium/common")).unwrap();
    fs::create_dir_all(home.path().join(".var/app/org.mozilla.firefox/cache")).unwrap();
    assert_eq!(places.sandboxed(Browser::Chromium), Some(Sandbox::Snap));
    assert_eq!(places.sandboxed(Browser::Firefox), Some(Sandbox::Flatpak));
    assert_eq!(places.sandboxed(Browser::Edge), None);
}
