//! What the kernel lets a command write and read: Landlock on Linux, nothing elsewhere.
//!
//! A process confines itself and what it starts; nothing can take that back. What another program does for a command
//! (a service that listens on a socket) is not the command's doing, and not confined.

mod carve;
#[cfg(target_os = "linux")]
mod hold;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

pub(crate) use carve::real;
pub(super) use carve::without;
use url::form_urlencoded::{self, Serializer};

/// What a command may do to the disk. The places of `write` and `show` are named without links: one whose name leads
/// elsewhere when the command starts was moved away, perhaps by an earlier command, and counts for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// It writes below these places, and to the usual devices.
    pub(crate) write: Vec<PathBuf>,
    /// It does not read below these.
    pub(crate) hide: Vec<PathBuf>,
    /// But it does below these, wherever they lie.
    pub(crate) show: Vec<PathBuf>,
}

impl Bounds {
    /// The variable that tells `sidewire confined` its bounds where its command line is shown to a person.
    pub(crate) const VARIABLE: &str = "SIDEWIRE_BOUNDS";

    /// The bounds as `sidewire confined` takes them.
    pub(super) fn arguments(&self) -> impl Iterator<Item = OsString> {
        let option = |(name, place): (&str, &PathBuf)| [format!("--{name}").into(), place.into()];
        self.named().flat_map(option)
    }

    /// The same as the value of [`Self::VARIABLE`]; `None` where a place cannot be written down in one, or not all can.
    pub(super) fn variable(&self) -> Option<String> {
        // Linux takes 128 KiB for a variable with its name.
        const MOST: usize = 100 * 1024;
        let mut value = Serializer::new(String::new());
        for (name, place) in self.named() {
            value.append_pair(name, place.to_str()?);
        }
        Some(value.finish()).filter(|value| value.len() <= MOST)
    }

    /// Reads such a value.
    pub(crate) fn from_variable(value: &str) -> Self {
        let mut bounds = Self::default();
        for (name, place) in form_urlencoded::parse(value.as_bytes()) {
            let places = match name.as_ref() {
                "write" => &mut bounds.write,
                "hide" => &mut bounds.hide,
                "show" => &mut bounds.show,
                _ => continue,
            };
            places.push(place.into_owned().into());
        }
        bounds
    }

    fn named(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let all = [("write", &self.write), ("hide", &self.hide), ("show", &self.show)];
        all.into_iter()
            .flat_map(|(name, places)| places.iter().map(move |place| (name, place)))
    }
}

/// Confines this thread, and whatever it becomes or starts. A kernel that cannot is no error; [`sandbox`] says so
/// beforehand.
#[cfg(target_os = "linux")]
pub(crate) fn confine(bounds: &Bounds) -> io::Result<()> {
    landlock_rules::apply(bounds).map(drop).map_err(io::Error::other)
}

/// Nothing confines here; [`sandbox`] says so.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "the shape of the other systems")]
pub(crate) fn confine(_bounds: &Bounds) -> io::Result<()> {
    Ok(())
}

/// What confines commands on this machine; `None` when nothing does.
#[cfg(target_os = "linux")]
pub(crate) fn sandbox() -> Option<String> {
    use std::sync::OnceLock;

    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    // Trying is the only way to know, and it confines the thread that tries: one that then ends.
    let try_out = || std::thread::spawn(landlock_rules::probe).join().ok().flatten();
    FOUND.get_or_init(try_out).clone()
}

/// What confines commands on this machine; `None` when nothing does.
#[cfg(not(target_os = "linux"))]
pub(crate) fn sandbox() -> Option<String> {
    None
}

#[cfg(target_os = "linux")]
mod landlock_rules {
    //! The rules, as the kernel is told them.

    use std::os::fd::OwnedFd;
    use std::path::PathBuf;

    use landlock::{
        ABI, AccessFs, BitFlags, LandlockStatus, PathBeneath, RestrictionStatus, Ruleset, RulesetAttr as _,
        RulesetCreatedAttr as _, RulesetError, RulesetStatus, path_beneath_rules,
    };

    use super::Bounds;
    use super::carve::{readable, real, without};
    use super::hold::Held;

    /// What programs write to without thinking of it as a file.
    const DEVICES: &[&str] = &[
        "/dev/full",
        "/dev/null",
        "/dev/ptmx",
        "/dev/pts",
        "/dev/random",
        "/dev/tty",
        "/dev/urandom",
        "/dev/zero",
    ];

    /// Truncating is the last of the ways to change a file (ABI 3); older kernels enforce what they know.
    const WRITING: ABI = ABI::V3;

    /// Names can be listed everywhere, and programs run that can be read: of reading only that of files is confined.
    /// Nothing is written where it is hidden: a file that is moved away would be hidden no longer.
    pub(super) fn apply(bounds: &Bounds) -> Result<RestrictionStatus, RulesetError> {
        let writing = AccessFs::from_write(WRITING);
        let hidden: Vec<_> = bounds.hide.iter().map(|place| real(place)).collect();
        let write = without(&bounds.write, &hidden);
        let (reading, readable) = if hidden.is_empty() {
            (BitFlags::EMPTY, Vec::new())
        } else {
            (AccessFs::ReadFile.into(), readable(&hidden, &bounds.show))
        };
        Ruleset::default()
            .handle_access(writing | reading)?
            .create()?
            .add_rules(beneath(write, writing))?
            .add_rules(path_beneath_rules(DEVICES, writing))?
            .add_rules(beneath(readable, reading))?
            .restrict_self()
    }

    /// A rule for each place that is still what its name says. The rule is about what is held, so that it does not
    /// matter what comes to have the name later.
    fn beneath(
        places: Vec<PathBuf>,
        access: BitFlags<AccessFs>,
    ) -> impl Iterator<Item = Result<PathBeneath<OwnedFd>, RulesetError>> {
        places.into_iter().filter_map(move |place| {
            let held = Held::open(&place).ok()?;
            let access = if held.is_folder {
                access
            } else {
                access & AccessFs::from_file(WRITING)
            };
            Some(Ok(PathBeneath::new(held.file, access)))
        })
    }

    pub(super) fn probe() -> Option<String> {
        let status = apply(&Bounds::default()).ok()?;
        match (status.ruleset, status.landlock) {
            (RulesetStatus::NotEnforced, _) => None,
            (_, LandlockStatus::Available { effective_abi, .. }) => {
                Some(format!("Landlock (ABI {effective_abi})"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
