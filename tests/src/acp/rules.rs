//! What holds for every frame of the agent in every test: the schema, and the order of things that no schema states.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::places;
use super::schema::{self, Part};

/// Updates that belong to a turn, or to a replay.
const OF_A_TURN: [&str; 7] = [
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "plan_update",
];

/// Where a session is in its life, as far as frames tell.
#[derive(Default)]
struct SessionState {
    /// Its opening was answered.
    open: bool,
    /// Loads of it that wait for their answer.
    loading: u32,
    /// Prompts that wait for their answer.
    prompts: u32,
    /// Cards that wait for the person: request id → tool call they are about.
    cards: BTreeMap<String, String>,
    /// Tool calls and whether each has ended.
    calls: BTreeMap<String, bool>,
    /// Terminals that were not released.
    terminals: u32,
    /// Terminals that were: editors know them no longer.
    released: BTreeSet<String>,
}

/// Looks at everything and remembers what was wrong.
#[derive(Default)]
pub(super) struct Rules {
    pub(super) faults: Vec<String>,
    /// What the editor said it can do.
    pub(super) capabilities: Value,
    /// The editor has left: nothing that needs its answer is owed any more.
    pub(super) left: bool,
    sessions: BTreeMap<String, SessionState>,
    /// Requests of the agent that were not answered: id → method and session.
    open_requests: BTreeMap<String, (String, String)>,
    /// Every id the agent ever used.
    used_ids: BTreeSet<String>,
}

impl Rules {
    fn fault(&mut self, text: impl Into<String>) {
        self.faults.push(text.into());
    }

    fn session(&mut self, params: &Value) -> &mut SessionState {
        let id = params["sessionId"].as_str().unwrap_or_default();
        self.sessions.entry(id.to_owned()).or_default()
    }

    /// A line as a frame, when it is one.
    pub(super) fn frame(&mut self, line: &[u8]) -> Option<(Value, String)> {
        let Some(body) = line.strip_suffix(b"\n") else {
            self.fault("the last line has no end");
            return None;
        };
        let Ok(text) = std::str::from_utf8(body) else {
            self.fault("a line is not UTF-8");
            return None;
        };
        if text.contains(['\u{2028}', '\u{2029}', '\r']) {
            self.fault(format!(
                "a line holds what some readers take for its end: {text:.200}"
            ));
        }
        match serde_json::from_str::<Value>(text) {
            Ok(json) if json["jsonrpc"] == "2.0" => {
                self.shape(&json);
                Some((json, text.to_owned()))
            }
            _ => {
                self.fault(format!("standard output carries what is no message: {text:.200}"));
                None
            }
        }
    }

    fn shape(&mut self, json: &Value) {
        let names = json.as_object().into_iter().flat_map(|members| members.keys());
        let mut names: Vec<&str> = names.map(String::as_str).collect();
        names.sort_unstable();
        let known: [&[&str]; 6] = [
            &["id", "jsonrpc", "result"],
            &["error", "id", "jsonrpc"],
            &["id", "jsonrpc", "method", "params"],
            &["id", "jsonrpc", "method"],
            &["jsonrpc", "method", "params"],
            &["jsonrpc", "method"],
        ];
        if !known.contains(&names.as_slice()) {
            self.fault(format!("a message has the members {names:?}"));
        }
    }

    /// The editor sends a request.
    pub(super) fn sent(&mut self, method: &str, params: &Value) {
        match method {
            "session/load" => self.session(params).loading += 1,
            "session/prompt" => self.session(params).prompts += 1,
            _ => {}
        }
    }

    /// The agent answers a request.
    pub(super) fn answer(&mut self, method: &str, params: &Value, json: &Value) {
        if let Some(error) = json.get("error") {
            self.check("", Part::Error, error);
        } else {
            self.check(method, Part::Result, &json["result"]);
        }
        let went_well = json.get("error").is_none();
        match method {
            "session/new" if went_well => self.session(&json["result"]).open = true,
            "session/load" | "session/resume" => {
                let session = self.session(params);
                if method == "session/load" {
                    session.loading = session.loading.saturating_sub(1);
                }
                session.open |= went_well;
            }
            "session/close" | "session/delete" if went_well => self.closed(params),
            "session/prompt" => self.ended(params),
            _ => {}
        }
    }

    fn closed(&mut self, params: &Value) {
        let session = self.session(params);
        session.open = false;
        let owed = session.terminals;
        if owed > 0 {
            self.fault(format!("a closed session left {owed} terminals"));
        }
    }

    /// A turn has ended: nothing of it is left behind.
    fn ended(&mut self, params: &Value) {
        let session = self.session(params);
        session.prompts = session.prompts.saturating_sub(1);
        if session.prompts > 0 {
            return;
        }
        let calls = std::mem::take(&mut session.calls);
        let terminals = std::mem::take(&mut session.terminals);
        let open: Vec<&String> = calls
            .iter()
            .filter(|(_, ended)| !**ended)
            .map(|(id, _)| id)
            .collect();
        if !open.is_empty() {
            self.fault(format!("a turn ended before its tool calls {open:?}"));
        }
        if terminals > 0 && !self.left {
            self.fault(format!("a turn ended without releasing {terminals} terminals"));
        }
    }

    /// The agent sends a notification.
    pub(super) fn told(&mut self, method: &str, params: &Value) {
        self.known(method, params);
        match method {
            "session/update" => self.update(params),
            "$/cancel_request" => self.taken_back(&params["requestId"].to_string()),
            _ => {}
        }
    }

