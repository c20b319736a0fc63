//! What is asked: a transcript as blocks, tools, limits, pictures and the marks for the cache.

use super::*;

fn call(id: &str, arguments: Value) -> Part {
    Part::ToolCall {
        call_id: id.into(),
        name: "read".into(),
        arguments,
    }
}

fn result(id: &str, content: Vec<ResultContent>, is_error: bool) -> Part {
    Part::ToolResult {
        call_id: id.into(),
        content,
        is_error,
    }
}

fn words(text: &str) -> ResultContent {
    ResultContent::Text { text: text.into() }
}

fn picture(blob: &str) -> ResultContent {
    ResultContent::Image {
        mime_type: "image/png".into(),
        blob: blob.into(),
    }
}

fn message(role: Role, parts: Vec<Part>) -> Message {
    Message { role, parts }
}

/// What is sent for this transcript.
async fn body_of(messages: Vec<Message>, change: impl FnOnce(&mut ModelRequest)) -> Value {
    let mut asked = ModelRequest {
        messages,
        ..request()
    };
    change(&mut asked);
    let server = Server::start(vec![stream(&hello())]).await;
    let events = ask(&server.provider::<Anthropic>(), asked).await;
    assert_eq!(events.last(), Some(&finished(FinishReason::Stop)));
    server.requests().remove(0).1
}

/// The messages without marks.
fn unmarked(body: &Value) -> Value {
    let text = body["messages"].to_string();
    text.replace(",\"cache_control\":{\"type\":\"ephemeral\"}", "")
        .parse()
        .unwrap()
}

#[tokio::test]
async fn the_request_carries_transcript_tools_and_limits() {
    let transcript = vec![
        Message::text(Role::User, "hi"),
        message(
            Role::Assistant,
            vec![
                Part::Text {
                    text: "Let me see.".into(),
                },
                call("c1", json!({ "a": 1 })),
                call("c.2", json!("{broken")),
            ],
        ),
        message(
            Role::Tool,
            vec![
                result("c1", vec![words("42")], false),
                result("c.2", vec![words("no")], true),
            ],
        ),
        Message::text(Role::User, "and now?"),
        message(Role::Assistant, vec![]),
    ];
    let tool = ToolSpec {
        name: "read".into(),
        description: "reads".into(),
        parameters: json!({ "type": "object" }),
    };
    let body = body_of(transcript, |request| request.tools = vec![tool]).await;
    let mark = json!({ "type": "ephemeral" });
    let odd = &body["messages"][1]["content"][2]["id"];
    assert!(odd.as_str().unwrap().starts_with("c_2-"), "{odd}");
    assert_eq!(
        body,
        json!({
            "model": "m1", "max_tokens": 77, "stream": true,
            "system": [{ "type": "text", "text": "be brief", "cache_control": mark }],
            "messages": [
                { "role": "user", "content": [{ "type": "text", "text": "hi", "cache_control": mark }] },
                { "role": "assistant", "content": [
                    { "type": "text", "text": "Let me see." },
                    { "type": "tool_use", "id": "c1", "name": "read", "input": { "a": 1 } },
                    { "type": "tool_use", "id": odd, "name": "read", "input": { "not_an_object": "{broken" } },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "c1", "content": [{ "type": "text", "text": "42" }] },
                    { "type": "tool_result", "tool_use_id": odd, "content": [{ "type": "text", "text": "no" }], "is_error": true },
                    { "type": "text", "text": "and now?", "cache_control": mark },
                ] },
            ],
            "tools": [{ "name": "read", "description": "reads", "input_schema": { "type": "object" }, "cache_control": mark }],
        })
    );
}

/// A name that another model made up would have every later request refused.
#[tokio::test]
async fn names_of_calls_are_proper_and_so_are_the_tools_that_are_named_for_them() {
    let named = Part::ToolCall {
        call_id: "a".into(),
        name: "functions.read file".into(),
        arguments: json!({}),
    };
    let transcript = vec![
        Message::text(Role::User, "hi"),
        message(Role::Assistant, vec![named]),
        message(Role::Tool, vec![result("a", vec![words("no such tool")], true)]),
    ];
    let body = body_of(transcript, |_| {}).await;
    let name = json!("functions_read_file");
    assert_eq!(body["messages"][1]["content"][0]["name"], name);
    assert_eq!(body["tools"][0]["name"], name);
}

/// Blank text is refused by the API, and so are messages without content.
#[tokio::test]
async fn what_is_blank_is_left_out() {
    let transcript = vec![
        Message::text(Role::User, "hi"),
        Message::text(Role::Assistant, " \n"),
        message(
            Role::User,
            vec![
                Part::Text { text: String::new() },
                Part::Text { text: "well?".into() },
            ],
        ),
    ];
    let body = body_of(transcript, |request| request.system = "\n".into()).await;
    assert_eq!(body.get("system"), None);
    let texts = json!([{ "role": "user", "content": [{ "type": "text", "text": "hi" }, { "type": "text", "text": "well?" }] }]);
    assert_eq!(unmarked(&body), texts);
}

