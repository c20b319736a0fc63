//! An answer that breaks off half-way: asked for once more in an editor, an error beside a page.

use super::*;

fn editor() -> Briefing {
    Briefing::Editor(Box::default())
}

async fn in_editor(scripts: Vec<Vec<Say>>) -> Ran {
    Running {
        briefing: editor(),
        toolbox: Toolbox::new(vec![Echo::named("a")], ToolShelf::default()),
        ..Running::default()
    }
    .run(scripts)
    .await
}

#[tokio::test]
async fn a_broken_answer_is_asked_for_once_more_and_its_draft_is_gone() {
    let ran = in_editor(vec![
        vec!["half an ans".into(), Say::BreakOff],
        vec!["The answer.".into(), stop()],
    ])
    .await;
    assert_eq!(ran.finished.outcome, TurnOutcome::Done);
    assert_eq!(ran.record.text, "The answer.");
    assert_eq!(
        ran.finished.messages,
        [Message::text(Role::Assistant, "The answer.")]
    );
    assert_eq!(ran.requests[0].messages, ran.requests[1].messages);
}

#[tokio::test]
async fn each_attempt_has_a_name_of_its_own() {
    let ran = in_editor(vec![
        vec!["half".into(), Say::BreakOff],
        vec!["Let me see. ".into(), call("1", "a"), stop()],
        vec!["Done.".into(), stop()],
    ])
    .await;
    let told: Vec<String> = ran
        .news
        .into_iter()
        .filter_map(|news| match news {
            News::Text(text) => Some(text),
            News::Event(TurnEvent::Attempt(attempt)) => Some(attempt.message_id),
            _ => None,
        })
        .collect();
    assert_eq!(told, ["t/1", "half", "t/2", "Let me see. ", "t/3", "Done."]);
    assert_eq!(ran.record.text, "Let me see. Done.");
}

#[tokio::test]
async fn only_the_draft_is_dropped_and_only_once_per_step() {
    let ran = in_editor(vec![
        vec!["First. ".into(), call("1", "a"), stop()],
        vec!["half".into(), Say::BreakOff],
        vec!["half again".into(), Say::BreakOff],
    ])
    .await;
    let broken = TurnOutcome::Failed(ProviderError::BrokenStream.into());
    assert_eq!(ran.finished.outcome, broken);
    assert_eq!(ran.record.text, "First. half again", "what there is stays");
    assert_eq!(ran.requests.len(), 3);
}

/// A call is told when it is whole, and none has run before the answer is.
#[tokio::test]
async fn what_broke_off_within_or_behind_a_call_is_asked_for_again() {
    let overloaded = || Say::Fail(ProviderError::Server { status: 529 });
    for script in [
        vec!["Look: ".into(), call("1", "a"), Say::BreakOff],
        vec![Say::BreakOff],
        vec![Say::Event(ModelEvent::Alive), Say::BreakOff],
        vec![Say::Fail(ProviderError::Timeout)],
        vec!["half".into(), overloaded()],
        vec!["half".into(), Say::Fail(ProviderError::Refused { status: 429 })],
    ] {
        let ran = in_editor(vec![script, vec!["again".into(), stop()]]).await;
        assert_eq!(ran.finished.outcome, TurnOutcome::Done);
        assert_eq!((ran.requests.len(), ran.record.text.as_str()), (2, "again"));
        assert!(ran.record.tools.is_empty(), "no call has run");
    }
}

#[tokio::test]
async fn what_asking_again_would_not_mend_is_not_asked_for_again() {
    let overloaded = ProviderError::Server { status: 529 };
    for (said, failure) in [
        (vec![], overloaded),
        (vec!["half".into()], ProviderError::Refused { status: 400 }),
        (vec!["half".into()], ProviderError::Auth { status: 401 }),
        (vec!["half".into()], ProviderError::BadResponse),
    ] {
        let script = [said, vec![Say::Fail(failure.clone())]].concat();
        let ran = in_editor(vec![script, vec!["again".into(), stop()]]).await;
        assert_eq!(ran.finished.outcome, TurnOutcome::Failed(failure.into()));
        assert_eq!(ran.requests.len(), 1);
    }
}
