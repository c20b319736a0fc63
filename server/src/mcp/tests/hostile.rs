use super::*;

#[tokio::test]
async fn a_server_that_fails_costs_only_itself() {
    let rig = Rig::new();
    let missing = |name: &str, command: &str| McpServer {
        name: name.into(),
        transport: McpTransport::Stdio {
            command: command.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
        },
    };
    let servers = [
        missing("nowhere", "/no/such/program"),
        missing("unknown", "no-such-program"),
        rig.child("exit", "exit"),
        rig.child("refusing", "refusing"),
        rig.child("endless", "endless"),
        rig.child("good", "stdio"),
    ];
    let session = rig.session(servers.map(passed).into()).await;
    let states: BTreeMap<String, Option<String>> = session
        .states()
        .into_iter()
        .map(|state| (state.name, state.error))
        .collect();
    assert_eq!(states["nowhere"].as_deref(), Some("there is no such program"));
    assert_eq!(
        states["unknown"].as_deref(),
        Some("there is no program of that name on the PATH of the editor; write its whole path")
    );
    assert_eq!(
        states["exit"].as_deref(),
        Some("it ended with status 1 before it answered; run it in a terminal to see what it says")
    );
    assert_eq!(
        states["refusing"].as_deref(),
        Some("it refused the connection (code -32000)")
    );
    assert_eq!(
        states["endless"].as_deref(),
        Some("it sent a message larger than 8 MiB")
    );
    assert_eq!(states["good"], None);
    assert!(names(&session).iter().all(|name| name.starts_with("mcp__good__")));
    let output = rig
        .call(&session, "mcp__good__echo", json!({ "text": "still here" }))
        .await;
    assert_eq!(text(&output), "still here");
    timeout(GUARD, session.close()).await.unwrap();
}

#[tokio::test]
async fn a_silent_server_is_given_up() {
    let mut rig = Rig::new();
    rig.timing.start = Duration::from_secs(1);
    let session = rig.one("silent").await;
    assert!(failure(&session).starts_with("it did not answer within"));
    assert!(names(&session).is_empty());
}

#[tokio::test]
async fn junk_before_the_first_message_is_read_over() {
    let rig = Rig::new();
    let session = rig.one("junk").await;
    assert_eq!(state(&session).status, Status::Ready);
    let output = rig
        .call(&session, "mcp__s__echo", json!({ "text": "clear" }))
        .await;
    assert_eq!(text(&output), "clear");
}

#[tokio::test]
async fn what_a_model_server_would_refuse_never_reaches_it() {
    let rig = Rig::new();
    let session = rig.one("invalid").await;
    assert_eq!(names(&session), ["mcp__s__good"]);
}

#[tokio::test]
async fn endless_lists_end() {
    let rig = Rig::new();
    let session = rig.one("huge").await;
    assert_eq!(names(&session).len(), 256);
    let session = rig.one("loop").await;
    assert_eq!(names(&session), ["mcp__s__again"]);
}

#[tokio::test]
async fn a_server_that_dies_during_a_call_is_started_again_by_the_next() {
    let rig = Rig::new();
    let session = rig.one("stdio").await;
    let output = rig.call(&session, "mcp__s__die", json!({})).await;
    assert!(
        output.is_error && text(&output).contains("was lost: it ended before it answered"),
        "{}",
        text(&output)
    );
    until(&rig, || state(&session).status == Status::Failed).await;
    assert_eq!(failure(&session), "it ended before it answered");
    assert_eq!(names(&session).len(), 17, "what can be called again stays");
    let output = rig
        .call(&session, "mcp__s__echo", json!({ "text": "again" }))
        .await;
    assert_eq!(text(&output), "again");
    assert_eq!(state(&session).status, Status::Ready);
}

#[tokio::test]
async fn why_a_server_was_cut_off_is_told_to_whoever_called_it() {
    let rig = Rig::new();
    let session = rig.one("bulky").await;
    let output = rig.call(&session, "mcp__s__echo", json!({ "text": "x" })).await;
    assert!(output.is_error);
    assert_eq!(
        text(&output),
        "the MCP server \"s\" was lost: it sent a message larger than 8 MiB; what it did so far is unknown. Ask it for \
         less: the same call would end the same way"
    );
}

#[tokio::test]
async fn an_answer_that_is_no_result_is_said() {
    let rig = Rig::new();
    let session = rig.one("nonsense").await;
    let output = rig.call(&session, "mcp__s__echo", json!({ "text": "x" })).await;
    assert!(
        output.is_error && text(&output).contains("no result"),
        "{}",
        text(&output)
    );
}

#[tokio::test]
async fn a_server_that_reads_nothing_holds_nobody_up() {
    let mut rig = Rig::new();
    rig.timing.call = Duration::from_secs(2);
    let session = rig.one("clogged").await;
    let large = "x".repeat(1 << 20);
    for _ in 0..2 {
        let output = rig.call(&session, "mcp__s__echo", json!({ "text": large })).await;
        assert!(output.is_error);
    }
    let began = std::time::Instant::now();
    timeout(GUARD, session.close()).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_server_that_asks_without_reading_is_cut_off() {
    let rig = Rig::new();
    let session = rig.one("flood").await;
    until(&rig, || state(&session).status == Status::Failed).await;
    assert_eq!(failure(&session), "it asks without reading the answers");
}
