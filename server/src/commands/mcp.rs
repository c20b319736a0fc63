//! `sidewire mcp`: shows the MCP servers of a folder, and lets the person decide about them (decision 33).
//!
//! A server that a project brings starts a program, or talks to an address, of whoever wrote the project's files. So it
//! starts only once the person has seen its definition and allowed exactly that one.

use std::path::Path;

use anyhow::{Context as _, bail};
use sidewire_contract::layout::Layout;
use sidewire_contract::mcp_server::McpTransport;

use super::env::Env;
use crate::app::{Roster, ledger_file, read_roster};
use crate::cli::{McpAction, McpArgs};
use crate::mcp::{Entry, Ledger, Origin, Permit, Project};
use crate::ui;

/// Runs `sidewire mcp …`.
pub(crate) fn run(env: &Env, args: &McpArgs) -> anyhow::Result<()> {
    let folder = args.project.clone().map_or_else(std::env::current_dir, Ok);
    let folder = folder.context("failed to find the current folder")?;
    if !folder.is_dir() {
        bail!("{} is not a folder", folder.display());
    }
    let told = decide(&env.layout, &folder, &args.action)?;
    told.warnings.iter().for_each(ui::note);
    told.lines.iter().for_each(ui::say);
    Ok(())
}

/// What a person is told.
struct Told {
    lines: Vec<String>,
    warnings: Vec<String>,
}

fn decide(layout: &Layout, folder: &Path, action: &McpAction) -> anyhow::Result<Told> {
    let roster = read_roster(layout, folder, Vec::new())?;
    let ledger = Ledger::load(&ledger_file(layout))?;
    let mut decision = Decision {
        layout,
        roster: &roster,
        ledger,
    };
    let lines = match action {
        McpAction::List => list(&roster),
        McpAction::Allow { name } => decision.allow(name)?,
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
    ledger: Ledger,
}

impl<'a> Decision<'a> {
    fn allow(&mut self, name: &str) -> anyhow::Result<Vec<String>> {
        let entry = self.entry(name)?;
        if entry.origin != Origin::Project {
            bail!("{name} is your own server in config.toml; it needs no permission");
        }
        self.ledger.allow(&self.roster.project, name, &entry.fingerprint);
        self.save()?;
        let mut lines = vec![format!(
            "{name} may start in {}, from the next session on:",
            self.roster.project.path()
        )];
        lines.extend(definition(entry));
        Ok(lines)
    }

    /// Works for a server that is gone from the project's files too.
    fn revoke(&mut self, name: &str) -> anyhow::Result<String> {
        if !self.ledger.revoke(&self.roster.project, name) {
            bail!("{name:?} is not allowed in {}", self.roster.project.path());
        }
        self.save()?;
        Ok(format!(
            "{name} may no longer start; running sessions keep it until they end"
        ))
    }

    fn set_disabled(&mut self, name: &str, disabled: bool) -> anyhow::Result<String> {
        let entry = self.entry(name)?;
        let project = place(entry, &self.roster.project);
        let word = if disabled { "off" } else { "on" };
        if !self.ledger.set_disabled(project, name, disabled) {
            let elsewhere = !disabled && entry.permit == Permit::Off;
            if elsewhere {
                bail!("{name} is switched off where it is written down; remove `disabled` there");
            }
            return Ok(format!("{name} is switched {word} already"));
        }
        self.save()?;
        Ok(format!("{name} is switched {word}, from the next session on"))
    }

    fn entry(&self, name: &str) -> anyhow::Result<&'a Entry> {
        let found = self.roster.entries.iter().find(|entry| entry.server.name == name);
        found.with_context(|| {
            format!("there is no MCP server {name:?} here; `sidewire mcp list` shows what there is")
        })
    }

    fn save(&self) -> anyhow::Result<()> {
        Ok(self.ledger.save(&ledger_file(self.layout))?)
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
        lines.push(format!("    to let it start: sidewire mcp allow {name}"));
    }
    lines
}

/// What would be started or asked, as it is written down. Values of variables and headers may be secrets: their names
/// are enough, unless they lie in a project's file, which the person is about to trust.
fn definition(entry: &Entry) -> Vec<String> {
    let is_shown = entry.origin == Origin::Project;
    let member = |(name, value): (&String, &String)| {
        let value = if is_shown { plain(value) } else { "…".to_owned() };
        format!("    {}={value}", plain(name))
    };
    let (what, members) = match &entry.server.transport {
        McpTransport::Stdio { command, args, env } => {
            let words = [command].into_iter().chain(args);
            let words: Vec<String> = words.map(|word| plain(word)).collect();
            (words.join(" "), env)
        }
        McpTransport::Http { url, headers } => (format!("http {}", plain(url)), headers),
        McpTransport::Sse { url, headers } => (format!("sse {}", plain(url)), headers),
    };
    let mut lines = vec![format!("    {what}")];
    lines.extend(members.iter().map(member));
    lines
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
            let told = decide(&self.layout, self.folder.path(), action);
            told.map(|told| told.lines.join("\n"))
                .map_err(|error| error.to_string())
        }
    }

    fn named(action: fn(String) -> McpAction) -> McpAction {
        action("a".to_owned())
    }

    fn allow(name: String) -> McpAction {
        McpAction::Allow { name }
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
        assert!(place.run(&named(allow)).unwrap().contains("T=${TOKEN}"));
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
        let own = place.run(&McpAction::Allow { name: "own".into() }).unwrap_err();
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
