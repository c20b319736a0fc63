//! `write_file`: a whole file, new or in place of the old one.

use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::permission::{Class, Intent};
use sidewire_agent::tool::{Location, Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};
use sidewire_agent::workspace::Roots;

use super::call::{self, CallError, Described, FILE_LIMIT};
use super::change::{Changed, Turnstile, open_to_change, where_it_is};
use super::local_workspace::ends_lines_with_crlf;
use super::read_file::path_of;

/// The tool.
pub(crate) struct WriteFile {
    meta: ToolMeta,
    turnstile: Turnstile,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(alias = "file_path")]
    path: String,
    content: String,
}

impl WriteFile {
    /// The tool.
    pub(crate) fn new(turnstile: Turnstile) -> Self {
        let described = Described {
            name: "write_file",
            label: "Write",
            description: "Writes a whole text file, with the folders above it; a file that is there is replaced. Its \
                          encoding and line endings stay as they are. To change a part of a file use edit_file or \
                          multi_edit instead.",
            kind: ToolKind::Edit,
            read_only: false,
        };
        let meta = described.taking(
            &["path", "content"],
            &json!({
                "path": { "type": "string", "description": "The file, absolute or from the working folder" },
                "content": { "type": "string", "description": "All that the file is to hold" },
            }),
        );
        Self { meta, turnstile }
    }

    async fn write(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let asked: Arguments = call::read(&call.arguments)?;
        if asked.content.len() as u64 > FILE_LIMIT {
            return Err(CallError::Said(format!(
                "content has more than {FILE_LIMIT} bytes"
            )));
        }
        let workspace = call::workspace(call)?;
        let _alone = self.turnstile.lock().await;
        let mut document = open_to_change(workspace.as_ref(), &asked.path, FILE_LIMIT).await?;
        let existed = document.exists;
        let content = with_line_ends_of(&document.text, asked.content);
        let before = std::mem::replace(&mut document.text, content);
        workspace.save(&document).await?;
        let told = format!(
            "wrote {} bytes{}",
            document.text.len(),
            where_it_is(document.route)
        );
        let changed = Changed {
            path: document.path,
            before: existed.then_some(before),
            after: document.text,
            line: None,
        };
        Ok(changed.told(told))
    }
}

/// The new content with the line ends of the old, unless it brings returns itself.
fn with_line_ends_of(old: &str, new: String) -> String {
    if ends_lines_with_crlf(old) && !new.contains("\r\n") {
        return new.replace('\n', "\r\n");
    }
    new
}

#[async_trait::async_trait]
impl Tool for WriteFile {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn title(&self, arguments: &Value) -> String {
        call::titled("Write", arguments)
    }

    fn intent(&self, arguments: &Value, roots: Option<&Roots>) -> Intent {
        call::intent_of(Class::Edit, path_of(arguments), roots)
    }

    fn locations(&self, arguments: &Value, roots: Option<&Roots>) -> Vec<Location> {
        call::location(path_of(arguments), None, roots)
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.write(&call).await.unwrap_or_else(Into::into)
    }
}
