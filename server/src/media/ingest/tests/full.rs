//! Room for media: what has none, what gives it back, and what a failure leaves.

use std::fs;
use std::sync::Arc;

use sidewire_agent::store::{MEMORY_FILE_BYTES, PlaceError};

use super::*;

#[tokio::test]
async fn the_quota_is_said_and_nothing_is_left_of_what_did_not_fit() {
    let room = room(Sandbox::default()).await;
    room.show(&png(1, 1, &[b'x'; 6_000])).await.unwrap();
    let error = room.show(&png(1, 1, &[b'y'; 6_000])).await.unwrap_err();
    assert!(error.to_string().contains("10000 bytes for media"), "{error}");
    assert_eq!(room.files(), 1);
}

#[tokio::test]
async fn a_failed_publication_takes_no_room_and_leaves_nothing() {
    let room = room(Sandbox::default()).await;
    let bytes = png(1, 1, &[b'x'; 6_000]);
    let name = BlobRef::from_sha256(<sha2::Sha256 as sha2::Digest>::digest(&bytes).into());
    let in_the_way = room.folder.path().join("media").join(name.hash());
    fs::create_dir(&in_the_way).unwrap();
    for _ in 0..3 {
        let error = room.show(&bytes).await.unwrap_err();
        assert!(
            error.to_string().contains("could not be put in its place"),
            "{error}"
        );
    }
    assert_eq!((room.store.blob_bytes().await.unwrap(), room.files()), (0, 1));
    fs::remove_dir(&in_the_way).unwrap();
    let asset = room.show(&bytes).await.unwrap().original.unwrap();
    assert_eq!(room.read(&asset).await.unwrap(), bytes);
}

/// Wherever a stopped turn leaves it, there is no reference without its file.
#[tokio::test]
async fn a_publication_that_nobody_waits_for_is_whole_or_nothing() {
    let room = room(Sandbox::default()).await;
    for polls in 0..40_u8 {
        let bytes = png(1, 1, &[polls]);
        let mut showing = Box::pin(room.show(&bytes));
        for _ in 0..polls {
            if futures_util::poll!(&mut showing).is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(showing);
        // Queued behind whatever was begun.
        room.store.purge(0).await.unwrap();
        let folder = room.folder.path().join("media");
        let is_there = move |name: &BlobRef| folder.join(name.hash()).exists();
        assert_eq!(room.store.blobs_forget(Vec::new(), is_there).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn what_has_no_room_is_neither_fetched_nor_decoded() {
    let long = "https://cdn.example/long.png";
    let file = png(1, 1, &[b'z'; 6_000]);
    let web = Sandbox::default()
        .host("cdn.example", &["1.1.1.1"])
        .file(long, "image/png", &file);
    let room = room(web).await;
    room.show(&png(1, 1, &[b'x'; 6_000])).await.unwrap();
    let no_room = |error: IngestError| {
        let said = error.to_string();
        assert!(said.contains("10000 bytes for media"), "{said}");
    };
    // It ends as soon as it is too long.
    no_room(
        room.library
            .fetch(&room.store, address(long))
            .await
            .err()
            .unwrap(),
    );
    let no_base64 = "!".repeat(8_000);
    let block = ImageBlock {
        data: &no_base64,
        mime_type: "image/png",
        tool: "page_screenshot",
    };
    no_room(
        room.library
            .ingest_image_block(room.place(), block)
            .await
            .unwrap_err(),
    );
    let left = 10_000 - usize::try_from(room.store.blob_bytes().await.unwrap()).unwrap();
    let filling = vec![b'y'; left - png(1, 1, b"").len()];
    room.show(&png(1, 1, &filling)).await.unwrap();
    assert_eq!(room.store.blob_bytes().await.unwrap(), 10_000);
    let unknown = address("https://nowhere.example/a.png");
    no_room(room.library.fetch(&room.store, unknown).await.err().unwrap());
    assert_eq!(room.files(), 2);
}

#[tokio::test]
async fn what_comes_in_at_once_shares_the_room() {
    let room = room(Sandbox::default()).await;
    let stage = |byte| room.library.stage(&room.store, png(1, 1, &[byte; 6_000]).into());
    let one = stage(b'x').await.unwrap();
    let error = stage(b'y').await.err().unwrap();
    assert!(error.to_string().contains("10000 bytes for media"), "{error}");
    drop(one);
    assert!(stage(b'y').await.is_ok());
}

#[tokio::test]
async fn a_private_window_clears_away_what_it_no_longer_shows_before_it_is_full() {
    let room = private_room().await;
    let filler = |bytes| Asset {
        reference: BlobRef::from_sha256([7; 32]),
        mime_type: MimeType::Png,
        bytes: Positive::new(bytes).unwrap(),
    };
    let files = room.store.memory_files().unwrap();
    let all_but = |left: u64| MEMORY_FILE_BYTES as u64 - left;
    let add = |left: u64| {
        let asset = filler(all_but(left));
        let bytes = Bytes::from(vec![0; usize::try_from(all_but(left)).unwrap()]);
        let files = Arc::clone(&files);
        let put = move || {
            files
                .put(asset.reference, bytes)
                .then_some(())
                .ok_or(PlaceError::Full)
        };
        room.store
            .blobs_add(room.conversation, vec![filler(all_but(left))], u64::MAX, put)
    };
    add(5_000).await.unwrap();
    let error = room.show(&png(1, 1, &[b'x'; 6_000])).await.unwrap_err();
    assert!(error.to_string().contains("bytes for media"), "{error}");
    room.store.delete(&ann(), room.conversation, 0).await.unwrap();
    let place = Place {
        store: &room.store,
        conversation: conversation(&room.store, "another").await,
    };
    let bytes = Bytes::from(png(1, 1, &[b'x'; 6_000]));
    let source = room.library.stage(&room.store, bytes).await.unwrap();
    let about = About::of_tool("page_screenshot");
    room.library.show(place, source, about).await.unwrap();
    assert_eq!(files.names().len(), 1);
}

#[tokio::test]
async fn what_is_gone_from_the_folder_takes_no_room() {
    let room = room(Sandbox::default()).await;
    let asset = room.show(&png(1, 1, b"one")).await.unwrap().original.unwrap();
    fs::remove_file(room.folder.path().join("media").join(asset.reference.hash())).unwrap();
    room.library.collect(&room.store).await;
    assert_eq!(room.store.blob_bytes().await.unwrap(), 0);
}
