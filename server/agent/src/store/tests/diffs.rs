use rusqlite::Connection;

use super::*;
use crate::record::CallDiff;
use crate::store::{ExportItem, StoredTurn, schema};

fn diff(call_id: &str, bytes: usize) -> CallDiff {
    CallDiff {
        call_id: call_id.to_owned(),
        path: "/w/a.rs".to_owned(),
        before: None,
        after: "x".repeat(bytes),
    }
}

/// A turn of Ann's that changed these files.
async fn changing(store: &Store, id: ConversationId, turn: &str, diffs: Vec<CallDiff>) {
    let number = ask(store, id, turn, "change it").await.number;
    let end = TurnEnd {
        diffs,
        ..ended(answered(turn, "change it", "Done."), reply("Done."))
    };
    store.finish_turn(id, number, end, 3_000).await.unwrap();
}

async fn stored(store: &Store, id: ConversationId, byte_limit: usize) -> Vec<StoredTurn> {
    store.stored_turns(&ann(), id, 0, byte_limit).await.unwrap()
}

#[tokio::test]
async fn what_a_turn_changed_is_shown_again_copied_and_exported_but_not_read_by_a_model() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    let diffs = vec![
        diff("c1", 3),
        CallDiff {
            before: Some("old".into()),
            ..diff("c2", 4)
        },
    ];
    changing(&store, id, "t1", diffs.clone()).await;
    changing(&store, id, "t2", Vec::new()).await;
    let shown = stored(&store, id, usize::MAX).await;
    assert_eq!((&shown[0].diffs, shown[1].diffs.len()), (&diffs, 0));
    assert_eq!(store.past(id, HISTORY).await.unwrap().turns[0].diffs, []);

    let branch = store
        .branch(&ann(), id, &TurnId("t2".into()), 4_000)
        .await
        .unwrap();
    assert_eq!(stored(&store, branch.id, usize::MAX).await[0].diffs, diffs);

    let (mut export, mut exported) = (store.export(None), Vec::new());
    while let Some(item) = export.next_item().await.unwrap() {
        if let ExportItem::Turn(turn) = item {
            exported.push(turn.diffs);
        }
    }
    assert_eq!(exported, [diffs.clone(), Vec::new(), diffs]);
}

#[tokio::test]
async fn changed_files_count_for_the_size_of_a_page() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    for turn in ["t1", "t2", "t3"] {
        changing(&store, id, turn, vec![diff("c", 1_000)]).await;
    }
    assert_eq!(stored(&store, id, 2_500).await.len(), 2);
    assert_eq!(stored(&store, id, 10).await.len(), 1);
}

#[tokio::test]
async fn a_database_of_the_format_before_opens_with_all_that_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), "test").unwrap();
    let id = conversation_with(&store, "q", "a", 10).await;
    drop(store);
    let file = Connection::open(folder.path().join("sidewire.db")).unwrap();
    file.execute_batch("DROP TABLE turn_diffs; PRAGMA user_version = 3;")
        .unwrap();
    drop(file);
    let store = Store::open(folder.path(), "test").unwrap();
    assert_eq!(stored(&store, id, usize::MAX).await[0].diffs, []);
    changing(&store, id, "t2", vec![diff("c", 1)]).await;
    assert_eq!(stored(&store, id, usize::MAX).await[1].diffs.len(), 1);
    drop(store);
    let file = Connection::open(folder.path().join("sidewire.db")).unwrap();
    assert_eq!(schema::format(&file).unwrap(), schema::FORMAT);
}

#[tokio::test]
async fn changed_files_go_with_their_conversation() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    changing(&store, id, "t1", vec![diff("c", 1)]).await;
    store.delete_all(None).await.unwrap();
    let count = |connection: &Connection| {
        Ok::<i64, StoreError>(connection.query_row("SELECT COUNT(*) FROM turn_diffs", [], |row| row.get(0))?)
    };
    assert_eq!(store.read(count).await.unwrap(), 0);
}
