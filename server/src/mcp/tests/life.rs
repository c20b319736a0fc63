use std::sync::atomic::Ordering;
use std::time::Instant;

use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use super::*;

async fn place(rig: &Rig, session: &Session) -> (String, u32) {
    let output = rig.call(session, "mcp__s__where", json!({})).await;
    let place: Value = serde_json::from_str(text(&output)).unwrap();
    let pid = u32::try_from(place["pid"].as_u64().unwrap()).unwrap();
    (place["cwd"].as_str().unwrap().to_owned(), pid)
}

#[tokio::test]
async fn a_child_runs_in_the_folder_with_our_environment_and_its_own() {
    let rig = Rig::new();
    let session = rig.one("stdio").await;
    let (folder, _) = place(&rig, &session).await;
    assert_eq!(
        Path::new(&folder),
        std::fs::canonicalize(rig.folder.path()).unwrap()
    );
    let path = rig.call(&session, "mcp__s__env", json!({ "name": "PATH" })).await;
    assert_eq!(text(&path), std::env::var("PATH").unwrap());
    let notes = rig
        .call(&session, "mcp__s__env", json!({ "name": "MCP_NOTES" }))
        .await;
    assert_eq!(Path::new(text(&notes)), rig.path("notes"));
}

#[tokio::test]
async fn closing_leaves_no_process_behind() {
    for mode in ["stdio", "deaf"] {
        let rig = Rig::new();
        let session = rig.one(mode).await;
        let (_, pid) = place(&rig, &session).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        rig.call(&session, "mcp__s__family", json!({ "port": port }))
            .await;
        let (mut child, _) = timeout(GUARD, listener.accept()).await.unwrap().unwrap();
        let began = Instant::now();
        timeout(GUARD, session.close()).await.unwrap();
        assert!(
            began.elapsed() < Duration::from_secs(25),
            "{mode}: {:?}",
            began.elapsed()
        );
        // On a busy machine it is reaped a moment after the session has stopped waiting for that.
        timeout(GUARD, async {
            while Path::new(&format!("/proc/{pid}")).exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await
        .expect(mode);
        // What the server started is gone too: the system closes its connection.
        let read = timeout(GUARD, child.read(&mut [0])).await.unwrap();
        assert!(matches!(read, Ok(0) | Err(_)), "{mode}: {read:?}");
        assert_eq!(state(&session).status, Status::Idle);
    }
}

#[tokio::test]
async fn closing_does_not_wait_for_a_connection_that_is_being_made() {
    let rig = Rig::new();
    let session = rig.start(vec![passed(rig.child("s", "silent"))]);
    let began = Instant::now();
    timeout(GUARD, session.close()).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_call_after_closing_starts_nothing() {
    let rig = Rig::new();
    let session = rig.one("stdio").await;
    let tool = find(&session, "mcp__s__echo");
    session.close().await;
    std::fs::remove_file(rig.path("notes")).unwrap();
    let output = tool.call(rig.context(json!({ "text": "x" }))).await;
    assert!(output.is_error && text(&output).contains("the session was closed"));
    assert!(!rig.was_started());
    assert_eq!(state(&session).status, Status::Idle);
}

#[tokio::test]
async fn new_tools_of_a_server_appear() {
    let rig = Rig::new();
    let session = rig.one("stdio").await;
    assert_eq!(text(&rig.call(&session, "mcp__s__grow", json!({})).await), "grew");
    until(&rig, || names(&session).contains(&"mcp__s__grown".to_owned())).await;
    assert_eq!(state(&session).tools, 18);
}

#[tokio::test]
async fn a_server_without_a_handshake_is_understood() {
    let rig = Rig::new();
    let session = rig.one("modern").await;
    assert_eq!(state(&session).error, None);
    assert_eq!(state(&session).status, Status::Ready);
    let output = rig.call(&session, "mcp__s__echo", json!({ "text": "new" })).await;
    assert_eq!(text(&output), "new");
    until(&rig, || names(&session).contains(&"mcp__s__grown".to_owned())).await;
}

#[tokio::test]
async fn a_server_that_comes_late_is_found_by_a_later_turn() {
    let rig = Rig::new();
    let program = rig.path("late.mjs");
    let mut late = rig.child("s", "stdio");
    if let McpTransport::Stdio { args, .. } = &mut late.transport {
        args[0] = program.display().to_string();
    }
    let session = rig.session(vec![passed(late)]).await;
    assert_eq!(
        failure(&session),
        "it ended with status 1 before it answered; run it in a terminal to see what it says"
    );
    std::fs::copy(FIXTURE, program).unwrap();
    tokio::time::pause();
    tokio::time::advance(REST).await;
    tokio::time::resume();
    assert!(names(&session).is_empty(), "this turn does without it");
    let has_come = || {
        let status = state(&session).status;
        assert_ne!(status, Status::Connecting, "the next turn would wait for it");
        status == Status::Ready
    };
    until(&rig, has_come).await;
    assert_eq!(names(&session).len(), 17);
}

#[tokio::test]
async fn tools_that_are_known_stand_by_until_the_first_call() {
    let rig = Rig::new();
    let own = || {
        vec![entry(
            rig.child("s", "stdio"),
            roster::Origin::Person,
            Permit::Given,
        )]
    };
    let session = rig.session(own()).await;
    assert_eq!(state(&session).status, Status::Ready);
    let known = names(&session);
    session.close().await;
    std::fs::remove_file(rig.path("notes")).unwrap();

    let session = rig.session(own()).await;
    assert_eq!(
        (state(&session).status, state(&session).tools),
        (Status::Standby, 17)
    );
    assert_eq!((names(&session), session.prompts().len()), (known, 2));
    assert!(!rig.was_started());
    let output = rig
        .call(&session, "mcp__s__echo", json!({ "text": "awake" }))
        .await;
    assert_eq!(text(&output), "awake");
    assert_eq!(state(&session).status, Status::Ready);
}

#[tokio::test]
async fn what_an_editor_passes_is_never_kept() {
    let rig = Rig::new();
    rig.one("stdio").await.close().await;
    assert!(!rig.path("known").exists());
}

#[tokio::test]
async fn what_may_not_start_does_not() {
    let rig = Rig::new();
    let entries = vec![
        entry(rig.child("off", "stdio"), roster::Origin::Person, Permit::Off),
        entry(
            rig.child("pending", "stdio"),
            roster::Origin::Project,
            Permit::Pending,
        ),
    ];
    let session = rig.session(entries).await;
    let states: Vec<_> = session
        .states()
        .into_iter()
        .map(|state| (state.status, state.error))
        .collect();
    assert_eq!(states, [(Status::Disabled, None), (Status::Pending, None)]);
    assert!(session.tools().is_empty() && !rig.was_started());
}

#[tokio::test]
async fn a_server_that_is_allowed_no_longer_offers_nothing_and_is_not_started() {
    let rig = Rig::new();
    let own = || {
        vec![entry(
            rig.child("s", "stdio"),
            roster::Origin::Person,
            Permit::Given,
        )]
    };
    // First it runs, then its tools are known from last time.
    for status in [Status::Ready, Status::Standby] {
        rig.allowed.store(true, Ordering::Relaxed);
        let session = rig.session(own()).await;
        assert_eq!(state(&session).status, status);
        let tool = find(&session, "mcp__s__echo");
        rig.allowed.store(false, Ordering::Relaxed);
        let output = timeout(GUARD, tool.call(rig.context(json!({ "text": "x" }))))
            .await
            .unwrap();
        // One that runs is taken down by whoever looks next, and nobody starts one.
        assert_eq!(output.is_error, status == Status::Standby);
        assert!(session.tools().is_empty() && session.prompts().is_empty());
        assert!(is_down(&session), "{status:?}");
        let output = timeout(GUARD, tool.call(rig.context(json!({ "text": "x" }))))
            .await
            .unwrap();
        assert!(output.is_error, "{status:?}");
        session.close().await;
        assert_eq!(rig.was_started(), status == Status::Ready);
        let _written_by_the_first = std::fs::remove_file(rig.path("notes"));
    }
}

fn is_down(session: &Session) -> bool {
    let state = state(session);
    (state.status, state.tools) == (Status::Pending, 0)
}

#[tokio::test]
async fn a_definition_that_lacks_something_says_so() {
    let rig = Rig::new();
    let library = Library::open(LibraryConfig {
        folder: rig.path("media"),
        quota: 1 << 30,
        search_path: None,
    });
    let session = Session::start(SessionParts {
        folder: rig.folder.path().into(),
        family: None,
        entries: vec![entry(
            rig.child("s", "stdio"),
            roster::Origin::Person,
            Permit::Given,
        )],
        permitted: Arc::new(|_| true),
        expand: |_| Err("the environment variable X is not set".into()),
        cache: rig.cache(),
        library: library.unwrap(),
        timing: rig.timing,
        changed: Arc::new(|| {}),
    });
    session.settled().await;
    assert_eq!(failure(&session), "the environment variable X is not set");
}
