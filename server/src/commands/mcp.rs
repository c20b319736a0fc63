//! `sidewire mcp`: shows the MCP servers of a folder, and lets the person decide about them (decision 33).
//!
//! A server that a project brings starts a program, or talks to an address, of whoever wrote the project's files. So it
//! starts only once the person has seen its definition and allowed exactly that one.

use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::path::Path;

use anyhow::{Context as _, bail};
use sidewire_contract::layout::Layout;
use sidewire_contract::mcp_server::McpTransport;
use url::Url;

use super::env::Env;
use crate::app::{Roster, ledger_file, read_roster};
use crate::cli::{McpAction, McpArgs};
use crate::mcp::{Entry, Ledger, Origin, Permit, Project};
use crate::private_file::private_folder;
use crate::ui;

/// Runs `sidewire mcp …`.
pub(crate) fn run(env: &Env, args: &McpArgs) -> anyhow::Result<()> {
    let folder = args.project.clone().map_or_else(std::env::current_dir, Ok);
    let folder = folder.context("failed to find the current folder")?;
    if !folder.is_dir() {
        bail!("{} is not a folder", folder.display());
    }
    let told = decide((&env.layout, &folder), &args.action, &agreed)?;
    told.warnings.iter().for_each(ui::note);
    told.lines.iter().for_each(ui::say);
    Ok(())
}

/// What a person is told.
struct Told {
    lines: Vec<String>,
    warnings: Vec<String>,
}

/// Asks the person about what these lines show.
type Ask<'a> = &'a dyn Fn(&[String]) -> anyhow::Result<bool>;

fn agreed(shown: &[String]) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        bail!("nobody can be asked here; add --fingerprint with what `sidewire mcp list` shows");
    }
    shown.iter().for_each(ui::say);
    let question = dialoguer::Confirm::new().with_prompt("Let it start in this folder?");
    Ok(question.default(false).interact()?)
}

fn decide((layout, folder): (&Layout, &Path), action: &McpAction, ask: Ask<'_>) -> anyhow::Result<Told> {
    let roster = read_roster(layout, folder, Vec::new())?;
    let decision = Decision {
        layout,
        roster: &roster,
    };
    let lines = match action {
        McpAction::List => list(&roster),
        McpAction::Allow { name, fingerprint } => vec![decision.allow(name, fingerprint.as_deref(), ask)?],
        McpAction::Revoke { name } => vec![decision.revoke(name)?],
        McpAction::Disable { name } => vec![decision.set_disabled(name, true)?],
        McpAction::Enable { name } => vec![decision.set_disabled(name, false)?],
    };
    Ok(Told {
        lines,
        warnings: roster.warnings,
    })
}

/// A decision about the servers of a folder.
struct Decision<'a> {
    layout: &'a Layout,
    roster: &'a Roster,
}

impl<'a> Decision<'a> {
    /// Allows what the person has seen and nothing else: the files may say something else by then.
    fn allow(&self, name: &str, fingerprint: Option<&str>, ask: Ask<'_>) -> anyhow::Result<String> {
        let entry = self.entry(name)?;
        if entry.origin != Origin::Project {
            bail!("{name} is your own server in config.toml; it needs no permission");
        }
        let agreed = match fingerprint {
            Some(seen) if seen != entry.fingerprint => {
                bail!("{name} is defined otherwise now; look again with `sidewire mcp list`")
            }
            Some(_) => true,
            None => ask(&definition(entry))?,
        };
        if !agreed {
            bail!("{name} was not allowed");
        }
        self.change(|ledger| ledger.allow(&self.roster.project, name, &entry.fingerprint))?;
        let project = self.roster.project.path();
        Ok(format!("{name} may start in {project}, from the next session on"))
    }

    /// Works for a server that is gone from the project's files too.
    fn revoke(&self, name: &str) -> anyhow::Result<String> {
        if !self.change(|ledger| ledger.revoke(&self.roster.project, name))? {
            bail!("{name:?} is not allowed in {}", self.roster.project.path());
        }
        Ok(format!(
            "{name} may no longer start; running sessions keep it until they end"
        ))
    }

