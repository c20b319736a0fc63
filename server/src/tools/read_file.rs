//! `read_file`: a text file, or a part of it, with line numbers.

use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::permission::{Class, Intent};
use sidewire_agent::tool::{Location, Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};
use sidewire_agent::workspace::Roots;

use super::call::{self, CallError, Described};

/// Lines of one call when it does not say how many.
const LINES: u64 = 2000;
/// Most bytes of one call; what is left is read by the next.
const BYTES: usize = 96 * 1024;
/// Most bytes of one line.
const LINE_BYTES: usize = 4096;

/// The tool.
pub(crate) struct ReadFile(ToolMeta);

#[derive(Deserialize)]
struct Arguments {
    #[serde(alias = "file_path")]
    path: String,
    #[serde(default, deserialize_with = "call::number")]
    offset: Option<u64>,
    #[serde(default, deserialize_with = "call::number")]
    limit: Option<u64>,
}

impl ReadFile {
    /// The tool.
    pub(crate) fn new() -> Self {
        let described = Described {
            name: "read_file",
            label: "Read",
            description: "Reads a text file as the person sees it now, with what they have not saved yet. Each line comes \
                          as `<number>→<text>`; the number and the arrow are not part of the file. Long files come in \
                          parts: pass `offset` to go on. Read a file before you edit it.",
            kind: ToolKind::Read,
            read_only: true,
        };
        Self(described.taking(
            &["path"],
            &json!({
                "path": { "type": "string", "description": "The file, absolute or from the working folder" },
                "offset": { "type": "integer", "minimum": 0, "description": "Lines to skip" },
                "limit": { "type": "integer", "minimum": 1, "description": "Most lines to read, 2000 if not given" },
            }),
        ))
    }

    async fn read(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let asked: Arguments = call::read(&call.arguments)?;
        let document = call::open(call::workspace(call)?.as_ref(), &asked.path).await?;
        let offset = asked.offset.unwrap_or(0);
        let text = numbered(&document.text, offset, asked.limit.unwrap_or(LINES).max(1))?;
        Ok(ToolOutput {
            locations: vec![Location {
                path: document.path.to_string_lossy().into_owned(),
                line: line_after(offset),
            }],
            ..ToolOutput::text(text)
        })
    }
}

#[async_trait::async_trait]
impl Tool for ReadFile {
    fn meta(&self) -> &ToolMeta {
        &self.0
    }

    fn title(&self, arguments: &Value) -> String {
        call::titled("Read", arguments)
    }

    fn intent(&self, arguments: &Value, roots: Option<&Roots>) -> Intent {
        call::intent_of(Class::Read, path_of(arguments), roots)
    }

    fn locations(&self, arguments: &Value, roots: Option<&Roots>) -> Vec<Location> {
        let offset = call::read::<Arguments>(arguments)
            .ok()
            .and_then(|asked| asked.offset);
        call::location(path_of(arguments), line_after(offset.unwrap_or(0)), roots)
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.read(&call).await.unwrap_or_else(Into::into)
    }
}

/// The path of a call about one file.
pub(super) fn path_of(arguments: &Value) -> &str {
    let named = |name| call::word(arguments, name);
    named("path").or_else(|| named("file_path")).unwrap_or_default()
}

/// The first line that is read, when that is not the first of all.
fn line_after(offset: u64) -> Option<u32> {
    let line = u32::try_from(offset).unwrap_or(u32::MAX).saturating_add(1);
    (offset > 0).then_some(line)
}

fn numbered(text: &str, offset: u64, limit: u64) -> Result<String, CallError> {
    if text.is_empty() {
        return Ok("(empty file)".to_owned());
    }
    let mut shown = String::new();
    let mut next = offset;
    let skip = usize::try_from(offset).unwrap_or(usize::MAX);
    let mut lines = text.lines().skip(skip).peekable();
    if lines.peek().is_none() {
        let all = text.lines().count();
        return Err(CallError::Said(format!(
            "the file has {all} lines; pass a smaller offset"
        )));
    }
    while let Some(line) = lines.peek() {
        if next - offset >= limit || shown.len() + line.len().min(LINE_BYTES) > BYTES {
            shown.push_str(&format!("[more lines below; pass offset={next} to continue]\n"));
            break;
        }
        next += 1;
        shown.push_str(&format!("{next}→"));
        push_line(&mut shown, line);
        lines.next();
    }
    shown.truncate(shown.trim_end_matches('\n').len());
    Ok(shown)
}

fn push_line(shown: &mut String, line: &str) {
    let end = line.floor_char_boundary(LINE_BYTES);
    let (kept, rest) = line.split_at(end);
    shown.push_str(kept);
    if !rest.is_empty() {
        shown.push_str(&format!("… [{} more bytes in this line]", rest.len()));
    }
    shown.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, offset: u64, limit: u64) -> String {
        numbered(text, offset, limit).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn lines_are_numbered_and_come_in_parts() {
        assert_eq!(of("", 0, 10), "(empty file)");
        assert_eq!(of("a\r\nb\n\nc", 0, 10), "1→a\n2→b\n3→\n4→c");
        assert_eq!(
            of("a\nb\nc\n", 1, 1),
            "2→b\n[more lines below; pass offset=2 to continue]"
        );
        assert_eq!(of("a\nb\nc\n", 2, 1), "3→c");
        assert_eq!(of("a\nb\n", 2, 1), "the file has 2 lines; pass a smaller offset");
    }

    #[test]
    fn the_limits_hold() {
        let line = "x".repeat(LINE_BYTES + 1);
        assert!(of(&line, 0, 10).ends_with("x… [1 more bytes in this line]"));
        assert_eq!(of(&line[1..], 0, 10), format!("1→{}", &line[1..]));
        let many = format!("{}\n", "y".repeat(1023)).repeat(200);
        let shown = of(&many, 0, 2000);
        assert!(shown.len() < BYTES + 1024, "{}", shown.len());
        let rest = shown
            .rsplit("offset=")
            .next()
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .parse::<u64>()
            .unwrap();
        assert!(of(&many, rest, 2000).starts_with(&format!("{}→y", rest + 1)));
    }
}
