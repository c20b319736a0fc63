//! How the native host is called, and how it finds or starts the worker.

use std::fs;

use sidewire_contract::bridge::handshake::BridgeErrorCode;
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::ids::Hex256;
use sidewire_tests::{Home, Identity, NativeHost, ORIGIN, copy_program, is_alive, page, play, question};

/// Somebody behind the host; the key is the host's business.
fn extension() -> Identity {
    Identity::local(Hex256::from_bytes([0; 32]))
}

async fn only_error(host: NativeHost) -> BridgeErrorCode {
    let (frames, status, errors) = host.ended().await;
    let [WorkerFrame::BridgeError(error)] = frames.as_slice() else {
        panic!("{frames:?}")
    };
    assert!(
        !status.success() && errors.starts_with("sidewire-host: "),
        "{status} {errors}"
    );
    error.code
}

#[tokio::test]
async fn every_form_of_arguments_is_understood() {
    let home = Home::new();
    let _worker = home.worker().await;
    let rows: [&[&str]; 5] = [
        &[ORIGIN],
        &[ORIGIN, "--parent-window=0"],
        &["--parent-window=1234567", ORIGIN],
        &["/a folder/dev.sidewire.host.json", "extension@sidewire.dev"],
        &[ORIGIN, "--unknown-flag"],
    ];
    for args in rows {
        NativeHost::start_with(&home, args).introduce(&extension()).await;
    }
}

#[tokio::test]
async fn s25_a_caller_that_is_not_ours_gets_nothing_and_starts_nothing() {
    let home = Home::new();
    let rows: [&[&str]; 8] = [
        &[],
        &[""],
        &["chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"],
        &["chrome-extension://afjloophkcfkbnbojjbmdlhibaikjmld.evil/"],
        &["chrome-extension://afjloophkcfkbnbojjbmdlhibaikjmld"],
        &["https://evil.example/"],
        &["/path/manifest.json", "evil@example.com"],
        &["--parent-window=0"],
    ];
    for args in rows {
        assert_eq!(
            only_error(NativeHost::start_with(&home, args)).await,
            BridgeErrorCode::OriginRefused,
            "{args:?}"
        );
    }
    assert_eq!(home.files(), [], "no worker was started");
}

#[tokio::test]
async fn an_extension_that_the_person_allowed_is_served() {
    let home = Home::new();
    let _worker = home.worker().await;
    let own_build = "chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh/";
    let host = NativeHost::start_with(&home, &[own_build]);
    assert_eq!(only_error(host).await, BridgeErrorCode::OriginRefused);
    let profile = home.path().join("profile");
    let profile = profile.to_str().unwrap();
    home.run(&[
        "install",
        "--profile",
        profile,
        "--extension-id",
        "aaaabbbbccccddddeeeeffffgggghhhh",
    ])
    .await
    .ok();
    NativeHost::start_with(&home, &[own_build])
        .introduce(&extension())
        .await;
}

#[tokio::test]
async fn without_a_worker_to_start_it_says_so() {
    let home = Home::new();
    let lonely = home.path().join("bin");
    fs::create_dir(&lonely).unwrap();
    let copy = lonely.join("sidewire-host");
    copy_program("sidewire-host", &copy).await;
    let host = NativeHost::start_program(&copy, &home, &[ORIGIN]);
    assert_eq!(only_error(host).await, BridgeErrorCode::WorkerNotInstalled);
}

#[tokio::test]
async fn a_worker_that_cannot_start_is_reported() {
    let home = Home::new();
    home.configure("nonsense = 1\n");
    assert_eq!(
        only_error(NativeHost::start(&home)).await,
        BridgeErrorCode::WorkerNotStarted
    );
}

#[tokio::test]
async fn it_starts_the_worker_when_there_is_none_and_leaves_it_running() {
    let home = Home::new();
    let mut host = NativeHost::start(&home);
    host.introduce(&extension()).await;
    let request = sidewire_contract::chat::ChatRequest {
        context: Some(page()),
        ..question("c-1", "Which domains?")
    };
    assert!(play(&mut host, request).await.done().contains("lb1.example.com"));
    let worker = home.worker_state().unwrap();
    host.close();
    assert_eq!(host.ended().await.1.code(), Some(0));
    assert!(is_alive(worker.pid), "the worker serves whoever comes next");
    NativeHost::start(&home).introduce(&extension()).await;
    assert_eq!(home.worker_state().unwrap().pid, worker.pid);
}

#[tokio::test]
async fn a_killed_host_does_not_take_the_worker_with_it() {
    let home = Home::new();
    let mut host = NativeHost::start(&home);
    host.introduce(&extension()).await;
    let worker = home.worker_state().unwrap();
    host.process().kill().await;
    NativeHost::start(&home).introduce(&extension()).await;
    assert_eq!(home.worker_state().unwrap().pid, worker.pid);
}

#[tokio::test]
async fn hosts_that_start_at_once_share_one_worker() {
    let home = Home::new();
    let mut hosts: Vec<NativeHost> = (0..4).map(|_| NativeHost::start(&home)).collect();
    for host in &mut hosts {
        host.introduce(&extension()).await;
    }
    let worker = home.worker_state().unwrap();
    assert!(is_alive(worker.pid));
    // All talk to it: each sees its own conversations only, and the same worker ends them all.
    let pid = rustix::process::Pid::from_raw(i32::try_from(worker.pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    for host in hosts {
        assert_eq!(only_error(host).await, BridgeErrorCode::WorkerUnreachable);
    }
}

#[tokio::test]
async fn what_a_killed_worker_left_behind_is_no_hindrance() {
    let home = Home::new();
    let worker = home.worker().await;
    worker.kill().await;
    assert!(home.worker_state().is_some(), "its state file is still there");
    NativeHost::start(&home).introduce(&extension()).await;
}

#[tokio::test]
async fn it_says_its_version() {
    let home = Home::new();
    let mut host = NativeHost::start_with(&home, &["--version"]);
    assert_eq!(
        host.read_text().await,
        format!("sidewire-host {}\n", env!("CARGO_PKG_VERSION"))
    );
}
