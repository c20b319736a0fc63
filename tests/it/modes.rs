//! What each mode changes: what the model is told, and which tools it is offered.

use serde_json::json;
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::mode::Mode;
use sidewire_tests::{Home, Hosted, Peer, Script, ScriptedModel, offer, play, question, result};

/// Everything our extension offers, and a tool that the table does not know.
const TOOLS: &[&str] = &[
    "page_snapshot",
    "page_text",
    "page_find",
    "page_screenshot",
    "page_api",
    "wait_for",
    "page_click",
    "page_fill",
    "page_select",
    "page_press",
    "page_scroll",
    "page_navigate",
    "highlight",
    "annotate",
    "office_read_range",
];
const READ: &[&str] = &[
    "page_snapshot",
    "page_text",
    "page_find",
    "page_screenshot",
    "page_api",
    "wait_for",
];

fn in_mode(mode: Mode, request: ChatRequest) -> ChatRequest {
    let history_hint = Some(mode.as_str().to_owned());
    ChatRequest {
        mode,
        history_hint,
        ..request
    }
}

#[tokio::test]
async fn every_mode_offers_what_its_row_of_the_table_says() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    offer(&mut client, TOOLS).await;
    let acting = [
        "page_click",
        "page_fill",
        "page_select",
        "page_press",
        "page_scroll",
        "page_navigate",
    ];
    let rows: [(Mode, &[&str], &[&str]); 5] = [
        (Mode::Educational, &[], &["highlight"]),
        (
            Mode::Presentation,
            &["display_media"],
            &["page_scroll", "highlight", "annotate"],
        ),
        (Mode::Configuration, &[], &[&acting[..], &["highlight"]].concat()),
        (Mode::Screenshot, &["display_media"], &["page_scroll"]),
        (Mode::Annotation, &[], &["highlight", "annotate"]),
    ];
    let mut lines = std::collections::BTreeSet::new();
    for (number, (mode, own, more)) in rows.into_iter().enumerate() {
        play(
            &mut client,
            in_mode(mode, question(&format!("c-{number}"), "Go on.")),
        )
        .await
        .done();
        let request = model.request(number).await;
        assert_eq!(
            request.tools(),
            [own, READ, more, &["office_read_range"]].concat(),
            "{mode}"
        );
        let system = request.texts("system").concat();
        assert!(system.contains(&format!("Mode: {mode}.")) && system.contains("asks the person for consent"));
        lines.insert(system);
    }
    assert_eq!(lines.len(), 5, "every mode says something of its own");
}

#[tokio::test]
async fn a_mode_that_does_not_act_refuses_to() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    offer(&mut client, TOOLS).await;
    model.script(
        Script::stream()
            .call("1", "page_fill", &json!({}))
            .call("2", "page_text", &json!({}))
            .done(),
    );
    model.script(Script::says("done"));
    let request = in_mode(Mode::Presentation, question("c-1", "Fill it in."));
    let mut hosted = Hosted::ask(&mut client, request).await;
    let called = hosted.called(&mut client).await;
    assert_eq!(called.call.tool_name, "page_text", "the other never left");
    client.send_text(&result(&called.call.id, "text")).await;
    hosted.ended(&mut client).await.done();
    let told = model.request(1).await.texts("tool");
    assert_eq!(told, ["page_fill is not available in presentation mode", "text"]);
}

/// The same conversation, another mode: what is offered follows the mode of each question.
#[tokio::test]
async fn the_next_question_may_be_in_another_mode() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    offer(&mut client, &["page_click"]).await;
    for (number, (mode, offered)) in [
        (Mode::Annotation, vec![]),
        (Mode::Configuration, vec!["page_click"]),
    ]
    .into_iter()
    .enumerate()
    {
        let request = ChatRequest {
            mode,
            ..question(&format!("c-{number}"), "Click it.")
        };
        play(&mut client, request).await.done();
        assert_eq!(model.request(number).await.tools(), offered);
    }
}
