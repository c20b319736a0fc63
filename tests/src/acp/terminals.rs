//! Terminals of the editor, which print and end as a test wants.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};

use super::desk::Reply;

/// How a terminal behaves.
#[derive(Clone, Debug, Default)]
pub struct TerminalScript {
    output: String,
    truncated: bool,
    exit: Option<Value>,
}

impl TerminalScript {
    /// It prints this and ends well.
    #[must_use]
    pub fn prints(output: &str) -> Self {
        Self::runs(output).exits(0)
    }

    /// It prints this and goes on until it is ended.
    #[must_use]
    pub fn runs(output: &str) -> Self {
        Self {
            output: output.to_owned(),
            ..Self::default()
        }
    }

    /// It ends with this code.
    #[must_use]
    pub fn exits(mut self, code: i32) -> Self {
        self.exit = Some(json!({ "exitCode": code }));
        self
    }

    /// It is ended by a signal.
    #[must_use]
    pub fn signalled(mut self, signal: &str) -> Self {
        self.exit = Some(json!({ "signal": signal }));
        self
    }

    /// It keeps only a part of its output.
    #[must_use]
    pub fn truncated(mut self) -> Self {
        self.truncated = true;
        self
    }
}

#[derive(Default)]
struct Terminal {
    script: TerminalScript,
    /// Requests that wait for its end.
    waits: Vec<Value>,
}

/// All terminals of an editor.
#[derive(Default)]
pub(super) struct Terminals {
    scripts: VecDeque<TerminalScript>,
    running: BTreeMap<String, Terminal>,
    created: usize,
}

impl Terminals {
    /// How the next terminal behaves; one without a script ends well at once.
    pub(super) fn script(&mut self, script: TerminalScript) {
        self.scripts.push_back(script);
    }

    pub(super) fn take(&mut self, id: &Value, method: &str, params: &Value) -> Vec<(Value, Reply)> {
        if method == "terminal/create" {
            return vec![(id.clone(), Ok(self.create()))];
        }
        let name = params["terminalId"].as_str().unwrap_or_default().to_owned();
        let Some(terminal) = self.running.get_mut(&name) else {
            return vec![(id.clone(), Err((-32002, "no such terminal".to_owned())))];
        };
        match method {
            "terminal/output" => {
                let mut output =
                    json!({ "output": terminal.script.output, "truncated": terminal.script.truncated });
                if let Some(exit) = &terminal.script.exit {
                    output["exitStatus"] = exit.clone();
                }
                vec![(id.clone(), Ok(output))]
            }
            "terminal/wait_for_exit" => {
                terminal.waits.push(id.clone());
                terminal.answers()
            }
            "terminal/kill" => {
                terminal
                    .script
                    .exit
                    .get_or_insert_with(|| json!({ "signal": "SIGKILL" }));
                let mut replies = vec![(id.clone(), Ok(json!({})))];
                replies.extend(terminal.answers());
                replies
            }
            "terminal/release" => {
                self.running.remove(&name);
                vec![(id.clone(), Ok(json!({})))]
            }
            _ => vec![(id.clone(), Err((-32601, format!("method not found: {method}"))))],
        }
    }

    fn create(&mut self) -> Value {
        self.created += 1;
        let name = format!("terminal-{}", self.created);
        let script = self
            .scripts
            .pop_front()
            .unwrap_or_else(|| TerminalScript::prints(""));
        let terminal = Terminal {
            script,
            waits: Vec::new(),
        };
        self.running.insert(name.clone(), terminal);
        json!({ "terminalId": name })
    }
}

impl Terminal {
    /// Who waited for its end, once it has ended.
    fn answers(&mut self) -> Vec<(Value, Reply)> {
        let Some(exit) = self.script.exit.clone() else {
            return Vec::new();
        };
        self.waits.drain(..).map(|id| (id, Ok(exit.clone()))).collect()
    }
}
