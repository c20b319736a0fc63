//! The tables of postures and rules, and the cards, each with a scripted person.

mod cards;
mod table;

use std::collections::VecDeque;
use std::sync::Mutex;

use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::event::ToolStart;
use crate::person::{Answer, Nobody, Person, Question};
use crate::tool::ToolKind;

/// What a scripted person does with a card.
enum Act {
    /// Chooses this.
    Choose(&'static str),
    Answer(Answer),
    /// Looks at it until it is taken away.
    Ponder,
    /// Does not even notice that it is taken away.
    Sleep,
}

/// A person whose answers are written down.
#[derive(Default)]
struct Scripted {
    acts: Mutex<VecDeque<Act>>,
    seen: Mutex<Vec<Question>>,
    withdrawn: Mutex<Vec<String>>,
    /// Told whenever a card is shown.
    shown: Notify,
}

impl Scripted {
    fn new(acts: impl IntoIterator<Item = Act>) -> Self {
        Self {
            acts: Mutex::new(acts.into_iter().collect()),
            ..Self::default()
        }
    }

    fn cards(&self) -> Vec<Question> {
        self.seen.lock().unwrap().clone()
    }

    fn titles(&self) -> Vec<String> {
        self.cards().into_iter().map(|card| card.title).collect()
    }

    fn withdrawn(&self) -> Vec<String> {
        self.withdrawn.lock().unwrap().clone()
    }
}

#[async_trait::async_trait]
impl Person for Scripted {
    async fn ask(&self, question: Question, cancel: CancellationToken) -> Answer {
        self.seen.lock().unwrap().push(question.clone());
        self.shown.notify_one();
        let act = self.acts.lock().unwrap().pop_front();
        match act.expect("a card too many") {
            Act::Choose(id) => Answer::Chosen(id.into()),
            Act::Answer(answer) => answer,
            Act::Ponder => {
                cancel.cancelled().await;
                self.withdrawn.lock().unwrap().push(question.id);
                Answer::Dismissed
            }
            Act::Sleep => std::future::pending().await,
        }
    }
}

fn start(tool: &str) -> ToolStart {
    ToolStart {
        call_id: "1".into(),
        name: tool.into(),
        title: tool.into(),
        kind: ToolKind::Other,
        arguments: json!({}),
        locations: Vec::new(),
    }
}

fn rules(texts: &[&str]) -> Vec<Rule> {
    texts.iter().map(|text| Rule::parse(text).unwrap()).collect()
}

fn command(segments: &[&str]) -> Intent {
    Intent {
        segments: segments.iter().map(|&segment| segment.to_owned()).collect(),
        ..Intent::new(Class::Execute, Some(segments.join(" && ")))
    }
}

fn bash(segments: &[&str]) -> Case {
    Case::new("bash", command(segments), None)
}

fn write(path: &str) -> Case {
    Case::new("write_file", Intent::new(Class::Edit, Some(path.into())), None)
}

/// Asks the gate about a case, on behalf of a turn that ends with `cancel`.
async fn judge(
    gate: &Gate,
    case: &Case,
    person: &dyn Person,
    cancel: &CancellationToken,
) -> Result<(), Refusal> {
    let call = start(case.tool());
    let asking = Asking {
        call: &call,
        case,
        shown: Vec::new(),
        planning: false,
        person,
        cancel,
    };
    gate.judge(asking).await
}

/// The same, for a turn that runs on.
async fn ask(gate: &Gate, case: &Case, person: &dyn Person) -> Result<(), Refusal> {
    judge(gate, case, person, &CancellationToken::new()).await
}

fn code(result: Result<(), Refusal>) -> Option<&'static str> {
    result.unwrap_err().code
}
