//! What sessions begin with, and what stays kept under a ceiling.

use std::sync::Arc;

use serde_json::{Value, json};
use sidewire_agent::briefing::Collaboration;
use sidewire_agent::permission::Ceiling;
use sidewire_agent::provider::Provider;

use super::*;
use crate::acp::desks::UnreadableModels;
use crate::acp::refusals::AUTH_REQUIRED;
use crate::acp::tests::Silent;

/// A desk with two models, of which one has efforts, and one whose key is missing.
struct Desk;

impl ModelDesk for Desk {
    fn list(&self) -> Result<Vec<ModelEntry>, UnreadableModels> {
        Ok(listed())
    }

    fn resolve(&self, name: &str) -> String {
        match name {
            "deep" => "a/deep".to_owned(),
            other => other.to_owned(),
        }
    }

    fn open(&self, id: &str, effort: Option<&str>) -> Result<Arc<dyn Provider>, OpenModelError> {
        if id == "b/keyless" {
            return Err(OpenModelError::NoKey(id.to_owned()));
        }
        let (listed, id) = (listed(), self.resolve(id));
        let known = listed.iter().find(|entry| entry.id == id);
        let known = known.ok_or_else(|| OpenModelError::Unknown(id.clone()))?;
        match effort {
            Some(effort) if !known.efforts.iter().any(|level| level == effort) => {
                Err(OpenModelError::NoEffort {
                    model: id.clone(),
                    effort: effort.to_owned(),
                })
            }
            _ => Ok(Arc::new(Silent)),
        }
    }
}

/// Nothing is configured.
struct Empty;

impl ModelDesk for Empty {
    fn list(&self) -> Result<Vec<ModelEntry>, UnreadableModels> {
        Ok(Vec::new())
    }

    fn open(&self, id: &str, _effort: Option<&str>) -> Result<Arc<dyn Provider>, OpenModelError> {
        match id {
            "offline" => Ok(Arc::new(Silent)),
            other => Err(OpenModelError::Unknown(other.to_owned())),
        }
    }
}

fn listed() -> Vec<ModelEntry> {
    vec![entry("a/plain", &[]), entry("a/deep", &["low", "xhigh"])]
}

fn entry(id: &str, efforts: &[&str]) -> ModelEntry {
    ModelEntry {
        id: id.to_owned(),
        name: id.to_uppercase(),
        provider: "A".to_owned(),
        efforts: efforts.iter().map(|effort| (*effort).to_owned()).collect(),
        vision: false,
    }
}

fn start(ceiling: Option<&str>) -> Start {
    Start {
        ceiling: ceiling.map(|mode| mode.parse::<Ceiling>().unwrap()),
        ..Start::default()
    }
}

fn begin(start: &Start, kept: &Controls) -> Axes {
    Axes::begin(&Desk, start, kept).unwrap()
}

fn options(axes: &Axes, start: &Start) -> Value {
    serde_json::to_value(config_options(axes, &listed(), start)).unwrap()
}