    /// A request is taken back: a card that stood for it is gone, whether it is answered or not.
    fn taken_back(&mut self, id: &str) {
        if !self.used_ids.contains(id) {
            self.fault(format!("the agent takes back what it never asked for: {id}"));
        }
        // An answer may cross it on the way.
        let session = self.open_requests.get(id).map(|(_, session)| session);
        if let Some(session) = session.and_then(|session| self.sessions.get_mut(session)) {
            session.cards.remove(id);
        }
    }

    fn update(&mut self, params: &Value) {
        let update = params["update"].clone();
        let kind = update["sessionUpdate"].as_str().unwrap_or_default();
        let session = self.session(params);
        if !session.open && session.loading == 0 {
            self.fault(format!("an update of a session that is not open: {update}"));
            return;
        }
        if OF_A_TURN.contains(&kind) && session.prompts == 0 && session.loading == 0 {
            self.fault(format!("an update of a turn outside any turn: {update}"));
            return;
        }
        if kind == "tool_call" || kind == "tool_call_update" {
            self.call(params, &update, kind);
        }
    }

    fn call(&mut self, params: &Value, update: &Value, kind: &str) {
        let id = update["toolCallId"].as_str().unwrap_or_default().to_owned();
        let ends = matches!(update["status"].as_str(), Some("completed" | "failed"));
        let session = self.session(params);
        let loading = session.loading > 0 && session.prompts == 0;
        let mut content = update["content"].as_array().into_iter().flatten();
        let named = |block: &Value| block["terminalId"].as_str().map(str::to_owned);
        let lost = content.find_map(|block| named(block).filter(|id| session.released.contains(id)));
        let asked_about = session.cards.values().any(|call| *call == id);
        let known = session.calls.get(&id).copied();
        session.calls.insert(id.clone(), ends || known == Some(true));
        match (kind, known) {
            ("tool_call", Some(_)) if !loading => {
                self.fault(format!("tool call {id} began twice"));
            }
            ("tool_call_update", None) => {
                self.fault(format!("an update of tool call {id}, which never began"));
            }
            ("tool_call_update", Some(true)) if !loading => {
                self.fault(format!("an update of tool call {id} after its end: {update}"));
            }
            _ => {}
        }
        if let Some(terminal) = lost {
            self.fault(format!(
                "tool call {id} shows terminal {terminal} after its release"
            ));
        }
        if asked_about && !self.left {
            self.fault(format!(
                "an update of tool call {id} while its card is open: {update}"
            ));
        }
        if kind == "tool_call" && update["name"].as_str().is_none_or(str::is_empty) && !loading {
            self.fault(format!("tool call {id} has no name"));
        }
    }

    /// The agent sends a request.
    pub(super) fn asked(&mut self, id: &Value, method: &str, params: &Value) {
        self.known(method, params);
        let able = match method {
            "fs/read_text_file" => self.capabilities.pointer("/fs/readTextFile"),
            "fs/write_text_file" => self.capabilities.pointer("/fs/writeTextFile"),
            _ if method.starts_with("terminal/") => self.capabilities.get("terminal"),
            _ => Some(&Value::Bool(true)),
        };
        if able != Some(&Value::Bool(true)) {
            self.fault(format!("{method} was asked of an editor that cannot do it"));
        }
        let session_id = params["sessionId"].as_str().unwrap_or_default().to_owned();
        let request = (method.to_owned(), session_id);
        self.open_requests.insert(id.to_string(), request);
        if !self.used_ids.insert(id.to_string()) {
            self.fault(format!("the agent used the id {id} twice"));
        }
        match method {
            "session/request_permission" => self.card(id, params),
            "terminal/release" => {
                let id = params["terminalId"].as_str().unwrap_or_default().to_owned();
                let session = self.session(params);
                session.terminals = session.terminals.saturating_sub(1);
                session.released.insert(id);
            }
            _ => {}
        }
    }

    fn card(&mut self, id: &Value, params: &Value) {
        let call = params["toolCall"]["toolCallId"].as_str().unwrap_or_default();
        let session = self.session(params);
        session.cards.insert(id.to_string(), call.to_owned());
        let several = session.cards.len() > 1;
        let waits = session.calls.get(call) == Some(&false);
        if several {
            self.fault("two cards of a session at once");
        }
        if !waits {
            self.fault(format!("a card about {call}, which is no call that waits"));
        }
    }

    /// The editor answers a request of the agent.
    pub(super) fn answered(&mut self, id: &Value, went_well: bool) {
        let id = id.to_string();
        let Some((method, session)) = self.open_requests.remove(&id) else {
            return;
        };
        let session = self.sessions.entry(session).or_default();
        session.cards.remove(&id);
        if method == "terminal/create" && went_well {
            session.terminals += 1;
        }
    }

    fn known(&mut self, method: &str, params: &Value) {
        self.faults.extend(places::faults(method, params));
        if schema::knows(method) {
            self.check(method, Part::Params, params);
        } else {
            self.fault(format!(
                "the agent used a method that is not of the protocol: {method}"
            ));
        }
    }

    fn check(&mut self, method: &str, part: Part, value: &Value) {
        if let Some(fault) = schema::fault(method, part, value) {
            self.fault(format!(
                "against the schema, {method} {part:?}: {fault}; it was {value:.500}"
            ));
        }
    }
}
