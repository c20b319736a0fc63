//! A summary stands for the turns before it, until a newer one does.

use super::*;

fn summary(text: &str) -> Message {
    Message::text(Role::User, text)
}

/// A conversation of this many turns.
async fn with_turns(store: &Store, count: usize) -> ConversationId {
    let id = conversation(store, ann(), "chat").await;
    for at in 1..=count {
        let name = format!("t{at}");
        turn_at(store, id, (&name, &name, "answer"), 2_000).await;
    }
    id
}

/// The summary and the numbers of the turns that a new question is asked with.
async fn read(store: &Store, id: ConversationId) -> (Option<String>, Vec<i64>) {
    let past = store.past(id, HISTORY).await.unwrap();
    let numbers = past.turns.iter().map(|turn| turn.number).collect();
    (past.summary.map(|message| message.plain_text()), numbers)
}

#[tokio::test]
async fn the_newest_summary_counts() {
    let store = memory();
    let id = with_turns(&store, 4).await;
    assert_eq!(read(&store, id).await, (None, vec![1, 2, 3, 4]));
    store.keep_summary(id, 2, summary("one and two")).await.unwrap();
    assert_eq!(
        read(&store, id).await,
        (Some("one and two".to_owned()), vec![3, 4])
    );
    store.keep_summary(id, 4, summary("all")).await.unwrap();
    assert_eq!(read(&store, id).await, (Some("all".to_owned()), vec![]));
    let begun = ask(&store, id, "t5", "q").await;
    assert_eq!(begun.summary, Some(summary("all")));
    assert_eq!(
        (begun.number, begun.history.len(), begun.history_cut),
        (5, 0, false)
    );
    assert_eq!(
        turns(&store, id).await.len(),
        5,
        "the person still sees every turn"
    );
}

#[tokio::test]
async fn a_branch_keeps_a_summary_of_turns_it_has() {
    let store = memory();
    let id = with_turns(&store, 4).await;
    store.keep_summary(id, 2, summary("one and two")).await.unwrap();
    for (before, expected) in [
        ("t4", (Some("one and two".to_owned()), vec![3])),
        ("t3", (Some("one and two".to_owned()), vec![])),
        ("t2", (None, vec![1])),
    ] {
        let branch = store
            .branch(&ann(), id, &TurnId(before.to_owned()), 5)
            .await
            .unwrap();
        assert_eq!(read(&store, branch.id).await, expected, "{before}");
    }
}

#[tokio::test]
async fn a_summary_goes_with_its_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), "test").unwrap();
    let id = with_turns(&store, 1).await;
    store.keep_summary(id, 1, summary("canary")).await.unwrap();
    store.delete_all(Some(&ann())).await.unwrap();
    drop(store);
    let bytes = std::fs::read(folder.path().join("sidewire.db")).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("canary"));
}