    fn set_disabled(&self, name: &str, disabled: bool) -> anyhow::Result<String> {
        let entry = self.entry(name)?;
        let project = place(entry, &self.roster.project);
        let word = if disabled { "off" } else { "on" };
        if !self.change(|ledger| ledger.set_disabled(project, name, disabled))? {
            let elsewhere = !disabled && entry.permit == Permit::Off;
            if elsewhere {
                bail!("{name} is switched off where it is written down; remove `disabled` there");
            }
            return Ok(format!("{name} is switched {word} already"));
        }
        Ok(format!("{name} is switched {word}, from the next session on"))
    }

    fn entry(&self, name: &str) -> anyhow::Result<&'a Entry> {
        let found = self.roster.entries.iter().find(|entry| entry.server.name == name);
        found.with_context(|| {
            format!("there is no MCP server {name:?} here; `sidewire mcp list` shows what there is")
        })
    }

    /// Reads, changes and writes what was decided; one after the other, so that no decision is lost.
    fn change<T>(&self, change: impl FnOnce(&mut Ledger) -> T) -> anyhow::Result<T> {
        private_folder(&self.layout.state)?;
        let file = ledger_file(self.layout);
        // Let go of when it is closed.
        let turnstile = File::create(file.with_extension("lock")).context("failed to create a lock file")?;
        turnstile
            .lock()
            .context("failed to wait for another `sidewire mcp`")?;
        let before = Ledger::load(&file)?;
        let mut ledger = before.clone();
        let changed = change(&mut ledger);
        if ledger != before {
            ledger.save(&file)?;
        }
        Ok(changed)
    }
}

/// Where a server is switched off: in one project, or everywhere.
fn place<'a>(entry: &Entry, project: &'a Project) -> Option<&'a Project> {
    (entry.origin == Origin::Project).then_some(project)
}

fn list(roster: &Roster) -> Vec<String> {
    if roster.entries.is_empty() {
        return vec![format!("no MCP servers in {}", roster.project.path())];
    }
    roster.entries.iter().flat_map(described).collect()
}

fn described(entry: &Entry) -> Vec<String> {
    let origin = match entry.origin {
        Origin::Editor => "editor",
        Origin::Person => "yours",
        Origin::Project => "project",
    };
    let permit = match entry.permit {
        Permit::Given => "starts",
        Permit::Pending => "pending",
        Permit::Off => "off",
    };
    let name = &entry.server.name;
    let mut lines = vec![format!("{name}  {origin}  {permit}")];
    lines.extend(definition(entry));
    if entry.permit == Permit::Pending {
        lines.push(format!("    fingerprint {}", entry.fingerprint));
        lines.push(format!("    to let it start: sidewire mcp allow {name}"));
    }
    lines
}

/// What would be started or asked, as it is written down. Arguments, addresses, variables and headers may hold secrets:
/// of the person's own servers it is enough to see which is which. A project's file is shown whole, since the person is
/// about to trust it.
fn definition(entry: &Entry) -> Vec<String> {
    let is_shown = entry.origin == Origin::Project;
    let member = |(name, value): (&String, &String)| {
        let value = if is_shown { plain(value) } else { "…".to_owned() };
        format!("    {}={value}", plain(name))
    };
    let address = |url: &String| if is_shown { plain(url) } else { beginning(url) };
    let (what, members) = match &entry.server.transport {
        McpTransport::Stdio { command, args, env } => {
            let shown = if is_shown { args.as_slice() } else { &[] };
            let words = [command].into_iter().chain(shown).map(|word| plain(word));
            let hidden = (shown.len() < args.len()).then(|| "…".to_owned());
            (words.chain(hidden).collect::<Vec<_>>().join(" "), env)
        }
        McpTransport::Http { url, headers } => (format!("http {}", address(url)), headers),
        McpTransport::Sse { url, headers } => (format!("sse {}", address(url)), headers),
    };
    let mut lines = vec![format!("    {what}")];
    lines.extend(members.iter().map(member));
    lines
}

