//! How the calls of a step run: side by side, at a pace, with the tools of the moment.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::*;
use crate::testing::doing;
use crate::tool::ToolCallContext;

fn results(ran: &Ran) -> Vec<String> {
    let parts = ran.finished.messages.iter().flat_map(|message| &message.parts);
    parts
        .filter_map(|part| match part {
            Part::ToolResult { content, .. } => Some(content),
            _ => None,
        })
        .flatten()
        .map(|block| match block {
            ResultContent::Text { text } => text.clone(),
            ResultContent::Image { .. } => "picture".to_owned(),
        })
        .collect()
}

fn offered(request: &ModelRequest) -> Vec<&str> {
    request.tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[tokio::test]
async fn eight_calls_run_at_once_and_a_free_place_is_taken() {
    let (at_once, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let others = Arc::new(Semaphore::new(0));
    let tool = {
        let most = most.clone();
        doing("wait", move |call| {
            let (at_once, most, others) = (at_once.clone(), most.clone(), others.clone());
            async move {
                most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                // The first call is the last to end: it must not hold up the others.
                if call.call_id == "0" {
                    others.acquire_many(12).await.unwrap().forget();
                }
                at_once.fetch_sub(1, Ordering::SeqCst);
                others.add_permits(1);
                ToolOutput::text(call.call_id)
            }
        })
    };
    let calls = (0..13)
        .map(|at| call(&at.to_string(), "wait"))
        .chain([stop()])
        .collect();
    let ran = run(vec![calls, vec!["done".into(), stop()]], vec![tool]).await;
    assert_eq!(most.load(Ordering::SeqCst), 8);
    let expected: Vec<String> = (0..13).map(|at| at.to_string()).collect();
    assert_eq!(results(&ran), expected, "in the order of the calls");
}

#[tokio::test]
async fn a_new_set_takes_effect_at_the_next_model_call() {
    let shelf = ToolShelf::default();
    let swap = {
        let shelf = shelf.clone();
        doing("swap", move |_| {
            shelf.replace(vec![Echo::named("new")]);
            async { ToolOutput::text("swapped") }
        })
    };
    shelf.replace(vec![swap, Echo::named("old")]);
    let running = Running {
        toolbox: Toolbox::new(vec![Echo::named("own")], shelf),
        ..Running::default()
    };
    let scripts = vec![
        // The second call finds a set of which its tool is no part any longer, the third one that is new.
        vec![call("1", "swap"), call("2", "old"), call("3", "new"), stop()],
        vec!["done".into(), stop()],
    ];
    let ran = running.run(scripts).await;
    assert_eq!(offered(&ran.requests[0]), ["own", "swap", "old"]);
    assert_eq!(offered(&ran.requests[1]), ["own", "new"]);
    assert_eq!(results(&ran), ["swapped", "old 2", "new 3"]);
}

#[tokio::test]
async fn a_tool_that_the_mode_does_not_have_is_refused() {
    let tools = vec![
        Echo::named("page_click"),
        Echo::named("page_text"),
        Echo::named("office_read_range"),
    ];
    let scripts = vec![
        vec![
            call("1", "page_click"),
            call("2", "page_text"),
            call("3", "office_read_range"),
            stop(),
        ],
        vec!["done".into(), stop()],
    ];
    let ran = Running::in_mode(Mode::Educational, tools).run(scripts).await;
    assert_eq!(offered(&ran.requests[0]), ["page_text", "office_read_range"]);
    assert_eq!(
        results(&ran),
        [
            "page_click is not available in educational mode",
            "page_text 2",
            "office_read_range 3"
        ]
    );
    assert_eq!(
        ran.record.tools.iter().map(|row| row.ok).collect::<Vec<_>>(),
        [Some(false), Some(true), Some(true)]
    );
}

#[tokio::test]
async fn what_the_assistant_is_told_follows_its_tools() {
    let ran = run(vec![vec!["x".into(), stop()]], vec![Echo::named("page_text")]).await;
    assert!(ran.requests[0].system.contains("You have tools"));
    let ran = run(vec![vec!["x".into(), stop()]], vec![]).await;
    assert!(!ran.requests[0].system.contains("You have tools"));
}

/// Which call was made when.
type Noted = Arc<Mutex<Vec<(String, Duration)>>>;

/// Tools that note when they are called.
fn noting(names: &[&str]) -> (Vec<Arc<dyn Tool>>, Noted) {
    let (noted, began) = (Noted::default(), Instant::now());
    let tools = names
        .iter()
        .map(|name| {
            let (noted, name) = (noted.clone(), (*name).to_owned());
            doing(&name.clone(), move |call| {
                noted
                    .lock()
                    .unwrap()
                    .push((format!("{name} {}", call.call_id), began.elapsed()));
                async {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    ToolOutput::text("shown")
                }
            })
        })
        .collect();
    (tools, noted)
}

#[tokio::test(start_paused = true)]
async fn a_presentation_shows_one_thing_after_the_other() {
    let scripts = vec![
        vec![
            call("1", "highlight"),
            call("2", "page_text"),
            call("3", "annotate"),
            call("4", "page_scroll"),
            stop(),
        ],
        vec![call("5", "highlight"), stop()],
        vec!["done".into(), stop()],
    ];
    let (tools, noted) = noting(&["highlight", "annotate", "page_scroll", "page_text"]);
    Running::in_mode(Mode::Presentation, tools).run(scripts).await;
    let noted = noted.lock().unwrap().clone();
    let shown: Vec<(&str, u128)> = noted
        .iter()
        .map(|(what, at)| (what.as_str(), at.as_millis()))
        .collect();
    // 100 ms to show something, 2,200 ms until the next; reading waits for nothing.
    assert_eq!(
        shown,
        [
            ("highlight 1", 0),
            ("page_text 2", 0),
            ("annotate 3", 2_300),
            ("page_scroll 4", 4_600),
            ("highlight 5", 6_900),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_the_pace() {
    let switch = StopSwitch::default();
    let from_outside = switch.clone();
    let (tools, noted) = noting(&["highlight"]);
    let running = Running {
        stop: switch,
        ..Running::in_mode(Mode::Presentation, tools)
    };
    let began = Instant::now();
    let scripts = vec![vec![call("1", "highlight"), call("2", "highlight"), stop()]];
    let stopping = async move {
        tokio::time::sleep(Duration::from_millis(500)).await;
        from_outside.stop(StopCause::Person);
    };
    let (ran, ()) = tokio::join!(running.run(scripts), stopping);
    assert_eq!(began.elapsed().as_millis(), 500);
    assert_eq!(noted.lock().unwrap().len(), 1, "the second was never shown");
    assert_eq!(results(&ran), ["shown", "the turn was stopped"]);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_does_not_end_with_its_turn_is_left() {
    let switch = StopSwitch::default();
    let from_outside = switch.clone();
    let deaf = doing("deaf", |_| std::future::pending());
    let began = Instant::now();
    let running = run_with(
        vec![vec![call("1", "deaf"), stop()]],
        vec![deaf],
        Arc::new(NoHooks),
        switch,
    );
    let stopping = async move { from_outside.stop(StopCause::Person) };
    let (ran, ()) = tokio::join!(running, stopping);
    assert_eq!(ran.finished.outcome, TurnOutcome::Stopped(StopCause::Person));
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_call_gets_no_id_that_a_call_of_an_earlier_turn_has() {
    let said = Part::ToolCall {
        call_id: "0".into(),
        name: "a".into(),
        arguments: serde_json::json!({}),
    };
    let answered = Part::ToolResult {
        call_id: "0".into(),
        content: Vec::new(),
        is_error: false,
    };
    let message = |role, part| Message {
        role,
        parts: vec![part],
    };
    let running = Running {
        earlier: vec![EarlierTurn {
            number: 1,
            messages: vec![
                Message::text(Role::User, "before"),
                message(Role::Assistant, said),
                message(Role::Tool, answered),
                Message::text(Role::Assistant, "done"),
            ],
        }],
        ..Running::in_mode(Mode::Educational, vec![Echo::named("a")])
    };
    let ran = running
        .run(vec![vec![call("0", "a"), stop()], vec!["done".into(), stop()]])
        .await;
    assert_eq!(ran.record.tools[0].call_id, "0-2");
}

#[tokio::test]
async fn calls_that_are_numbered_anew_or_not_at_all_get_names_of_their_own() {
    let scripts = vec![
        vec![call("0", "a"), call("0", "a"), call("", "a"), stop()],
        vec![call("0", "a"), call("", "a"), stop()],
        vec!["done".into(), stop()],
    ];
    let ran = run(scripts, vec![Echo::named("a")]).await;
    let ids: Vec<&str> = ran.record.tools.iter().map(|row| row.call_id.as_str()).collect();
    assert_eq!(ids, ["0", "0-2", "call", "0-3", "call-2"]);
    let paired = |message: &Message| -> HashSet<String> {
        let ids = message.parts.iter().filter_map(|part| match part {
            Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } => Some(call_id.clone()),
            _ => None,
        });
        ids.collect()
    };
    for pair in ran.finished.messages[..4].chunks(2) {
        assert_eq!(paired(&pair[0]), paired(&pair[1]));
    }
}

#[tokio::test]
async fn results_that_add_up_leave_room_for_the_newest() {
    let large = doing("large", |call| async move {
        ToolOutput::text(call.call_id + &"x".repeat(10_000))
    });
    let scripts = vec![
        vec![call("1", "large"), stop()],
        vec![call("2", "large"), stop()],
        vec![call("3", "large"), stop()],
        vec!["done".into(), stop()],
    ];
    let ran = run(scripts, vec![large]).await;
    let last = &ran.requests[3];
    let sizes: Vec<usize> = last.messages.iter().map(budget::weight).collect();
    assert!(sizes.iter().sum::<usize>() < 18_432, "{sizes:?}");
    assert!(sizes.last().is_some_and(|size| *size > 9_000), "{sizes:?}");
    let kept: Vec<usize> = results(&ran).iter().map(String::len).collect();
    assert_eq!(kept, [10_001, 10_001, 10_001], "what is stored is whole");
}

#[tokio::test]
async fn a_row_says_what_went_in_and_came_out() {
    let tool = doing("talk", |call| async move {
        call.feed
            .push(TurnEvent::ToolProgress(crate::event::ToolProgress {
                call_id: call.call_id.clone(),
                name: "talk".into(),
                content: vec![crate::event::ToolContent::Text("half".into())],
                kept_arguments: None,
            }));
        let half = call.feed.record().tools[0].output.clone();
        ToolOutput::text(format!("was {half:?} {}", "x".repeat(9_000)))
    });
    let ran = run(
        vec![vec![call("1", "talk"), stop()], vec!["done".into(), stop()]],
        vec![tool],
    )
    .await;
    let row = &ran.record.tools[0];
    assert_eq!(row.input, None, "no arguments");
    let output = row.output.as_deref().unwrap();
    assert!(
        output.starts_with("was Some(\"half\") x") && output.ends_with('…'),
        "{output:.40}"
    );
    assert!(output.len() <= 4 * 1024 + 3);
}

/// What a page talks a model into calling is no wider offer (S22); what the person has named is offered.
#[tokio::test]
async fn s22_a_hidden_tool_that_was_called_is_not_offered_for_it() {
    let mut meta = Echo::named("backdoor").meta().clone();
    meta.hidden = true;
    let tools: Vec<Arc<dyn Tool>> = vec![Echo::named("open"), Arc::new(Echo(meta))];
    let scripts = vec![vec![call("1", "backdoor"), stop()], vec!["done".into(), stop()]];
    let ran = run(scripts, tools).await;
    assert_eq!(results(&ran), ["backdoor 1"]);
    for request in &ran.requests {
        assert_eq!(offered(request), ["open"]);
    }
}

/// A call whose tool says at its end that its arguments hold a secret.
async fn type_secret(
    ends: impl Fn(ToolCallContext) -> BoxFuture<'static, ToolOutput> + Send + Sync + 'static,
) -> Ran {
    let arguments = serde_json::json!({ "ref": "e1", "value": "hunter2" });
    let typing = Say::Event(ModelEvent::ToolCall {
        call_id: "1".into(),
        name: "type".into(),
        arguments,
    });
    let scripts = vec![vec![typing, stop()], vec!["done".into(), stop()]];
    run(scripts, vec![doing("type", ends)]).await
}

fn check_hidden(ran: &Ran) {
    let row = &ran.record.tools[0];
    assert_eq!(row.input.as_deref(), Some(r#"{"ref":"e1","value":"[hidden]"}"#));
    let messages = format!("{:?}{:?}", ran.finished.messages, ran.requests[1].messages);
    assert!(
        messages.contains("[hidden]") && !messages.contains("hunter2"),
        "{messages}"
    );
}

#[tokio::test]
async fn a_secret_is_kept_nowhere() {
    let at_its_end = type_secret(|_| {
        let output = ToolOutput {
            secret_input: true,
            ..ToolOutput::text("typed")
        };
        async { output }.boxed()
    });
    check_hidden(&at_its_end.await);
    // Whatever becomes of the call afterwards.
    let on_its_way = type_secret(|call| {
        call.feed
            .push(TurnEvent::ToolProgress(crate::event::ToolProgress {
                call_id: call.call_id,
                name: "type".into(),
                content: Vec::new(),
                kept_arguments: Some(crate::tool::without_secrets(&call.arguments)),
            }));
        async { ToolOutput::error("gone") }.boxed()
    });
    check_hidden(&on_its_way.await);
}
