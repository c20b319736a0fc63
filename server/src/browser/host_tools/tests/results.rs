//! What becomes of a result.

use super::*;

#[tokio::test]
async fn a_result_that_cannot_be_read_or_is_too_large_ends_its_call_at_once() {
    let mut rig = Rig::new().await;
    let calling = rig.read();
    let call = rig.called().await;
    rig.tools.unreadable("host_tool_update", &call.id);
    assert!(!calling.is_finished());
    rig.tools.unreadable("host_tool_result", &call.id);
    assert!(error(calling).await.contains("could not be read"));
    for (bytes, fails) in [
        (limits::HOST_TOOL_RESULT - 1, false),
        (limits::HOST_TOOL_RESULT, false),
        (limits::HOST_TOOL_RESULT + 1, true),
    ] {
        let calling = rig.read();
        let id = rig.called().await.id;
        let result = json!({ "id": id, "result": { "content": [] } });
        rig.tools.result(serde_json::from_value(result).unwrap(), bytes);
        let output = calling.await.unwrap();
        assert_eq!(output.is_error, fails, "{bytes}: {output:?}");
    }
}

#[tokio::test]
async fn what_a_model_reads_of_a_result() {
    let mut rig = Rig::new().await;
    let long = "é".repeat(50_000);
    let rows: [(Value, bool, String); 8] = [
        (json!([]), false, "(done; the tool gave no output)".into()),
        (json!([]), true, "Host tool execution failed".into()),
        (
            json!([{ "type": "text", "text": "" }]),
            true,
            "Host tool execution failed".into(),
        ),
        (
            json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]),
            true,
            "a\nb".into(),
        ),
        (
            json!([{ "type": "chart", "points": [1, 2] }]),
            false,
            r#"{"type":"chart","points":[1,2]}"#.into(),
        ),
        (json!([{ "type": "text" }]), false, r#"{"type":"text"}"#.into()),
        (
            json!([{ "type": "image", "data": "nope", "mimeType": "image/png" }]),
            false,
            "(a picture that cannot be shown: ".into(),
        ),
        (
            json!([{ "type": "text", "text": long }]),
            false,
            format!(
                "{}\n(cut here: 34464 more bytes; ask for a smaller part)",
                "é".repeat(32_768)
            ),
        ),
    ];
    for (content, is_error, expected) in rows {
        let calling = rig.read();
        let call = rig.called().await;
        rig.result(
            &call.id,
            json!({ "result": { "content": content }, "isError": is_error }),
        );
        let output = calling.await.unwrap();
        assert!(
            text(&output).starts_with(&expected),
            "{content:.100}: {:.100}",
            text(&output)
        );
        assert_eq!(output.is_error, is_error);
    }
}

#[tokio::test]
async fn a_client_says_that_a_call_holds_a_secret_and_that_stays_said() {
    let secret = |secret: Value| json!({ "content": [], "details": { "secretInput": secret, "more": 1 } });
    for (partial, last, expected) in [
        (json!({ "content": [] }), json!({ "content": [] }), false),
        (secret(json!("yes")), secret(json!(null)), false),
        (json!({ "content": [] }), secret(json!(true)), true),
        (secret(json!(true)), json!({ "content": [] }), true),
        (secret(json!(true)), secret(json!(false)), true),
    ] {
        let mut rig = Rig::new().await;
        let calling = rig.read();
        let call = rig.called().await;
        let update = json!({ "id": call.id, "partialResult": partial });
        rig.tools.update(&serde_json::from_value(update).unwrap());
        rig.result(&call.id, json!({ "result": last }));
        assert_eq!(calling.await.unwrap().secret_input, expected, "{partial} {last}");
    }
    // Nor does it matter how the call ends.
    let mut rig = Rig::new().await;
    let calling = rig.read();
    let call = rig.called().await;
    let update = json!({ "id": call.id, "partialResult": secret(json!(true)) });
    rig.tools.update(&serde_json::from_value(update).unwrap());
    rig.cancel.cancel();
    let output = calling.await.unwrap();
    assert!(output.is_error && output.secret_input, "{output:?}");
}

/// The only pixel is transparent.
fn picture() -> Value {
    let data =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    json!({ "type": "image", "data": data, "mimeType": "image/png" })
}

#[tokio::test]
async fn an_answer_that_shows_as_much_as_it_may_says_so() {
    let mut rig = Rig::new().await;
    let conversation = rig.store.conversation_for(place()).await.unwrap().id;
    let context = rig.context(json!({ "range": "A1" }));
    let places = (0..1_000).filter(|_| context.may_show_media()).count();
    assert!((PICTURES..1_000).contains(&places), "{places}");
    let tool = Arc::clone(&rig.tools.shelf().tools()[0]);
    let context = ToolCallContext {
        conversation,
        ..context
    };
    let calling = tokio::spawn(async move { tool.call(context).await });
    let call = rig.called().await;
    rig.result(&call.id, json!({ "result": { "content": [picture()] } }));
    let output = calling.await.unwrap();
    assert!(output.media.is_empty(), "{output:?}");
    assert_eq!(
        text(&output),
        "(one more picture; this answer shows as many as it may)"
    );
}

#[tokio::test]
async fn a_picture_is_kept_and_named() {
    let mut rig = Rig::new().await;
    let conversation = rig.store.conversation_for(place()).await.unwrap().id;
    let tool = Arc::clone(&rig.tools.shelf().tools()[0]);
    let mut context = rig.context(json!({ "range": "A1" }));
    context.conversation = conversation;
    let calling = tokio::spawn(async move { tool.call(context).await });
    let call = rig.called().await;
    rig.result(
        &call.id,
        json!({ "result": { "content": vec![picture(); PICTURES + 1] } }),
    );
    let output = calling.await.unwrap();
    assert_eq!(
        (output.media.len(), output.content.len()),
        (PICTURES, PICTURES + 1),
        "{output:?}"
    );
    assert_eq!(text(&output), "(one more picture, which is not shown)");
    let original = output.media[0].original.clone().unwrap();
    assert_eq!(
        output.content[1],
        ResultContent::Image {
            mime_type: "image/png".into(),
            blob: original.reference.as_str().to_owned(),
        }
    );
    let pictures: Vec<&str> = output
        .pictures
        .iter()
        .map(|picture| picture.blob.as_str())
        .collect();
    assert_eq!(
        pictures,
        [original.reference.as_str(); PICTURES],
        "and their bytes are there for the model"
    );
}

fn place() -> Lookup {
    Lookup {
        owner: Owner("me".into()),
        origin: Origin::Browser,
        hint: None,
        session_key: "s".into(),
        tab: 7,
        browser_run: None,
        now_ms: 1,
    }
}
