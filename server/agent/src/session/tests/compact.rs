//! Summing up across turns: what is stored, what the next turn reads, and what `/compact` does.

use super::*;
use crate::briefing::Briefing;
use crate::message::Notice;
use crate::store::NewConversation;

/// Compaction at 6,963 tokens, which is 20,889 bytes.
const WINDOW: Option<u64> = Some(8_192);

struct Editor {
    agent: Arc<Agent>,
    provider: Arc<Scripted>,
    conversation: ConversationId,
}

fn setting() -> Setting {
    Setting {
        briefing: Briefing::Editor(Box::default()),
        ..Setting::panel(Mode::Educational)
    }
}

fn editor_key(id: &str) -> TurnKey {
    TurnKey {
        owner: Owner::editor(),
        ..key(id)
    }
}

impl Editor {
    async fn with(scripts: Vec<Vec<Say>>) -> Self {
        Self::of(Scripted::with_window(WINDOW, scripts)).await
    }

    async fn of(provider: Arc<Scripted>) -> Self {
        let agent = agent_of(provider.clone());
        let new = NewConversation {
            owner: Owner::editor(),
            origin: Origin::Editor,
            folder: None,
            controls: crate::record::Controls::default(),
        };
        let conversation = agent.store().create(new).await.unwrap().id;
        Self {
            agent,
            provider,
            conversation,
        }
    }

    async fn prompt(&self, id: &str, text: &str) -> TurnOutcome {
        let wake = Arc::new(Notify::new());
        let ask = Ask {
            key: editor_key(id),
            place: Place::Known(self.conversation),
            setting: setting(),
            ..question(id, text)
        };
        let started = self.agent.ask(ask, wake.clone()).await.unwrap();
        read_to_end(started.subscription, &wake).await.1
    }

    async fn start_compact(&self, id: &str, wake: Arc<Notify>) -> Result<Started, AskError> {
        let compact = Compact {
            key: editor_key(id),
            conversation: self.conversation,
            setting: setting(),
            wishes: Some("the tests".into()),
        };
        self.agent.compact(compact, wake).await
    }

    /// What it said, how it ended and what was told beside.
    async fn compact(&self, id: &str) -> (String, TurnOutcome, Vec<Notice>) {
        let wake = Arc::new(Notify::new());
        let started = self.start_compact(id, wake.clone()).await.unwrap();
        // The record outlives the reading.
        let (text, outcome, record) = read_with_record(started.subscription, &wake).await;
        (text, outcome, record.notices)
    }

    /// First lines of the messages of a model call.
    fn asked(&self, call: usize) -> Vec<String> {
        let requests = self.provider.requests.lock().unwrap();
        let line = |message: &Message| message.plain_text().lines().next().unwrap_or("-").to_owned();
        requests[call].messages.iter().map(line).collect()
    }

    fn calls(&self) -> usize {
        self.provider.requests.lock().unwrap().len()
    }
}

async fn read_with_record(
    mut subscription: Subscription,
    wake: &Notify,
) -> (String, TurnOutcome, TurnRecord) {
    let mut text = String::new();
    loop {
        wake.notified().await;
        for news in subscription.take() {
            match news {
                News::Text(piece) => text.push_str(&piece),
                News::End { outcome, .. } => return (text, outcome, subscription.record()),
                News::Reasoning(_) | News::Event(_) => {}
            }
        }
    }
}

const SUMMARY: &str = "The conversation so far, summed up to make room:";
const NOTED: &str = "Understood. I go on from there.";

fn says(text: &str) -> Vec<Say> {
    vec![text.into(), stop()]
}

#[tokio::test]
async fn a_summary_is_kept_and_the_next_turns_begin_with_it() {
    let long = "x".repeat(10_000);
    let scripts = [&long, &long, "what was", "three", "four"].map(says);
    let editor = Editor::with(scripts.into()).await;
    for (id, text) in [("1", "one?"), ("2", "two?"), ("3", "three?"), ("4", "four?")] {
        assert_eq!(editor.prompt(id, text).await, TurnOutcome::Done, "{id}");
    }
    assert_eq!(editor.asked(3), [SUMMARY, NOTED, "three?"]);
    assert_eq!(editor.asked(4), [SUMMARY, NOTED, "three?", "three", "four?"]);
    let turns = editor
        .agent
        .store()
        .stored_turns(&Owner::editor(), editor.conversation, 0, usize::MAX)
        .await
        .unwrap();
    assert_eq!(turns.len(), 4, "the person keeps all of it");
    assert_eq!(turns[2].record.notices, [Notice::Compacted { messages: 4 }]);
}

#[tokio::test]
async fn what_was_counted_at_the_end_of_a_turn_counts_at_the_beginning_of_the_next() {
    for (tokens, calls) in [(6_900, 2), (7_000, 3)] {
        let first = vec![
            Say::from("x".repeat(5_000).as_str()),
            crate::testing::took(tokens),
            stop(),
        ];
        let editor = Editor::with(vec![first, says("two"), says("three")]).await;
        editor.prompt("1", "one?").await;
        editor.prompt("2", "two?").await;
        assert_eq!(editor.calls(), calls, "{tokens}");
    }
}

