//! `edit_file`: one piece of a file by another.

use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::permission::{Class, Intent};
use sidewire_agent::tool::{Location, Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};
use sidewire_agent::workspace::{Roots, WorkspaceError};

use super::call::{self, CallError, Described, FILE_LIMIT, shown_path};
use super::change::{Changed, Turnstile, open_to_change, where_it_is};
use super::read_file::path_of;
use super::replace::{Edit, replace};

/// The tool.
pub(crate) struct EditFile {
    meta: ToolMeta,
    turnstile: Turnstile,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(alias = "file_path")]
    path: String,
    #[serde(alias = "old_text")]
    old_string: String,
    #[serde(alias = "new_text")]
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

impl EditFile {
    /// The tool.
    pub(crate) fn new(turnstile: Turnstile) -> Self {
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
        Self { meta, turnstile }
    }

    async fn edit(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let asked: Arguments = call::read(&call.arguments)?;
        let edit = Edit {
            old_string: asked.old_string,
            new_string: asked.new_string,
            replace_all: asked.replace_all,
        };
        let workspace = call::workspace(call)?;
        let _alone = self.turnstile.lock().await;
        let mut document = open_to_change(workspace.as_ref(), &asked.path, FILE_LIMIT).await?;
        if !document.exists {
            return Err(WorkspaceError::Missing(document.path).into());
        }
        let path = shown_path(&document.path, workspace.roots());
        let replaced =
            replace(&document.text, &edit).map_err(|error| CallError::Said(format!("{path}: {error}")))?;
        let before = std::mem::replace(&mut document.text, replaced.text);
        workspace.save(&document).await?;
        let place = where_it_is(document.route);
        let told = match replaced.count {
            1 => format!("edited {path}{place} in line {}", replaced.line),
            count => format!("edited {path}{place}: {count} replacements"),
        };
        let changed = Changed {
            path: document.path,
            before: Some(before),
            after: document.text,
            line: Some(replaced.line),
        };
        Ok(changed.told(told))
    }
}

#[async_trait::async_trait]
impl Tool for EditFile {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn title(&self, arguments: &Value) -> String {
        call::titled("Edit", arguments)
    }

    fn intent(&self, arguments: &Value, roots: Option<&Roots>) -> Intent {
        call::intent_of(Class::Edit, path_of(arguments), roots)
    }

    fn locations(&self, arguments: &Value, roots: Option<&Roots>) -> Vec<Location> {
        call::location(path_of(arguments), None, roots)
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.edit(&call).await.unwrap_or_else(Into::into)
    }
}
