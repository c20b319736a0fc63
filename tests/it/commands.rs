//! `install`, `uninstall`, `doctor` and `data`, as a person runs them.

use std::fs;
use std::path::Path;

use serde_json::Value;
use sidewire_contract::identity::{EXTENSION_ID, NATIVE_HOST};
use sidewire_tests::{Home, NativeHost, Peer, Script, ScriptedModel, play, program, question};

fn read_manifest(profile: &Path) -> Value {
    let path = profile
        .join("NativeMessagingHosts")
        .join(format!("{NATIVE_HOST}.json"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[tokio::test]
async fn install_writes_a_manifest_that_starts_the_real_host() {
    let home = Home::new();
    let _worker = home.worker().await;
    let profile = home.path().join("a profile");
    let args = ["install", "--profile", profile.to_str().unwrap()];
    let out = home.run(&args).await.ok();
    assert!(out.starts_with("wrote") && out.contains(NATIVE_HOST), "{out}");
    let manifest = read_manifest(&profile);
    assert_eq!(
        (&manifest["name"], &manifest["type"]),
        (&NATIVE_HOST.into(), &"stdio".into())
    );
    let origin = format!("chrome-extension://{EXTENSION_ID}/");
    assert_eq!(manifest["allowed_origins"], serde_json::json!([origin]));
    // What the manifest names is started as the browser would.
    let host = Path::new(manifest["path"].as_str().unwrap());
    assert!(
        host.is_absolute()
            && fs::canonicalize(host).unwrap() == fs::canonicalize(program("sidewire-host")).unwrap()
    );
    let mut host = NativeHost::start_program(host, &home, &[&origin]);
    host.send_text(r#"{"type":"ping"}"#).await;
    assert!(host.receive_text().await.unwrap().contains("pong"));
}

#[tokio::test]
async fn install_again_changes_nothing_and_uninstall_removes_it() {
    let home = Home::new();
    let profile = home.path().join("profile");
    let install = ["install", "--profile", profile.to_str().unwrap()];
    home.run(&install).await.ok();
    let before = home.files();
    let out = home.run(&install).await.ok();
    assert!(out.starts_with("unchanged"), "{out}");
    assert_eq!(home.files(), before);
    let out = home
        .run(&["uninstall", "--profile", profile.to_str().unwrap()])
        .await
        .ok();
    assert!(out.starts_with("removed"), "{out}");
    assert_eq!(home.files(), []);
}

#[tokio::test]
async fn uninstall_leaves_a_manifest_that_is_not_ours() {
    let home = Home::new();
    let folder = home.path().join("profile/NativeMessagingHosts");
    fs::create_dir_all(&folder).unwrap();
    let other = folder.join("com.example.other.json");
    fs::write(&other, "{}").unwrap();
    home.run(&[
        "uninstall",
        "--profile",
        home.path().join("profile").to_str().unwrap(),
    ])
    .await
    .ok();
    assert!(other.exists());
}

async fn doctor(home: &Home, profile: &Path) -> (bool, Vec<Value>) {
    let ran = home
        .run(&["doctor", "--json", "--profile", profile.to_str().unwrap()])
        .await;
    let findings: Vec<Value> =
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    (ran.status.success(), findings)
}

fn failures(findings: &[Value]) -> Vec<&Value> {
    findings
        .iter()
        .filter(|finding| finding["level"] == "fail")
        .collect()
}

#[tokio::test]
async fn doctor_finds_nothing_wrong_where_nothing_is() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let _worker = home.worker().await;
    let profile = home.path().join("profile");
    home.run(&["install", "--profile", profile.to_str().unwrap()])
        .await
        .ok();
    let (good, findings) = doctor(&home, &profile).await;
    assert!(good, "{findings:#?}");
}

#[tokio::test]
async fn doctor_does_not_fail_for_who_uses_an_editor_only() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    // A browser is in use, but nobody ran `install`.
    fs::create_dir_all(home.path().join(".config/chromium/Default")).unwrap();
    fs::create_dir_all(home.path().join("Library/Application Support/Chromium/Default")).unwrap();
    let ran = home.run(&["doctor"]).await;
    assert!(ran.status.success(), "{ran:?}");
    assert!(
        ran.out.contains("Chromium has no manifest of Sidewire"),
        "{ran:?}"
    );
}

/// Breaks one thing.
type Spoil = fn(&Home);

#[tokio::test]
async fn doctor_names_each_fault_and_fails() {
    let faults: [(&str, Spoil); 4] = [
        ("config.toml", |home| home.configure("broken")),
        ("local.secret", |home| home.write_private("local.secret", "short")),
        ("cannot be reached", Home::use_dead_model),
        ("NativeMessagingHosts", |home| {
            let manifest = home
                .path()
                .join(format!("profile/NativeMessagingHosts/{NATIVE_HOST}.json"));
            fs::write(manifest, "{}").unwrap();
        }),
    ];
    for (part, spoil) in faults {
        let home = Home::new();
        let profile = home.path().join("profile");
        home.worker().await.end().await;
        home.write_private(
            "worker.json",
            r#"{"pid":1,"port":1,"version":"0.1.0","startedAt":0,"bridge":1}"#,
        );
        home.run(&["install", "--profile", profile.to_str().unwrap()])
            .await
            .ok();
        spoil(&home);
        let (good, findings) = doctor(&home, &profile).await;
        let failed = failures(&findings);
        assert!(!good, "{part}: {findings:#?}");
        assert!(
            failed
                .iter()
                .any(|finding| finding["what"].to_string().contains(part)),
            "{part}: {failed:#?}"
        );
    }
}

#[tokio::test]
async fn a_report_holds_neither_key_nor_conversation() {
    let model = ScriptedModel::playing(Script::says("CANARY-answer")).await;
    let home = Home::with_model(&model);
    home.key("sk-CANARY-key");
    let worker = home.worker().await;
    play(&mut worker.client().await, question("c-1", "CANARY-question?")).await;
    let report = home.path().join("report.json");
    home.run(&["doctor", "--report", report.to_str().unwrap()]).await;
    let text = fs::read_to_string(&report).unwrap();
    assert!(text.contains("findings") && !text.contains("CANARY"), "{text}");
    assert!(!text.contains(&worker.secret.to_string()));
    assert_eq!(home.mode("report.json"), 0o600);
}

#[tokio::test]
async fn data_is_exported_and_deleted_beside_a_running_worker() {
    let model = ScriptedModel::playing(Script::says("the ANSWER")).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    play(&mut client, question("c-1", "the QUESTION?")).await;
    let out = home.path().join("export.jsonl");
    home.run(&["data", "export", "--out", out.to_str().unwrap()])
        .await
        .ok();
    let exported = fs::read_to_string(&out).unwrap();
    assert!(
        exported.contains("the QUESTION?") && exported.contains("the ANSWER"),
        "{exported}"
    );
    assert!(
        exported
            .lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok())
    );
    fs::remove_file(&out).unwrap();

    let error = home.run(&["data", "delete"]).await.failed();
    assert!(error.contains("--yes"), "nobody was asked: {error}");
    let identity = worker.paired(&home).await;
    // Done with the worker away: then no trace may be left.
    worker.end().await;
    home.run(&["data", "delete", "--yes"]).await.ok();
    assert_eq!(home.run(&["data", "export"]).await.ok(), "");
    home.assert_nowhere("QUESTION");
    let worker = home.worker().await;
    assert_eq!(
        play(
            &mut worker.client_as(&identity).await,
            question("c-2", "And now?")
        )
        .await
        .error,
        None
    );
}

#[tokio::test]
async fn every_command_explains_itself() {
    let home = Home::new();
    for command in [
        "serve",
        "ask",
        "setup",
        "install",
        "uninstall",
        "doctor",
        "pair",
        "data",
    ] {
        let help = home.run(&[command, "--help"]).await.ok();
        assert!(help.contains("Usage: sidewire"), "{help}");
    }
    assert_eq!(
        home.run(&["--version"]).await.ok(),
        format!("sidewire {}\n", env!("CARGO_PKG_VERSION"))
    );
    home.run(&["no-such-command"]).await.failed();
    assert_eq!(home.files(), [], "asking for help leaves nothing behind");
}
