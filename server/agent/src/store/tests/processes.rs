//! Several processes on one file: two handles share nothing but the file, as two processes would.

use super::*;
use crate::error::TurnFailure;

#[tokio::test]
async fn what_one_writes_the_other_reads() {
    let folder = tempfile::tempdir().unwrap();
    let serve = Store::open(folder.path(), "sidewire serve").unwrap();
    let acp = Store::open(folder.path(), "sidewire acp").unwrap();
    let id = conversation_with(&serve, "q", "x", 10).await;
    assert_eq!(turns(&acp, id).await, [answered("q", "q", "x")]);
    acp.rename(&ann(), id, "renamed").await.unwrap();
    assert_eq!(serve.conversation(&ann(), id).await.unwrap().title, "renamed");
    assert_eq!(conversation(&acp, ann(), "q").await, id);
}

#[tokio::test]
async fn a_turn_of_a_dead_process_is_ended_and_keeps_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), "test").unwrap();
    let id = conversation(&store, ann(), "chat").await;
    ask(&store, id, "t1", "q").await;
    let partial = TurnRecord {
        text: "half".to_owned(),
        ..running("t1", "q")
    };
    assert!(store.save_partial(id, 1, so_far(partial, reply("half"))));
    drop(store);

    let store = Store::open(folder.path(), "test").unwrap();
    let turn = &turns(&store, id).await[0];
    assert_eq!(
        (turn.state, &turn.failure),
        (TurnState::Failed, &Some(TurnFailure::Disposed))
    );
    assert_eq!(turn.text, "half");
    assert_eq!(turn.media, running("t1", "q").media);
    let begun = ask(&store, id, "t2", "q2").await;
    assert_eq!(
        begun.history[0].messages,
        [Message::text(Role::User, "q"), reply("half")[0].clone()]
    );
}

#[tokio::test]
async fn a_turn_of_a_living_process_runs_on() {
    let folder = tempfile::tempdir().unwrap();
    let serve = Store::open(folder.path(), "sidewire serve").unwrap();
    let id = conversation(&serve, ann(), "chat").await;
    let claim = serve.claim(id).unwrap();
    ask(&serve, id, "t1", "q").await;

    let acp = Store::open(folder.path(), "sidewire acp").unwrap();
    assert_eq!(turns(&acp, id).await[0].state, TurnState::Running);
    serve
        .finish_turn(id, 1, ended(answered("t1", "q", "a"), reply("a")), 3_000)
        .await
        .unwrap();
    drop(claim);
    drop(Store::open(folder.path(), "third").unwrap());
    assert_eq!(turns(&acp, id).await, [answered("t1", "q", "a")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_of_several_processes_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut writers = tokio::task::JoinSet::new();
    for name in ["a", "b", "c", "d"] {
        let store = Store::open(folder.path(), name).unwrap();
        writers.spawn(async move {
            for at in 0..25 {
                conversation_with(&store, &format!("{name}{at}"), "x", at).await;
            }
        });
    }
    writers.join_all().await;
    let store = Store::open(folder.path(), "test").unwrap();
    let page = store.list(Some(&ann()), None, 200).await.unwrap();
    assert_eq!(page.conversations.len(), 100);
    assert!(
        page.conversations
            .iter()
            .all(|conversation| conversation.turns == 1)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_same_request_at_once_finds_one_conversation_and_begins_one_turn() {
    let folder = tempfile::tempdir().unwrap();
    // Opened first: opening forgets places of 1970.
    let stores = ["a", "b", "c", "d"].map(|name| Store::open(folder.path(), name).unwrap());
    let mut clients = tokio::task::JoinSet::new();
    for store in stores {
        clients.spawn(async move {
            let id = store.conversation_for(lookup(ann(), None)).await.unwrap().id;
            (id, store.begin_turn(question(id, ann(), "t1", "q")).await.is_ok())
        });
    }
    let found = clients.join_all().await;
    assert!(found.iter().all(|(id, _)| *id == found[0].0));
    assert_eq!(found.iter().filter(|(_, begun)| *begun).count(), 1);
}