/// What came after the last count was not counted.
#[tokio::test]
async fn what_was_counted_before_a_turn_was_stopped_does_not_count() {
    let never = Arc::new(Notify::new());
    let first = vec![crate::testing::took(10), "half".into(), Say::Wait(never), stop()];
    let editor = Editor::with(vec![first, says("what was"), says("two")]).await;
    let wake = Arc::new(Notify::new());
    let ask = Ask {
        key: editor_key("1"),
        place: Place::Known(editor.conversation),
        setting: setting(),
        ..question("1", &"x".repeat(25_000))
    };
    let mut started = editor.agent.ask(ask, wake.clone()).await.unwrap();
    while started.subscription.record().text.is_empty() {
        wake.notified().await;
        drop(started.subscription.take());
    }
    assert!(editor.agent.stop(&editor_key("1")));
    let (_, outcome) = read_to_end(started.subscription, &wake).await;
    assert_eq!(outcome, TurnOutcome::Stopped(StopCause::Person));
    editor.prompt("2", "two?").await;
    assert_eq!(
        editor.asked(2),
        [SUMMARY, NOTED, "two?"],
        "by its bytes it is too large"
    );
}

#[tokio::test]
async fn a_first_turn_waits_for_what_the_model_server_tells_of_its_window() {
    let long = "x".repeat(30_000);
    let editor = Editor::of(Scripted::that_learns(128_000, vec![says(&long), says("two")])).await;
    editor.prompt("1", "one?").await;
    editor.prompt("2", "two?").await;
    assert_eq!(editor.asked(1), ["one?", long.as_str(), "two?"]);
    let requests = editor.provider.requests.lock().unwrap();
    assert_eq!(requests[0].max_output_tokens, Some(16_384));
}

#[tokio::test]
async fn compact_sums_up_everything_and_leaves_no_turn() {
    let scripts = ["one", "two", "what was", "three"].map(says);
    let editor = Editor::with(scripts.into()).await;
    editor.prompt("1", "one?").await;
    editor.prompt("2", "two?").await;
    let told = editor.compact("c").await;
    assert_eq!(
        told,
        (
            String::new(),
            TurnOutcome::Done,
            vec![Notice::Compacted { messages: 4 }]
        )
    );
    let asked = editor.provider.requests.lock().unwrap()[2].messages[0].plain_text();
    assert!(asked.contains("one?") && asked.ends_with("the tests"), "{asked}");
    editor.prompt("3", "three?").await;
    assert_eq!(editor.asked(3), [SUMMARY, NOTED, "three?"]);
    let store = editor.agent.store();
    let found = store.conversation(&Owner::editor(), editor.conversation).await;
    assert_eq!(found.unwrap().turns, 3);
}

#[tokio::test]
async fn compact_says_so_when_there_is_nothing_to_do() {
    let editor = Editor::with(vec![says("x")]).await;
    let (text, outcome, notices) = editor.compact("c").await;
    assert_eq!((outcome, notices), (TurnOutcome::Done, vec![]));
    assert_eq!(text, "There is nothing to sum up yet.");
    assert_eq!(editor.calls(), 0);
}

#[tokio::test]
async fn a_compact_that_fails_or_is_stopped_changes_nothing() {
    let never = Arc::new(Notify::new());
    let editor = Editor::with(vec![
        says("one"),
        vec!["half".into(), Say::BreakOff],
        vec!["half".into(), Say::Wait(never), stop()],
        says("two"),
    ])
    .await;
    editor.prompt("1", "one?").await;
    let (_, outcome, _) = editor.compact("c1").await;
    let broken = TurnFailure::from(crate::error::ProviderError::BrokenStream);
    assert_eq!(outcome, TurnOutcome::Failed(broken));

    let wake = Arc::new(Notify::new());
    let started = editor.start_compact("c2", wake.clone()).await.unwrap();
    assert!(matches!(
        editor.start_compact("c3", Arc::default()).await,
        Err(AskError::Busy)
    ));
    while editor.calls() < 3 {
        tokio::task::yield_now().await;
    }
    assert!(editor.agent.stop(&editor_key("c2")));
    let (_, outcome) = read_to_end(started.subscription, &wake).await;
    assert_eq!(outcome, TurnOutcome::Stopped(StopCause::Person));

    editor.prompt("2", "two?").await;
    assert_eq!(editor.asked(3), ["one?", "one", "two?"]);
}

#[tokio::test]
async fn another_process_that_answers_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let serve = Store::open(folder.path(), "sidewire serve").unwrap();
    let acp = Store::open(folder.path(), "sidewire acp").unwrap();
    let mut editor = Editor::with(vec![says("x")]).await;
    editor.agent = Agent::new(AgentParts {
        store: acp,
        ..editor.agent.parts.clone()
    });
    let new = NewConversation {
        owner: Owner::editor(),
        origin: Origin::Editor,
        folder: None,
        controls: crate::record::Controls::default(),
    };
    editor.conversation = serve.create(new).await.unwrap().id;
    let id = editor.conversation;
    assert_eq!(editor.agent.holder(id).unwrap(), None);
    let claim = serve.claim(id).unwrap();
    let holder = format!("sidewire serve (process {})", std::process::id());
    assert_eq!(editor.agent.holder(id).unwrap(), Some(holder.clone()));
    let refused = editor.start_compact("c", Arc::default()).await;
    assert!(matches!(refused, Err(AskError::Held { holder: told }) if told == holder));
    assert!(matches!(editor.agent.clear(id).await, Err(DeleteError::Busy)));
    drop(claim);
    assert_eq!(editor.prompt("1", "now?").await, TurnOutcome::Done);
    editor.agent.clear(id).await.unwrap();
    assert_eq!(editor.agent.holder(id).unwrap(), None);
}
