use futures_util::FutureExt;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::message::{Part, ResultContent};
use crate::provider::FinishReason;
use crate::testing::{Say, Scripted, record, stop};

fn step(arguments: &str, result: &str, is_error: bool) -> [Message; 2] {
    let message = |role, part| Message {
        role,
        parts: vec![part],
    };
    [
        message(
            Role::Assistant,
            Part::ToolCall {
                call_id: "1".into(),
                name: "bash".into(),
                arguments: json!({ "command": arguments }),
            },
        ),
        message(
            Role::Tool,
            Part::ToolResult {
                call_id: "1".into(),
                content: vec![ResultContent::Text { text: result.into() }],
                is_error,
            },
        ),
    ]
}

fn conversation(result: &str) -> Vec<Message> {
    let mut said = vec![Message::text(Role::User, "Fix it.")];
    said.extend(step("make", result, true));
    said.push(Message {
        role: Role::Assistant,
        parts: vec![
            Part::Reasoning {
                text: "secret thought".into(),
                signature: None,
            },
            Part::Text { text: "Done.".into() },
        ],
    });
    said
}

#[test]
fn a_transcript_tells_who_said_and_did_what() {
    let text = transcript::write(&conversation("error: no rule"), 10_000);
    assert_eq!(
        text,
        "[person]\nFix it.\n[agent]\n(calls bash {\"command\":\"make\"})\n[results]\n(failed) error: no rule\n\
         [agent]\nDone.\n"
    );
}

#[test]
fn long_results_are_cut_before_words_are() {
    let said = conversation(&format!("first {} last", "x".repeat(100_000)));
    let text = transcript::write(&said, 2_000);
    assert!(text.len() <= 2_000 && text.contains("Fix it.") && text.contains("Done."));
    assert!(
        text.contains("(failed) first x") && text.contains("x last"),
        "{text}"
    );
}

proptest! {
    #[test]
    fn whatever_was_said_fits(
        words in proptest::collection::vec("\\PC{0,400}", 0..40),
        room in 64_usize..4_000,
    ) {
        let said: Vec<Message> = words
            .iter()
            .flat_map(|text| {
                let [call, result] = step(text, text, false);
                [Message::text(Role::User, text.clone()), call, result]
            })
            .collect();
        prop_assert!(transcript::write(&said, room).len() <= room);
    }
}

async fn summed(script: Vec<Say>) -> (Result<String, ProviderError>, Usage, ModelRequest) {
    let provider = Scripted::new(vec![script]);
    let mut usage = Usage::default();
    let feed = TurnFeed::new(record("t"));
    let summing = Summing {
        window: provider.describe().window,
        provider: provider.as_ref(),
        feed: &feed,
        wishes: Some("the tests"),
    };
    let result = summing.sum_up(&conversation("no rule"), &mut usage).await;
    let request = provider.requests.lock().unwrap().remove(0);
    (result, usage, request)
}

#[tokio::test]
async fn the_model_reads_a_transcript_and_no_tools() {
    let tokens = Usage {
        input: 7,
        ..Usage::default()
    };
    let script = vec![
        " The ".into(),
        Say::Event(ModelEvent::Reasoning("hm".into())),
        "point. ".into(),
        Say::Event(ModelEvent::Usage(tokens)),
        stop(),
    ];
    let (result, usage, request) = summed(script).await;
    assert_eq!((result.as_deref(), usage), (Ok("The point."), tokens));
    let asked = request.messages[0].plain_text();
    assert!(asked.starts_with("<transcript>\n[person]\nFix it.") && asked.ends_with("particular: the tests"));
    assert_eq!((request.messages.len(), request.tools.len()), (1, 0));
}

#[tokio::test]
async fn a_summary_of_nothing_or_half_of_one_is_none() {
    let length = Say::Event(ModelEvent::Finished(FinishReason::Length));
    for (script, expected) in [
        (vec![" ".into(), stop()], Err(ProviderError::BadResponse)),
        (
            vec!["half".into(), Say::BreakOff],
            Err(ProviderError::BrokenStream),
        ),
        (vec!["clipped".into(), length], Ok("clipped".to_owned())),
    ] {
        assert_eq!(summed(script).await.0, expected);
    }
}

#[test]
fn an_endless_summary_is_ended() {
    let endless: Vec<Say> = std::iter::repeat_n("x".repeat(1_000).as_str().into(), 100).collect();
    let provider = Scripted::new(vec![endless]);
    let mut usage = Usage::default();
    let said = conversation("r");
    let feed = TurnFeed::new(record("t"));
    let summing = Summing {
        window: provider.describe().window,
        provider: provider.as_ref(),
        feed: &feed,
        wishes: None,
    };
    let summing = summing.sum_up(&said, &mut usage);
    assert_eq!(summing.now_or_never().unwrap().unwrap().len(), LIMIT);
}
