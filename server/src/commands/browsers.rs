//! Where each browser keeps its things: profile, native messaging manifests, managed policies.
//!
//! Only paths and whether they exist; what a manifest says is [`manifest`](super::manifest)'s business.

use std::fs;
use std::path::{Path, PathBuf};

use sidewire_contract::identity;

/// A browser we can register with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum Browser {
    /// Google Chrome.
    Chrome,
    /// Chromium.
    Chromium,
    /// Microsoft Edge.
    Edge,
    /// Brave.
    Brave,
    /// Vivaldi.
    Vivaldi,
    /// Opera.
    Opera,
    /// Mozilla Firefox.
    Firefox,
}

/// Every browser, in the order in which they are shown.
pub(crate) const BROWSERS: [Browser; 7] = [
    Browser::Chrome,
    Browser::Chromium,
    Browser::Edge,
    Browser::Brave,
    Browser::Vivaldi,
    Browser::Opera,
    Browser::Firefox,
];

/// Which list of a manifest a browser reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// `allowed_origins`.
    Chromium,
    /// `allowed_extensions`.
    Firefox,
}

impl Browser {
    /// What a person calls it.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Chrome => "Chrome",
            Self::Chromium => "Chromium",
            Self::Edge => "Edge",
            Self::Brave => "Brave",
            Self::Vivaldi => "Vivaldi",
            Self::Opera => "Opera",
            Self::Firefox => "Firefox",
        }
    }

    /// Which kind of manifest it reads.
    pub(crate) const fn family(self) -> Family {
        match self {
            Self::Firefox => Family::Firefox,
            Self::Chrome | Self::Chromium | Self::Edge | Self::Brave | Self::Vivaldi | Self::Opera => {
                Family::Chromium
            }
        }
    }
}

/// The systems whose locations we know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Os {
    /// Linux and what follows its conventions.
    Linux,
    /// macOS.
    Mac,
    /// Windows: manifests are found through the registry, which we do not write yet.
    Windows,
}

impl Os {
    /// The one this program was built for.
    pub(crate) const fn current() -> Self {
        if cfg!(target_os = "macos") {
            Self::Mac
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Linux
        }
    }
}

/// Where to look; tests look into a folder of their own.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Whose conventions hold.
    pub(crate) os: Os,
    /// The person's home folder.
    pub(crate) home: PathBuf,
    /// Linux only: `XDG_CONFIG_HOME`, or `~/.config`.
    pub(crate) config_home: PathBuf,
    /// `/`, below which system-wide files lie.
    pub(crate) root: PathBuf,
}

impl Places {
    /// Folders of the person's own manifests that `browser` reads, in the order in which it does.
    pub(crate) fn user_manifests(&self, browser: Browser) -> Vec<PathBuf> {
        match browser {
            Browser::Firefox => self.firefox_manifests(),
            // Brave reads its own folder in some versions and Chrome's in others; Opera reads Chrome's.
            Browser::Brave => self.below_profiles(&[Browser::Brave, Browser::Chrome]),
            Browser::Opera => self.below_profiles(&[Browser::Chrome]),
            Browser::Chrome | Browser::Chromium | Browser::Edge | Browser::Vivaldi => {
                self.below_profiles(&[browser])
            }
        }
    }

    /// Folders of manifests for all users of the machine that `browser` reads.
    pub(crate) fn system_manifests(&self, browser: Browser) -> Vec<PathBuf> {
        let folders: &[&str] = match (self.os, browser) {
            (Os::Linux, Browser::Chrome | Browser::Brave | Browser::Opera) => {
                &["etc/opt/chrome/native-messaging-hosts"]
            }
            (Os::Linux, Browser::Chromium) => &["etc/chromium/native-messaging-hosts"],
            (Os::Linux, Browser::Edge) => &["etc/opt/edge/native-messaging-hosts"],
            (Os::Linux, Browser::Firefox) => &[
                "usr/lib/mozilla/native-messaging-hosts",
                "usr/lib64/mozilla/native-messaging-hosts",
            ],
            (Os::Mac, Browser::Chrome | Browser::Brave | Browser::Opera) => {
                &["Library/Google/Chrome/NativeMessagingHosts"]
            }
            (Os::Mac, Browser::Chromium) => &["Library/Application Support/Chromium/NativeMessagingHosts"],
            (Os::Mac, Browser::Edge) => &["Library/Microsoft/Edge/NativeMessagingHosts"],
            (Os::Mac, Browser::Firefox) => &["Library/Application Support/Mozilla/NativeMessagingHosts"],
            (Os::Linux | Os::Mac, Browser::Vivaldi) | (Os::Windows, _) => &[],
        };
        folders.iter().map(|folder| self.root.join(folder)).collect()
    }

