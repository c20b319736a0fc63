//! `edit_file`: one piece of a file by another.

use serde::Deserialize;
use serde_json::json;
use sidewire_agent::tool::ToolKind;

use super::call::{CallError, Described};
use super::change::{Change, ChangeTool, File, Made, Turnstile};
use super::replace::{Edit, replace};

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(alias = "file_path")]
    path: String,
    #[serde(alias = "old_text")]
    old_string: String,
    #[serde(alias = "new_text")]
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

/// The tool.
pub(super) fn tool(turnstile: Turnstile) -> ChangeTool<Asked> {
    let described = Described {
        name: "edit_file",
        label: "Edit",
        description: "Replaces a piece of a text file by another. `old_string` must be there exactly as given, with its \
                      indentation, and once only unless `replace_all` is set; add lines around it to make it \
                      unique. Encoding and line endings of the file stay as they are: write plain line breaks. For \
                      several changes of one file use multi_edit.",
        kind: ToolKind::Edit,
        read_only: false,
    };
    let meta = described.taking(
        &["path", "old_string", "new_string"],
        &json!({
            "path": { "type": "string", "description": "The file, absolute or from the working folder" },
            "old_string": { "type": "string", "description": "The piece as it is, without line numbers" },
            "new_string": { "type": "string", "description": "What is to be there instead" },
            "replace_all": { "type": "boolean", "description": "Replace it everywhere" },
        }),
    );
    ChangeTool::new(meta, turnstile)
}

impl Change for Asked {
    fn path(&self) -> &str {
        &self.path
    }

    fn make(self, file: &File<'_>) -> Result<Made, CallError> {
        file.must_exist()?;
        let (name, place) = (&file.name, file.place);
        let edit = Edit {
            old_string: self.old_string,
            new_string: self.new_string,
            replace_all: self.replace_all,
        };
        let replaced =
            replace(file.text, &edit).map_err(|error| CallError::Said(format!("{name}: {error}")))?;
        let told = match replaced.count {
            1 => format!("edited {name}{place} in line {}", replaced.line),
            count => format!("edited {name}{place}: {count} replacements"),
        };
        Ok(Made {
            text: replaced.text,
            line: Some(replaced.line),
            told,
        })
    }
}
