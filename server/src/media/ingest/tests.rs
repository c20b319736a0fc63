mod full;

use std::fs;
use std::path::PathBuf;

use sidewire_agent::ids::{ConversationId, Owner};
use sidewire_agent::record::Origin;
use sidewire_agent::store::Lookup;
use sidewire_agent::tool::ToolOutput;
use sidewire_contract::media::TimelineFrame;
use sidewire_contract::number::{Count, Positive};

use super::super::chunk::{Unavailable, Wanted};
use super::super::ffmpeg::{DEGRADATION, Ffmpeg};
use super::super::library::LibraryConfig;
use super::super::mp4::tests::film;
use super::super::network::tests::Sandbox;
use super::super::sniff::tests::{gif, png};
use super::*;

impl Library {
    /// Takes bytes in as an image block's are; nothing is shown yet.
    async fn stage(&self, store: &Store, bytes: Bytes) -> Result<Source, IngestError> {
        let len = bytes.len() as u64;
        let files = self.make_room(store, (len, len)).await?;
        stage_in(files, bytes).await
    }
}

/// A library over a folder, and a conversation of Ann's in a store on the disk or in memory.
pub(in super::super) struct Room {
    folder: tempfile::TempDir,
    library: Library,
    store: Store,
    conversation: ConversationId,
}

async fn room(web: Sandbox) -> Room {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("data"), "test").unwrap();
    room_with(folder, store, web).await
}

/// A room whose files lie on the disk or nowhere, with this decoder.
pub(in super::super) async fn room_with_decoder(ffmpeg: Ffmpeg, is_private: bool) -> Room {
    let mut room = if is_private {
        private_room().await
    } else {
        room(Sandbox::default()).await
    };
    let config = LibraryConfig {
        folder: room.media(),
        quota: 1_000_000_000,
        search_path: None,
    };
    room.library = Library::with(config, Some(ffmpeg), Box::new(Sandbox::default())).unwrap();
    room
}

async fn private_room() -> Room {
    room_with(
        tempfile::tempdir().unwrap(),
        Store::in_memory().unwrap(),
        Sandbox::default(),
    )
    .await
}

async fn room_with(folder: tempfile::TempDir, store: Store, web: Sandbox) -> Room {
    let config = LibraryConfig {
        folder: folder.path().join("media"),
        quota: 10_000,
        search_path: None,
    };
    Room {
        library: Library::with(config, None, Box::new(web)).unwrap(),
        conversation: conversation(&store, "chat").await,
        folder,
        store,
    }
}

async fn conversation(store: &Store, hint: &str) -> ConversationId {
    let lookup = Lookup {
        owner: ann(),
        origin: Origin::Browser,
        hint: Some(hint.to_owned()),
        session_key: "tenant".to_owned(),
        tab: 1,
        browser_run: None,
        now_ms: now_ms(),
    };
    store.conversation_for(lookup).await.unwrap().id
}

fn ann() -> Owner {
    Owner("ann".to_owned())
}

fn address(url: &str) -> Address<'_> {
    Address {
        url,
        tool: "display_media",
        limit: MEDIA_BYTES,
    }
}

impl Room {
    fn place(&self) -> Place<'_> {
        Place {
            store: &self.store,
            conversation: self.conversation,
        }
    }

    /// Where its files lie.
    pub(in super::super) fn media(&self) -> PathBuf {
        self.folder.path().join("media")
    }

    pub(in super::super) async fn show(&self, bytes: &[u8]) -> Result<Media, IngestError> {
        let source = self
            .library
            .stage(&self.store, Bytes::copy_from_slice(bytes))
            .await?;
        self.library
            .show(self.place(), source, About::of_tool("page_screenshot"))
            .await
    }

    /// All of a file in parts of three bytes, as Ann reads it.
    pub(in super::super) async fn read(&self, asset: &Asset) -> Result<Vec<u8>, Unavailable> {
        self.read_as(&ann(), &asset.reference).await
    }

    async fn read_as(&self, owner: &Owner, reference: &BlobRef) -> Result<Vec<u8>, Unavailable> {
        let mut all = Vec::new();
        loop {
            let offset = Some(Count::from(all.len()));
            let wanted = Wanted::new(reference.clone(), offset, Positive::new(3));
            let part = self
                .library
                .read((&self.store, owner), wanted, |part| part)
                .await?;
            all.extend_from_slice(&part.bytes);
            if part.is_last() {
                return Ok(all);
            }
        }
    }

    fn files(&self) -> usize {
        fs::read_dir(self.folder.path().join("media")).unwrap().count()
    }
}