    /// Folders of JSON policies an administrator set for `browser`.
    pub(crate) fn policies(&self, browser: Browser) -> Vec<PathBuf> {
        let folder = match (self.os, browser) {
            (Os::Linux, Browser::Chrome) => "etc/opt/chrome/policies/managed",
            (Os::Linux, Browser::Chromium) => "etc/chromium/policies/managed",
            (Os::Linux, Browser::Edge) => "etc/opt/edge/policies/managed",
            (Os::Linux, Browser::Brave) => "etc/brave/policies/managed",
            (Os::Linux, Browser::Vivaldi | Browser::Opera | Browser::Firefox)
            | (Os::Mac | Os::Windows, _) => {
                return Vec::new();
            }
        };
        vec![self.root.join(folder)]
    }

    /// Whether the person has used `browser` here.
    pub(crate) fn has(&self, browser: Browser) -> bool {
        self.profiles(browser).iter().any(|profile| is_used(profile))
    }

    /// The sandboxed installation of `browser`, where it has one: it cannot start programs of the system.
    pub(crate) fn sandboxed(&self, browser: Browser) -> Option<Sandbox> {
        if self.os != Os::Linux {
            return None;
        }
        let (snap, flatpak) = match browser {
            Browser::Chrome => (None, "com.google.Chrome"),
            Browser::Chromium => (Some("chromium"), "org.chromium.Chromium"),
            Browser::Edge => (None, "com.microsoft.Edge"),
            Browser::Brave => (Some("brave"), "com.brave.Browser"),
            Browser::Vivaldi => (Some("vivaldi"), "com.vivaldi.Vivaldi"),
            Browser::Opera => (Some("opera"), "com.opera.Opera"),
            Browser::Firefox => (Some("firefox"), "org.mozilla.firefox"),
        };
        if snap.is_some_and(|name| is_used(&self.home.join("snap").join(name))) {
            return Some(Sandbox::Snap);
        }
        is_used(&self.home.join(".var/app").join(flatpak)).then_some(Sandbox::Flatpak)
    }

    fn below_profiles(&self, browsers: &[Browser]) -> Vec<PathBuf> {
        let profiles = browsers.iter().flat_map(|browser| self.profiles(*browser));
        profiles
            .map(|profile| profile.join("NativeMessagingHosts"))
            .collect()
    }

    /// Firefox moved its profiles with version 147, but still looks for manifests in the old place.
    fn firefox_manifests(&self) -> Vec<PathBuf> {
        match self.os {
            Os::Linux => {
                let moved = self.config_home.join("mozilla");
                let mut folders = vec![self.home.join(".mozilla/native-messaging-hosts")];
                folders.extend(is_used(&moved).then(|| moved.join("native-messaging-hosts")));
                folders
            }
            Os::Mac => vec![
                self.home
                    .join("Library/Application Support/Mozilla/NativeMessagingHosts"),
            ],
            Os::Windows => Vec::new(),
        }
    }

    fn profiles(&self, browser: Browser) -> Vec<PathBuf> {
        match (self.os, browser) {
            (Os::Linux, Browser::Firefox) => {
                vec![self.home.join(".mozilla"), self.config_home.join("mozilla")]
            }
            (Os::Linux, _) => vec![self.config_home.join(linux_profile(browser))],
            (Os::Mac, _) => vec![
                self.home
                    .join("Library/Application Support")
                    .join(macos_profile(browser)),
            ],
            (Os::Windows, _) => Vec::new(),
        }
    }
}

/// A packaging that keeps a browser from starting programs of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sandbox {
    /// Canonical's.
    Snap,
    /// The one of freedesktop.org.
    Flatpak,
}

impl Sandbox {
    /// What a person calls it.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Snap => "Snap",
            Self::Flatpak => "Flatpak",
        }
    }
}

/// File name of our manifest in any of the folders.
pub(crate) fn manifest_name() -> String {
    format!("{}.json", identity::NATIVE_HOST)
}

const fn linux_profile(browser: Browser) -> &'static str {
    match browser {
        Browser::Chrome => "google-chrome",
        Browser::Chromium => "chromium",
        Browser::Edge => "microsoft-edge",
        Browser::Brave => "BraveSoftware/Brave-Browser",
        Browser::Vivaldi => "vivaldi",
        Browser::Opera => "opera",
        Browser::Firefox => "mozilla",
    }
}

const fn macos_profile(browser: Browser) -> &'static str {
    match browser {
        Browser::Chrome => "Google/Chrome",
        Browser::Chromium => "Chromium",
        Browser::Edge => "Microsoft Edge",
        Browser::Brave => "BraveSoftware/Brave-Browser",
        Browser::Vivaldi => "Vivaldi",
        Browser::Opera => "com.operasoftware.Opera",
        Browser::Firefox => "Firefox",
    }
}

/// A folder that holds more than manifests: those alone may be ours.
fn is_used(profile: &Path) -> bool {
    let manifests = ["NativeMessagingHosts", "native-messaging-hosts"];
    fs::read_dir(profile).is_ok_and(|entries| {
        entries
            .flatten()
            .any(|entry| !manifests.iter().any(|name| entry.file_name() == *name))
    })
}

#[cfg(test)]
mod tests;
