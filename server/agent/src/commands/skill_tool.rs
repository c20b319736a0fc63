//! The tool with which a model loads a skill.

use std::sync::Arc;

use serde_json::{Value, json};

use super::CommandBook;
use crate::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput, ToolSource};

/// What the tool is called.
pub const SKILL_TOOL: &str = "skill";

/// Loads the text of a skill by its name; reads nothing but the book.
pub struct SkillTool {
    meta: ToolMeta,
    book: Arc<CommandBook>,
}

impl SkillTool {
    /// A tool for the skills of this book; `None` when the book has none for a model.
    #[must_use]
    pub fn new(book: Arc<CommandBook>) -> Option<Self> {
        let names: Vec<String> = book.skills().into_iter().map(|skill| skill.name).collect();
        if names.is_empty() {
            return None;
        }
        let meta = ToolMeta {
            name: SKILL_TOOL.to_owned(),
            label: "Load skill".to_owned(),
            description: "Loads the instructions of a skill. Use it before work that a skill is for."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "name": { "type": "string", "enum": names, "description": "Which skill." },
                },
                "required": ["name"],
                "additionalProperties": false,
            }),
            kind: ToolKind::Read,
            read_only: true,
            hidden: false,
            source: ToolSource::BuiltIn,
        };
        Some(Self { meta, book })
    }
}

#[async_trait::async_trait]
impl Tool for SkillTool {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn title(&self, arguments: &Value) -> String {
        match name(arguments) {
            Some(name) => format!("Load skill {name}"),
            None => self.meta.label.clone(),
        }
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        let Some(name) = name(&call.arguments) else {
            return ToolOutput::error("name must be the name of a skill");
        };
        match self.book.skill(name) {
            Some(text) => ToolOutput::text(text),
            None => ToolOutput::error(format!("there is no skill named {name:?}")),
        }
    }
}

fn name(arguments: &Value) -> Option<&str> {
    arguments.get("name").and_then(Value::as_str)
}
