use std::sync::{Arc, Mutex};

use rusqlite::Connection;
use sidewire_contract::ids::BlobRef;
use sidewire_contract::media::{Asset, MimeType};
use sidewire_contract::number::Positive;

use super::*;
use crate::store::{AddBlobsError, PlaceError, schema};

const PLENTY: u64 = 1 << 30;

/// The files got their places.
fn placed() -> Result<(), PlaceError> {
    Ok(())
}

fn file(byte: u8) -> BlobRef {
    BlobRef::from_sha256([byte; 32])
}

fn picture(byte: u8, bytes: u64) -> Asset {
    Asset {
        reference: file(byte),
        mime_type: MimeType::Png,
        bytes: Positive::new(bytes).unwrap(),
    }
}

/// Which of these files nobody shows.
async fn swept(store: &Store, files: &[u8]) -> Vec<BlobRef> {
    let removed = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&removed);
    let count = store
        .blobs_sweep(files.iter().copied().map(file).collect(), move |file| {
            log.lock().unwrap().push(file.clone());
        })
        .await
        .unwrap();
    let removed = removed.lock().unwrap().clone();
    assert_eq!(removed.len(), count);
    removed
}

#[tokio::test]
async fn a_file_is_its_owners_in_any_of_their_conversations_and_nobody_elses() {
    let store = memory();
    let (one, two) = (
        conversation(&store, ann(), "one").await,
        conversation(&store, ann(), "two").await,
    );
    let picture = picture(1, 7);
    store
        .blobs_add(one, vec![picture.clone()], PLENTY, placed)
        .await
        .unwrap();
    assert_eq!(
        store.blob_of_owner(&ann(), &file(1)).await.unwrap(),
        Some(picture.clone())
    );
    assert_eq!(store.blob_of_owner(&bob(), &file(1)).await.unwrap(), None);
    assert_eq!(store.blob_of_owner(&ann(), &file(2)).await.unwrap(), None);
    assert_eq!(
        store.blob_of_conversation(one, &file(1)).await.unwrap(),
        Some(picture)
    );
    assert_eq!(store.blob_of_conversation(two, &file(1)).await.unwrap(), None);
    let nowhere = store
        .blobs_add(ConversationId::mint(), vec![], PLENTY, placed)
        .await;
    assert!(matches!(nowhere, Err(AddBlobsError::Store(StoreError::NotFound))));
}

#[tokio::test]
async fn a_file_goes_with_the_last_conversation_that_shows_it() {
    let store = memory();
    let id = conversation_with(&store, "first", "x", 10).await;
    turn_at(&store, id, ("t2", "q2", "y"), 20).await;
    store
        .blobs_add(id, vec![picture(1, 7)], PLENTY, placed)
        .await
        .unwrap();
    store
        .blobs_add(id, vec![picture(1, 7)], PLENTY, placed)
        .await
        .unwrap();
    let branch = store
        .branch(&ann(), id, &TurnId("t2".to_owned()), 30)
        .await
        .unwrap();
    assert_eq!(swept(&store, &[1, 2]).await, [file(2)]);

    store.delete(&ann(), id, 40).await.unwrap();
    store.delete(&ann(), branch.id, 40).await.unwrap();
    assert_eq!(
        store.blob_of_owner(&ann(), &file(1)).await.unwrap(),
        None,
        "a deleted conversation shows nothing"
    );
    assert_eq!(swept(&store, &[1]).await, [], "it can still be restored");
    store.purge(40 + 60 * 60 * 1000).await.unwrap();
    assert_eq!(swept(&store, &[1]).await, [file(1)]);
}

#[tokio::test]
async fn delete_all_sets_the_files_of_an_owner_free() {
    let store = memory();
    let (anns, bobs) = (
        conversation(&store, ann(), "a").await,
        conversation(&store, bob(), "b").await,
    );
    store
        .blobs_add(anns, vec![picture(1, 7), picture(2, 7)], PLENTY, placed)
        .await
        .unwrap();
    store
        .blobs_add(bobs, vec![picture(2, 7)], PLENTY, placed)
        .await
        .unwrap();
    store.delete_all(Some(&ann())).await.unwrap();
    assert_eq!(swept(&store, &[1, 2]).await, [file(1)]);
    store.delete_all(None).await.unwrap();
    assert_eq!(swept(&store, &[2]).await, [file(2)]);
    assert_eq!(store.blob_bytes().await.unwrap(), 0);
}

#[tokio::test]
async fn an_export_names_the_media_of_each_turn() {
    let store = memory();
    conversation_with(&store, "shown", "x", 10).await;
    let mut export = store.export(None);
    export.next_item().await.unwrap();
    let turn = serde_json::to_value(export.next_item().await.unwrap()).unwrap();
    let named = &turn["record"]["media"][0]["original"]["ref"];
    assert_eq!(named, &json!(format!("blob:sha256:{}", "0f".repeat(32))));
}

#[tokio::test]
async fn the_quota_counts_each_file_once_and_is_said_in_the_error() {
    let store = memory();
    let (one, two) = (
        conversation(&store, ann(), "one").await,
        conversation(&store, bob(), "two").await,
    );
    store
        .blobs_add(one, vec![picture(1, 60)], 100, placed)
        .await
        .unwrap();
    store
        .blobs_add(two, vec![picture(1, 60)], 100, placed)
        .await
        .unwrap();
    assert_eq!(store.blob_bytes().await.unwrap(), 60);
    store
        .blobs_add(one, vec![picture(2, 40)], 100, placed)
        .await
        .unwrap();
    let error = store
        .blobs_add(one, vec![picture(3, 1)], 100, placed)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "media takes 100 of 100 bytes, and 1 more do not fit; delete conversations that show media"
    );
    store
        .blobs_add(two, vec![picture(2, 40)], 100, placed)
        .await
        .unwrap();
    assert_eq!(store.blob_of_owner(&ann(), &file(3)).await.unwrap(), None);
}

