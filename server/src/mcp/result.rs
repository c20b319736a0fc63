//! What a call gave, as a model reads it and as a person sees it. Pictures become media of the conversation; what is
//! neither text nor a picture is named, not sent on.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use sidewire_agent::event::ToolContent as Shown;
use sidewire_agent::message::ResultContent;
use sidewire_agent::page_block::text::clip;
use sidewire_agent::tool::{ToolCallContext, ToolOutput};

use super::visible::visible;
use crate::media::{ImageBlock, Library, Place};

/// Most bytes of text that a model is given of one result.
pub(super) const TEXT: usize = 128 * 1024;
/// Most bytes that a person is shown of it; who shows it cuts further.
const SHOWN: usize = 8 * 1024;
/// Most pictures of one result.
const PICTURES: usize = 8;
/// Most bytes of a name or an address in a note.
const NOTE: usize = 512;

/// Where the pictures of a result go.
pub(super) struct Gallery<'a> {
    pub(super) library: &'a Library,
    pub(super) tool: &'a str,
    pub(super) call: &'a ToolCallContext,
}

impl Gallery<'_> {
    /// The result of a call.
    pub(super) async fn read(&self, result: CallToolResult) -> ToolOutput {
        let is_error = result.is_error == Some(true);
        let mut output = ToolOutput {
            is_error,
            ..ToolOutput::default()
        };
        let mut lines = Vec::new();
        for block in &result.content {
            match picture(block) {
                Some(picture) => lines.extend(self.show(picture, &mut output).await),
                None => lines.push(line(block)),
            }
        }
        if result.content.is_empty() {
            lines.extend(result.structured_content.map(|value| visible(&value.to_string())));
        }
        let text = text_of(lines, (is_error, output.media.is_empty()));
        if !text.is_empty() {
            output.shown.push(Shown::Text(clip(&text, SHOWN).to_owned()));
            output.content.insert(0, ResultContent::Text { text });
        }
        output
    }

    /// Shows a picture; a line when that is not possible.
    async fn show(&self, (data, mime_type): (&str, &str), output: &mut ToolOutput) -> Option<String> {
        if output.media.len() == PICTURES || !self.call.may_show_media() {
            return Some("(one more picture, which is not shown)".to_owned());
        }
        let place = Place {
            store: &self.call.store,
            conversation: self.call.conversation,
        };
        let block = ImageBlock {
            data,
            mime_type,
            tool: self.tool,
        };
        match self.library.ingest_image_block(place, block).await {
            Ok(media) => {
                self.library.add_media(&self.call.store, media, output).await;
                None
            }
            Err(error) => Some(format!("(a picture that cannot be shown: {error})")),
        }
    }
}

fn text_of(lines: Vec<String>, (is_error, no_media): (bool, bool)) -> String {
    let text = joined(lines);
    match (text.is_empty(), is_error) {
        (true, true) => "the tool failed without saying why".to_owned(),
        (true, false) if no_media => "(done; the tool gave no output)".to_owned(),
        _ => text,
    }
}

/// Lines one below the other; it says so when that is not all.
pub(super) fn joined(lines: impl IntoIterator<Item = String>) -> String {
    let (mut text, mut left_out) = (String::new(), 0);
    for line in lines {
        if !text.is_empty() && !line.is_empty() {
            text.push('\n');
        }
        let kept = clip(&line, TEXT.saturating_sub(text.len()));
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

/// Data and type of a picture, whichever way it comes.
fn picture(block: &ContentBlock) -> Option<(&str, &str)> {
    match block {
        ContentBlock::Image(image) => Some((&image.data, &image.mime_type)),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::BlobResourceContents {
                blob,
                mime_type: Some(mime_type),
                ..
            } if mime_type.starts_with("image/") => Some((blob, mime_type)),
            _ => None,
        },
        _ => None,
    }
}

/// A block in words that show.
pub(super) fn line(block: &ContentBlock) -> String {
    visible(&words(block))
}

fn words(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("(a picture, {})", clip(&image.mime_type, NOTE)),
        ContentBlock::Audio(audio) => {
            format!("(a sound, {}, which is not played)", clip(&audio.mime_type, NOTE))
        }
        ContentBlock::ResourceLink(link) => {
            let about = link.description.as_deref().unwrap_or_default();
            let (name, uri) = (clip(&link.name, NOTE), clip(&link.uri, NOTE));
            format!("(a resource: {name}, {uri}) {}", clip(about, NOTE))
                .trim_end()
                .to_owned()
        }
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                format!("(the resource {})\n{text}", clip(uri, NOTE))
            }
            ResourceContents::BlobResourceContents {
                uri, mime_type, blob, ..
            } => {
                let kind = mime_type.as_deref().unwrap_or("unknown type");
                let bytes = blob.len() / 4 * 3;
                format!(
                    "(the resource {}: {}, about {bytes} bytes)",
                    clip(uri, NOTE),
                    clip(kind, NOTE)
                )
            }
            _ => "(a resource of an unknown kind)".to_owned(),
        },
        _ => "(content of an unknown kind)".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn block(value: serde_json::Value) -> ContentBlock {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn every_block_has_words() {
        for (value, expected) in [
            (json!({ "type": "text", "text": "a\nb" }), "a\nb"),
            (json!({ "type": "text", "text": "\u{1b}[1ma\u{202e}b" }), "[1mab"),
            (
                json!({ "type": "resource_link", "uri": "file:///a", "name": "a\u{200b}b" }),
                "(a resource: ab, file:///a)",
            ),
            (
                json!({ "type": "audio", "data": "AAAA", "mimeType": "audio/wav" }),
                "(a sound, audio/wav, which is not played)",
            ),
            (
                json!({ "type": "resource_link", "uri": "file:///a", "name": "a" }),
                "(a resource: a, file:///a)",
            ),
            (
                json!({ "type": "resource", "resource": { "uri": "x:a", "text": "hello" } }),
                "(the resource x:a)\nhello",
            ),
            (
                json!({ "type": "resource", "resource": { "uri": "x:a", "blob": "AAAAAAAA", "mimeType": "a/b" } }),
                "(the resource x:a: a/b, about 6 bytes)",
            ),
        ] {
            assert_eq!(line(&block(value)), expected);
        }
        let embedded = json!({ "type": "resource", "resource": { "uri": "x:a", "blob": "AA==", "mimeType": "image/png" } });
        assert_eq!(picture(&block(embedded)), Some(("AA==", "image/png")));
    }

    #[test]
    fn what_is_too_long_is_cut_and_said() {
        let text = joined(["x".repeat(TEXT - 1), "é".into(), "y".into()]);
        assert!(
            text.ends_with("\n(cut here: 3 more bytes; ask for a smaller part)"),
            "{}",
            &text[TEXT - 2..]
        );
        assert_eq!(joined(["a".into(), String::new(), "b".into()]), "a\nb");
    }
}
