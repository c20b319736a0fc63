//! A model call as the body of a messages request.
//!
//! A server keeps what stands before a mark and need not read it again. Tools, system text and transcript change ever
//! more often, in this order, so each ends with a mark; the fourth stands where the last one of the request before was,
//! for a server looks back over a few blocks only.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Value, json};
use sidewire_agent::message::{Message, Part};
use sidewire_agent::provider::ToolSpec;

use super::super::http::{Asking, proper_name, room_to_think};
use super::blocks::{MARK, Mark, Reading, Spoken};
use super::manners::{Thinking, Way};
use super::seal::Sealer;

/// No model takes a smaller budget.
const LEAST_BUDGET: u64 = 1_024;

/// Tokens of an answer that nobody wants to limit: here a limit must be named.
const USUAL_ANSWER: u64 = 16_384;

/// The body of a request in one way.
pub(super) fn body(asking: &Asking<'_>, way: Way, sealer: &Sealer) -> Vec<u8> {
    let request = asking.request;
    let reading = Reading {
        pictures: asking.pictures,
        sealer,
        thoughts: way.thoughts,
    };
    let mut body = Body {
        model: &asking.connection.model,
        max_tokens: 0,
        system: system(&request.system),
        messages: reading.of(&request.messages),
        tools: request.tools.iter().map(Tool::from).collect(),
        tool_choice: None,
        stream: true,
        thinking: None,
        output_config: None,
    };
    if body.tools.is_empty() {
        body.name_called_tools(&request.messages);
    }
    body.think(asking, way.thinking);
    if way.marks {
        body.mark();
    }
    // Structs and values with string keys cannot fail to serialise.
    serde_json::to_vec(&body).unwrap_or_default()
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<SystemText<'a>>,
    messages: Vec<Spoken<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ToolChoice>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingField>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig<'a>>,
}

#[derive(Serialize)]
struct SystemText<'a> {
    r#type: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Mark>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: Cow<'a, str>,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Mark>,
}

impl<'a> From<&'a ToolSpec> for Tool<'a> {
    fn from(tool: &'a ToolSpec) -> Self {
        Self {
            name: Cow::Borrowed(&tool.name),
            description: &tool.description,
            input_schema: &tool.parameters,
            cache_control: None,
        }
    }
}

#[derive(Serialize)]
struct ToolChoice {
    r#type: &'static str,
}

/// Stands for the schema of a tool that is not offered any more.
static ANY_OBJECT: LazyLock<Value> = LazyLock::new(|| json!({ "type": "object" }));

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ThinkingField {
    /// Newer models leave their thinking out unless they are asked for a summary.
    Adaptive {
        display: &'static str,
    },
    Enabled {
        budget_tokens: u64,
    },
}

#[derive(Serialize)]
struct OutputConfig<'a> {
    effort: &'a str,
}

impl<'a> Body<'a> {
    /// A transcript with calls is refused without tools, even where none is to be called.
    fn name_called_tools(&mut self, messages: &'a [Message]) {
        let calls = messages.iter().flat_map(|message| &message.parts);
        for part in calls {
            let Part::ToolCall { name, .. } = part else {
                continue;
            };
            let name = proper_name(name);
            if self.tools.iter().all(|tool| tool.name != name) {
                self.tools.push(Tool {
                    name,
                    description: "",
                    input_schema: &ANY_OBJECT,
                    cache_control: None,
                });
                self.tool_choice = Some(ToolChoice { r#type: "none" });
            }
        }
    }

    /// Says how to think, and makes room for it: thinking counts as output.
    fn think(&mut self, asking: &Asking<'a>, thinking: Thinking) {
        let connection = asking.connection;
        let room = room_to_think(asking.effort, connection.window()).max(LEAST_BUDGET);
        let answer = asking.request.max_output_tokens.unwrap_or(USUAL_ANSWER);
        let thoughts = match thinking {
            Thinking::Off => 0,
            Thinking::Adaptive | Thinking::Budget => room,
        };
        self.max_tokens = connection.output(answer, thoughts, asking.request.input_tokens);
        match thinking {
            Thinking::Off => {}
            Thinking::Adaptive => {
                self.thinking = Some(ThinkingField::Adaptive {
                    display: "summarized",
                });
                self.output_config = asking.effort.map(|effort| OutputConfig { effort });
            }
            Thinking::Budget => {
                // The rest of the limit is for the answer.
                let budget = room.min(self.max_tokens.saturating_sub(answer));
                self.thinking = Some(ThinkingField::Enabled {
                    budget_tokens: budget.max(LEAST_BUDGET),
                });
            }
        }
    }

    /// Marks what the server may keep: tools, system text, the newest words and those before the newest answer.
    fn mark(&mut self) {
        if let Some(last) = self.tools.last_mut() {
            last.cache_control = Some(MARK);
        }
        if let Some(last) = self.system.last_mut() {
            last.cache_control = Some(MARK);
        }
        let asked = self
            .messages
            .iter_mut()
            .rev()
            .filter(|spoken| spoken.role == "user");
        for last in asked.take(2).filter_map(|spoken| spoken.content.last_mut()) {
            last.cache_control = Some(MARK);
        }
    }
}

fn system(text: &str) -> Vec<SystemText<'_>> {
    let text = SystemText {
        r#type: "text",
        text,
        cache_control: None,
    };
    [text]
        .into_iter()
        .filter(|text| !text.text.trim().is_empty())
        .collect()
}
