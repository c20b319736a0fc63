//! Which servers a session has, from whom, and which of them may start. Decides; starts nothing.

use std::collections::BTreeMap;

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use sidewire_contract::mcp_server::{McpServer, McpTransport};

use super::ledger::{Ledger, Project};

/// Who brings a server; of two with the same name, the earlier one is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// The editor, for one session.
    Editor,
    /// The person, in `config.toml`.
    Person,
    /// The project, in a file in its folder.
    Project,
}

/// A server that somebody brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// How to reach it, as it is written down.
    pub(crate) server: McpServer,
    /// Who brings it.
    pub(crate) origin: Origin,
    /// It is switched off where it is written down.
    pub(crate) disabled: bool,
    /// Whoever brings it says that what it tells about its tools is true.
    pub(crate) trusted: bool,
}

/// Whether a server may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permit {
    /// Yes.
    Given,
    /// The person has not allowed this definition of the project.
    Pending,
    /// The person, or the file, switched it off.
    Off,
}

/// A server of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// How to reach it, as it is written down.
    pub(crate) server: McpServer,
    /// Who brings it.
    pub(crate) origin: Origin,
    /// Names exactly this definition.
    pub(crate) fingerprint: String,
    /// Whether it may start.
    pub(crate) permit: Permit,
    /// The person believes what it says about its tools; nobody else can say so.
    pub(crate) trusted: bool,
}

/// The servers of a session in `project`, by name.
pub(crate) fn roster(candidates: Vec<Candidate>, project: &Project, ledger: &Ledger) -> Vec<Entry> {
    let mut by_name: BTreeMap<String, Candidate> = BTreeMap::new();
    for candidate in candidates {
        let name = candidate.server.name.clone();
        let known = by_name.get(&name);
        if known.is_none_or(|known| candidate.origin < known.origin) {
            by_name.insert(name, candidate);
        }
    }
    let entry = |candidate: Candidate| {
        let fingerprint = fingerprint(&candidate.server);
        Entry {
            permit: permit(&candidate, &fingerprint, (project, ledger)),
            trusted: candidate.trusted && candidate.origin == Origin::Person,
            server: candidate.server,
            origin: candidate.origin,
            fingerprint,
        }
    };
    by_name.into_values().map(entry).collect()
}

fn permit(candidate: &Candidate, fingerprint: &str, (project, ledger): (&Project, &Ledger)) -> Permit {
    let name = &candidate.server.name;
    let off = |place| candidate.disabled || ledger.is_disabled(place, name);
    match candidate.origin {
        Origin::Editor => Permit::Given,
        Origin::Person if off(None) => Permit::Off,
        Origin::Person => Permit::Given,
        Origin::Project if off(Some(project)) => Permit::Off,
        Origin::Project if ledger.allows(project, name, fingerprint) => Permit::Given,
        Origin::Project => Permit::Pending,
    }
}

/// What is hashed: every word of a definition, in a fixed order (decision 37).
#[derive(Serialize)]
enum Canonical<'a> {
    Stdio(&'a str, &'a [String], &'a BTreeMap<String, String>),
    Http(&'a str, &'a BTreeMap<String, String>),
    Sse(&'a str, &'a BTreeMap<String, String>),
}

/// The hash of a definition.
pub(crate) fn fingerprint(server: &McpServer) -> String {
    let canonical = match &server.transport {
        McpTransport::Stdio { command, args, env } => Canonical::Stdio(command, args, env),
        McpTransport::Http { url, headers } => Canonical::Http(url, headers),
        McpTransport::Sse { url, headers } => Canonical::Sse(url, headers),
    };
    // Text and maps of text can always be written.
    let bytes = serde_json::to_vec(&(&server.name, canonical)).unwrap_or_default();
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn server(name: &str, command: &str) -> McpServer {
        McpServer {
            name: name.into(),
            transport: McpTransport::Stdio {
                command: command.into(),
                args: Vec::new(),
                env: BTreeMap::new(),
            },
        }
    }

    fn candidate(name: &str, command: &str, origin: Origin) -> Candidate {
        Candidate {
            server: server(name, command),
            origin,
            disabled: false,
            trusted: false,
        }
    }

    #[test]
    fn n12_only_the_person_can_trust_a_server() {
        for (origin, trusted) in [
            (Origin::Editor, false),
            (Origin::Person, true),
            (Origin::Project, false),
        ] {
            let asking = Candidate {
                trusted: true,
                ..candidate("a", "x", origin)
            };
            let project = Project::of(Path::new("/here"));
            let entries = roster(vec![asking], &project, &Ledger::default());
            assert_eq!(entries[0].trusted, trusted, "{origin:?}");
        }
    }

    fn permits(candidates: Vec<Candidate>, ledger: &Ledger) -> Vec<(String, Origin, Permit)> {
        let entries = roster(candidates, &Project::of(Path::new("/p")), ledger).into_iter();
        entries
            .map(|entry| (entry.server.name, entry.origin, entry.permit))
            .collect()
    }

    #[test]
    fn editor_wins_over_person_over_project() {
        let all = |name| {
            [Origin::Project, Origin::Editor, Origin::Person].map(|origin| candidate(name, "x", origin))
        };
        let mut candidates: Vec<_> = all("b").into();
        candidates.push(candidate("a", "x", Origin::Project));
        candidates.push(candidate("c", "x", Origin::Person));
        candidates.push(candidate("c", "y", Origin::Project));
        assert_eq!(
            permits(candidates, &Ledger::default()),
            [
                ("a".into(), Origin::Project, Permit::Pending),
                ("b".into(), Origin::Editor, Permit::Given),
                ("c".into(), Origin::Person, Permit::Given),
            ]
        );
    }

    #[test]
    fn a_changed_definition_has_to_be_allowed_again() {
        let project = Project::of(Path::new("/p"));
        let mut ledger = Ledger::default();
        ledger.allow(&project, "a", &fingerprint(&server("a", "x")));
        let permit = |command, ledger: &Ledger| {
            permits(vec![candidate("a", command, Origin::Project)], ledger)
                .remove(0)
                .2
        };
        assert_eq!(permit("x", &ledger), Permit::Given);
        assert_eq!(permit("y", &ledger), Permit::Pending);
        ledger.set_disabled(Some(&project), "a", true);
        assert_eq!(permit("x", &ledger), Permit::Off);
    }

    #[test]
    fn every_word_of_a_definition_counts() {
        let env = |name: &str, value: &str| McpTransport::Stdio {
            command: "x".into(),
            args: vec!["a".into()],
            env: [(name.to_owned(), value.to_owned())].into(),
        };
        let transports = [
            env("A", "b"),
            env("A", "c"),
            env("B", "b"),
            McpTransport::Http {
                url: "http://x".into(),
                headers: BTreeMap::new(),
            },
            McpTransport::Sse {
                url: "http://x".into(),
                headers: BTreeMap::new(),
            },
        ];
        let hash = |transport: &McpTransport| {
            fingerprint(&McpServer {
                name: "n".into(),
                transport: transport.clone(),
            })
        };
        let hashes: std::collections::HashSet<_> = transports.iter().map(hash).collect();
        assert_eq!(hashes.len(), transports.len());
        assert_ne!(fingerprint(&server("a", "x")), fingerprint(&server("b", "x")));
    }
}
