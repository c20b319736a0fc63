//! `todo_write`: the plan of the turn, whole each time.

use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::event::{PlanEntry, PlanStatus, TurnEvent};
use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};

use super::call::{self, CallError, Described};

/// Most lines of a plan.
const ENTRIES: usize = 100;
/// Most characters of one.
const CHARACTERS: usize = 500;

/// The tool.
pub(crate) struct TodoWrite(ToolMeta);

#[derive(Deserialize)]
struct Arguments {
    todos: Vec<Todo>,
}

#[derive(Deserialize)]
struct Todo {
    content: String,
    #[serde(default)]
    status: Option<String>,
    #[serde(default, deserialize_with = "call::number")]
    level: Option<u64>,
}

impl TodoWrite {
    /// The tool.
    pub(crate) fn new() -> Self {
        let described = Described {
            name: "todo_write",
            label: "Plan",
            description: "Shows the person your plan and how far it is. Give all steps each time; the list replaces the one \
                          before. Use it for work of three steps or more, keep one step in progress, and mark a step \
                          completed as soon as it is done and checked.",
            kind: ToolKind::Think,
            read_only: true,
        };
        Self(described.taking(
            &["todos"],
            &json!({
                "todos": {
                    "type": "array",
                    "maxItems": ENTRIES,
                    "items": {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["content", "status"],
                        "properties": {
                            "content": { "type": "string", "description": "The step, as an order" },
                            "status": { "type": "string", "enum": ["pending", "in_progress", "completed"] },
                            "level": { "type": "integer", "enum": [0, 1], "description": "1 for a part of the step before" },
                        },
                    },
                },
            }),
        ))
    }
}

fn plan(arguments: &Value) -> Result<Vec<PlanEntry>, CallError> {
    let asked: Arguments = call::read(arguments)?;
    if asked.todos.len() > ENTRIES {
        return Err(CallError::Arguments(format!(
            "a plan has at most {ENTRIES} steps"
        )));
    }
    asked
        .todos
        .iter()
        .zip(1..)
        .map(|(todo, number)| entry(todo, number))
        .collect()
}

fn entry(todo: &Todo, number: usize) -> Result<PlanEntry, CallError> {
    let content = todo.content.split_whitespace().collect::<Vec<_>>().join(" ");
    if content.is_empty() {
        return Err(CallError::Arguments(format!("step {number} has no content")));
    }
    Ok(PlanEntry {
        content: content.chars().take(CHARACTERS).collect(),
        status: match todo.status.as_deref() {
            Some("in_progress") => PlanStatus::InProgress,
            Some("completed") => PlanStatus::Completed,
            _ => PlanStatus::Pending,
        },
        top_level: todo.level.unwrap_or(0) == 0,
    })
}

#[async_trait::async_trait]
impl Tool for TodoWrite {
    fn meta(&self) -> &ToolMeta {
        &self.0
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        let plan = match plan(&call.arguments) {
            Ok(plan) => plan,
            Err(error) => return error.into(),
        };
        let done = plan
            .iter()
            .filter(|entry| entry.status == PlanStatus::Completed)
            .count();
        let told = format!("plan shown: {done} of {} steps completed", plan.len());
        call.feed.push(TurnEvent::Plan(plan));
        ToolOutput::text(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_as_models_write_it() {
        let todos = json!({ "todos": [
            { "content": " look\n around ", "status": "completed", "activeForm": "Looking" },
            { "content": "change", "status": "in_progress", "level": "1" },
            { "content": "x".repeat(600), "status": "someday" },
        ]});
        let plan = plan(&todos).unwrap();
        let entry = |content: &str, status, top_level| PlanEntry {
            content: content.to_owned(),
            status,
            top_level,
        };
        assert_eq!(
            plan,
            [
                entry("look around", PlanStatus::Completed, true),
                entry("change", PlanStatus::InProgress, false),
                entry(&"x".repeat(500), PlanStatus::Pending, true),
            ]
        );
    }

    #[test]
    fn a_plan_has_an_end() {
        let of =
            |count: usize| json!({ "todos": vec![json!({ "content": "x", "status": "pending" }); count] });
        assert_eq!(plan(&of(0)).unwrap(), []);
        assert_eq!(plan(&of(ENTRIES)).unwrap().len(), ENTRIES);
        assert!(plan(&of(ENTRIES + 1)).is_err());
        let error = plan(&json!({ "todos": [{ "content": " ", "status": "pending" }] })).unwrap_err();
        assert_eq!(error.to_string(), "invalid arguments: step 1 has no content");
        assert!(plan(&json!({ "todos": "all of it" })).is_err());
    }
}