fn values(options: &Value, id: &str) -> Vec<String> {
    let option = options
        .as_array()
        .unwrap()
        .iter()
        .find(|option| option["id"] == id)
        .unwrap();
    let values = option["options"].as_array().unwrap().iter();
    values
        .map(|value| value["value"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_session_begins_with_the_first_model_and_in_ask() {
    let axes = begin(&start(None), &Controls::default());
    assert_eq!(
        (axes.model.as_str(), axes.effort.as_deref(), axes.posture),
        ("a/plain", None, Posture::Ask)
    );
    assert_eq!(
        axes.kept(),
        Controls::default(),
        "a default is not kept as a choice"
    );
}

#[test]
fn without_a_model_the_person_is_asked_to_set_one_up() {
    let code = |start: &Start, desk: &dyn ModelDesk| {
        Axes::begin(desk, start, &Controls::default()).map_err(|error| error.code)
    };
    let named = |model: &str| Start {
        model: Some(model.to_owned()),
        ..Start::default()
    };
    assert_eq!(code(&start(None), &Empty).unwrap_err(), AUTH_REQUIRED);
    assert_eq!(code(&named("b/keyless"), &Desk).unwrap_err(), AUTH_REQUIRED);
    assert_eq!(code(&named("c/none"), &Desk).unwrap_err(), Error::INTERNAL);
    assert_eq!(
        code(&named("offline"), &Empty).unwrap().model,
        "offline",
        "offline counts when it is named"
    );
    assert_eq!(code(&named("a/deep"), &Desk).unwrap().model, "a/deep");
}

#[test]
fn what_was_kept_comes_back_as_far_as_it_still_works() {
    let kept = |model: &str, effort: &str| Controls {
        model: Some(model.to_owned()),
        effort: Some(effort.to_owned()),
        collaboration: Collaboration::Plan,
        ..Controls::default()
    };
    let rows = [
        (kept("a/deep", "low"), "a/deep", Some("low")),
        (kept("deep", "low"), "a/deep", Some("low")),
        (kept("a/deep", "huge"), "a/deep", None),
        (kept("gone/model", "low"), "a/plain", None),
        (kept("b/keyless", "low"), "a/plain", None),
    ];
    for (kept, model, effort) in rows {
        let axes = begin(&start(None), &kept);
        assert_eq!((axes.model.as_str(), axes.effort.as_deref()), (model, effort));
        assert_eq!(axes.collaboration, Collaboration::Plan);
    }
}

#[test]
fn another_model_keeps_the_effort_only_if_it_has_it() {
    let mut axes = begin(&start(None), &Controls::default());
    axes.choose_model("a/deep", &listed());
    axes.effort = Some("low".to_owned());
    axes.choose_model("a/deep", &listed());
    assert_eq!(axes.effort.as_deref(), Some("low"));
    axes.choose_model("a/plain", &listed());
    assert_eq!(axes.effort, None);
    assert_eq!(axes.kept().model.as_deref(), Some("a/plain"));
}

#[test]
fn a_higher_posture_opens_at_the_ceiling_and_stays_kept() {
    let kept = Controls {
        posture: Some(Posture::Yolo),
        ..Controls::default()
    };
    let mut axes = begin(&start(Some("dontAsk")), &kept);
    assert_eq!(axes.posture, Posture::DontAsk);
    axes.preset = Preset::Delivery;
    assert_eq!(axes.kept().posture, Some(Posture::Yolo));
    axes.choose_posture(Posture::ReadOnly);
    assert_eq!(axes.kept().posture, Some(Posture::ReadOnly));
    assert_eq!(begin(&start(None), &kept).posture, Posture::Yolo);
    assert_eq!(
        begin(&start(Some("auto")), &Controls::default()).posture,
        Posture::Auto
    );
}

#[test]
fn a_raise_is_refused_with_its_code() {
    let refused = start(Some("ask")).permit("m", Posture::Auto).unwrap_err();
    assert_eq!(refused.code, Error::INVALID_PARAMS);
    let expected = json!({"code": "acp.tool_approval.above_ceiling", "ceiling": "ask"});
    assert_eq!(refused.data, Some(expected));
    for (ceiling, posture) in [
        (Some("ask"), Posture::ReadOnly),
        (Some("bypassPermissions"), Posture::Yolo),
        (None, Posture::Yolo),
    ] {
        assert!(start(ceiling).permit("m", posture).is_ok());
    }
}

#[test]
fn every_control_is_shown_with_its_values() {
    let start = start(None);
    let mut axes = begin(&start, &Controls::default());
    let plain = options(&axes, &start);
    let ids = |options: &Value| {
        let ids = options
            .as_array()
            .unwrap()
            .iter()
            .map(|option| option["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(
        ids(&plain),
        ["mode", "model", "agent_preset", "work_mode", "tool_approval"]
    );
    axes.choose_model("a/deep", &listed());
    let deep = options(&axes, &start);
    assert_eq!(values(&deep, "effort"), ["auto", "low", "xhigh"]);
    assert_eq!(deep[2]["options"][2]["name"], "XHigh");
    let categories: Vec<_> = deep
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["category"].clone())
        .collect();
    assert_eq!(
        categories,
        [
            "mode",
            "model",
            "thought_level",
            "_agent_preset",
            "_work_mode",
            "_tool_approval"
        ]
    );
    assert_eq!(values(&deep, "tool_approval"), ["ask", "auto", "yolo"]);
    let lower = self::start(Some("ask"));
    assert_eq!(
        values(&options(&axes, &lower), "tool_approval"),
        ["readOnly", "dontAsk", "ask"]
    );
    axes.model = "gone/model".to_owned();
    assert_eq!(
        values(&options(&axes, &start), "model"),
        ["a/plain", "a/deep", "gone/model"]
    );
}
