//! Sets of tools: taken in order, rejected whole, replaced while calls run.

use super::*;

#[tokio::test]
async fn another_set_leaves_running_calls_answerable() {
    let mut rig = Rig::new().await;
    let (calling, old) = (rig.read(), Arc::clone(&rig.tools.shelf().tools()[0]));
    let call = rig.called().await;
    let ack = rig
        .set(json!([{ "name": "other", "description": "x", "parameters": {} }]))
        .await;
    assert_eq!(ack["toolNames"], json!(["other"]));
    rig.result(&call.id, words("still"));
    assert_eq!(text(&calling.await.unwrap()), "still");
    let late = old.call(rig.context(json!({ "range": "A1" }))).await;
    assert_eq!(text(&late), "this tool is no longer offered");
    assert_eq!(rig.set(json!([])).await["toolNames"], json!([]));
    assert!(rig.tools.shelf().tools().is_empty());
}

#[tokio::test]
async fn a_faulty_set_is_rejected_whole_and_the_old_one_stays() {
    let mut rig = Rig::new().await;
    let good = json!({ "name": "good", "description": "x", "parameters": {} });
    let rejected = json!({ "type": "set_host_tools_error", "reason": "host-tools-rejected" });
    assert_eq!(
        rig.set(json!([good, { "name": " ", "description": "x", "parameters": {} }]))
            .await,
        rejected
    );
    rig.tools.queue(set(json!([good])), SET_FRAME + 1);
    rig.tools.register(&[]).await;
    assert_eq!(rig.frame().await, rejected);
    let tools = rig.tools.shelf().tools();
    rig.tools.queue(
        set(json!([{ "name": "read", "description": "x", "parameters": {} }])),
        10,
    );
    rig.tools.register(&tools).await;
    assert_eq!(rig.frame().await, rejected, "a name of the worker's own");
    let names: Vec<_> = rig
        .tools
        .shelf()
        .tools()
        .iter()
        .map(|tool| tool.meta().name.clone())
        .collect();
    assert_eq!(names, ["read", "secret"]);
}

#[tokio::test]
async fn sets_are_answered_in_order_of_arrival() {
    let mut rig = Rig::without_tools();
    let named = |name: String| json!([{ "name": name, "description": "x", "parameters": {} }]);
    for at in 0..20 {
        match at % 5 {
            4 => rig.tools.queue_unreadable(),
            _ => rig.tools.queue(set(named(format!("t{at}"))), 10),
        }
    }
    // The handlers run in any order.
    let handlers = (0..20).rev().map(|_| {
        let tools = Arc::clone(&rig.tools);
        async move { tools.register(&[]).await }
    });
    futures_util::future::join_all(handlers).await;
    for at in 0..20 {
        let answer = rig.frame().await;
        let expected = if at % 5 == 4 {
            Value::Null
        } else {
            json!([format!("t{at}")])
        };
        assert_eq!(answer.get("toolNames").cloned().unwrap_or_default(), expected);
    }
}
