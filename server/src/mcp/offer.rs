//! What a server offers, within bounds: its tools and prompts as they are kept, cached and shown.
//!
//! A tool that breaks a bound is left out, with a line in the log: a schema that a model server refuses would break
//! every call of the session, not only calls of this tool.

use rmcp::model::{Prompt, Tool};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sidewire_agent::page_block::text::{clip, is_invisible};

use super::visible::visible;

/// Tools of one server, and prompts.
pub(super) const TOOLS: usize = 256;
pub(super) const PROMPTS: usize = 128;
/// Bytes of a name, and of a title.
const NAME_BYTES: usize = 256;
/// Bytes of a description.
const DESCRIPTION_BYTES: usize = 4 * 1024;
/// Bytes of a schema, and levels of it.
const SCHEMA_BYTES: usize = 32 * 1024;
const SCHEMA_LEVELS: usize = 48;
/// Bytes of all schemas and descriptions of one server.
const ALL_BYTES: usize = 512 * 1024;
/// Arguments of a prompt.
const ARGUMENTS: usize = 32;

/// What a server offers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Offer {
    /// In its own order.
    pub(super) tools: Vec<OfferedTool>,
    /// In its own order.
    pub(super) prompts: Vec<OfferedPrompt>,
}

/// A tool of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfferedTool {
    /// Its own name.
    pub(super) name: String,
    /// A name for people.
    pub(super) title: String,
    /// For the model.
    pub(super) description: String,
    /// JSON Schema of an object.
    pub(super) parameters: Value,
    /// The server says that it changes nothing.
    pub(super) read_only: bool,
}

/// A prompt of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfferedPrompt {
    /// Its own name.
    pub(super) name: String,
    /// For people.
    pub(super) description: String,
    /// Names of its arguments, in order.
    pub(super) arguments: Vec<String>,
}

/// Why a tool is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum ToolFault {
    #[error("its name is empty or too long")]
    Name,
    #[error("another tool of the server has the same name")]
    Twice,
    #[error("its schema is too large or too deep")]
    TooLarge,
    #[error("its schema is not a schema of an object")]
    Schema,
    #[error("the server offers too much altogether")]
    TooMuch,
}

/// Tools as they come, page by page; no more is kept than may be offered.
pub(super) struct ToolSieve<'a> {
    /// Named in the log.
    server: &'a str,
    tools: Vec<OfferedTool>,
    /// Bytes that are left for schemas and descriptions.
    left: usize,
    skipped: usize,
}

impl<'a> ToolSieve<'a> {
    /// Nothing of this server yet.
    pub(super) fn new(server: &'a str) -> Self {
        Self {
            server,
            tools: Vec::new(),
            left: ALL_BYTES,
            skipped: 0,
        }
    }

    /// Keeps what is within bounds; whether there is room for more.
    pub(super) fn take(&mut self, page: Vec<Tool>) -> bool {
        for tool in page {
            if let Err(fault) = self.keep(tool) {
                self.skipped += 1;
                tracing::debug!(server = self.server, %fault, "a tool of an MCP server is left out");
            }
        }
        self.tools.len() < TOOLS
    }

    fn keep(&mut self, tool: Tool) -> Result<(), ToolFault> {
        if self.tools.len() == TOOLS {
            return Err(ToolFault::TooMuch);
        }
        let tool = offered(tool)?;
        if self.tools.iter().any(|kept| kept.name == tool.name) {
            return Err(ToolFault::Twice);
        }
        let weight = tool.description.len() + tool.parameters.to_string().len();
        self.left = self.left.checked_sub(weight).ok_or(ToolFault::TooMuch)?;
        self.tools.push(tool);
        Ok(())
    }

    /// What was kept.
    pub(super) fn finish(self) -> Vec<OfferedTool> {
        if self.skipped > 0 {
            let (server, skipped) = (self.server, self.skipped);
            tracing::warn!(server, skipped, "some tools of an MCP server are left out");
        }
        self.tools
    }
}

