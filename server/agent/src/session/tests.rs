mod compact;
mod editor;

use sidewire_contract::mode::Mode;
use tokio::sync::Notify;

use super::*;
use crate::error::TurnFailure;
use crate::event::TurnOutcome;
use crate::feed::{News, Subscription};
use crate::hooks::NoHooks;
use crate::message::{Message, Role};
use crate::record::Origin;
use crate::setting::Setting;
use crate::store::Lookup;
use crate::testing::{Say, Scripted, call, key, stop};
use crate::turn::STEP_CEILING;

fn agent(scripts: Vec<Vec<Say>>) -> (Arc<Agent>, Arc<Scripted>) {
    let provider = Scripted::new(scripts);
    (agent_of(provider.clone()), provider)
}

fn agent_of(provider: Arc<Scripted>) -> Arc<Agent> {
    Agent::new(AgentParts {
        store: Store::in_memory().unwrap(),
        provider: ProviderSlot::new(provider),
        hooks: Arc::new(NoHooks),
        tools: Vec::new(),
        reference_kinds: Arc::default(),
        grace: GRACE,
        steps: STEP_CEILING,
    })
}

fn question(id: &str, text: &str) -> Ask {
    Ask {
        key: key(id),
        place: Place::Found(Lookup {
            owner: key(id).owner,
            origin: Origin::Browser,
            hint: Some("here".into()),
            session_key: "acme|production".into(),
            tab: 1,
            browser_run: None,
            now_ms: now_ms(),
        }),
        text: text.into(),
        page: None,
        parts: Vec::new(),
        pictures: Vec::new(),
        shown: None,
        setting: Setting::panel(Mode::Educational),
        tools: ToolShelf::default(),
    }
}

async fn read_to_end(mut subscription: Subscription, wake: &Notify) -> (String, TurnOutcome) {
    let mut text = String::new();
    loop {
        wake.notified().await;
        for news in subscription.take() {
            match news {
                News::Text(piece) => text.push_str(&piece),
                News::End { outcome, .. } => return (text, outcome),
                News::Reasoning(_) | News::Event(_) => {}
            }
        }
    }
}

async fn ask(agent: &Arc<Agent>, id: &str, text: &str) -> (String, TurnOutcome) {
    let wake = Arc::new(Notify::new());
    let started = agent.ask(question(id, text), Arc::clone(&wake)).await.unwrap();
    read_to_end(started.subscription, &wake).await
}

#[tokio::test]
async fn a_second_question_remembers_the_first() {
    let (agent, provider) = agent(vec![vec!["one".into(), stop()], vec!["two".into(), stop()]]);
    assert_eq!(
        ask(&agent, "c-1", "first?").await,
        ("one".into(), TurnOutcome::Done)
    );
    assert_eq!(
        ask(&agent, "c-2", "second?").await,
        ("two".into(), TurnOutcome::Done)
    );
    let requests = provider.requests.lock().unwrap();
    let texts: Vec<_> = requests[1].messages.iter().map(Message::plain_text).collect();
    assert_eq!(texts, ["first?", "one", "second?"]);
}

#[tokio::test]
async fn one_turn_at_a_time_and_no_id_twice() {
    let gate = Arc::new(Notify::new());
    let (agent, _) = agent(vec![
        vec![Say::Wait(gate.clone()), "late".into(), stop()],
        vec!["next".into(), stop()],
    ]);
    let wake = Arc::new(Notify::new());
    let started = agent.ask(question("c-1", "q"), wake.clone()).await.unwrap();
    assert!(matches!(
        agent.ask(question("c-2", "q"), wake.clone()).await,
        Err(AskError::Busy)
    ));
    assert!(matches!(
        agent.ask(question("c-1", "q"), wake.clone()).await,
        Err(AskError::Duplicate)
    ));
    gate.notify_one();
    assert_eq!(read_to_end(started.subscription, &wake).await.0, "late");
    // Ended and stored: still the same id.
    assert!(matches!(
        agent.ask(question("c-1", "q"), wake.clone()).await,
        Err(AskError::Duplicate)
    ));
    assert_eq!(
        ask(&agent, "c-3", "q").await.1,
        TurnOutcome::Done,
        "the seat is free again"
    );
}