#[tokio::test]
async fn a_file_that_gets_no_place_is_not_referred_to_and_takes_no_room() {
    let store = memory();
    let id = conversation(&store, ann(), "one").await;
    let refused: [fn() -> PlaceError; 2] = [
        || PlaceError::Full,
        || PlaceError::Io(std::io::ErrorKind::PermissionDenied.into()),
    ];
    for refusal in refused {
        let added = store.blobs_add(id, vec![picture(1, 60)], 100, move || Err(refusal()));
        let error = added.await.unwrap_err();
        assert!(
            matches!(
                error,
                AddBlobsError::Full {
                    used: 0,
                    quota: 100,
                    wanted: 60
                } | AddBlobsError::Place(_)
            ),
            "{error}"
        );
        assert_eq!(store.blob_of_owner(&ann(), &file(1)).await.unwrap(), None);
    }
    assert_eq!(store.blob_bytes().await.unwrap(), 0);
    let used = store
        .blobs_add(id, vec![picture(1, 60)], 100, placed)
        .await
        .unwrap();
    assert_eq!(used, 60);
}

#[tokio::test]
async fn references_to_files_that_are_gone_are_forgotten() {
    let store = memory();
    let id = conversation(&store, ann(), "one").await;
    let shown = vec![picture(1, 1), picture(2, 1), picture(3, 1)];
    store.blobs_add(id, shown, PLENTY, placed).await.unwrap();
    // The third came while the folder was being listed.
    let is_there = |name: &BlobRef| *name == file(3);
    assert_eq!(store.blobs_forget(vec![file(1)], is_there).await.unwrap(), 1);
    assert_eq!(store.blob_bytes().await.unwrap(), 2);
    assert_eq!(store.blob_of_owner(&ann(), &file(2)).await.unwrap(), None);
}

#[tokio::test]
async fn a_sweep_lets_others_write_and_takes_nothing_that_is_shown_meanwhile() {
    let store = memory();
    let id = conversation(&store, ann(), "one").await;
    let name = |at: u16| BlobRef::from_hash(&format!("{at:064x}")).unwrap();
    let late = Asset {
        reference: name(999),
        ..picture(1, 1)
    };
    let removed = Arc::new(Mutex::new(Vec::new()));
    let (begun, mut has_begun) = tokio::sync::mpsc::channel(1);
    let (proceed, may_proceed) = std::sync::mpsc::sync_channel::<()>(1);
    let (log, may_proceed) = (Arc::clone(&removed), Mutex::new(may_proceed));
    let sweep = store.blobs_sweep((0..1000).map(name).collect(), move |file| {
        let mut log = log.lock().unwrap();
        if log.is_empty() {
            begun.blocking_send(()).unwrap();
            may_proceed.lock().unwrap().recv().unwrap();
        }
        log.push(file.clone());
    });
    let log = Arc::clone(&removed);
    let writing = async {
        has_begun.recv().await.unwrap();
        // Runs when it is this writer's turn: how far is the sweep by then?
        let until_now = move || {
            assert_eq!(log.lock().unwrap().len(), 256);
            Ok(())
        };
        let mut adding = std::pin::pin!(store.blobs_add(id, vec![late], PLENTY, until_now));
        assert!(futures_util::poll!(&mut adding).is_pending(), "it waits in line");
        proceed.send(()).unwrap();
        adding.await.unwrap();
    };
    let (swept, ()) = tokio::join!(sweep, writing);
    assert_eq!((swept.unwrap(), removed.lock().unwrap().len()), (999, 999));
    assert!(!removed.lock().unwrap().contains(&name(999)));
}

#[tokio::test]
async fn a_database_of_the_first_format_is_converted_with_all_its_conversations() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), "test").unwrap();
    let id = conversation_with(&store, "kept", "x", 10).await;
    drop(store);
    // Exactly what the first step made.
    let file = folder.path().join("sidewire.db");
    let older = Connection::open(&file).unwrap();
    older
        .execute_batch(
            "DROP TABLE blob_reference; DROP TABLE summary; DROP TABLE turn_diffs;
             ALTER TABLE conversation DROP COLUMN folder; ALTER TABLE conversation DROP COLUMN controls;",
        )
        .unwrap();
    older.pragma_update(None, "user_version", 1).unwrap();
    let first = Connection::open_in_memory().unwrap();
    first.execute_batch(include_str!("../schema/1.sql")).unwrap();
    assert_eq!(shape(&older), shape(&first));
    drop(older);

    let store = Store::open(folder.path(), "test").unwrap();
    assert_eq!(turns(&store, id).await.len(), 1);
    store
        .blobs_add(id, vec![picture(1, 7)], PLENTY, placed)
        .await
        .unwrap();
    drop(store);
    assert_eq!(
        schema::format(&Connection::open(&file).unwrap()).unwrap(),
        schema::FORMAT
    );
}

fn shape(connection: &Connection) -> Vec<String> {
    let mut statement = connection
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
        .unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}
