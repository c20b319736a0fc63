use sidewire_agent::event::{ToolContent, ToolStart, TurnEvent};
use sidewire_agent::feed::News;
use sidewire_agent::permission::Class;
use sidewire_agent::tool::{ToolKind, ToolSource};

use super::*;

#[tokio::test]
async fn tools_of_all_pages_are_offered_as_they_are() {
    let rig = Rig::new();
    let session = rig.one("stdio").await;
    assert_eq!(
        state(&session),
        State {
            name: "s".into(),
            status: Status::Ready,
            error: None,
            tools: 17
        }
    );
    let names = names(&session);
    assert_eq!(names[0], "mcp__s__echo");
    assert!(names[16].starts_with("mcp__s__odd_name__"), "{names:?}");
    let echo = find(&session, "mcp__s__echo");
    let meta = echo.meta();
    assert_eq!((meta.kind, meta.read_only), (ToolKind::Other, false));
    assert_eq!(meta.source, ToolSource::Mcp("s".into()));
    assert_eq!(meta.label, "s: Say it again");
    assert_eq!(meta.parameters["required"], json!(["text"]));
    let intent = echo.intent(&json!({}), None);
    assert_eq!(
        (intent.class, intent.subject.as_deref()),
        (Class::Other, Some("mcp__s__echo"))
    );
    let intent = find(&session, &names[16]).intent(&json!({}), None);
    assert_eq!(
        (intent.class, intent.subject),
        (Class::Other, Some(names[16].clone()))
    );
}

/// Whoever wrote a server could otherwise let its tools run unasked.
#[tokio::test]
async fn n12_what_a_server_says_of_its_tools_counts_only_when_it_is_trusted() {
    let rig = Rig::new();
    let mut own = entry(rig.child("s", "stdio"), roster::Origin::Person, Permit::Given);
    own.trusted = true;
    let session = rig.session(vec![own]).await;
    let echo = find(&session, "mcp__s__echo");
    assert_eq!((echo.meta().kind, echo.meta().read_only), (ToolKind::Read, true));
    assert_eq!(echo.intent(&json!({}), None).class, Class::Read);
    let odd = find(&session, &names(&session)[16]);
    assert_eq!(
        odd.intent(&json!({}), None).class,
        Class::Other,
        "it says nothing"
    );
}

#[tokio::test]
async fn a_call_gives_what_the_server_gives() {
    let rig = Rig::new();
    let session = rig.one("stdio").await;
    let output = rig
        .call(&session, "mcp__s__echo", json!({ "text": "hello" }))
        .await;
    assert_eq!((text(&output), output.is_error), ("hello", false));
    assert_eq!(output.shown, [ToolContent::Text("hello".into())]);
    let output = rig.call(&session, "mcp__s__mixed", Value::Null).await;
    assert_eq!(
        text(&output),
        "before\n(the resource x:note)\ninside\n(a resource: more, x:more)\n(a sound, audio/wav, which is not played)"
    );
    let odd = names(&session)[16].clone();
    assert_eq!(
        text(&rig.call(&session, &odd, json!({})).await),
        "called odd name!"
    );
}

#[tokio::test]
async fn a_picture_is_shown_and_given_to_the_model() {
    let rig = Rig::new();
    let session = rig.one("stdio").await;
    let mut context = rig.context(json!({}));
    context.conversation = rig.conversation().await;
    let output = find(&session, "mcp__s__picture").call(context).await;
    assert_eq!((output.media.len(), output.pictures.len()), (1, 1));
    assert_eq!(output.pictures[0].mime_type, "image/png");
    assert!(
        matches!(&output.content[..], [ResultContent::Image { blob, .. }] if *blob == output.pictures[0].blob)
    );
}

#[tokio::test]
async fn failures_are_told_to_the_model() {
    let rig = Rig::new();
    let session = rig.one("stdio").await;
    for (tool, arguments, told) in [
        ("mcp__s__fail", json!({}), "it went wrong"),
        (
            "mcp__s__refuse",
            json!({}),
            "the MCP server \"s\" refused the call: no thanks",
        ),
        (
            "mcp__s__echo",
            json!("x"),
            "the arguments are not a JSON object; write them again as one",
        ),
    ] {
        let output = rig.call(&session, tool, arguments).await;
        assert_eq!((text(&output), output.is_error), (told, true));
    }
    assert_eq!(state(&session).status, Status::Ready);
}