#[tokio::test]
async fn pictures_stand_where_they_belong_and_once() {
    let transcript = vec![
        message(
            Role::User,
            vec![
                Part::Text { text: "see".into() },
                Part::Image {
                    mime_type: "image/png".into(),
                    blob: "blob:a".into(),
                },
            ],
        ),
        message(Role::Assistant, vec![call("c1", json!({}))]),
        message(
            Role::Tool,
            vec![result(
                "c1",
                vec![
                    words("800×600"),
                    picture("blob:b"),
                    picture("blob:old"),
                    picture("blob:b"),
                ],
                false,
            )],
        ),
    ];
    let shown = |blob: &str| Picture {
        blob: blob.into(),
        mime_type: "image/png".into(),
        bytes: b"abc"[..].into(),
    };
    let body = body_of(transcript, |request| {
        request.pictures = vec![shown("blob:a"), shown("blob:b")];
    })
    .await;
    let image =
        json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "YWJj" } });
    let messages = unmarked(&body);
    assert_eq!(
        messages[0]["content"],
        json!([{ "type": "text", "text": "see" }, image])
    );
    assert_eq!(
        messages[2]["content"][0]["content"],
        json!([
            { "type": "text", "text": "800×600" },
            image,
            { "type": "text", "text": "(a picture, which is not shown to you)" },
            { "type": "text", "text": "(the picture above)" },
        ])
    );
}

/// A transcript with calls needs tools, even where none is to be called, as for a summary.
#[tokio::test]
async fn a_transcript_with_calls_names_their_tools() {
    let transcript = vec![
        Message::text(Role::User, "hi"),
        message(Role::Assistant, vec![call("a", json!({})), call("b", json!({}))]),
        message(
            Role::Tool,
            vec![
                result("a", vec![words("1")], false),
                result("b", vec![words("2")], false),
            ],
        ),
        Message::text(Role::User, "sum it up"),
    ];
    let body = body_of(transcript, |_| {}).await;
    let names: Vec<&Value> = body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(
        (names, &body["tool_choice"]["type"]),
        (vec![&json!("read")], &json!("none"))
    );
    let plain = body_of(vec![Message::text(Role::User, "hi")], |_| {}).await;
    assert_eq!((plain.get("tools"), plain.get("tool_choice")), (None, None));
}

/// What a request marks for the cache, as places.
fn marks(body: &Value) -> Vec<String> {
    fn walk(value: &Value, place: &str, marks: &mut Vec<String>) {
        let below: Vec<(String, &Value)> = match value {
            Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
            Value::Array(values) => values
                .iter()
                .enumerate()
                .map(|(at, value)| (at.to_string(), value))
                .collect(),
            _ => return,
        };
        for (name, value) in below {
            if name == "cache_control" {
                marks.push(place.to_owned());
            }
            walk(value, &format!("{place}/{name}"), marks);
        }
    }
    let mut found = Vec::new();
    walk(body, "", &mut found);
    found
}

#[tokio::test]
async fn a_mark_of_the_last_request_is_where_the_next_one_finds_it() {
    let step = |id: &str| {
        [
            message(Role::Assistant, vec![call(id, json!({}))]),
            message(Role::Tool, vec![result(id, vec![words("42")], false)]),
        ]
    };
    let mut transcript = vec![Message::text(Role::User, "hi")];
    let mut last = String::new();
    for (number, id) in ["a", "b", "c"].into_iter().enumerate() {
        transcript.extend(step(id));
        let marks = marks(&body_of(transcript.clone(), |_| {}).await);
        assert!(marks.len() <= 4, "the API takes four: {marks:?}");
        let newest = format!("/messages/{}/content/0", 2 * (number + 1));
        assert!(marks.contains(&newest), "{newest} in {marks:?}");
        assert!(last.is_empty() || marks.contains(&last), "{last} in {marks:?}");
        last = newest;
    }
}

#[tokio::test]
async fn a_server_that_refuses_marks_is_learned() {
    let server = Server::start(vec![status("400 Bad Request"), stream(&hello())]).await;
    let provider = server.provider::<Anthropic>();
    for _ in 0..2 {
        assert_eq!(run(&provider).await.last(), Some(&finished(FinishReason::Stop)));
    }
    let marked: Vec<bool> = server
        .requests()
        .iter()
        .map(|(_, body)| !marks(body).is_empty())
        .collect();
    assert_eq!(marked, [true, false, false]);
}
