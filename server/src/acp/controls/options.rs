//! The controls of a session as a client shows them.

use agent_client_protocol_schema::v1::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption, SessionMode,
    SessionModeState,
};
use sidewire_agent::briefing::{Collaboration, Preset};
use sidewire_agent::permission::{Ceiling, Posture};

use super::{Axes, Start, efforts};
use crate::acp::desks::ModelEntry;

/// The effort that leaves it to the provider.
pub(super) const AUTO: &str = "auto";

/// The modes, and which one is on.
pub(in crate::acp) fn modes(axes: &Axes) -> SessionModeState {
    let available = [Collaboration::Normal, Collaboration::Plan].map(|mode| {
        let (id, name, description) = mode_texts(mode);
        SessionMode::new(id, name).description(description.to_owned())
    });
    SessionModeState::new(mode_id(axes.collaboration), available.to_vec())
}

/// Every control with its values.
pub(in crate::acp) fn config_options(
    axes: &Axes,
    listed: &[ModelEntry],
    start: &Start,
) -> Vec<SessionConfigOption> {
    let mut options = vec![mode(axes), model(axes, listed)];
    options.extend(effort(axes, listed));
    options.extend([preset(axes), work_mode(axes), posture(axes, start)]);
    options
}

/// The id of a mode.
pub(in crate::acp) fn mode_id(mode: Collaboration) -> &'static str {
    mode_texts(mode).0
}

fn mode_texts(mode: Collaboration) -> (&'static str, &'static str, &'static str) {
    match mode {
        Collaboration::Normal => (
            "normal",
            "Normal",
            "Work directly and pause when user input is required",
        ),
        Collaboration::Plan => (
            "plan",
            "Plan",
            "Research and propose a plan before making changes",
        ),
    }
}

fn mode(axes: &Axes) -> SessionConfigOption {
    let values = [Collaboration::Normal, Collaboration::Plan].map(|mode| {
        let (id, name, description) = mode_texts(mode);
        value(id, name).description(description.to_owned())
    });
    SessionConfigOption::select("mode", "Mode", mode_id(axes.collaboration), values.to_vec())
        .category(SessionConfigOptionCategory::Mode)
}

/// The current model is among the values even when it is no longer configured.
fn model(axes: &Axes, listed: &[ModelEntry]) -> SessionConfigOption {
    let mut values: Vec<_> = listed
        .iter()
        .map(|entry| value(entry.id.clone(), entry.name.clone()).description(entry.provider.clone()))
        .collect();
    if !listed.iter().any(|entry| entry.id == axes.model) {
        values.push(value(axes.model.clone(), axes.model.clone()));
    }
    SessionConfigOption::select("model", "Model", axes.model.clone(), values)
        .category(SessionConfigOptionCategory::Model)
}

fn effort(axes: &Axes, listed: &[ModelEntry]) -> Option<SessionConfigOption> {
    let known = efforts(listed, &axes.model);
    if known.is_empty() {
        return None;
    }
    let current = axes.effort.clone().unwrap_or_else(|| AUTO.to_owned());
    let levels = known.into_iter().filter(|level| level != AUTO);
    let values: Vec<_> = std::iter::once(AUTO.to_owned())
        .chain(levels)
        .map(|level| value(level.clone(), effort_name(&level)))
        .collect();
    let option = SessionConfigOption::select("effort", "Effort", current, values);
    Some(option.category(SessionConfigOptionCategory::ThoughtLevel))
}

fn effort_name(level: &str) -> String {
    if level == "xhigh" {
        "XHigh".to_owned()
    } else {
        capitalised(level)
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn preset(axes: &Axes) -> SessionConfigOption {
    let values = PRESETS.map(|(preset, description)| {
        let id = preset_id(preset);
        value(id, capitalised(id)).description(description.to_owned())
    });
    let option = SessionConfigOption::select(
        "agent_preset",
        "Execution Setting",
        preset_id(axes.preset),
        values.to_vec(),
    );
    option.category(custom("_agent_preset"))
}

const PRESETS: [(Preset, &str); 3] = [
    (
        Preset::Light,
        "Fast and reliable: on-demand capabilities, targeted verification",
    ),
    (Preset::Balanced, "Adaptive planning and risk-tiered verification"),
    (
        Preset::Delivery,
        "Evidence closed-loop: full acceptance, verification, independent review",
    ),
];

/// The id of a preset.
pub(in crate::acp) fn preset_id(preset: Preset) -> &'static str {
    match preset {
        Preset::Light => "light",
        Preset::Balanced => "balanced",
        Preset::Delivery => "delivery",
    }
}

/// What older clients call the preset.
fn work_mode(axes: &Axes) -> SessionConfigOption {
    let old = |preset| match preset {
        Preset::Light => "economy",
        Preset::Balanced | Preset::Delivery => preset_id(preset),
    };
    let values = PRESETS.map(|(preset, _)| {
        let alias = format!("Deprecated alias for {}", preset_id(preset));
        value(old(preset), capitalised(old(preset))).description(alias)
    });
    let option = SessionConfigOption::select(
        "work_mode",
        "Work Mode (deprecated)",
        old(axes.preset),
        values.to_vec(),
    );
    option.category(custom("_work_mode"))
}

fn posture(axes: &Axes, start: &Start) -> SessionConfigOption {
    let values: Vec<_> = Ceiling::offered(start.ceiling)
        .into_iter()
        .map(|posture| {
            value(posture.name(), posture_name(posture)).description(posture.description().to_owned())
        })
        .collect();
    let option = SessionConfigOption::select("tool_approval", "Tool Approval", axes.posture.name(), values);
    option.category(custom("_tool_approval"))
}

fn posture_name(posture: Posture) -> &'static str {
    match posture {
        Posture::ReadOnly => "Read Only",
        Posture::DontAsk => "Don't Ask",
        Posture::Ask => "Ask",
        Posture::Auto => "Auto",
        Posture::Yolo => "Yolo",
    }
}

fn value(id: impl Into<String>, name: impl Into<String>) -> SessionConfigSelectOption {
    SessionConfigSelectOption::new(id.into(), name)
}

fn custom(category: &str) -> SessionConfigOptionCategory {
    SessionConfigOptionCategory::Other(category.to_owned())
}