fn offered(tool: Tool) -> Result<OfferedTool, ToolFault> {
    let name = tool.name.into_owned();
    if !(1..=NAME_BYTES).contains(&name.len()) {
        return Err(ToolFault::Name);
    }
    let hints = tool.annotations.unwrap_or_default();
    let title = tool.title.or(hints.title).map(|title| one_line(&title));
    Ok(OfferedTool {
        title: title
            .filter(|title| !title.is_empty())
            .unwrap_or_else(|| one_line(&name)),
        description: clip(&visible(&tool.description.unwrap_or_default()), DESCRIPTION_BYTES).to_owned(),
        parameters: schema(tool.input_schema.as_ref().clone())?,
        read_only: hints.read_only_hint == Some(true),
        name,
    })
}

/// A schema that model servers accept: of an object, with a meaning, within bounds.
fn schema(mut members: Map<String, Value>) -> Result<Value, ToolFault> {
    let kind = members.entry("type").or_insert_with(|| "object".into());
    if kind != "object" {
        return Err(ToolFault::Schema);
    }
    // Some model servers refuse an object without them.
    members
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    let schema = Value::Object(members);
    if !is_shallow(&schema, SCHEMA_LEVELS) || schema.to_string().len() > SCHEMA_BYTES {
        return Err(ToolFault::TooLarge);
    }
    // Drafts disagree about a few words; who names none may mean any.
    let has_meaning =
        jsonschema::draft202012::meta::is_valid(&schema) || jsonschema::draft7::meta::is_valid(&schema);
    has_meaning.then_some(schema).ok_or(ToolFault::Schema)
}

fn is_shallow(value: &Value, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else {
        return false;
    };
    match value {
        Value::Array(items) => items.iter().all(|item| is_shallow(item, below)),
        Value::Object(members) => members.values().all(|member| is_shallow(member, below)),
        _ => true,
    }
}

/// Adds what is within bounds; whether there is room for more.
pub(super) fn add_prompts(kept: &mut Vec<OfferedPrompt>, page: Vec<Prompt>) -> bool {
    for listed in page {
        let is_new = is_word(&listed.name) && kept.iter().all(|known| known.name != listed.name);
        if is_new && kept.len() < PROMPTS {
            kept.push(prompt(listed));
        }
    }
    kept.len() < PROMPTS
}

fn prompt(prompt: Prompt) -> OfferedPrompt {
    let described = prompt.description.or(prompt.title).unwrap_or_default();
    let arguments = prompt.arguments.unwrap_or_default().into_iter();
    OfferedPrompt {
        name: prompt.name,
        description: one_line(&described),
        arguments: arguments
            .map(|argument| argument.name)
            .filter(|name| name.len() <= NAME_BYTES)
            .take(ARGUMENTS)
            .collect(),
    }
}

/// Whether a person can type it as a command.
fn is_word(name: &str) -> bool {
    let unfit = |char: char| char.is_whitespace() || char.is_control() || is_invisible(char);
    (1..=NAME_BYTES).contains(&name.len()) && !name.contains(unfit)
}

fn one_line(text: &str) -> String {
    let line = visible(text.trim().lines().next().unwrap_or_default());
    clip(&line, NAME_BYTES).to_owned()
}

