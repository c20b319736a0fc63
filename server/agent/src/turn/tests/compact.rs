//! Room in an editor's request: what is summed up, when, and what happens when that does not work.

use super::*;
use crate::testing::{doing, took};

/// Compaction at 6,963 tokens, which is 20,889 bytes.
const WINDOW: Option<u64> = Some(8_192);

fn editor() -> Running {
    let large = doing("large", |call| async move {
        ToolOutput::text(call.call_id + &"x".repeat(6_500))
    });
    Running {
        briefing: Briefing::Editor(Box::default()),
        toolbox: Toolbox::new(vec![large, Echo::named("small")], ToolShelf::default()),
        window: WINDOW,
        ..Running::default()
    }
}

fn turn(number: i64, bytes: usize) -> EarlierTurn {
    EarlierTurn {
        number,
        messages: vec![
            Message::text(Role::User, format!("question {number}")),
            Message::text(Role::Assistant, "x".repeat(bytes)),
        ],
    }
}

/// The first line of each message of a model call.
fn lines(request: &ModelRequest) -> Vec<String> {
    let line = |message: &Message| message.plain_text().lines().next().unwrap_or("-").to_owned();
    request.messages.iter().map(line).collect()
}

const SUMMARY: &str = "The conversation so far, summed up to make room:";
const NOTED: &str = "Understood. I go on from there.";

#[tokio::test]
async fn earlier_turns_are_summed_up_and_short_new_ones_stay() {
    let running = Running {
        earlier: vec![turn(1, 10_000), turn(2, 10_000), turn(3, 100), turn(4, 100)],
        ..editor()
    };
    let ran = running
        .run(vec![vec!["what was".into(), stop()], vec!["done".into(), stop()]])
        .await;
    assert_eq!(ran.finished.outcome, TurnOutcome::Done);
    assert_eq!(ran.record.text, "done", "the summary is no answer");
    let x = "x".repeat(100);
    assert_eq!(
        lines(&ran.requests[1]),
        [SUMMARY, NOTED, "question 3", &x, "question 4", &x, "q"]
    );
    assert!(ran.requests[0].messages[0].plain_text().contains("question 2"));
    assert!(!ran.requests[0].messages[0].plain_text().contains("question 3"));
    assert_eq!(ran.record.notices, [Notice::Compacted { messages: 4 }]);
}

#[tokio::test]
async fn a_person_sees_that_it_is_summed_up_and_what_is_waited_for() {
    let running = Running {
        earlier: vec![turn(1, 30_000)],
        ..editor()
    };
    let waiting = Say::Event(ModelEvent::Retrying {
        attempt: 2,
        wait_ms: 7_000,
    });
    let scripts = vec![
        vec![waiting, "what was".into(), stop()],
        vec!["done".into(), stop()],
    ];
    let ran = running.run(scripts).await;
    let told: Vec<&News> = ran.news.iter().take(2).collect();
    assert!(
        matches!(
            told.as_slice(),
            [News::Reasoning(words), News::Event(TurnEvent::Retrying { attempt: 2, .. })]
                if words.starts_with("Summing up")
        ),
        "{told:?}"
    );
}

#[tokio::test]
async fn below_the_point_nothing_is_summed_up() {
    let running = Running {
        earlier: vec![turn(1, 8_000), turn(2, 7_000)],
        ..editor()
    };
    let ran = running.run(vec![vec!["done".into(), stop()]]).await;
    assert_eq!((ran.requests.len(), ran.record.notices.len()), (1, 0));
    assert_eq!(ran.requests[0].messages.len(), 5);
}

#[tokio::test]
async fn what_the_provider_counted_decides() {
    let calls = |tokens| vec![call("1", "small"), took(tokens), stop()];
    let done: Vec<Say> = vec!["done".into(), stop()];
    for (tokens, calls_made, notices) in [
        (6_900, 2, vec![]),
        (6_964, 3, vec![Notice::Compacted { messages: 2 }]),
    ] {
        let running = Running {
            earlier: vec![turn(1, 5_000)],
            ..editor()
        };
        let ran = running.run(vec![calls(tokens), done.clone()]).await;
        assert_eq!(ran.requests.len(), calls_made, "{tokens}");
        assert_eq!(ran.record.notices, notices, "{tokens}");
    }
    // Many bytes that are few tokens stay as they are.
    let scripts = vec![
        vec![call("1", "large"), took(100), stop()],
        vec![call("2", "large"), took(100), stop()],
        vec![call("3", "large"), took(100), stop()],
        vec![call("4", "large"), took(100), stop()],
        done,
    ];
    let ran = editor().run(scripts).await;
    assert_eq!((ran.requests.len(), ran.record.notices.len()), (5, 0));
    assert_eq!(results(&ran.requests[4]), ["1", "2", "3", "4"]);
}

