//! Calls that end without a result: silence, stops, lost clients.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_silent_call_is_cancelled_and_the_model_is_told() {
    let mut rig = Rig::new().await;
    let began = Instant::now();
    let calling = rig.read();
    let call = rig.called().await;
    let cancel = rig.cancelled().await;
    assert_eq!(cancel.target_id, call.id);
    assert_ne!(cancel.id, call.id);
    assert_eq!(began.elapsed().as_secs(), 120);
    assert!(
        error(calling)
            .await
            .starts_with("the tool did not finish in 120 seconds")
    );
    rig.result(&call.id, words("late"));
    assert_eq!(rig.tools.line.ignored(), 1);
}

#[tokio::test(start_paused = true)]
async fn every_report_starts_the_clock_anew_until_ten_minutes_are_over() {
    let mut rig = Rig::new().await;
    let began = Instant::now();
    let calling = rig.read();
    let call = rig.called().await;
    // The last report would allow until 11:00.
    for at in 1..=6 {
        tokio::time::sleep_until(began + Duration::from_secs(at * 90)).await;
        assert!(rig.quiet() && !calling.is_finished(), "{at}");
        rig.update(&call.id, &format!("{at}"));
    }
    assert_eq!(rig.cancelled().await.target_id, call.id);
    assert_eq!(began.elapsed().as_secs(), 600);
    assert!(
        error(calling)
            .await
            .starts_with("the tool did not finish in 600 seconds")
    );
}

#[tokio::test]
async fn a_stopped_turn_cancels_its_calls_at_once() {
    let mut rig = Rig::new().await;
    let calling = rig.read();
    let call = rig.called().await;
    rig.cancel.cancel();
    assert_eq!(rig.cancelled().await.target_id, call.id);
    assert_eq!(error(calling).await, "the turn was stopped");
    // What is called afterwards is not even sent.
    assert_eq!(error(rig.read()).await, "the turn was stopped");
    assert!(rig.quiet());
    assert_eq!(rig.tools.line.running(), 0);
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_any_longer_is_cancelled() {
    let mut rig = Rig::new().await;
    let calling = rig.read();
    let call = rig.called().await;
    calling.abort();
    assert_eq!(rig.cancelled().await.target_id, call.id);
}

#[tokio::test]
async fn a_lost_client_fails_its_calls_at_once_and_without_a_frame() {
    let mut rig = Rig::new().await;
    let (calling, tool) = (rig.read(), Arc::clone(&rig.tools.shelf().tools()[0]));
    rig.called().await;
    drop(rig.tools.close_on_drop());
    assert!(
        error(calling)
            .await
            .contains("disconnected before the tool finished")
    );
    assert!(rig.quiet());
    assert!(rig.tools.shelf().tools().is_empty());
    let late = tool.call(rig.context(json!({ "range": "A1" }))).await;
    assert!(text(&late).contains("no longer connected"), "{late:?}");
    // A set that comes too late is not put in force.
    rig.tools.queue(set(json!([])), 10);
    rig.tools.register(&[]).await;
    assert!(rig.tools.shelf().tools().is_empty());
}

/// However slow the client is: a stop waits for no room, and nothing is told of a call that never left.
#[tokio::test]
async fn a_stop_is_not_lost_on_a_client_that_takes_nothing() {
    let mut rig = Rig::new().await;
    let calling = rig.read();
    let call = rig.called().await;
    // Nothing is taken any more.
    for _ in 0..64 {
        assert!(rig.tools.line.post(Post::Frame(Box::new(answer()))).await);
    }
    let stuck = rig.read();
    while rig.tools.line.running() < 2 {
        tokio::task::yield_now().await;
    }
    rig.cancel.cancel();
    assert_eq!(error(calling).await, "the turn was stopped");
    assert_eq!(error(stuck).await, "the turn was stopped");
    assert_eq!(rig.cancelled().await.target_id, call.id);
    assert_eq!(rig.tools.line.running(), 0);
}

fn answer() -> WorkerFrame {
    WorkerFrame::SetHostToolsAck(SetHostToolsAck {
        tool_names: Vec::new(),
    })
}