impl Offer {
    /// Whether there is nothing that could be asked for.
    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.prompts.is_empty()
    }

    /// Whether something that was kept is within the bounds of what is kept.
    pub(super) fn is_sound(&self) -> bool {
        let tool = |tool: &OfferedTool| tool.parameters.get("type").is_some_and(|kind| kind == "object");
        let words = |prompt: &OfferedPrompt| is_word(&prompt.name);
        let few = self.tools.len() <= TOOLS && self.prompts.len() <= PROMPTS;
        few && self.tools.iter().all(tool) && self.prompts.iter().all(words)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, schema: &Value) -> Tool {
        let tool = json!({ "name": name, "inputSchema": schema });
        serde_json::from_value(tool).unwrap()
    }

    fn tools_of(listed: Vec<Tool>) -> Vec<OfferedTool> {
        let mut sieve = ToolSieve::new("s");
        sieve.take(listed);
        sieve.finish()
    }

    fn names(tools: &[OfferedTool]) -> Vec<&str> {
        tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    #[test]
    fn a_tool_is_kept_with_what_it_says() {
        let listed = json!({
            "name": "x y", "title": " Look\nup ", "description": "a\u{200b}b\nc\u{7}",
            "inputSchema": { "properties": { "q": { "type": "string" } }, "required": ["q"] },
            "annotations": { "readOnlyHint": true, "title": "other" },
        });
        let kept = tools_of(vec![serde_json::from_value(listed).unwrap()]);
        assert_eq!(
            kept,
            [OfferedTool {
                name: "x y".into(),
                title: "Look".into(),
                description: "ab\nc".into(),
                parameters: json!({ "properties": { "q": { "type": "string" } }, "required": ["q"], "type": "object" }),
                read_only: true,
            }]
        );
    }

    #[test]
    fn what_a_model_server_would_refuse_is_left_out() {
        let deep = (0..SCHEMA_LEVELS).fold(json!(true), |inner, _| json!({ "not": inner }));
        let kept = tools_of(vec![
            tool("good", &json!({})),
            tool("good", &json!({})),
            tool("", &json!({})),
            tool(&"n".repeat(NAME_BYTES + 1), &json!({})),
            tool("array", &json!({ "type": "array" })),
            tool("types", &json!({ "type": ["object", "null"] })),
            tool("required", &json!({ "required": "a" })),
            tool("properties", &json!({ "properties": [] })),
            tool("member", &json!({ "properties": { "a": { "type": "strnig" } } })),
            tool("deep", &json!({ "not": deep })),
            tool("large", &json!({ "description": "x".repeat(SCHEMA_BYTES) })),
            tool(
                "draft",
                &json!({ "$schema": "http://json-schema.org/draft-07/schema#", "items": [true] }),
            ),
        ]);
        assert_eq!(names(&kept), ["good", "draft"]);
        assert_eq!(kept[0].parameters, json!({ "type": "object", "properties": {} }));
    }

    #[test]
    fn what_is_too_much_altogether_is_left_out() {
        let many = (0..10_000)
            .map(|at| tool(&format!("t{at}"), &json!({})))
            .collect();
        assert_eq!(tools_of(many).len(), TOOLS);
        let long = json!({ "description": "x".repeat(SCHEMA_BYTES - 100) });
        let large: Vec<_> = (0..100).map(|at| tool(&format!("t{at}"), &long)).collect();
        let kept = tools_of(large);
        assert_eq!(kept.len(), ALL_BYTES / kept[0].parameters.to_string().len());
    }

    #[test]
    fn n17_all_pages_share_one_budget() {
        let long = json!({ "description": "x".repeat(SCHEMA_BYTES - 100) });
        let mut sieve = ToolSieve::new("s");
        for page in 0..100 {
            assert!(sieve.take(vec![tool(&format!("t{page}"), &long), tool("t0", &long)]));
            let held: usize = sieve
                .tools
                .iter()
                .map(|tool| tool.parameters.to_string().len())
                .sum();
            assert!(held <= ALL_BYTES, "{held} bytes after page {page}");
        }
        let mut sieve = ToolSieve::new("s");
        let more = (0..TOOLS).map(|page| sieve.take(vec![tool(&format!("t{page}"), &json!({}))]));
        assert_eq!(
            more.filter(|more| *more).count(),
            TOOLS - 1,
            "a full sieve ends the reading"
        );
        let mut prompts = Vec::new();
        for page in 0..PROMPTS * 2 {
            let listed = json!({ "name": format!("p{page}"), "description": "x".repeat(10_000) });
            let more = add_prompts(&mut prompts, vec![serde_json::from_value(listed).unwrap()]);
            assert_eq!(more, page + 1 < PROMPTS);
        }
        assert_eq!(prompts.len(), PROMPTS);
    }

    #[test]
    fn prompts_that_nobody_could_type_are_left_out() {
        let listed = ["ok", "ok", "two words", "", "hidden\u{200b}", "ö/x"]
            .map(|name| json!({ "name": name, "arguments": [{ "name": "a", "required": true }] }));
        let mut prompts = Vec::new();
        let page = listed.map(|prompt| serde_json::from_value(prompt).unwrap());
        assert!(add_prompts(&mut prompts, page.into()));
        let names: Vec<_> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        assert_eq!(names, ["ok", "ö/x"]);
        assert_eq!(prompts[0].arguments, ["a"]);
    }
}
