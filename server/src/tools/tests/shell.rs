use std::time::Duration;

use serde_json::json;
use sidewire_agent::event::{ToolContent, ToolStart, TurnEvent};
use sidewire_agent::feed::News;
use sidewire_agent::permission::Class;
use sidewire_agent::tool::ToolKind;
use sidewire_agent::workspace::Workspace as _;
use tokio::time::timeout;

use crate::tools::testing::{Bench, feed, heard, said};

/// Nothing in these tests takes longer.
const SOON: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_command_runs_in_the_working_folder() {
    let bench = Bench::new();
    let told = bench
        .ok("bash", json!({ "command": "pwd; touch made; echo done >&2" }))
        .await;
    assert_eq!(told, format!("{}\ndone", bench.root.display()));
    assert!(bench.root.join("made").exists());
    assert_eq!(
        bench.ok("bash", json!({ "command": "true" })).await,
        "(no output)"
    );
    assert_eq!(
        bench
            .fails("bash", json!({ "command": "echo out; exit 3" }))
            .await,
        "out\nexit status 3"
    );
    let told = bench
        .fails(
            "bash",
            json!({ "command": "echo out; sleep 1000", "timeout_seconds": 1 }),
        )
        .await;
    assert!(
        told.starts_with("out\ntimed out after 1 s and was killed"),
        "{told}"
    );
    for wrong in ["", "  ", "a\0b"] {
        assert!(
            bench
                .fails("bash", json!({ "command": wrong }))
                .await
                .contains("1 to 102400 bytes")
        );
    }
}

#[tokio::test]
async fn long_output_keeps_beginning_and_end() {
    let bench = Bench::new();
    let told = bench
        .ok(
            "bash",
            json!({ "command": "echo first; yes | head -c 2000000; echo last" }),
        )
        .await;
    assert!(
        told.starts_with("first\ny\n") && told.ends_with("y\nlast") && told.len() < 33 * 1024,
        "{}",
        told.len()
    );
    assert!(told.contains(" bytes left out "));
}

#[tokio::test]
async fn output_is_shown_while_it_comes_and_a_stop_ends_it() {
    let bench = Bench::new();
    let feed = feed();
    feed.push(TurnEvent::ToolStarted(ToolStart {
        call_id: "call_1".to_owned(),
        name: "bash".to_owned(),
        title: String::new(),
        kind: ToolKind::Execute,
        arguments: json!({}),
        locations: Vec::new(),
    }));
    let shown = async {
        let wanted = [ToolContent::Text("hello\n".to_owned())];
        while !heard(&feed).iter().any(
            |news| matches!(news, News::Event(TurnEvent::ToolProgress(report)) if report.content == wanted),
        ) {
            tokio::task::yield_now().await;
        }
        bench.cancel.cancel();
    };
    let command = json!({ "command": "echo hello; sleep 1000" });
    let running = async { tokio::join!(bench.call_with("bash", command, &feed), shown) };
    let (output, ()) = timeout(SOON, running).await.unwrap();
    assert_eq!(said(&output), "hello\nstopped");
    assert!(output.is_error);
}

#[tokio::test]
async fn a_job_is_started_read_waited_for_and_ended() {
    let bench = Bench::new();
    let command = "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 4";
    let told = bench
        .ok("bash", json!({ "command": command, "run_in_background": true }))
        .await;
    assert!(told.starts_with("started in the background as job-1; "), "{told}");
    assert_eq!(bench.jobs.running(), 1);
    let job = json!({ "job_id": "job-1" });
    let mut seen = String::new();
    while !seen.contains("one") {
        seen = bench.ok("bash_output", job.clone()).await;
    }
    assert!(seen.starts_with("[running for "), "{seen}");
    assert!(
        bench
            .ok("bash_output", job.clone())
            .await
            .ends_with("]\n(no new output)")
    );
    bench.write("go", "");
    let told = bench.ok("wait", job.clone()).await;
    assert!(
        told.starts_with("[exit status 4 after ") && told.ends_with("]\ntwo"),
        "{told}"
    );
    assert_eq!(bench.jobs.running(), 0);
    let told = bench.fails("kill_shell", json!({ "job_id": "job-7" })).await;
    assert_eq!(told, "there is no job \"job-7\"; known jobs: job-1");
}