/// Scheme, host and port of an address.
fn beginning(url: &str) -> String {
    let origin = Url::parse(url).map(|url| url.origin());
    let origin = origin.ok().filter(url::Origin::is_tuple);
    origin.map_or_else(
        || "…".to_owned(),
        |origin| format!("{}/…", plain(&origin.ascii_serialization())),
    )
}

/// A word of a definition, so that it cannot pretend to be anything else in a terminal.
fn plain(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_graphic() && !matches!(char, '"' | '\'' | '\\');
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("\"{}\"", word.escape_default())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    struct Place {
        folder: tempfile::TempDir,
        layout: Layout,
    }

    impl Place {
        fn new(project: &str, config: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let layout = Layout::in_folder(folder.path().join("home"));
            fs::create_dir(&layout.config).unwrap();
            fs::write(layout.config_file(), config).unwrap();
            let place = Self { folder, layout };
            place.write(project);
            place
        }

        fn write(&self, project: &str) {
            fs::write(self.folder.path().join(".mcp.json"), project).unwrap();
        }

        fn run(&self, action: &McpAction) -> Result<String, String> {
            self.ask(action, &|_| Ok(true))
        }

        fn ask(&self, action: &McpAction, ask: Ask<'_>) -> Result<String, String> {
            let told = decide((&self.layout, self.folder.path()), action, ask);
            told.map(|told| told.lines.join("\n"))
                .map_err(|error| error.to_string())
        }
    }

    fn named(action: fn(String) -> McpAction) -> McpAction {
        action("a".to_owned())
    }

    fn allow(name: String) -> McpAction {
        McpAction::Allow {
            name,
            fingerprint: None,
        }
    }

    fn revoke(name: String) -> McpAction {
        McpAction::Revoke { name }
    }

    fn disable(name: String) -> McpAction {
        McpAction::Disable { name }
    }

    fn enable(name: String) -> McpAction {
        McpAction::Enable { name }
    }

    const PROJECT: &str =
        r#"{"mcpServers": {"a": {"command": "run", "args": ["a b", "-x"], "env": {"T": "${TOKEN}"}}}}"#;

    #[test]
    fn a_project_server_is_pending_until_exactly_it_is_allowed() {
        let place = Place::new(PROJECT, "");
        let listed = place.run(&McpAction::List).unwrap();
        assert!(
            listed.starts_with("a  project  pending\n    run \"a b\" -x\n    T=${TOKEN}\n"),
            "{listed}"
        );
        place.run(&named(allow)).unwrap();
        assert!(
            place
                .run(&McpAction::List)
                .unwrap()
                .starts_with("a  project  starts")
        );
        place.write(&PROJECT.replace("-x", "-y"));
        assert!(
            place
                .run(&McpAction::List)
                .unwrap()
                .starts_with("a  project  pending")
        );
        place.write(PROJECT);
        place.run(&named(revoke)).unwrap();
        assert!(
            place
                .run(&McpAction::List)
                .unwrap()
                .starts_with("a  project  pending")
        );
        assert!(place.run(&named(revoke)).unwrap_err().contains("not allowed"));
    }

    #[test]
    fn n14_exactly_what_the_person_saw_is_allowed() {
        let place = Place::new(PROJECT, "");
        let pending = || {
            place
                .run(&McpAction::List)
                .unwrap()
                .contains("a  project  pending")
        };
        assert!(
            place
                .ask(&named(allow), &|_| Ok(false))
                .unwrap_err()
                .contains("not allowed")
        );
        assert!(pending());
        let swapped = |shown: &[String]| {
            assert!(shown.join("").contains("-x") && shown.join("").contains("T=${TOKEN}"));
            place.write(&PROJECT.replace("-x", "-y"));
            Ok(true)
        };
        place.ask(&named(allow), &swapped).unwrap();
        assert!(pending(), "it became another one while the person was thinking");
        let nobody = |_: &[String]| bail!("nobody");
        let with = |fingerprint: &str| McpAction::Allow {
            name: "a".into(),
            fingerprint: Some(fingerprint.to_owned()),
        };
        let listed = place.run(&McpAction::List).unwrap();
        let (_, fingerprint) = listed.split_once("fingerprint ").unwrap();
        let fingerprint = fingerprint.lines().next().unwrap();
        place.write(&PROJECT.replace("-x", "-z"));
        assert!(
            place
                .ask(&with(fingerprint), &nobody)
                .unwrap_err()
                .contains("otherwise now")
        );
        place.write(&PROJECT.replace("-x", "-y"));
        place.ask(&with(fingerprint), &nobody).unwrap();
        assert!(!pending());
    }

    #[test]
    fn n14_decisions_at_the_same_time_are_all_kept() {
        let names: Vec<String> = (0..16).map(|number| format!("s{number}")).collect();
        let servers: serde_json::Map<_, _> = names
            .iter()
            .map(|name| (name.clone(), serde_json::json!({ "command": "x" })))
            .collect();
        let place = Place::new(&serde_json::json!({ "mcpServers": servers }).to_string(), "");
        std::thread::scope(|scope| {
            for name in &names {
                scope.spawn(|| place.run(&allow(name.clone())).unwrap());
            }
        });
        assert!(!place.run(&McpAction::List).unwrap().contains("pending"));
    }

    #[test]
    fn n27_secrets_of_own_servers_are_not_shown() {
        let config = "[mcp.servers.a]\ncommand = 'run'\nargs = ['--token', 'hunter2']\nenv = { T = 'hunter2' }\n\
                      [mcp.servers.b]\nurl = 'https://me:hunter2@host.example:8443/mcp/hunter2?key=hunter2'\n\
                      [mcp.servers.c]\ntype = 'sse'\nurl = '${WHERE}/hunter2'\n";
        let listed = Place::new("{}", config).run(&McpAction::List).unwrap();
        assert!(
            !listed.contains("hunter2") && !listed.contains("--token"),
            "{listed}"
        );
        for part in [
            "    run …",
            "    T=…",
            "    http https://host.example:8443/…",
            "    sse …",
        ] {
            assert!(listed.contains(part), "{part}: {listed}");
        }
    }

    #[test]
    fn a_server_can_be_switched_off_and_on() {
        let place = Place::new(
            PROJECT,
            "[mcp.servers.own]\nurl = 'https://x/mcp'\nheaders = { K = 'hunter2' }\n",
        );
        place.run(&named(allow)).unwrap();
        place.run(&named(disable)).unwrap();
        place.run(&McpAction::Disable { name: "own".into() }).unwrap();
        let listed = place.run(&McpAction::List).unwrap();
        assert!(
            listed.contains("a  project  off") && listed.contains("own  yours  off"),
            "{listed}"
        );
        assert!(!listed.contains("hunter2"), "{listed}");
        assert!(place.run(&named(disable)).unwrap().contains("already"));
        place.run(&named(enable)).unwrap();
        assert!(
            place
                .run(&McpAction::List)
                .unwrap()
                .contains("a  project  starts")
        );
        let own = place.run(&allow("own".into())).unwrap_err();
        assert!(own.contains("needs no permission"), "{own}");
        assert!(
            place
                .run(&allow("nobody".into()))
                .unwrap_err()
                .contains("mcp list")
        );
    }

    #[test]
    fn a_definition_cannot_pretend_to_be_something_else() {
        assert_eq!(plain("--x=${A}"), "--x=${A}");
        for word in ["a\u{1b}[2Kb", "a\nb  yours  starts", "a\u{202e}b", ""] {
            let shown = plain(word);
            assert!(
                shown.starts_with('"') && shown.chars().all(|char| !char.is_control()),
                "{shown}"
            );
            assert!(shown.is_ascii(), "{shown}");
        }
    }
}
