//! The methods that change a control. What they change, they change before the next message is read; telling the
//! editor and keeping it follow.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use sidewire_agent::briefing::{Collaboration, Preset};
use sidewire_agent::permission::{Ceiling, Posture};

use super::options::AUTO;
use super::{Axes, efforts, unusable_model};
use crate::acp::AGENT;
use crate::acp::connection::{Editor, checked_id};
use crate::acp::methods::SET_MODEL;
use crate::acp::refusals::{storage, word};
use crate::acp::session::Session;
use crate::rpc::{Call, Error, Handling, Reply};

/// What the editor is told of a change.
#[derive(Clone, Copy, Default)]
struct Changed {
    mode: bool,
    options: bool,
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
    let set = params.read::<SetOption>().and_then(|set| {
        let session = open_session(editor, method, set.session_id)?;
        let changed = change(&session, &set.config_id, &set.value).map_err(|error| Error {
            message: format!("{method}: {}", error.message),
            ..error
        })?;
        Ok((session, changed))
    });
    let (session, changed) = match set {
        Ok(set) => set,
        Err(error) => return Handling::Done(Err(error)),
    };
    Handling::careful(async move {
        settle(&session, method, changed).await?;
        Reply::new(
            &agent_client_protocol_schema::v1::SetSessionConfigOptionResponse::new(session.config_options()),
        )
    })
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
            Ok((session, changed))
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
            let changed = choose_model(&session, &set.model_id)?;
            Ok((session, changed))
        }),
    )
}

fn answer_nothing(method: &'static str, set: Result<(Arc<Session>, Changed), Error>) -> Handling {
    match set {
        Ok((session, changed)) => Handling::careful(async move {
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

/// Tells the editor what changed, before the answer, and keeps it.
async fn settle(session: &Session, method: &str, changed: Changed) -> Result<(), Error> {
    if changed.mode {
        session.tell_mode().await;
    }
    if changed.options {
        session.tell_options().await;
    }
    if changed.mode || changed.options {
        session
            .keep_controls()
            .await
            .map_err(|error| storage(method, &error))?;
    }
    Ok(())
}

/// Changes one control; older names of controls are understood.
fn change(session: &Session, id: &str, value: &Value) -> Result<Changed, Error> {
    let text = value.as_str();
    let refuse = || {
        let shown = text.map_or_else(|| "of another type".to_owned(), word);
        Error::invalid_params(format!("invalid value {shown} for {}", word(id)))
    };
    let text = text.ok_or_else(refuse)?;
    match id {
        "mode" => match text {
            "normal" => Ok(choose_mode(session, Collaboration::Normal)),
            "plan" => Ok(choose_mode(session, Collaboration::Plan)),
            _ => Err(refuse()),
        },
        "model" | "models" => choose_model(session, text),
        "effort" | "reasoning_effort" | "thought_level" => choose_effort(session, text).ok_or_else(refuse)?,
        "agent_preset" => choose_preset(session, preset(text).ok_or_else(refuse)?),
        "work_mode" | "profile" | "runtime_profile" | "token_mode" => {
            choose_preset(session, preset(text).ok_or_else(refuse)?)
        }
        "tool_approval" | "approval" | "approval_mode" | "tool_approval_mode" => {
            choose_posture(session, posture(session, text).ok_or_else(refuse)?)
        }
        _ => Err(Error::invalid_params(format!(
            "unknown config option {}",
            word(id)
        ))),
    }
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

fn choose_model(session: &Session, model: &str) -> Result<Changed, Error> {
    if session.state().shown().model == model {
        return Ok(Changed::default());
    }
    switch(session, |axes, session| {
        let listed = session.has.parts.models.list();
        session
            .has
            .parts
            .models
            .open(model, None)
            .map_err(|error| unusable_model(&error))?;
        axes.choose_model(model, &listed);
        Ok(())
    })
}

/// `None` for an effort that the model has not.
fn choose_effort(session: &Session, effort: &str) -> Option<Result<Changed, Error>> {
    let shown = session.state().shown();
    let known = efforts(&session.has.parts.models.list(), &shown.model);
    let chosen = (effort != AUTO).then(|| effort.to_owned());
    if known.is_empty() || chosen.as_ref().is_some_and(|chosen| !known.contains(chosen)) {
        return None;
    }
    if shown.effort == chosen {
        return Some(Ok(Changed::default()));
    }
    Some(switch(session, |axes, _| {
        axes.effort = chosen;
        Ok(())
    }))
}

/// Changes model or effort: at once, or once the turn that runs has ended.
fn switch(
    session: &Session,
    change: impl FnOnce(&mut Axes, &Session) -> Result<(), Error>,
) -> Result<Changed, Error> {
    let before = session.state().shown();
    let mut after = before.clone();
    change(&mut after, session)?;
    let busy = if session.has.person.are_open() {
        Some("answer pending prompts")
    } else if session.has.kit.jobs.running() > 0 {
        Some("stop background jobs")
    } else {
        None
    };
    if let Some(first) = busy {
        let text = format!("session config: {first} before switching config");
        return Err(Error::invalid_request(text));
    }
    let mut state = session.state();
    if state.is_busy() {
        if after.model != before.model {
            state.queued.model = Some(after.model);
        }
        if after.effort != before.effort {
            state.queued.effort = Some(after.effort);
        }
    } else {
        let opened = session
            .has
            .parts
            .models
            .open(&after.model, after.effort.as_deref());
        state.provider = opened.map_err(|error| unusable_model(&error))?;
        state.axes = after;
    }
    Ok(Changed {
        options: true,
        ..Changed::default()
    })
}
