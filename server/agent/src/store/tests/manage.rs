use super::*;
use crate::store::ExportItem;

const HOUR_MS: i64 = 60 * 60 * 1000;

fn folder_holds(folder: &std::path::Path, word: &str) -> bool {
    std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| std::fs::read(entry.unwrap().path()).ok())
        .any(|bytes| {
            // The full-text index stores words in lower case.
            String::from_utf8_lossy(&bytes).to_lowercase().contains(word)
        })
}

#[tokio::test]
async fn a_title_is_one_line_and_stays() {
    let store = memory();
    let id = conversation_with(&store, "first", "x", 10).await;
    let renamed = store
        .rename(&ann(), id, "  My\tpools \n and\u{7} more ")
        .await
        .unwrap();
    assert_eq!(renamed.title, "My pools and more");
    assert_eq!(ask(&store, id, "t2", "second").await.title, "My pools and more");
    let long = store.rename(&ann(), id, &"é".repeat(5_000)).await.unwrap();
    assert_eq!(long.title.chars().count(), 200);
    assert!(matches!(
        store.rename(&ann(), id, " \n").await,
        Err(StoreError::BadTitle)
    ));
    assert!(matches!(
        store.rename(&bob(), id, "mine").await,
        Err(StoreError::NotFound)
    ));
}

#[tokio::test]
async fn a_deleted_conversation_is_gone_until_it_is_restored() {
    let store = memory();
    let id = conversation_with(&store, "kept", "x", 10).await;
    assert!(matches!(
        store.delete(&bob(), id, 1_000).await,
        Err(StoreError::NotFound)
    ));
    store.delete(&ann(), id, 1_000).await.unwrap();
    assert!(store.list(None, None, 9).await.unwrap().conversations.is_empty());
    assert!(matches!(
        store.conversation(&ann(), id).await,
        Err(StoreError::NotFound)
    ));
    assert!(matches!(
        store.delete(&ann(), id, 1_000).await,
        Err(StoreError::NotFound)
    ));

    assert!(matches!(
        store.restore(&bob(), id).await,
        Err(StoreError::NotFound)
    ));
    assert_eq!(store.restore(&ann(), id).await.unwrap().title, "kept");
    assert_eq!(turns(&store, id).await.len(), 1);
    assert_eq!(
        conversation(&store, ann(), "kept").await,
        id,
        "its name still leads to it"
    );
}

#[tokio::test]
async fn an_hour_later_it_is_gone_for_good() {
    let store = memory();
    let id = conversation_with(&store, "gone", "x", 10).await;
    store.delete(&ann(), id, 1_000).await.unwrap();
    store.purge(1_000 + HOUR_MS - 1).await.unwrap();
    store.restore(&ann(), id).await.unwrap();
    store.delete(&ann(), id, 1_000).await.unwrap();
    store.purge(1_000 + HOUR_MS).await.unwrap();
    assert!(matches!(
        store.restore(&ann(), id).await,
        Err(StoreError::NotFound)
    ));
    assert!(
        store
            .search(None, "gone", None, 9)
            .await
            .unwrap()
            .conversations
            .is_empty()
    );
    assert_eq!(
        store.turn(&ann(), &TurnId("gone".to_owned())).await.unwrap(),
        None
    );
}

#[tokio::test]
async fn opening_purges_and_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), "test").unwrap();
    let id = conversation_with(&store, "canarytitle", "canaryanswer", 10).await;
    conversation_with(&store, "kept", "x", 20).await;
    store.delete(&ann(), id, 1_000).await.unwrap();
    drop(store);
    assert!(
        folder_holds(folder.path(), "canaryanswer"),
        "deleted a moment ago, by the clock of 1970"
    );
    drop(Store::open(folder.path(), "test").unwrap());
    assert!(!folder_holds(folder.path(), "canaryanswer"));
    assert!(!folder_holds(folder.path(), "canarytitle"));
    let store = Store::open(folder.path(), "test").unwrap();
    assert_eq!(
        titles(&store.list(None, None, 9).await.unwrap().conversations),
        ["kept"]
    );
}

