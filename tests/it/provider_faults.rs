//! How the model's server can fail, and what the client is told: a reason from facts, and never a word of the server.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use sidewire_contract::reason::ErrorReason;
use sidewire_contract::turn::NoticeCode;
use sidewire_tests::{Home, Script, ScriptedModel, Turn, play, question};

/// Asks once; the model plays these scripts in turn.
async fn ask(scripts: &[Script]) -> (Turn, usize) {
    let model = ScriptedModel::start().await;
    for script in scripts {
        model.script(script.clone());
    }
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let turn = play(&mut worker.client().await, question("c-1", "What is this?")).await;
    home.assert_nowhere("PROVIDER-TEXT");
    (turn, model.requests().len())
}

/// A failure that may be tried again at once, as often as anyone wants.
fn again(status: u16) -> Vec<Script> {
    vec![Script::fails(status).header("retry-after", "0"); 5]
}

#[tokio::test]
async fn every_status_has_its_reason() {
    let rows = [
        (401, vec![Script::fails(401)], ErrorReason::ProviderAuth, 1),
        (403, vec![Script::fails(403)], ErrorReason::ProviderAuth, 1),
        // A server may refuse a form of the request, so the others are tried.
        (400, vec![Script::fails(400); 5], ErrorReason::Provider4xx, 3),
        (404, vec![Script::fails(404)], ErrorReason::Provider4xx, 1),
        (413, vec![Script::fails(413)], ErrorReason::Provider4xx, 1),
        (429, again(429), ErrorReason::Provider4xx, 3),
        (500, again(500), ErrorReason::Provider5xx, 3),
        (502, again(502), ErrorReason::Provider5xx, 3),
        (503, again(503), ErrorReason::Provider5xx, 3),
    ];
    for (status, scripts, reason, asked) in rows {
        let (turn, requests) = ask(&scripts).await;
        assert_eq!((turn.error, requests), (Some(reason), asked), "status {status}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_5xx() {
    let home = Home::new();
    home.use_dead_model();
    let worker = home.worker().await;
    let turn = play(&mut worker.client().await, question("c-1", "What is this?")).await;
    assert_eq!(turn.error, Some(ErrorReason::Provider5xx));
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_an_error_and_never_a_silent_end() {
    let begun = || Script::stream().text("Half an ");
    let rows = [
        ("the connection is cut", begun().cut()),
        ("the stream just ends", begun()),
        ("an event is garbage", begun().bytes("data: {garbage}\n\n").done()),
        (
            "an event is not text",
            begun()
                .bytes(vec![b'd', b'a', b't', b'a', b':', 0xff, 0xfe, b'\n', b'\n'])
                .done(),
        ),
        (
            "the server fails in the middle",
            begun().event(&json!({ "error": { "message": "PROVIDER-TEXT" } })),
        ),
    ];
    for (what, script) in rows {
        let (turn, requests) = ask(&[script]).await;
        assert_eq!(
            (turn.text.as_str(), turn.error),
            ("Half an ", Some(ErrorReason::Provider5xx)),
            "{what}"
        );
        assert_eq!(requests, 1, "after the first byte nothing is tried again: {what}");
    }
}

#[tokio::test]
async fn what_is_no_answer_at_all_is_a_5xx() {
    let rows = [
        ("a page", Script::stream().bytes("<html>PROVIDER-TEXT</html>")),
        ("nothing", Script::stream()),
        (
            "another API",
            Script::stream().bytes("{\"message\":\"PROVIDER-TEXT\"}"),
        ),
    ];
    for (what, script) in rows {
        assert_eq!(
            ask(&[script]).await.0.error,
            Some(ErrorReason::Provider5xx),
            "{what}"
        );
    }
}

#[tokio::test]
async fn an_error_inside_a_stream_is_told_by_its_code() {
    for (code, reason) in [
        (401, ErrorReason::ProviderAuth),
        (429, ErrorReason::Provider4xx),
        (503, ErrorReason::Provider5xx),
    ] {
        let script =
            Script::stream().event(&json!({ "error": { "code": code, "message": "PROVIDER-TEXT" } }));
        // A busy server is asked again, in whichever way it says so.
        let scripts = vec![script; 3];
        assert_eq!(ask(&scripts).await.0.error, Some(reason), "{code}");
    }
}

#[tokio::test]
async fn a_server_that_recovers_before_the_first_byte_is_asked_again() {
    let busy = || Script::fails(503).header("retry-after", "0");
    let (turn, requests) = ask(&[busy(), busy(), Script::says("at last")]).await;
    assert_eq!(
        (turn.notices.as_slice(), requests),
        ([NoticeCode::Retrying; 2].as_slice(), 3)
    );
    assert_eq!(turn.done(), "at last");
}

#[tokio::test]
async fn s28_a_redirect_takes_neither_key_nor_page_along() {
    let elsewhere = ScriptedModel::start().await;
    let model = ScriptedModel::start().await;
    for status in [301, 302, 307, 308] {
        let to = format!("{}/chat/completions", elsewhere.base_url());
        model.script(Script::fails(status).header("location", &to));
    }
    let home = Home::with_model(&model);
    home.key("sk-secret");
    let worker = home.worker().await;
    let mut client = worker.client().await;
    for id in ["c-301", "c-302", "c-307", "c-308"] {
        assert_eq!(
            play(&mut client, question(id, "Go?")).await.error,
            Some(ErrorReason::Provider5xx),
            "{id}"
        );
    }
    assert_eq!(model.requests()[0].headers["authorization"], "Bearer sk-secret");
    assert!(elsewhere.requests().is_empty(), "a redirect is not followed");
}

fn jwt(seconds_left: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let claims = json!({ "sub": "ann", "exp": i64::try_from(now).unwrap() + seconds_left });
    format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims.to_string()))
}

#[tokio::test]
async fn a_key_that_is_over_or_nearly_so_is_not_used() {
    let rows = [
        (-60, Some(ErrorReason::TokenExpired)),
        (20, Some(ErrorReason::TokenExpiring)),
        (3_600, None),
    ];
    for (left, reason) in rows {
        let model = ScriptedModel::start().await;
        let home = Home::with_model(&model);
        home.key(&jwt(left));
        let worker = home.worker().await;
        let turn = play(&mut worker.client().await, question("c-1", "Go?")).await;
        assert_eq!(turn.error, reason, "{left} s left");
        assert_eq!(
            model.requests().len(),
            usize::from(reason.is_none()),
            "{left} s left"
        );
    }
}