#[tokio::test]
async fn a_picture_is_described_kept_and_read() {
    for room in [room(Sandbox::default()).await, private_room().await] {
        let bytes = png(30, 20, b"one");
        let media = room.show(&bytes).await.unwrap();
        assert_eq!(media.kind, MediaKind::Image);
        assert_eq!(
            (media.width, media.height),
            (Positive::new(30), Positive::new(20))
        );
        assert_eq!(media.original, media.poster);
        assert_eq!((&media.timeline, &media.degradation), (&None, &None));
        let asset = media.original.unwrap();
        assert_eq!(asset.bytes.get(), bytes.len() as u64);
        assert!(
            asset
                .reference
                .as_str()
                .ends_with(&hex::encode(<sha2::Sha256 as sha2::Digest>::digest(&bytes)))
        );
        assert_eq!(media.id.as_str()[6..], asset.reference.as_str()[12..36]);
        assert_eq!(room.read(&asset).await.unwrap(), bytes);
    }
}

#[tokio::test]
async fn the_same_bytes_have_the_same_id_whatever_is_said_about_them() {
    let room = room(Sandbox::default()).await;
    let first = room.show(&png(30, 20, b"one")).await.unwrap();
    let source = room
        .library
        .kept(room.place(), &first.original.as_ref().unwrap().reference)
        .await
        .unwrap()
        .unwrap();
    let mut about = About::of_tool("display_media");
    about.caption = Some("again".to_owned());
    let second = room.library.show(room.place(), source, about).await.unwrap();
    assert_eq!(first.id, second.id);
    assert_eq!(second.caption.as_deref(), Some("again"));
    assert_eq!(room.files(), 1);
}

#[tokio::test]
async fn without_a_decoder_moving_pictures_keep_their_file_and_say_what_is_missing() {
    let room = room(Sandbox::default()).await;
    for (bytes, kind) in [
        (gif(3, 2), MediaKind::Animation),
        (film(64, 36, 1500), MediaKind::Video),
    ] {
        let media = room.show(&bytes).await.unwrap();
        assert_eq!((media.kind, &media.poster), (kind, &None));
        assert_eq!(media.degradation.as_deref(), Some(DEGRADATION));
        assert_eq!(room.read(media.original.as_ref().unwrap()).await.unwrap(), bytes);
        assert!(media.playback == About::of_tool("x").playing.into());
    }
}

#[tokio::test]
async fn nobody_reads_what_was_not_shown_to_them() {
    let room = room(Sandbox::default()).await;
    let asset = room.show(&png(1, 1, b"one")).await.unwrap().original.unwrap();
    let bob = room.read_as(&Owner("bob".to_owned()), &asset.reference).await;
    assert!(matches!(bob, Err(Unavailable::NotAnnounced)));
    let Source::New(looked) = room
        .library
        .stage(&room.store, Bytes::from(png(1, 1, b"two")))
        .await
        .unwrap()
    else {
        panic!("it is new")
    };
    let unshown = room.read_as(&ann(), &looked.staged.name).await;
    assert!(matches!(unshown, Err(Unavailable::NotAnnounced)));
    let behind = Wanted::new(asset.reference, Some(Count::from(asset.bytes.get() + 1)), None);
    let behind = room
        .library
        .read((&room.store, &ann()), behind, |part| part)
        .await;
    assert!(matches!(behind, Err(Unavailable::BehindTheEnd)));
}

#[tokio::test]
async fn what_is_no_media_is_refused_and_leaves_nothing() {
    let room = room(Sandbox::default()).await;
    assert!(matches!(
        room.show(b"").await,
        Err(IngestError::Incoming(IncomingError::Empty))
    ));
    assert!(matches!(room.show(b"words").await, Err(IngestError::TextAlone)));
    assert!(matches!(
        room.show(b"\x7fELF").await,
        Err(IngestError::Kind(SniffError::Unsupported))
    ));
    assert_eq!(room.files(), 0);
    assert_eq!(room.store.blob_bytes().await.unwrap(), 0);
}

