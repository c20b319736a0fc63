//! What a person sees of a tool: that it runs, what went in, what it gave, whether it failed.

use serde_json::json;
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::mode::Mode;
use sidewire_contract::turn::{ToolPhase, TurnState};
use sidewire_tests::{
    Gate, Home, Hosted, Peer, Script, ScriptedModel, offer, play, question, report, result, settle,
};

use crate::host_tools::{calls_once, told};

/// chat-worker.md §8 row 2: a tool that failed is shown as failed; the model reads why and the turn goes on.
#[tokio::test]
async fn fault_2_a_host_tool_that_fails_is_shown_as_failed() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    offer(&mut client, &["try"]).await;
    for (number, (content, why)) in [
        (
            json!([{ "type": "text", "text": "no such sheet" }]),
            "no such sheet",
        ),
        (json!([]), "Host tool execution failed"),
    ]
    .into_iter()
    .enumerate()
    {
        calls_once(&model, "try");
        let mut hosted = Hosted::ask(&mut client, question(&format!("c-{number}"), "Go?")).await;
        let called = hosted.called(&mut client).await;
        let members = json!({ "result": { "content": content }, "isError": true });
        client.send_text(&settle(&called.call.id, &members)).await;
        let turn = hosted.ended(&mut client).await;
        let notice = turn.tool_notices.last().unwrap();
        assert_eq!(
            (notice.ok, notice.detail.as_deref()),
            (false, Some("try: failed"))
        );
        let activity = turn.activities.last().unwrap();
        assert_eq!(
            (activity.ok, activity.output.as_deref()),
            (Some(false), Some(why))
        );
        assert_eq!(turn.done(), "done");
        assert_eq!(
            told(&model, 2 * number + 1).await.last().map(String::as_str),
            Some(why)
        );
    }
}

#[tokio::test]
async fn what_went_in_and_came_out_is_shown_and_shown_again() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.local();
    let mut client = worker.client_as(&identity).await;
    offer(&mut client, &["look"]).await;
    let long = json!({ "where": "x".repeat(9_000) });
    model.script(Script::stream().call("k", "look", &long).done());
    let gate = Gate::new();
    model.script(Script::stream().wait(&gate).text("done").done());
    let mut hosted = Hosted::ask(&mut client, question("c-1", "Look.")).await;
    let called = hosted.called(&mut client).await;
    client.send_text(&report(&called.call.id, "half")).await;
    hosted.until(&mut client, "tool_activity").await;
    // A panel that is opened now sees the same.
    let mut panel = worker.client_as(&identity).await;
    panel.send(crate::resume::resume(&["c-1"])).await;
    let WorkerFrame::TurnSnapshot(snapshot) = panel.receive().await else {
        panic!("no snapshot")
    };
    let row = &snapshot.turn.tools[0];
    assert_eq!(
        (row.phase, row.output.as_deref()),
        (ToolPhase::Progress, Some("half"))
    );
    client
        .send_text(&result(&called.call.id, &"é".repeat(5_000)))
        .await;
    hosted.until(&mut client, "chat_tool_notice").await;
    gate.open();
    let turn = hosted.ended(&mut client).await;
    let [started, progress, finished] = turn.activities.as_slice() else {
        panic!("{:?}", turn.activities)
    };
    let input = started.input.as_deref().unwrap();
    assert!(
        input.starts_with(r#"{"where":"xxx"#) && input.len() <= 2 * 1024 + 3,
        "{input:.40}"
    );
    assert_eq!(progress.output.as_deref(), Some("half"));
    let output = finished.output.as_deref().unwrap();
    assert!(output.starts_with("ééé") && output.len() <= 4 * 1024 + 3 && finished.ms.is_some());
    let frames = {
        let mut again = worker.client_as(&identity).await;
        again.send(crate::resume::resume(&["c-1"])).await;
        again.receive_only(1).await
    };
    let [WorkerFrame::TurnSnapshot(snapshot)] = frames.as_slice() else {
        panic!("{frames:?}")
    };
    let row = &snapshot.turn.tools[0];
    assert_eq!(
        (snapshot.turn.state, row.phase),
        (TurnState::Done, ToolPhase::Finished)
    );
    assert_eq!(
        (row.input.as_deref(), row.output.as_deref()),
        (Some(input), Some(output))
    );
}