#[tokio::test]
async fn a_job_can_be_killed_and_their_number_is_bounded() {
    let bench = Bench::new();
    let endless = json!({ "command": "sleep 1000", "run_in_background": true });
    for _ in 0..8 {
        bench.ok("bash", endless.clone()).await;
    }
    assert_eq!(
        bench.fails("bash", endless.clone()).await,
        "8 jobs run already; end one with kill_shell first"
    );
    let told = timeout(SOON, bench.ok("kill_shell", json!({ "job_id": "1" })))
        .await
        .unwrap();
    assert!(told.starts_with("[stopped after "), "{told}");
    bench.ok("bash", endless.clone()).await;
    timeout(SOON, bench.jobs.end()).await.unwrap();
    assert_eq!(bench.jobs.running(), 0);
    assert_eq!(bench.fails("bash", endless).await, "the session is ending");
}

#[tokio::test]
async fn waiting_ends_with_its_time_and_with_the_turn() {
    let bench = Bench::new();
    bench
        .ok(
            "bash",
            json!({ "command": "sleep 1000", "run_in_background": true }),
        )
        .await;
    let told = bench
        .ok("wait", json!({ "job_id": "job-1", "timeout_seconds": 1 }))
        .await;
    assert!(told.starts_with("[running for "), "{told}");
    let stop = async {
        tokio::task::yield_now().await;
        bench.cancel.cancel();
    };
    let waiting = bench.fails("wait", json!({ "job_id": "job-1", "timeout_seconds": 500 }));
    let (told, ()) = timeout(SOON, async { tokio::join!(waiting, stop) })
        .await
        .unwrap();
    assert_eq!(told, "the turn was stopped");
    bench.jobs.end().await;
}

/// A folder that was moved away for a link is not where a command runs, waited for or not.
#[tokio::test]
async fn no_command_runs_where_a_link_took_the_place_of_the_folder() {
    let bench = Bench::new();
    std::fs::rename(&bench.root, bench.root.with_file_name("moved")).unwrap();
    std::os::unix::fs::symlink(&bench.outside, &bench.root).unwrap();
    let told = bench.fails("bash", json!({ "command": "touch made" })).await;
    assert!(told.contains("is outside the workspace"), "{told}");
    let job = json!({ "command": "touch made", "run_in_background": true });
    let told = bench.fails("bash", job).await;
    assert_eq!(
        told,
        "failed to start the shell: the folder is no longer where it was"
    );
    assert_eq!(bench.jobs.running(), 0);
    assert!(!bench.outside.join("made").exists());
}

/// Where nothing confines, which is so on this bench, there is nothing to leave and nobody to ask about it.
#[tokio::test]
async fn who_is_not_confined_leaves_nothing() {
    let bench = Bench::new();
    let bash = bench.tool("bash");
    assert!(
        bash.meta().parameters["properties"]
            .get("outside_sandbox")
            .is_none()
    );
    let arguments = json!({ "command": "touch made; cat /dev/none/x; echo Permission denied; false", "outside_sandbox": true });
    let intent = bash.intent(&arguments, Some(bench.disk.roots()));
    assert_eq!((intent.class, intent.unconfined), (Class::Execute, false));
    let told = bench.fails("bash", arguments).await;
    assert!(told.ends_with("Permission denied\nexit status 1"), "{told}");
    let look = json!({ "command": "ls", "outside_sandbox": true });
    assert_eq!(bash.intent(&look, Some(bench.disk.roots())).class, Class::Read);
}

#[tokio::test]
async fn what_runs_unwatched_is_never_just_a_look() {
    let bench = Bench::new();
    let intent = |background: bool| {
        let arguments = json!({ "command": "ls", "run_in_background": background });
        bench.tool("bash").intent(&arguments, Some(bench.disk.roots()))
    };
    assert_eq!(intent(true).class, Class::Execute);
    assert_eq!(intent(false).subject.as_deref(), Some("ls"));
}
