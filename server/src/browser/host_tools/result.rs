//! What a host tool gave, as a model reads it and as a person sees it.

use std::borrow::Cow;

use serde_json::Value;
use sidewire_agent::event::ToolContent as Shown;
use sidewire_agent::message::ResultContent;
use sidewire_agent::page_block::text::clip;
use sidewire_agent::tool::{ToolCallContext, ToolOutput};
use sidewire_contract::host_tool::HostToolResult;
use sidewire_contract::media::Media;
use sidewire_contract::tool::{ToolContent, ToolOutput as Partial};

use super::line::Report;
use crate::media::{ImageBlock, Library, Place};

/// Most bytes of text that a model is given of one result.
const TEXT: usize = 64 * 1024;
/// Most bytes that a person is shown of it; who shows it cuts further.
const SHOWN: usize = 8 * 1024;
/// Most pictures of one result.
pub(super) const PICTURES: usize = 8;
/// The member of `details` by which a client says that a call's arguments hold a secret.
const SECRET_INPUT: &str = "secretInput";
/// What a failure without a word says.
const FAILED: &str = "Host tool execution failed";
/// What a success without a word says.
const NOTHING: &str = "(done; the tool gave no output)";

/// Where the pictures of a result go.
pub(super) struct Gallery<'a> {
    pub(super) library: &'a Library,
    pub(super) tool: &'a str,
    pub(super) call: &'a ToolCallContext,
}

impl Gallery<'_> {
    /// The result of a call.
    pub(super) async fn read(&self, result: HostToolResult) -> ToolOutput {
        let is_error = result.is_error == Some(true);
        let (media, lines) = self.pictures(&result.result.content).await;
        let words = words(lines, TEXT);
        let text = match (words.is_empty(), is_error) {
            (false, _) => words,
            (true, true) => FAILED.to_owned(),
            (true, false) if media.is_empty() => NOTHING.to_owned(),
            (true, false) => String::new(),
        };
        let mut output = ToolOutput {
            is_error,
            secret_input: has_secret_input(&result.result),
            ..ToolOutput::default()
        };
        if !text.is_empty() {
            output.shown.push(Shown::Text(clip(&text, SHOWN).to_owned()));
            output.content.push(ResultContent::Text { text });
        }
        for media in media {
            self.library.add_media(&self.call.store, media, &mut output).await;
        }
        output
    }

    /// Takes the pictures out; what is left is a line for each other block.
    async fn pictures<'b>(&self, content: &'b [ToolContent]) -> (Vec<Media>, Vec<Cow<'b, str>>) {
        let (mut media, mut lines) = (Vec::new(), Vec::new());
        let place = Place {
            store: &self.call.store,
            conversation: self.call.conversation,
        };
        for block in content {
            let Some((data, mime_type)) = image(block) else {
                lines.push(line(block));
                continue;
            };
            if media.len() == PICTURES {
                lines.push("(one more picture, which is not shown)".into());
                continue;
            }
            if !self.call.may_show_media() {
                lines.push("(one more picture; this answer shows as many as it may)".into());
                continue;
            }
            let block = ImageBlock {
                data,
                mime_type,
                tool: self.tool,
            };
            match self.library.ingest_image_block(place, block).await {
                Ok(shown) => media.push(shown),
                Err(error) => lines.push(format!("(a picture that cannot be shown: {error})").into()),
            }
        }
        (media, lines)
    }
}

/// What a call that reports gave so far.
pub(super) fn report(partial: &Partial) -> Report {
    let words = words(partial.content.iter().map(line), SHOWN);
    Report {
        shown: (!words.is_empty())
            .then_some(Shown::Text(words))
            .into_iter()
            .collect(),
        secret: has_secret_input(partial),
    }
}

/// Whether the client says that what it was to type is a secret.
fn has_secret_input(output: &Partial) -> bool {
    let details = output.details.as_ref();
    details.and_then(|details| details.get(SECRET_INPUT)) == Some(&Value::Bool(true))
}

/// Lines one below the other, at most `limit` bytes; it says so when that is not all.
fn words<'a>(lines: impl IntoIterator<Item = Cow<'a, str>>, limit: usize) -> String {
    let mut text = String::new();
    let mut left_out = 0;
    for line in lines {
        if !text.is_empty() && !line.is_empty() {
            text.push('\n');
        }
        let kept = clip(&line, limit.saturating_sub(text.len()));
        text.push_str(kept);
        left_out += line.len() - kept.len();
    }
    if left_out > 0 {
        text.push_str(&format!(
            "\n(cut here: {left_out} more bytes; ask for a smaller part)"
        ));
    }
    text
}

/// A block in words: text as it is, a picture by its type, anything else as JSON.
fn line(block: &ToolContent) -> Cow<'_, str> {
    if let Some((_, mime_type)) = image(block) {
        return format!("(a picture, {})", clip(mime_type, 64)).into();
    }
    match member(block, "text").filter(|_| block.kind() == "text") {
        Some(text) => text.into(),
        None => Value::Object(block.members().clone()).to_string().into(),
    }
}

/// Data and type of a picture.
fn image(block: &ToolContent) -> Option<(&str, &str)> {
    let data = member(block, "data").filter(|_| block.kind() == "image")?;
    Some((data, member(block, "mimeType").unwrap_or_default()))
}

fn member<'a>(block: &'a ToolContent, name: &str) -> Option<&'a str> {
    block.members().get(name).and_then(Value::as_str)
}