#[tokio::test]
async fn a_branch_takes_the_turns_before_and_changes_nothing_there() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    for name in ["t1", "t2", "t3"] {
        turn_at(&store, id, (name, name, "answer"), 2_000).await;
    }
    let before = turns(&store, id).await;
    let branch = store
        .branch(&ann(), id, &TurnId("t3".to_owned()), 5_000)
        .await
        .unwrap();
    assert_eq!(
        (branch.branch_of, branch.turns, branch.created_at_ms),
        (Some(id), 2, 5_000)
    );
    assert_eq!(store.conversation(&ann(), branch.id).await.unwrap(), branch);
    assert_eq!(turns(&store, branch.id).await, before[..2]);
    assert_eq!(turns(&store, id).await, before);

    let begun = ask(&store, branch.id, "t4", "instead").await;
    assert_eq!((begun.number, begun.history.len()), (3, 2));
    assert_eq!(begun.history[0].messages.len(), 2);
    let again = store.begin_turn(question(branch.id, ann(), "t1", "again")).await;
    assert!(matches!(again, Err(BeginError::Duplicate { conversation, .. }) if conversation == id));

    let missing = store.branch(&ann(), id, &TurnId("t9".to_owned()), 5_000).await;
    assert!(matches!(missing, Err(StoreError::NotFound)));
    let strange = store.branch(&bob(), id, &TurnId("t3".to_owned()), 5_000).await;
    assert!(matches!(strange, Err(StoreError::NotFound)));
}

#[tokio::test]
async fn a_branch_outlives_its_origin() {
    let store = memory();
    let id = conversation_with(&store, "pool", "x", 10).await;
    turn_at(&store, id, ("t2", "q2", "y"), 20).await;
    let branch = store
        .branch(&ann(), id, &TurnId("t2".to_owned()), 30)
        .await
        .unwrap();
    store.delete(&ann(), id, 40).await.unwrap();
    store.purge(40 + HOUR_MS).await.unwrap();
    assert_eq!(turns(&store, branch.id).await.len(), 1);
    assert_eq!(
        store
            .search(None, "pool", None, 9)
            .await
            .unwrap()
            .conversations
            .len(),
        1
    );
    let second = store
        .branch(&ann(), branch.id, &TurnId("pool".to_owned()), 50)
        .await
        .unwrap();
    assert_eq!(second.turns, 0);
}

#[tokio::test]
async fn delete_all_of_an_owner_leaves_nothing_of_theirs_in_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), "test").unwrap();
    for at in 0..50 {
        let text = format!("canaryanswer {at} {}", "filler ".repeat(1_000));
        conversation_with(&store, &format!("canarytitle {at}"), &text, at).await;
    }
    let bobs = conversation(&store, bob(), "chat").await;
    store
        .begin_turn(question(bobs, bob(), "t", "survivor"))
        .await
        .unwrap();
    store
        .finish_turn(bobs, 1, ended(answered("t", "survivor", "x"), reply("x")), 60)
        .await
        .unwrap();
    store.setting_set("theme", &json!("dark")).await.unwrap();

    store.delete_all(Some(&ann())).await.unwrap();
    assert!(
        store
            .list(Some(&ann()), None, 9)
            .await
            .unwrap()
            .conversations
            .is_empty()
    );
    assert_eq!(
        store
            .search(None, "survivor", None, 9)
            .await
            .unwrap()
            .conversations
            .len(),
        1
    );
    assert_eq!(store.setting_get("theme").await.unwrap(), Some(json!("dark")));
    drop(store);
    assert!(folder_holds(folder.path(), "survivor"));
    for canary in ["canaryanswer", "canarytitle", "canary"] {
        assert!(!folder_holds(folder.path(), canary), "{canary} is still there");
    }
}

#[tokio::test]
async fn delete_all_of_everybody_empties_the_log_while_the_store_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), "test").unwrap();
    conversation_with(&store, "canarytitle", "canaryanswer", 10).await;
    store.delete_all(None).await.unwrap();
    assert_eq!(
        std::fs::metadata(folder.path().join("sidewire.db-wal"))
            .unwrap()
            .len(),
        0
    );
    assert!(store.list(None, None, 9).await.unwrap().conversations.is_empty());
    assert_eq!(store.export(None).next_item().await.unwrap(), None);
}

#[tokio::test]
async fn an_export_tells_everything_once_in_order() {
    let store = memory();
    let first = conversation_with(&store, "one", "x", 10).await;
    turn_at(&store, first, ("t2", "q2", "y"), 20).await;
    let gone = conversation_with(&store, "gone", "x", 30).await;
    store.delete(&ann(), gone, 40).await.unwrap();
    conversation(&store, bob(), "empty").await;

    let mut told = Vec::new();
    let mut export = store.export(None);
    while let Some(item) = export.next_item().await.unwrap() {
        told.push(match item {
            ExportItem::Conversation(record) => format!("{} of {}", record.title, record.owner),
            ExportItem::Turn(turn) => format!(
                "{} {} with {}",
                turn.number,
                turn.record.prompt,
                turn.messages.len()
            ),
        });
    }
    assert_eq!(told, ["one of ann", "1 one with 2", "2 q2 with 2", " of bob"]);
    let line = serde_json::to_string(&store.export(Some(&ann())).next_item().await.unwrap()).unwrap();
    assert!(line.starts_with(r#"{"kind":"conversation","id":""#), "{line}");
}
