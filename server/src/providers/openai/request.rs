//! A model call as the body of a chat completions request.

use serde::Serialize;
use serde_json::Value;
use sidewire_agent::message::{Message, Part, Role};
use sidewire_agent::provider::{ModelRequest, ToolSpec};

use super::pictures::{Content, Pictures};

/// Servers differ in what they refuse. The forms are tried in this order, on HTTP 400 only, until one is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Asks for token counts; what almost every server takes.
    Usual,
    /// Without the wish for token counts, for servers that know no `stream_options`.
    Bare,
    /// With the newer name of the output limit, which some models insist on.
    Newer,
}

/// Stored while no form was accepted yet.
pub(super) const UNPROVEN: u8 = u8::MAX;

impl Form {
    /// All forms, in the order of trying.
    pub(super) const ALL: [Self; 3] = [Self::Usual, Self::Bare, Self::Newer];

    /// How it is stored.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Usual => 0,
            Self::Bare => 1,
            Self::Newer => 2,
        }
    }

    /// The form that was stored, if one was.
    pub(super) fn proven(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.code() == code)
    }
}

/// The body of a request in one form.
pub(super) fn body(model: &str, request: &ModelRequest, form: Form, pictures: &Pictures<'_>) -> Vec<u8> {
    let limit = Some(request.max_output_tokens);
    let body = Body {
        model,
        messages: messages(request, pictures),
        stream: true,
        stream_options: (form != Form::Bare).then_some(StreamOptions { include_usage: true }),
        max_tokens: limit.filter(|_| form != Form::Newer),
        max_completion_tokens: limit.filter(|_| form == Form::Newer),
        tools: request.tools.iter().map(Tool::from).collect(),
    };
    // Plain structs with string keys cannot fail to serialise.
    serde_json::to_vec(&body).unwrap_or_default()
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

/// One message.
#[derive(Serialize)]
struct Line<'a> {
    role: &'static str,
    /// Null where only tools are called.
    content: Option<Content>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
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

fn messages<'a>(request: &'a ModelRequest, pictures: &Pictures<'_>) -> Vec<Line<'a>> {
    let system = (!request.system.is_empty()).then(|| said("system", request.system.clone().into()));
    system
        .into_iter()
        .chain(
            request
                .messages
                .iter()
                .enumerate()
                .flat_map(|(at, message)| lines(message, at, pictures)),
        )
        .collect()
}

fn said(role: &'static str, content: Content) -> Line<'static> {
    Line {
        role,
        content: Some(content),
        tool_calls: Vec::new(),
        tool_call_id: None,
    }
}

/// A message of the transcript. Results of several tools are one line each; their pictures follow in one more, since
/// a line of a tool may hold text only.
fn lines<'a>(message: &'a Message, at: usize, pictures: &Pictures<'_>) -> Vec<Line<'a>> {
    match message.role {
        Role::User => vec![said("user", pictures.beside(message.plain_text(), message, at))],
        Role::Assistant => assistant(message).into_iter().collect(),
        Role::Tool => message
            .parts
            .iter()
            .filter_map(|part| tool_result(part, at, pictures))
            .chain(
                pictures
                    .of_results(message, at)
                    .map(|content| said("user", content)),
            )
            .collect(),
    }
}

/// What the model said and called; nothing when a turn broke off before either.
fn assistant(message: &Message) -> Option<Line<'_>> {
    let text = message.plain_text();
    let tool_calls: Vec<ToolCall<'_>> = message.parts.iter().filter_map(tool_call).collect();
    if text.is_empty() && tool_calls.is_empty() {
        return None;
    }
    let content = Some(text).filter(|text| !text.is_empty()).map(Content::from);
    Some(Line {
        role: "assistant",
        content,
        tool_calls,
        tool_call_id: None,
    })
}

fn tool_call(part: &Part) -> Option<ToolCall<'_>> {
    let Part::ToolCall {
        call_id,
        name,
        arguments,
    } = part
    else {
        return None;
    };
    // Arguments that could not be parsed are kept as the text the model wrote.
    let arguments = arguments
        .as_str()
        .map_or_else(|| arguments.to_string(), str::to_owned);
    Some(ToolCall {
        id: call_id,
        r#type: "function",
        function: CalledFunction { name, arguments },
    })
}

fn tool_result<'a>(part: &'a Part, at: usize, pictures: &Pictures<'_>) -> Option<Line<'a>> {
    let Part::ToolResult { call_id, content, .. } = part else {
        return None;
    };
    Some(Line {
        role: "tool",
        content: Some(pictures.told(content, at).into()),
        tool_calls: Vec::new(),
        tool_call_id: Some(call_id),
    })
}