#[tokio::test]
async fn files_go_with_their_last_conversation_and_orphans_at_once() {
    let room = room(Sandbox::default()).await;
    let asset = room.show(&png(1, 1, b"one")).await.unwrap().original.unwrap();
    let orphan = room.folder.path().join("media").join("0".repeat(64));
    fs::write(&orphan, b"x").unwrap();
    room.library.collect(&room.store).await;
    assert!(!orphan.exists());
    assert!(room.read(&asset).await.is_ok());
    room.store.delete_all(Some(&ann())).await.unwrap();
    room.library.collect(&room.store).await;
    assert_eq!(room.files(), 0);
}

#[tokio::test]
async fn a_sweep_beside_many_publications_takes_nothing_that_is_shown() {
    let room = room(Sandbox::default()).await;
    let shown = futures_util::future::join_all((0..24_u8).map(|byte| {
        let room = &room;
        async move {
            let media = room.show(&png(1, 1, &[byte])).await.unwrap();
            room.library.collect(&room.store).await;
            media.original.unwrap()
        }
    }))
    .await;
    for asset in &shown {
        assert!(room.read(asset).await.is_ok());
    }
    assert_eq!(room.files(), 24);
}

#[tokio::test]
async fn an_image_block_is_announced_and_given_to_the_model() {
    let room = room(Sandbox::default()).await;
    let bytes = png(30, 20, b"shot");
    let data = base64_simd::STANDARD.encode_to_string(&bytes);
    let block = |mime_type, data| ImageBlock {
        data,
        mime_type,
        tool: "Page.Screenshot",
    };
    let media = room
        .library
        .ingest_image_block(room.place(), block("image/png", &data))
        .await
        .unwrap();
    let mut output = ToolOutput::default();
    room.library.add_media(&room.store, media, &mut output).await;
    assert_eq!(output.pictures.len(), 1);
    assert_eq!(output.pictures[0].bytes.as_ref(), bytes);
    let provenance = serde_json::to_value(&output.media[0].provenance).unwrap();
    assert_eq!(
        provenance,
        serde_json::json!({ "sourceType": "tool", "source": "page_screenshot" })
    );
    let film = base64_simd::STANDARD.encode_to_string(film(1, 1, 1));
    for (mime, data, why) in [
        ("image/jpeg", data.as_str(), "media MIME mismatch"),
        ("image/png", "no base64!", "a picture in base64"),
        ("image/png", "", "empty"),
        ("video/mp4", &film, "has to be a picture"),
    ] {
        let refused = room
            .library
            .ingest_image_block(room.place(), block(mime, data))
            .await;
        let said = refused.unwrap_err().to_string();
        assert!(said.contains(why), "{said}");
    }
}

#[tokio::test]
async fn frames_are_all_words_or_all_pictures() {
    let web = Sandbox::default().host("cdn.example", &["1.1.1.1"]).file(
        "https://cdn.example/words.txt",
        "text/plain; charset=utf-8",
        b"from a file",
    );
    let room = room(web).await;
    let frame = |content| Frame {
        content,
        duration_ms: Positive::new(250).unwrap(),
    };
    let picture = |byte: u8| async move { png(4, 3, &[byte]) };
    let staged = |bytes: Vec<u8>| room.library.stage(&room.store, bytes.into());
    let (one, two) = (
        staged(picture(1).await).await.unwrap(),
        staged(picture(2).await).await.unwrap(),
    );
    let frames = vec![frame(Content::Source(one)), frame(Content::Source(two))];
    let raster = room
        .library
        .show_frames(room.place(), frames, About::of_tool("display_media"))
        .await
        .unwrap();
    assert_eq!(raster.kind, MediaKind::RasterTimeline);
    assert_eq!(
        (&raster.original, raster.duration_ms),
        (&None, Positive::new(500))
    );
    let frames = raster.timeline.as_ref().unwrap().frames();
    let TimelineFrame::Asset { asset, .. } = &frames[0] else {
        panic!("{frames:?}")
    };
    assert_eq!(raster.poster.as_ref(), Some(asset));
    assert!(room.read(asset).await.is_ok());

    let (file, _) = room
        .library
        .fetch(&room.store, address("https://cdn.example/words.txt"))
        .await
        .unwrap();
    let frames = vec![frame(Content::Text("said".into())), frame(Content::Source(file))];
    let text = room
        .library
        .show_frames(room.place(), frames, About::of_tool("display_media"))
        .await
        .unwrap();
    assert_eq!(text.kind, MediaKind::TextTimeline);
    assert_eq!((&text.original, &text.poster), (&None, &None));

    let mixed = vec![
        frame(Content::Text("said".into())),
        frame(Content::Source(staged(picture(3).await).await.unwrap())),
    ];
    let error = room
        .library
        .show_frames(room.place(), mixed, About::of_tool("display_media"))
        .await
        .unwrap_err();
    assert!(matches!(error, IngestError::Frames(FramesError::Mixed)));
    let moving = vec![frame(Content::Source(staged(film(1, 1, 1)).await.unwrap()))];
    let error = room
        .library
        .show_frames(room.place(), moving, About::of_tool("display_media"))
        .await
        .unwrap_err();
    assert!(matches!(error, IngestError::Frames(FramesError::Film)));
}

