//! The methods that change a control. What they change, they change before the next message is acted on; keeping it and
//! telling the editor follow.

use std::sync::Arc;

use agent_client_protocol_schema::v1::SetSessionConfigOptionResponse;
use serde::Deserialize;
use serde_json::Value;
use sidewire_agent::briefing::{Collaboration, Preset};
use sidewire_agent::permission::{Ceiling, Posture};
use sidewire_agent::store::StoreError;

use super::Changed;
use super::options::AUTO;
use super::switch::{Switch, Wish};
use crate::acp::AGENT;
use crate::acp::editor::Editor;
use crate::acp::methods::SET_MODEL;
use crate::acp::params::checked_id;
use crate::acp::refusals::word;
use crate::acp::session::Session;
use crate::rpc::{Call, Error, Handling, Reply};

/// What a client asked for.
enum Change {
    /// It has happened.
    Done(Changed),
    /// It needs a look at the configuration.
    Switch(Switch),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetOption {
    #[serde(default)]
    session_id: String,
    #[serde(default)]
    config_id: String,
    #[serde(default)]
    value: Value,
}

/// `session/set_config_option`; answers with every control.
pub(in crate::acp) fn set_config_option(editor: &Arc<Editor>, call: Call) -> Handling {
    let (method, params) = (AGENT.session_set_config_option, call.params);
    let named = move |error: Error| Error {
        message: format!("{method}: {}", error.message),
        ..error
    };
    let set = params.read::<SetOption>().and_then(|set| {
        let session = open_session(editor, method, set.session_id)?;
        let change = change(&session, &set.config_id, &set.value).map_err(named)?;
        Ok((session, change))
    });
    let (session, change) = match set {
        Ok(set) => set,
        Err(error) => return Handling::Done(Err(error)),
    };
    Handling::careful(async move {
        let changed = change.done(&session).await.map_err(named)?;
        settle(&session, method, changed).await?;
        Reply::new(&SetSessionConfigOptionResponse::new(session.config_options()))
    })
}

impl Change {
    /// What has changed, once it has.
    async fn done(self, session: &Session) -> Result<Changed, Error> {
        match self {
            Self::Done(changed) => Ok(changed),
            Self::Switch(switch) => switch.run(session).await,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetMode {
    #[serde(default)]
    session_id: String,
    #[serde(default)]
    mode_id: String,
}

/// `session/set_mode`.
pub(in crate::acp) fn set_mode(editor: &Arc<Editor>, call: Call) -> Handling {
    let (method, params) = (AGENT.session_set_mode, call.params);
    answer_nothing(
        method,
        params.read::<SetMode>().and_then(|set| {
            let session = open_session(editor, method, set.session_id)?;
            let changed = match set.mode_id.as_str() {
                "normal" => choose_mode(&session, Collaboration::Normal),
                "plan" => choose_mode(&session, Collaboration::Plan),
                // What older clients call a mode is also a posture.
                "default" => choose_old_mode(&session, method, Posture::Ask)?,
                "auto" => choose_old_mode(&session, method, Posture::Yolo)?,
                unknown => {
                    let text = format!("{method}: unknown modeId {}", word(unknown));
                    return Err(Error::invalid_params(text));
                }
            };
            Ok((session, Change::Done(changed)))
        }),
    )
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetModel {
    #[serde(default)]
    session_id: String,
    #[serde(default)]
    model_id: String,
}

/// `session/set_model`, for older clients.
pub(in crate::acp) fn set_model(editor: &Arc<Editor>, call: Call) -> Handling {
    let params = call.params;
    answer_nothing(
        SET_MODEL,
        params.read::<SetModel>().and_then(|set| {
            let session = open_session(editor, SET_MODEL, set.session_id)?;
            let switch = Switch::new(&session, Wish::Model(set.model_id));
            Ok((session, Change::Switch(switch)))
        }),
    )
}

fn answer_nothing(method: &'static str, set: Result<(Arc<Session>, Change), Error>) -> Handling {
    match set {
        Ok((session, change)) => Handling::careful(async move {
            let changed = change.done(&session).await?;
            settle(&session, method, changed).await?;
            Reply::new(&serde_json::json!({}))
        }),
        Err(error) => Handling::Done(Err(error)),
    }
}

fn open_session(editor: &Editor, method: &str, id: String) -> Result<Arc<Session>, Error> {
    let id = checked_id(method, id)?;
    let session = editor.sessions.get(&id);
    session.ok_or_else(|| Error::invalid_params(format!("{method}: unknown session")))
}

/// Keeps what changed and tells the editor, before the answer. It has taken effect whether it can be kept or not.
async fn settle(session: &Session, method: &str, changed: Changed) -> Result<(), Error> {
    if !changed.mode && !changed.options {
        return Ok(());
    }
    match session.keep_controls().await {
        Ok(()) => {}
        Err(StoreError::NotFound) => {
            return Err(Error::invalid_request(format!("{method}: session is deleted")));
        }
        Err(error) => tracing::warn!(%error, "the controls of a session are not kept"),
    }
    if changed.mode {
        session.tell_mode().await;
    }
    if changed.options {
        session.tell_options().await;
    }
    Ok(())
}

/// Changes one control, or begins to; older names of controls are understood.
fn change(session: &Session, id: &str, value: &Value) -> Result<Change, Error> {
    let text = value.as_str();
    let shown = text.map_or_else(|| "of another type".to_owned(), word);
    let refusal = Error::invalid_params(format!("invalid value {shown} for {}", word(id)));
    let Some(text) = text else { return Err(refusal) };
    let changed = match id {
        "mode" => match text {
            "normal" => choose_mode(session, Collaboration::Normal),
            "plan" => choose_mode(session, Collaboration::Plan),
            _ => return Err(refusal),
        },
        "model" | "models" => {
            let wish = Wish::Model(text.to_owned());
            return Ok(Change::Switch(Switch::new(session, wish)));
        }
        "effort" | "reasoning_effort" | "thought_level" => {
            let effort = (text != AUTO).then(|| text.to_owned());
            let wish = Wish::Effort { effort, refusal };
            return Ok(Change::Switch(Switch::new(session, wish)));
        }
        "agent_preset" | "work_mode" | "profile" | "runtime_profile" | "token_mode" => {
            choose_preset(session, preset(text).ok_or(refusal)?)?
        }
        "tool_approval" | "approval" | "approval_mode" | "tool_approval_mode" => {
            choose_posture(session, posture(session, text).ok_or(refusal)?)?
        }
        _ => {
            let text = format!("unknown config option {}", word(id));
            return Err(Error::invalid_params(text));
        }
    };
    Ok(Change::Done(changed))
}

fn choose_mode(session: &Session, mode: Collaboration) -> Changed {
    let mut state = session.state();
    let changed = state.axes.collaboration != mode;
    state.axes.collaboration = mode;
    Changed {
        mode: changed,
        options: changed,
    }
}

fn choose_old_mode(session: &Session, method: &str, posture: Posture) -> Result<Changed, Error> {
    session.has.start.permit(method, posture)?;
    let mode = choose_mode(session, Collaboration::Normal);
    let changed = choose_posture(session, posture)?;
    Ok(Changed {
        mode: mode.mode,
        options: mode.options || changed.options,
    })
}

fn choose_posture(session: &Session, posture: Posture) -> Result<Changed, Error> {
    session.has.start.permit("tool_approval", posture)?;
    let mut state = session.state();
    let changed = state.axes.posture != posture;
    state.axes.choose_posture(posture);
    drop(state);
    session.has.gate.set_posture(posture);
    Ok(Changed {
        options: changed,
        ..Changed::default()
    })
}

/// A posture by its name; below what this process offers there are none, above them there is a refusal of its own.
fn posture(session: &Session, name: &str) -> Option<Posture> {
    let posture = Posture::named(name)?;
    let offered = Ceiling::offered(session.has.start.ceiling);
    let lowest = *offered.first()?;
    (posture >= lowest).then_some(posture)
}

/// A preset by its name or an older one.
fn preset(name: &str) -> Option<Preset> {
    match name {
        "light" | "economy" | "eco" | "lite" => Some(Preset::Light),
        "balanced" => Some(Preset::Balanced),
        "delivery" | "deliver" | "quality" => Some(Preset::Delivery),
        _ => None,
    }
}

fn choose_preset(session: &Session, preset: Preset) -> Result<Changed, Error> {
    let mut state = session.state();
    if state.axes.preset == preset {
        return Ok(Changed::default());
    }
    let busy = if session.has.person.are_open() {
        Some("answer pending prompts")
    } else if state.is_busy() {
        Some("finish or cancel the active turn")
    } else if session.has.kit.jobs.running() > 0 {
        Some("stop background jobs")
    } else {
        None
    };
    if let Some(first) = busy {
        let text = format!("session config: {first} before switching execution setting");
        return Err(Error::invalid_request(text));
    }
    state.axes.preset = preset;
    Ok(Changed {
        options: true,
        ..Changed::default()
    })
}
