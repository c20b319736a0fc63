use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::*;
use crate::process::{Piped, PipedChild};

/// The fixture as a server behind HTTP, which wants a key; it ends with the rig's side of its input.
struct Remote {
    port: u16,
    child: PipedChild,
    _stdin: tokio::process::ChildStdin,
}

impl Remote {
    async fn start(rig: &Rig) -> Self {
        let env = BTreeMap::from([
            ("MCP_KEY".to_owned(), "hunter2".to_owned()),
            ("MCP_NOTES".to_owned(), rig.path("notes").display().to_string()),
        ]);
        let args = [FIXTURE.to_owned(), "http".to_owned()];
        let piped = Piped {
            family: None,
            program: "node".as_ref(),
            args: &args,
            env: &env,
            folder: rig.folder.path(),
        };
        let (child, streams) = piped.start().unwrap();
        let mut line = String::new();
        BufReader::new(streams.stdout).read_line(&mut line).await.unwrap();
        Self {
            port: line.trim().parse().unwrap(),
            child,
            _stdin: streams.stdin,
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn streamable(&self, path: &str, key: &str) -> Entry {
        passed(McpServer {
            name: "s".into(),
            transport: McpTransport::Http {
                url: self.url(path),
                headers: [("X-Key".to_owned(), key.to_owned())].into(),
            },
        })
    }

    fn old(&self, path: &str, key: &str) -> Entry {
        passed(McpServer {
            name: "s".into(),
            transport: McpTransport::Sse {
                url: self.url(path),
                headers: [("X-Key".to_owned(), key.to_owned())].into(),
            },
        })
    }
}

#[tokio::test]
async fn a_server_behind_http_works_like_a_child() {
    let rig = Rig::new();
    let remote = Remote::start(&rig).await;
    for entry in [
        remote.streamable("/mcp", "hunter2"),
        remote.streamable("/moved", "hunter2"),
        remote.old("/sse", "hunter2"),
    ] {
        let session = rig.session(vec![entry]).await;
        assert_eq!(state(&session).error, None);
        assert_eq!(
            (state(&session).status, state(&session).tools),
            (Status::Ready, 17)
        );
        let output = rig.call(&session, "mcp__s__echo", json!({ "text": "far" })).await;
        assert_eq!(text(&output), "far");
        assert_eq!(
            text(&rig.call(&session, "mcp__s__progress", json!({})).await),
            "done"
        );
        assert_eq!(
            text(&rig.call(&session, "mcp__s__elicit", json!({})).await),
            "decline"
        );
        assert_eq!(session.expand("s:hello", "").await.unwrap(), "Hello.");
        let began = std::time::Instant::now();
        timeout(GUARD, session.close()).await.unwrap();
        assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
    }
}

#[tokio::test]
async fn why_a_server_is_not_reached_is_said_without_secrets() {
    let rig = Rig::new();
    let remote = Remote::start(&rig).await;
    for (entry, why) in [
        (
            remote.streamable("/mcp", "wrong"),
            "it asks for authorisation (HTTP 401)",
        ),
        (
            remote.old("/sse", "wrong"),
            "it asks for authorisation (HTTP 401)",
        ),
        (
            remote.streamable("/mcp?status=403", "wrong"),
            "it answered with HTTP status 403",
        ),
        (
            remote.streamable("/mcp?status=404", "wrong"),
            "it answered with HTTP status 404",
        ),
        (
            remote.old("/sse?status=404", "wrong"),
            "it answered with HTTP status 404",
        ),
        (
            remote.streamable("/mcp?status=500", "wrong"),
            "it answered with HTTP status 500",
        ),
        (
            remote.streamable("/elsewhere", "hunter2"),
            "it answered with HTTP status 307",
        ),
        (remote.old("/mcp", "hunter2"), "it answered with HTTP status 405"),
        (
            remote.old("/sse?endpoint=http://127.0.0.1:1/x", "hunter2"),
            "its answer is not MCP",
        ),
        (
            remote.streamable("/mcp", "a\nb"),
            "the header \"X-Key\" cannot be sent",
        ),
    ] {
        let session = rig.session(vec![entry]).await;
        assert_eq!(failure(&session), why);
    }
    let port = remote.port;
    remote.child.end().await;
    for transport in [
        McpTransport::Http {
            url: format!("http://127.0.0.1:{port}/mcp?key=hunter2"),
            headers: BTreeMap::new(),
        },
        McpTransport::Sse {
            url: format!("http://127.0.0.1:{port}/sse?key=hunter2"),
            headers: BTreeMap::new(),
        },
    ] {
        let session = rig
            .session(vec![passed(McpServer {
                name: "s".into(),
                transport,
            })])
            .await;
        assert_eq!(failure(&session), "it could not be reached");
    }
}

#[tokio::test]
async fn a_stopped_turn_tells_a_remote_server_too() {
    let ways: [fn(&Remote) -> Entry; 2] = [
        |remote| remote.streamable("/mcp", "hunter2"),
        |remote| remote.old("/sse", "hunter2"),
    ];
    for way in ways {
        let rig = Rig::new();
        let remote = Remote::start(&rig).await;
        let session = rig.session(vec![way(&remote)]).await;
        let cancel = CancellationToken::new();
        let running = rig.wait(&session, &cancel).await;
        cancel.cancel();
        assert!(timeout(GUARD, running).await.unwrap().unwrap().is_error);
        let notes = rig.notes(&session).await;
        assert!(notes.ends_with("cancelled the turn was stopped"), "{notes}");
    }
}

#[tokio::test]
async fn a_remote_server_that_goes_away_is_looked_for_by_the_next_call() {
    let rig = Rig::new();
    let remote = Remote::start(&rig).await;
    let old = rig.session(vec![remote.old("/sse", "hunter2")]).await;
    let new = rig.session(vec![remote.streamable("/mcp", "hunter2")]).await;
    remote.child.end().await;
    // The old way has a connection that breaks, the new one notices when it asks.
    until(&rig, || state(&old).status == Status::Failed).await;
    assert_eq!(failure(&old), "it ended before it answered");
    let output = rig.call(&new, "mcp__s__echo", json!({ "text": "x" })).await;
    assert!(
        output.is_error && text(&output).contains("was lost"),
        "{}",
        text(&output)
    );
    for session in [&old, &new] {
        let output = rig.call(session, "mcp__s__echo", json!({ "text": "x" })).await;
        assert!(
            output.is_error && text(&output).contains("could not be reached"),
            "{}",
            text(&output)
        );
        assert_eq!(
            (failure(session).as_str(), names(session).len()),
            ("it could not be reached", 17)
        );
    }
}