#[tokio::test]
async fn progress_is_shown_while_a_call_runs() {
    let rig = Rig::new();
    let session = rig.one("stdio").await;
    let mut news = rig.feed.subscribe(Arc::default());
    rig.feed.push(TurnEvent::ToolStarted(ToolStart {
        call_id: "call_1".into(),
        name: "mcp__s__progress".into(),
        title: "Progress".into(),
        kind: ToolKind::Other,
        arguments: json!({}),
        locations: Vec::new(),
    }));
    let output = rig.call(&session, "mcp__s__progress", json!({})).await;
    assert_eq!(text(&output), "done");
    // Reports replace each other; the last one is left.
    let shown = news.take().into_iter().find_map(|news| match news {
        News::Event(TurnEvent::ToolProgress(progress)) => Some(progress),
        _ => None,
    });
    let shown = shown.unwrap();
    assert_eq!(
        (shown.call_id.as_str(), shown.name.as_str()),
        ("call_1", "mcp__s__progress")
    );
    assert_eq!(shown.content, [ToolContent::Text("step (2/2)".into())]);
}

#[tokio::test]
async fn a_server_that_asks_back_is_answered() {
    let rig = Rig::new();
    let session = rig.one("stdio").await;
    let roots = rig.call(&session, "mcp__s__roots", json!({})).await;
    let roots: Value = serde_json::from_str(text(&roots)).unwrap();
    let folder = rig.folder.path();
    assert_eq!(
        roots,
        json!([{ "uri": format!("file://{}", folder.display()), "name": folder.file_name().unwrap().to_string_lossy() }])
    );
    assert_eq!(
        text(&rig.call(&session, "mcp__s__elicit", json!({})).await),
        "decline"
    );
    assert_eq!(
        text(&rig.call(&session, "mcp__s__sample", json!({})).await),
        "-32601"
    );
    // What is refused is not announced either.
    let notes = rig.notes(&session).await;
    assert!(
        notes.starts_with("initialize 2025-11-25 {\"roots\":{}}"),
        "{notes}"
    );
}

#[tokio::test]
async fn a_stopped_turn_tells_the_server() {
    let rig = Rig::new();
    let session = rig.one("stdio").await;
    let cancel = CancellationToken::new();
    let running = rig.wait(&session, &cancel).await;
    cancel.cancel();
    let output = timeout(GUARD, running).await.unwrap().unwrap();
    assert_eq!((text(&output), output.is_error), ("the turn was stopped", true));
    let notes = rig.notes(&session).await;
    assert!(notes.ends_with("cancelled the turn was stopped"), "{notes}");
    assert_eq!(state(&session).status, Status::Ready);
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_ended() {
    let mut rig = Rig::new();
    rig.timing.call = Duration::from_secs(5);
    let session = rig.one("stdio").await;
    let output = rig.call(&session, "mcp__s__wait", json!({})).await;
    assert!(output.is_error && text(&output).contains("did not answer within 5 seconds"));
    let notes = rig.notes(&session).await;
    assert!(notes.ends_with("cancelled the call took too long"), "{notes}");
}

#[tokio::test]
async fn prompts_are_commands() {
    let rig = Rig::new();
    let session = rig.one("stdio").await;
    let prompts: Vec<_> = session
        .prompts()
        .into_iter()
        .map(|one| (one.name, one.arguments))
        .collect();
    assert_eq!(
        prompts,
        [("s:hello".to_owned(), false), ("s:greet".to_owned(), true)]
    );
    assert_eq!(session.expand("s:hello", "").await.unwrap(), "Hello.");
    let greeting = session.expand("s:greet", "\"Ann B\" in two words").await.unwrap();
    assert_eq!(greeting, "Greet Ann B in two words.");
    assert!(
        session
            .expand("s:nothing", "")
            .await
            .unwrap_err()
            .contains("no MCP prompt")
    );
    assert!(session.expand("x:hello", "").await.is_err());
}