/// The first character of each result that is still whole.
fn results(request: &ModelRequest) -> Vec<String> {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    parts
        .filter_map(|part| match part {
            Part::ToolResult { content, .. } => match content.as_slice() {
                [ResultContent::Text { text }] if text.len() > 6_000 => Some(text.chars().take(1).collect()),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn earlier_steps_of_a_long_turn_are_summed_up_again_and_again() {
    let step = |id: &str| vec![call(id, "large"), stop()];
    let summary = |text: &str| vec![Say::from(text), stop()];
    let ran = editor()
        .run(vec![
            step("1"),
            step("2"),
            step("3"),
            summary("SUM ONE"),
            step("4"),
            step("5"),
            summary("SUM TWO"),
            vec!["done".into(), stop()],
        ])
        .await;
    assert_eq!(ran.finished.outcome, TurnOutcome::Done);
    let asked: Vec<String> = ran
        .requests
        .iter()
        .map(|request| request.messages[0].plain_text())
        .collect();
    assert!(asked[4].starts_with("q\n") && asked[4].contains("SUM ONE"));
    assert_eq!(results(&ran.requests[4]), ["3"]);
    assert!(asked[6].contains("SUM ONE"), "the older summary is summed up too");
    assert!(asked[7].contains("SUM TWO") && !asked[7].contains("SUM ONE"));
    assert_eq!(results(&ran.requests[7]), ["5"]);
    assert_eq!(ran.finished.messages.len(), 11, "what is stored is whole");
    assert_eq!(
        ran.record.notices,
        [Notice::Compacted { messages: 4 }],
        "the same notice is shown once"
    );
}

/// A summary is for good: no session must be lost to a guess.
#[tokio::test]
async fn nothing_is_summed_up_for_good_against_a_guess() {
    let unknown = |held| Running {
        earlier: vec![turn(1, 15_000), turn(2, 15_000)],
        window: None,
        held,
        ..editor()
    };
    let done = || vec![vec!["done".into(), stop()]];
    // It took as much of this model before: it stays whole.
    let ran = unknown(16_000).run(done()).await;
    assert_eq!(lines(&ran.requests[0]).len(), 5);
    assert_eq!(ran.record.notices, []);
    // Nobody knows: it is trimmed for this request only.
    for held in [0, 6_000, 8_192] {
        let ran = unknown(held).run(done()).await;
        assert_eq!((ran.requests.len(), lines(&ran.requests[0]).len()), (1, 3));
        assert_eq!(
            ran.record.notices,
            [Notice::HistoryTrimmed, Notice::GuessedWindow]
        );
    }
}

#[tokio::test]
async fn a_guess_is_told_once_in_a_turn() {
    let step = |id: &str| vec![call(id, "large"), stop()];
    let summary = || vec![Say::from("SUM"), stop()];
    let running = Running {
        window: None,
        ..editor()
    };
    let scripts = vec![
        step("1"),
        step("2"),
        step("3"),
        summary(),
        step("4"),
        step("5"),
        summary(),
        vec!["done".into(), stop()],
    ];
    let ran = running.run(scripts).await;
    assert_eq!(ran.requests.len(), 8, "it was summed up twice");
    let guess = News::Event(TurnEvent::Notice(Notice::GuessedWindow));
    assert_eq!(ran.news.iter().filter(|news| **news == guess).count(), 1);
}

#[tokio::test]
async fn a_request_says_what_it_takes_and_what_its_answer_may() {
    let ran = editor()
        .run(vec![
            vec![call("1", "small"), took(5_000), stop()],
            vec!["done".into(), stop()],
        ])
        .await;
    let first = &ran.requests[0];
    assert!((1..5_000).contains(&first.input_tokens), "{}", first.input_tokens);
    assert_eq!(first.max_output_tokens, Some(1_229));
    let second = ran.requests[1].input_tokens;
    assert!((5_000..5_100).contains(&second), "{second}");
    let unknown = Running {
        window: None,
        ..editor()
    };
    let ran = unknown.run(vec![vec!["done".into(), stop()]]).await;
    assert_eq!(
        ran.requests[0].max_output_tokens, None,
        "nobody knows what is too much"
    );
}

#[tokio::test]
async fn a_summary_that_fails_leaves_it_to_trimming() {
    let running = Running {
        earlier: vec![turn(1, 12_000), turn(2, 9_000)],
        ..editor()
    };
    let ran = running
        .run(vec![
            vec!["half a summ".into(), Say::BreakOff],
            vec![call("1", "small"), stop()],
            vec!["done".into(), stop()],
        ])
        .await;
    assert_eq!(ran.finished.outcome, TurnOutcome::Done);
    assert_eq!(ran.requests.len(), 3, "it is tried once in a turn");
    assert_eq!(lines(&ran.requests[1])[0], "question 2");
    assert_eq!(ran.record.notices, [Notice::HistoryTrimmed]);
}

#[tokio::test]
async fn stopping_ends_a_summary_that_is_being_written() {
    let switch = StopSwitch::default();
    let never = Arc::new(tokio::sync::Notify::new());
    let running = Running {
        earlier: vec![turn(1, 30_000)],
        stop: switch.clone(),
        ..editor()
    };
    let running = running.run(vec![vec!["half".into(), Say::Wait(never), stop()]]);
    let (ran, ()) = tokio::join!(running, async { switch.stop(StopCause::Person) });
    assert_eq!(ran.finished.outcome, TurnOutcome::Stopped(StopCause::Person));
    assert_eq!(ran.requests.len(), 1);
}

#[tokio::test]
async fn beside_a_page_nothing_is_summed_up() {
    let running = Running {
        earlier: vec![turn(1, 10_000), turn(2, 10_000)],
        briefing: Briefing::Panel(Mode::Educational),
        ..editor()
    };
    let ran = running.run(vec![vec!["done".into(), stop()]]).await;
    assert_eq!(ran.requests.len(), 1);
    assert_eq!(lines(&ran.requests[0])[0], "question 2");
}
