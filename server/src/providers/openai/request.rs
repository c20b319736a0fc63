//! A model call as the body of a chat completions request.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use sidewire_agent::message::{Message, Part, Role};
use sidewire_agent::provider::ToolSpec;

use super::super::http::{Asking, proper_arguments, proper_name, room_to_think};
use super::content::{Content, Placed};
use super::manners::{Form, Shape, thinking};

/// The body of a request in one shape.
pub(super) fn body(asking: &Asking<'_>, shape: &Shape<'_>) -> Vec<u8> {
    let limit = limit(asking, shape);
    let body = Body {
        model: &asking.connection.model,
        messages: messages(asking, shape),
        stream: true,
        stream_options: (shape.form != Form::Bare).then_some(StreamOptions { include_usage: true }),
        max_tokens: limit.filter(|_| shape.form != Form::Newer),
        max_completion_tokens: limit.filter(|_| shape.form == Form::Newer),
        thinking: shape.effort.filter(|_| shape.deepseek).map(Thinking::from),
        // Whoever is told not to think is not told how hard.
        reasoning_effort: shape
            .effort
            .filter(|effort| !shape.deepseek || *effort != NO_EFFORT),
        tools: asking.request.tools.iter().map(Tool::from).collect(),
    };
    // Plain structs with string keys cannot fail to serialise.
    serde_json::to_vec(&body).unwrap_or_default()
}

/// The effort that means not to think.
const NO_EFFORT: &str = "none";

/// Tokens of the answer; thinking counts as such. Without one, servers let an answer grow as far as they can.
fn limit(asking: &Asking<'_>, shape: &Shape<'_>) -> Option<u64> {
    let connection = asking.connection;
    let Some(answer) = asking.request.max_output_tokens else {
        return connection.most_output();
    };
    let thinking = if shape.thinks {
        room_to_think(shape.effort, connection.window())
    } else {
        0
    };
    Some(connection.output(answer, thinking, asking.request.input_tokens))
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Line<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

/// DeepSeek's switch.
#[derive(Serialize)]
struct Thinking {
    r#type: &'static str,
}

impl From<&str> for Thinking {
    fn from(effort: &str) -> Self {
        let r#type = if effort == NO_EFFORT {
            "disabled"
        } else {
            "enabled"
        };
        Self { r#type }
    }
}

/// One message.
#[derive(Serialize)]
struct Line<'a> {
    role: &'static str,
    /// Null where only tools are called.
    content: Option<Content>,
    /// The thinking before tool calls, for servers that want it back; empty where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'a, str>>,
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: Cow<'a, str>,
    arguments: String,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

impl<'a> From<&'a ToolSpec> for Tool<'a> {
    fn from(tool: &'a ToolSpec) -> Self {
        let function = Function {
            name: &tool.name,
            description: &tool.description,
            parameters: &tool.parameters,
        };
        Self {
            r#type: "function",
            function,
        }
    }
}

fn messages<'a>(asking: &Asking<'a>, shape: &Shape<'_>) -> Vec<Line<'a>> {
    let request = asking.request;
    let system = (!request.system.is_empty()).then(|| said("system", request.system.clone().into()));
    let placed = request.messages.iter().enumerate().map(|(at, message)| Placed {
        message,
        at,
        pictures: asking.pictures,
    });
    system
        .into_iter()
        .chain(placed.flat_map(|placed| lines(placed, shape)))
        .collect()
}

fn said(role: &'static str, content: Content) -> Line<'static> {
    Line {
        role,
        content: Some(content),
        reasoning_content: None,
        tool_calls: Vec::new(),
        tool_call_id: None,
    }
}

/// A message of the transcript. Results of several tools are one line each; their pictures follow in one more.
fn lines<'a>(placed: Placed<'a>, shape: &Shape<'_>) -> Vec<Line<'a>> {
    match placed.message.role {
        Role::User => vec![said("user", placed.said())],
        Role::Assistant => assistant(placed.message, shape).into_iter().collect(),
        Role::Tool => placed
            .message
            .parts
            .iter()
            .filter_map(|part| tool_result(part, placed, shape))
            .chain(placed.of_results().map(|content| said("user", content)))
            .collect(),
    }
}

/// What the model said and called; nothing when a turn broke off before either.
fn assistant<'a>(message: &'a Message, shape: &Shape<'_>) -> Option<Line<'a>> {
    let text = message.plain_text();
    let calls = message.parts.iter();
    let tool_calls: Vec<ToolCall<'_>> = calls.filter_map(|part| tool_call(part, shape)).collect();
    if text.is_empty() && tool_calls.is_empty() {
        return None;
    }
    Some(Line {
        role: "assistant",
        content: Some(text).filter(|text| !text.is_empty()).map(Content::from),
        reasoning_content: (shape.echo && !tool_calls.is_empty()).then(|| thinking(message)),
        tool_calls,
        tool_call_id: None,
    })
}

fn tool_call<'a>(part: &'a Part, shape: &Shape<'_>) -> Option<ToolCall<'a>> {
    let Part::ToolCall {
        call_id,
        name,
        arguments,
    } = part
    else {
        return None;
    };
    let arguments = proper_arguments(arguments).to_string();
    Some(ToolCall {
        id: shape.id(call_id),
        r#type: "function",
        function: CalledFunction {
            name: proper_name(name),
            arguments,
        },
    })
}

fn tool_result<'a>(part: &'a Part, placed: Placed<'a>, shape: &Shape<'_>) -> Option<Line<'a>> {
    let Part::ToolResult { call_id, content, .. } = part else {
        return None;
    };
    Some(Line {
        tool_call_id: Some(shape.id(call_id)),
        ..said("tool", placed.told(content))
    })
}
