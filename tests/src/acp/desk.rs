//! The editor's desk: open files, terminals and cards, and how it answers an agent that asks for them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;

use serde_json::{Value, json};

use super::terminals::Terminals;

/// A request of the agent that the test answers itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Its id.
    pub id: Value,
    /// What is asked for.
    pub method: String,
    /// With which parameters.
    pub params: Value,
}

/// What an editor answers.
pub(super) type Reply = Result<Value, (i64, String)>;

/// What happens when the agent asks for something.
pub(super) enum Reaction {
    /// These requests are answered now.
    Now(Vec<(Value, Reply)>),
    /// The test answers.
    Later,
}

/// What the editor has open and how it behaves.
#[derive(Default)]
pub(super) struct Desk {
    /// Texts that are open, perhaps not saved, by path.
    pub(super) buffers: BTreeMap<String, String>,
    /// Methods that the test answers itself.
    pub(super) held: BTreeSet<String>,
    /// Methods that are refused.
    pub(super) refused: BTreeSet<String>,
    /// What the test has to answer.
    pub(super) waiting: VecDeque<Asked>,
    /// What is chosen on the next cards: the kind of an option, `cancelled`, or any option id.
    pub(super) choices: VecDeque<String>,
    /// Its terminals.
    pub(super) terminals: Terminals,
}

impl Desk {
    pub(super) fn take(&mut self, id: &Value, method: &str, params: &Value) -> Reaction {
        if self.held.contains(method) {
            return self.later(id, method, params);
        }
        if self.refused.contains(method) {
            return now(id, Err((-32603, "the editor refuses".to_owned())));
        }
        match method {
            "fs/read_text_file" => now(id, self.read(params)),
            "fs/write_text_file" => {
                self.buffers.insert(text(params, "path"), text(params, "content"));
                now(id, Ok(json!({})))
            }
            "session/request_permission" => match self.choices.pop_front() {
                Some(choice) => now(id, Ok(chosen(params, &choice))),
                None => self.later(id, method, params),
            },
            _ if method.starts_with("terminal/") => Reaction::Now(self.terminals.take(id, method, params)),
            _ => now(id, Err((-32601, format!("method not found: {method}")))),
        }
    }

    /// The first request of this method that waits.
    pub(super) fn next(&mut self, method: &str) -> Option<Asked> {
        let at = self.waiting.iter().position(|asked| asked.method == method)?;
        self.waiting.remove(at)
    }

    fn later(&mut self, id: &Value, method: &str, params: &Value) -> Reaction {
        self.waiting.push_back(Asked {
            id: id.clone(),
            method: method.to_owned(),
            params: params.clone(),
        });
        Reaction::Later
    }

    /// A file as the person sees it: its buffer, or what is saved.
    fn read(&self, params: &Value) -> Reply {
        let path = text(params, "path");
        let whole = match self.buffers.get(&path) {
            Some(buffer) => buffer.clone(),
            None => fs::read_to_string(&path).map_err(|_| (-32002, "no such file".to_owned()))?,
        };
        let number = |name: &str| {
            params[name]
                .as_u64()
                .and_then(|number| usize::try_from(number).ok())
        };
        let skipped = number("line").unwrap_or(1).saturating_sub(1);
        let lines = whole
            .split_inclusive('\n')
            .skip(skipped)
            .take(number("limit").unwrap_or(usize::MAX));
        Ok(json!({ "content": lines.collect::<String>() }))
    }
}

fn now(id: &Value, reply: Reply) -> Reaction {
    Reaction::Now(vec![(id.clone(), reply)])
}

fn text(params: &Value, name: &str) -> String {
    params[name].as_str().unwrap_or_default().to_owned()
}

/// The answer to a card.
pub(super) fn chosen(card: &Value, choice: &str) -> Value {
    if choice == "cancelled" {
        return json!({ "outcome": { "outcome": "cancelled" } });
    }
    let options = card["options"].as_array().into_iter().flatten();
    let of_kind = options.clone().find(|option| option["kind"] == choice);
    let id = of_kind.map_or(json!(choice), |option| option["optionId"].clone());
    json!({ "outcome": { "outcome": "selected", "optionId": id } })
}
