//! Slash commands: which there are, and what a prompt that begins with one becomes (decision 34).

mod built_in;
mod clear;

use std::path::Path;
use std::sync::Arc;

use agent_client_protocol_schema::v1::{AvailableCommand, AvailableCommandInput, UnstructuredCommandInput};
use sidewire_agent::briefing::SkillLine;
use sidewire_agent::commands::{BuiltIn, CommandBook, Entry, SkillTool};
use sidewire_agent::tool::Tool;

use super::content::Prompt;
use super::desks::McpPrompt;
use super::mcp_wait;
use super::session::Session;
use crate::rpc::Error;
pub(super) use built_in::run;

/// The commands of a session, and what its project says about itself.
pub(super) struct Commands {
    book: Arc<CommandBook>,
    skill_tool: Option<Arc<dyn Tool>>,
}

/// A command that the front runs itself.
pub(super) struct Slash {
    /// Which one.
    pub(super) command: BuiltIn,
    /// What follows its name.
    pub(super) words: String,
}

impl Commands {
    /// Reads what the person and the project keep.
    pub(super) async fn load(user_folder: &Path, project_folder: &Path) -> Self {
        let (user, project) = (user_folder.to_owned(), project_folder.to_owned());
        let reading = tokio::task::spawn_blocking(move || read(&user, &project));
        let book = Arc::new(reading.await.unwrap_or_default());
        let skill_tool = SkillTool::new(Arc::clone(&book)).map(|tool| Arc::new(tool) as Arc<dyn Tool>);
        Self { book, skill_tool }
    }

    /// What the project tells whoever works on it.
    pub(super) fn instructions(&self) -> Option<String> {
        self.book.instructions().map(str::to_owned)
    }

    /// Skills a model can load.
    pub(super) fn skills(&self) -> Vec<SkillLine> {
        self.book.skills()
    }

    /// The tool that loads them, when there are any.
    pub(super) fn skill_tool(&self) -> Option<Arc<dyn Tool>> {
        self.skill_tool.clone()
    }

    /// Every command, by name; what the person and the project keep comes before what servers offer.
    pub(super) fn list(&self, prompts: &[McpPrompt]) -> Vec<AvailableCommand> {
        let kept = self.book.entries();
        let mut commands: Vec<_> = kept
            .into_iter()
            .chain(prompts.iter().map(of_server))
            .map(shown)
            .collect();
        // A stable sort: the first of a name is the one that wins.
        commands.sort_by(|one, other| one.name.cmp(&other.name));
        commands.dedup_by(|later, earlier| later.name == earlier.name);
        commands
    }
}

fn read(user: &Path, project: &Path) -> CommandBook {
    let book = CommandBook::load(user, project);
    for skipped in book.skipped() {
        tracing::warn!("{skipped}");
    }
    book
}

fn of_server(prompt: &McpPrompt) -> Entry {
    let described = !prompt.description.trim().is_empty();
    Entry {
        name: prompt.name.clone(),
        description: if described {
            prompt.description.clone()
        } else {
            format!("Run the {} MCP prompt", prompt.name)
        },
        hint: prompt.arguments.then(|| "arguments".to_owned()),
    }
}

fn shown(entry: Entry) -> AvailableCommand {
    let hint = entry.hint.map(UnstructuredCommandInput::new);
    AvailableCommand::new(entry.name, entry.description).input(hint.map(AvailableCommandInput::Unstructured))
}

/// Finds the command that a prompt begins with. One that stands for text is put in its place, one that the front runs
/// is given back, and what is no command stays as it is.
pub(super) async fn resolve(session: &Session, prompt: &mut Prompt) -> Result<Option<Slash>, Error> {
    if let Some((command, words)) = BuiltIn::parse(&prompt.text) {
        let words = words.to_owned();
        return Ok(Some(Slash { command, words }));
    }
    if let Some(text) = session.has.commands.book.expand(&prompt.text) {
        stand_for(prompt, text);
    } else if let Some((name, words)) = server_prompt(&prompt.text) {
        // Known only once the servers have connected.
        let mcp = session.mcp();
        mcp_wait::settled(session).await;
        let offered = mcp.prompts();
        if offered.iter().any(|offered| offered.name == name) {
            let expanded = mcp.expand(&name, &words).await;
            let text = expanded.map_err(|why| Error::internal(format!("session/prompt: {why}")))?;
            stand_for(prompt, text);
        }
    }
    Ok(None)
}

/// The name of a server's prompt and what is written behind it, when it may be one.
fn server_prompt(text: &str) -> Option<(String, String)> {
    let line = text.trim_start().strip_prefix('/')?;
    let (name, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    Some((name.to_owned(), words.trim().to_owned()))
}

/// The model reads the text; the transcript shows what was typed.
fn stand_for(prompt: &mut Prompt, text: String) {
    let typed = std::mem::replace(&mut prompt.text, text);
    prompt.shown.get_or_insert(typed);
}