#[tokio::test]
async fn a_picture_in_a_result_is_shown_before_the_end_of_its_tool() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    offer(&mut client, &["page_screenshot"]).await;
    calls_once(&model, "page_screenshot");
    let mut hosted = Hosted::ask(&mut client, question("c-1", "Show me.")).await;
    let called = hosted.called(&mut client).await;
    // One transparent pixel.
    let data =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let picture = json!({ "type": "image", "data": data, "mimeType": "image/png" });
    client
        .send_text(&settle(
            &called.call.id,
            &json!({ "result": { "content": [picture] } }),
        ))
        .await;
    let turn = hosted.ended(&mut client).await;
    assert_eq!(turn.media.len(), 1);
    let place = |frame: &str| turn.frames.iter().rposition(|known| *known == frame).unwrap();
    assert!(
        place("chat_media") < place("chat_tool_notice"),
        "{:?}",
        turn.frames
    );
    assert!(place("chat_media") < place("tool_activity"), "{:?}", turn.frames);
    // The model sees it too.
    let body = model.request(1).await.body.to_string();
    let url = format!(r#""image_url":{{"url":"data:image/png;base64,{data}"}}"#);
    assert!(body.contains(&url), "{body}");
}

/// What is typed into a password field: once the client has said so, it is shown and kept nowhere.
#[tokio::test]
async fn a_secret_that_is_typed_is_neither_shown_nor_kept() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.local();
    let mut client = worker.client_as(&identity).await;
    offer(&mut client, &["page_fill"]).await;
    let configuration = |id: &str, text: &str| ChatRequest {
        mode: Mode::Configuration,
        ..question(id, text)
    };
    let secret =
        json!({ "content": [{ "type": "text", "text": "typed" }], "details": { "secretInput": true } });
    let filling = json!({ "ref": "e1", "value": "hunter2" });
    let hidden = Some(r#"{"ref":"e1","value":"[hidden]"}"#);
    // It is said in a report, or only at the end.
    for (number, in_report) in [true, false].into_iter().enumerate() {
        model.script(Script::stream().call("k", "page_fill", &filling).done());
        model.script(Script::says("done"));
        let id = format!("c-{number}");
        let mut hosted = Hosted::ask(&mut client, configuration(&id, "Log in.")).await;
        let called = hosted.called(&mut client).await;
        assert_eq!(called.call.arguments["value"], "hunter2", "the client types it");
        if in_report {
            let update = json!({ "type": "host_tool_update", "id": called.call.id, "partialResult": secret });
            client.send_text(&update.to_string()).await;
            hosted.until(&mut client, "tool_activity").await;
            assert_eq!(hosted.turn.activities.last().unwrap().input.as_deref(), hidden);
            client.send_text(&result(&called.call.id, "typed")).await;
        } else {
            client
                .send_text(&settle(&called.call.id, &json!({ "result": secret })))
                .await;
        }
        let turn = hosted.ended(&mut client).await;
        assert_eq!(turn.activities.last().unwrap().input.as_deref(), hidden);
        client.send(crate::resume::resume(&[&id])).await;
        let WorkerFrame::TurnSnapshot(snapshot) = client.receive().await else {
            panic!("no snapshot")
        };
        assert_eq!(snapshot.turn.tools[0].input.as_deref(), hidden);
    }
    play(&mut client, configuration("c-9", "And now?")).await.done();
    for request in model.requests() {
        assert!(!request.body.to_string().contains("hunter2"), "{}", request.body);
    }
    let last = model.requests().pop().unwrap().body.to_string();
    assert_eq!(last.matches("[hidden]").count(), 2, "{last}");
    let stored = home.run(&["data", "export"]).await.ok();
    assert!(
        stored.contains("[hidden]") && !stored.contains("hunter2"),
        "{stored}"
    );
}
