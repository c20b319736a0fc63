//! `sidewire serve`: where it listens, that it is single, what it says when it cannot start.

use std::net::TcpListener;

use sidewire_contract::identity::{PORT_FIRST, PORT_LAST};
use sidewire_tests::{Home, NativeHost, Peer, eventually, play, question};

#[tokio::test]
async fn a_taken_port_is_named() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let error = home.run(&["serve", "--port", &port]).await.failed();
    assert!(
        error.contains(&format!("port {port} on 127.0.0.1 is taken")) && error.contains("--port"),
        "{error}"
    );
    assert!(
        home.worker_state().is_none(),
        "a worker that does not listen does not write itself down"
    );
}

#[tokio::test]
async fn without_a_port_the_first_free_one_of_the_range_is_taken() {
    let (one, two) = (Home::new(), Home::new());
    let first = one.worker_with(&[]).await;
    let second = two.worker_with(&[]).await;
    for port in [first.port, second.port] {
        assert!((PORT_FIRST..=PORT_LAST).contains(&port), "{port}");
    }
    assert_ne!(first.port, second.port);
}

#[tokio::test]
async fn a_worker_finds_its_port_again_after_a_restart() {
    let home = Home::new();
    // Below the ports that the system hands out, one of which another test might get meanwhile.
    let free = (20_000_u16..30_000).find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    let port = free.unwrap().to_string();
    let worker = home.worker_with(&["--port", &port]).await;
    // A connection that was open leaves the port in TIME_WAIT.
    let mut client = worker.client().await;
    worker.end().await;
    assert_eq!(client.receive_text().await, None);
    let worker = home.worker_with(&["--port", &port]).await;
    assert_eq!(worker.port.to_string(), port);
}

#[tokio::test]
async fn there_is_one_worker_per_home() {
    let home = Home::new();
    let worker = home.worker().await;
    for args in [["serve", "--port", "0"].as_slice(), &["serve"]] {
        let error = home.run(args).await.failed();
        assert!(error.contains("already running"), "{error}");
    }
    assert_eq!(
        home.worker_state().map(|state| state.port),
        Some(worker.port),
        "the first one's file is untouched"
    );
    // A second one that a host started leaves without a word: the host finds the first.
    let ran = home.run(&["serve", "--detached"]).await;
    assert!(
        ran.status.success() && ran.out.is_empty() && ran.err.is_empty(),
        "{ran:?}"
    );
}

#[tokio::test]
async fn the_lock_of_a_killed_worker_is_free() {
    let home = Home::new();
    let worker = home.worker().await;
    worker.kill().await;
    let worker = home.worker().await;
    assert_eq!(
        play(&mut worker.client().await, question("c-1", "Hello?"))
            .await
            .error,
        None
    );
}

#[tokio::test]
async fn a_configuration_without_meaning_is_refused_with_its_line() {
    let rows = [
        ("[provider]\nkind = \"openai\"\n", "base_url"),
        ("[provider]\nkind = \"magic\"\n", "magic"),
        ("\n\n[unknown]\n", "line 3"),
        ("[provider", "line 1"),
        ("[browser]\nextension_ids = [\"short\"]\n", "32 letters"),
        (
            "[provider]\nkind = \"openai\"\nbase_url = \"file:///etc/passwd\"\nmodel = \"m\"\n",
            "http",
        ),
    ];
    for (toml, part) in rows {
        let home = Home::new();
        home.configure(toml);
        let error = home.run(&["serve", "--port", "0"]).await.failed();
        assert!(
            error.contains("config.toml") && error.contains(part),
            "{toml}: {error}"
        );
    }
}

#[tokio::test]
async fn an_extension_that_is_configured_may_connect() {
    let home = Home::new();
    let own_build = "aaaabbbbccccddddeeeeffffgggghhhh";
    home.configure(&format!("[browser]\nextension_ids = [\"{own_build}\"]\n"));
    let worker = home.worker().await;
    for (id, status) in [(own_build, 101), ("hhhhbbbbccccddddeeeeffffgggghhhh", 403)] {
        let mut raw = worker.raw().await;
        let origin = format!("Origin: chrome-extension://{id}");
        assert_eq!(raw.upgrade(&[&raw.host(), &origin]).await.status, status, "{id}");
    }
}

#[tokio::test]
async fn a_worker_that_a_host_started_ends_when_it_is_alone() {
    let home = Home::new();
    home.configure("[worker]\nidle_exit_minutes = 0\n");
    let ran = home.run(&["serve", "--port", "0", "--idle-exit"]).await;
    assert!(ran.status.success(), "{ran:?}");
    assert!(home.worker_state().is_none());
}

#[tokio::test]
async fn a_changed_configuration_reaches_a_running_worker_and_its_clients() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    assert!(client.welcome().model.offline);
    let model = sidewire_tests::ScriptedModel::start().await;
    home.use_model(&model);
    let changed = client.receive().await;
    let sidewire_contract::frames::WorkerFrame::ModelChanged(changed) = changed else {
        panic!("{changed:?}")
    };
    assert_eq!(
        (changed.model.model.as_str(), changed.model.offline),
        ("scripted", false)
    );
    assert_eq!(play(&mut client, question("c-1", "Hello?")).await.done(), "ok");
    let mut host = NativeHost::start(&home);
    assert!(!host.introduce(&worker.local()).await.model.offline);
}

#[tokio::test]
async fn a_configuration_that_breaks_under_a_running_worker_changes_nothing() {
    let model = sidewire_tests::ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    home.configure("broken");
    // The worker has looked at it when it has said so.
    let is_told = || !home.files_with("configuration cannot be used").is_empty();
    eventually("a word about the broken file", is_told).await;
    assert_eq!(
        play(&mut worker.client().await, question("c-1", "Hello?"))
            .await
            .done(),
        "ok"
    );
}