#[tokio::test]
async fn a_turn_can_be_followed_from_where_it_is() {
    let gate = Arc::new(Notify::new());
    let (agent, _) = agent(vec![vec![
        "early ".into(),
        Say::Wait(gate.clone()),
        "late".into(),
        stop(),
    ]]);
    let first = Arc::new(Notify::new());
    let mut started = agent.ask(question("c-1", "q"), first.clone()).await.unwrap();
    let mut seen = String::new();
    while seen != "early " {
        first.notified().await;
        for news in started.subscription.take() {
            if let News::Text(text) = news {
                seen.push_str(&text);
            }
        }
    }
    let second = Arc::new(Notify::new());
    let followed = agent.follow(&key("c-1"), second.clone()).await.unwrap().unwrap();
    assert_eq!(followed.record.text, "early ");
    gate.notify_one();
    assert_eq!(
        read_to_end(followed.subscription.unwrap(), &second).await.0,
        "late",
        "nothing twice"
    );
    let ended = agent.follow(&key("c-1"), second).await.unwrap().unwrap();
    assert_eq!(
        (ended.record.text.as_str(), ended.record.state),
        ("early late", TurnState::Done)
    );
    assert!(agent.follow(&key("c-9"), Arc::default()).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_turn_without_a_client_ends_after_the_grace_period_and_keeps_its_text() {
    let never = Arc::new(Notify::new());
    let (agent, _) = agent(vec![vec!["half".into(), Say::Wait(never), stop()]]);
    let started = agent.ask(question("c-1", "q"), Arc::default()).await.unwrap();
    tokio::time::sleep(GRACE * 2).await;
    assert!(agent.is_busy(), "a client was there");
    drop(started);
    tokio::time::sleep(GRACE / 2).await;
    let followed = agent.follow(&key("c-1"), Arc::default()).await.unwrap().unwrap();
    tokio::time::sleep(GRACE * 2).await;
    assert!(agent.is_busy(), "it came back in time");
    drop(followed);
    tokio::time::sleep(GRACE + Duration::from_millis(10)).await;
    // The store is a real thread, and the clock of this test is not real: the end is waited for without it.
    while agent.is_busy() {
        tokio::task::yield_now().await;
    }
    let ended = agent.follow(&key("c-1"), Arc::default()).await.unwrap().unwrap();
    assert_eq!(
        (ended.record.text.as_str(), ended.record.state),
        ("half", TurnState::Stopped)
    );
}

#[tokio::test]
async fn a_client_that_vanishes_while_asking_finds_its_turn() {
    let gate = Arc::new(Notify::new());
    let (agent, _) = agent(vec![vec![Say::Wait(gate.clone()), "there".into(), stop()]]);
    let asking = agent.ask(question("c-1", "q"), Arc::default());
    // Polled once and dropped: the connection is gone before the store answered.
    assert!(futures_util::FutureExt::now_or_never(asking).is_none());
    let wake = Arc::new(Notify::new());
    let followed = loop {
        if let Some(Followed {
            subscription: Some(subscription),
            ..
        }) = agent.follow(&key("c-1"), wake.clone()).await.unwrap()
        {
            break subscription;
        }
        tokio::task::yield_now().await;
    };
    gate.notify_one();
    assert_eq!(read_to_end(followed, &wake).await.0, "there");
}

#[tokio::test]
async fn shutting_down_ends_what_does_not_end_by_itself() {
    let never = Arc::new(Notify::new());
    let (agent, _) = agent(vec![vec!["half".into(), Say::Wait(never), stop()]]);
    let wake = Arc::new(Notify::new());
    let started = agent.ask(question("c-1", "q"), wake.clone()).await.unwrap();
    let (ended, ()) = tokio::join!(
        read_to_end(started.subscription, &wake),
        agent.shut_down(Duration::ZERO)
    );
    assert_eq!(ended.1, TurnOutcome::Failed(TurnFailure::Disposed));
    assert!(matches!(
        agent.ask(question("c-2", "q"), wake).await,
        Err(AskError::Disposed)
    ));
}

/// chat-worker.md §8 row 13: whatever breaks after a question was taken, its turn ends and the conversation is free.
#[tokio::test]
async fn fault_13_a_panic_ends_its_turn_only() {
    let (agent, _) = agent(vec![vec!["half".into(), Say::Panic], vec!["fine".into(), stop()]]);
    assert_eq!(
        ask(&agent, "c-1", "q").await,
        ("half".into(), TurnOutcome::Failed(TurnFailure::Disposed))
    );
    assert_eq!(ask(&agent, "c-2", "q").await, ("fine".into(), TurnOutcome::Done));
}

/// The messages after the question of a conversation's only turn.
async fn stored(agent: &Agent, conversation: ConversationId) -> Vec<Message> {
    let owner = key("c-1").owner;
    let turns = agent.store().stored_turns(&owner, conversation, 0, usize::MAX);
    let mut turns = turns.await.unwrap();
    turns.remove(0).messages.split_off(1)
}

/// A step: the call of a tool that nobody has, and what that gave.
fn is_step(messages: &[Message]) -> bool {
    matches!(messages, [said, results] if said.role == Role::Assistant && results.role == Role::Tool)
}

#[tokio::test]
async fn a_turn_that_panics_keeps_what_it_did() {
    let scripts = vec![
        vec!["I look. ".into(), call("1", "nobody"), stop()],
        vec!["half".into(), Say::Panic],
    ];
    let (agent, _) = agent(scripts);
    let wake = Arc::new(Notify::new());
    let started = agent.ask(question("c-1", "q"), wake.clone()).await.unwrap();
    let conversation = started.conversation;
    read_to_end(started.subscription, &wake).await;
    let kept = stored(&agent, conversation).await;
    assert!(is_step(&kept[..2]), "{kept:?}");
    assert_eq!(kept[2..], [Message::text(Role::Assistant, "half")]);
}

/// What a process that is killed has done must not be gone: the files it changed stay changed.
#[tokio::test]
async fn finished_steps_are_stored_while_a_turn_runs() {
    let never = Arc::new(Notify::new());
    let scripts = vec![
        vec!["I look. ".into(), call("1", "nobody"), stop()],
        vec!["half".into(), Say::Wait(never), stop()],
    ];
    let (agent, _) = agent(scripts);
    let wake = Arc::new(Notify::new());
    let started = agent.ask(question("c-1", "q"), wake).await.unwrap();
    let saved = async {
        loop {
            let kept = stored(&agent, started.conversation).await;
            if kept.len() == 3 {
                return kept;
            }
        }
    };
    let kept = tokio::time::timeout(Duration::from_secs(60), saved)
        .await
        .unwrap();
    assert!(is_step(&kept[..2]), "{kept:?}");
    assert_eq!(kept[2], Message::text(Role::Assistant, "half"));
}

#[tokio::test]
async fn private_agents_share_nothing_that_is_kept() {
    let (agent, _) = agent(vec![vec!["x".into(), stop()]]);
    let private = agent.ephemeral().unwrap();
    ask(&private, "c-1", "secret?").await;
    assert!(
        agent
            .store()
            .list(None, None, 10)
            .await
            .unwrap()
            .conversations
            .is_empty()
    );
    assert_eq!(
        private
            .store()
            .list(None, None, 10)
            .await
            .unwrap()
            .conversations
            .len(),
        1
    );
}
