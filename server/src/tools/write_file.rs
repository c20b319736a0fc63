//! `write_file`: a whole file, new or in place of the old one.

use serde::Deserialize;
use serde_json::json;
use sidewire_agent::tool::ToolKind;

use super::call::{CallError, Described, FILE_LIMIT};
use super::change::{Change, ChangeTool, File, Made, Turnstile};
use super::local_workspace::ends_lines_with_crlf;

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(alias = "file_path")]
    path: String,
    content: String,
}

/// The tool.
pub(super) fn tool(turnstile: Turnstile) -> ChangeTool<Asked> {
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
    ChangeTool::new(meta, turnstile)
}

impl Change for Asked {
    fn path(&self) -> &str {
        &self.path
    }

    fn make(self, file: &File<'_>) -> Result<Made, CallError> {
        if self.content.len() as u64 > FILE_LIMIT {
            return Err(CallError::Said(format!(
                "content has more than {FILE_LIMIT} bytes"
            )));
        }
        let text = with_line_ends_of(file.text, self.content);
        Ok(Made {
            told: format!("wrote {} bytes{}", text.len(), file.place),
            text,
            line: None,
        })
    }
}

/// The new content with the line ends of the old, unless it brings returns itself.
fn with_line_ends_of(old: &str, new: String) -> String {
    if ends_lines_with_crlf(old) && !new.contains("\r\n") {
        return new.replace('\n', "\r\n");
    }
    new
}