#[tokio::test]
async fn a_fetched_file_tells_its_address_and_has_to_be_what_the_server_says() {
    let bytes = png(30, 20, b"one");
    let web = Sandbox::default()
        .host("cdn.example", &["1.1.1.1"])
        .file("https://cdn.example/a/shot.png?token=t", "image/png", &bytes)
        .file("https://cdn.example/liar.png", "image/gif", &bytes)
        .file("https://cdn.example/page", "text/html", b"<html>");
    let room = room(web).await;
    let fetch = |url| room.library.fetch(&room.store, address(url));
    let (source, about) = fetch("https://cdn.example/a/shot.png?token=t").await.unwrap();
    let media = room.library.show(room.place(), source, about).await.unwrap();
    let json = serde_json::to_value(&media).unwrap();
    assert_eq!(json["provenance"]["source"], "https://cdn.example/a/shot.png");
    assert_eq!(json["filenameHint"], "shot.png");
    for url in ["https://cdn.example/liar.png", "https://cdn.example/page"] {
        let error = fetch(url).await.err().unwrap();
        assert!(
            error.to_string().starts_with("media MIME mismatch"),
            "{url}: {error}"
        );
    }
    let long = Address {
        limit: bytes.len() as u64 - 1,
        ..address("https://cdn.example/a/shot.png?token=t")
    };
    let error = room.library.fetch(&room.store, long).await.err().unwrap();
    assert!(error.to_string().contains("longer than"), "{error}");
    assert_eq!(room.files(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_decoder_adds_stills_and_its_rubbish_is_left_out() {
    let mut room = room(Sandbox::default()).await;
    let out = room.folder.path().join("out");
    let bin = room.folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let probe = r#"echo '{"streams":[{"width":3,"height":2}],"format":{"duration":"0.2"}}'"#;
    for (name, does) in [
        ("ffmpeg", format!("cat {}", out.display())),
        ("ffprobe", probe.to_owned()),
    ] {
        let path = bin.join(name);
        crate::process::test_program::write(&path, &format!("#!/bin/sh\n{does}\n"));
    }
    let config = LibraryConfig {
        folder: room.folder.path().join("media"),
        quota: 100_000,
        search_path: Some(bin.into_os_string()),
    };
    room.library = Library::open(config).unwrap();
    let stills = [png(3, 2, b"one"), png(3, 2, b"two")];
    fs::write(&out, stills.concat()).unwrap();
    let media = room.show(&gif(3, 2)).await.unwrap();
    assert_eq!(media.degradation, None);
    assert_eq!(media.duration_ms, Positive::new(200));
    let frames = media.timeline.as_ref().unwrap().frames();
    assert_eq!(frames.len(), 2);
    for (frame, still) in frames.iter().zip(&stills) {
        let TimelineFrame::Asset { asset, duration_ms } = frame else {
            panic!("{frame:?}")
        };
        assert_eq!(duration_ms.get(), 84, "one twelfth of a second, rounded up");
        assert_eq!(&room.read(asset).await.unwrap(), still);
    }
    assert_eq!(
        room.read(media.poster.as_ref().unwrap()).await.unwrap(),
        stills[0]
    );

    fs::write(&out, b"rubbish").unwrap();
    let media = room.show(&gif(5, 2)).await.unwrap();
    assert_eq!((&media.timeline, &media.poster), (&None, &None));
    assert_eq!(media.degradation.as_deref(), Some(DEGRADATION));
}
