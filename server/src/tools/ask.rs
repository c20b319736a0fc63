//! `ask`: questions to the person, each with answers to choose from.

use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::event::ToolStart;
use sidewire_agent::permission::{Class, Intent};
use sidewire_agent::person::{Answer, Choice, ChoiceKind, Question};
use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};
use sidewire_agent::workspace::Roots;

use super::call::{self, CallError, Described, clip_line};

const NAME: &str = "ask";
/// Most questions of one call.
const QUESTIONS: usize = 4;
/// Most answers to one question.
const OPTIONS: usize = 8;
/// Most characters of a question.
const CHARACTERS: usize = 1000;

/// The tool.
pub(crate) struct Ask(ToolMeta);

#[derive(Deserialize)]
struct Arguments {
    questions: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    question: String,
    options: Vec<Offered>,
}

#[derive(Deserialize)]
struct Offered {
    label: String,
    #[serde(default)]
    description: Option<String>,
}

impl Ask {
    /// The tool.
    pub(crate) fn new() -> Self {
        let described = Described {
            name: NAME,
            label: "Ask",
            description: "Asks the person up to four questions, one after the other, each with two to eight answers to \
                          choose one from. Ask only what you cannot find out yourself and what changes what you do; \
                          put the answer you would choose first.",
            kind: ToolKind::Other,
            read_only: true,
        };
        Self(described.taking(
            &["questions"],
            &json!({
                "questions": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": QUESTIONS,
                    "items": {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["question", "options"],
                        "properties": {
                            "question": { "type": "string" },
                            "options": {
                                "type": "array",
                                "minItems": 2,
                                "maxItems": OPTIONS,
                                "items": {
                                    "type": "object",
                                    "additionalProperties": false,
                                    "required": ["label"],
                                    "properties": {
                                        "label": { "type": "string", "description": "The answer in a few words" },
                                        "description": { "type": "string", "description": "What it means" },
                                    },
                                },
                            },
                        },
                    },
                },
            }),
        ))
    }

    async fn ask(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let asked: Arguments = call::read(&call.arguments)?;
        check(&asked.questions)?;
        let mut answers = Vec::new();
        for (asked, number) in asked.questions.iter().zip(1..) {
            let question = asked.put(&call.call_id, number);
            match call.person.ask(question, call.cancel.clone()).await {
                Answer::Chosen(id) => match asked.chosen(&id, number) {
                    Some(label) => answers.push(format!("{}\n→ {label}", asked.question)),
                    None => return Ok(unanswered()),
                },
                Answer::Dismissed => return Ok(unanswered()),
                Answer::None => return Ok(nobody()),
            }
        }
        Ok(ToolOutput::text(answers.join("\n")))
    }
}

fn check(questions: &[Asked]) -> Result<(), CallError> {
    if questions.is_empty() || questions.len() > QUESTIONS {
        return Err(CallError::Arguments(format!(
            "questions must hold 1 to {QUESTIONS} questions"
        )));
    }
    for asked in questions {
        if asked.question.trim().is_empty() {
            return Err(CallError::Arguments("a question has no text".to_owned()));
        }
        if !(2..=OPTIONS).contains(&asked.options.len()) {
            return Err(CallError::Arguments(format!(
                "a question needs 2 to {OPTIONS} options"
            )));
        }
    }
    Ok(())
}

/// One cancelled question leaves all of them unanswered.
fn unanswered() -> ToolOutput {
    ToolOutput::error("the person did not answer; go on without, or stop and say what you need to know")
}

fn nobody() -> ToolOutput {
    ToolOutput::error("nobody is there to answer; decide yourself and say what you assumed")
}

impl Asked {
    /// The question as a person gets it.
    fn put(&self, call_id: &str, number: usize) -> Question {
        let id = format!("{NAME}-{call_id}-q{number}");
        let title: String = self.question.trim().chars().take(CHARACTERS).collect();
        let labels: Vec<_> = self.options.iter().map(Offered::shown).collect();
        let about = ToolStart {
            call_id: call_id.to_owned(),
            name: NAME.to_owned(),
            title: title.clone(),
            kind: ToolKind::Other,
            arguments: json!({ "id": format!("q{number}"), "question": title, "options": labels, "multi": false }),
            locations: Vec::new(),
        };
        let choices = labels.into_iter().zip(1..).map(|(label, option)| Choice {
            id: format!("q{number}:{option}"),
            label,
            kind: ChoiceKind::AllowOnce,
        });
        let cancel = Choice {
            id: format!("q{number}:cancel"),
            label: "Cancel".to_owned(),
            kind: ChoiceKind::RejectOnce,
        };
        Question {
            id,
            title,
            detail: None,
            about: Some(about),
            shown: Vec::new(),
            subject: None,
            fresh: false,
            options: choices.chain([cancel]).collect(),
            deadline_ms: None,
        }
    }

    /// The label of a choice; `None` for the one that cancels.
    fn chosen(&self, id: &str, number: usize) -> Option<&str> {
        let option: usize = id.strip_prefix(&format!("q{number}:"))?.parse().ok()?;
        Some(&self.options.get(option.checked_sub(1)?)?.label)
    }
}

impl Offered {
    fn shown(&self) -> String {
        let label = clip_line(&self.label, 100);
        match self.description.as_deref().filter(|text| !text.trim().is_empty()) {
            Some(description) => format!("{label} - {}", clip_line(description, 200)),
            None => label,
        }
    }
}

#[async_trait::async_trait]
impl Tool for Ask {
    fn meta(&self) -> &ToolMeta {
        &self.0
    }

    fn title(&self, arguments: &Value) -> String {
        let first = arguments.pointer("/questions/0/question").and_then(Value::as_str);
        clip_line(first.unwrap_or("Ask"), 200)
    }

    fn intent(&self, _arguments: &Value, _roots: Option<&Roots>) -> Intent {
        Intent::new(Class::Read, None)
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.ask(&call).await.unwrap_or_else(Into::into)
    }
}
