use std::sync::Arc;

use serde_json::{Value, json};
use sidewire_agent::feed::TurnFeed;
use sidewire_agent::ids::{Owner, TurnId, TurnKey};
use sidewire_agent::person::Nobody;
use sidewire_agent::record::{Origin, TurnRecord};
use sidewire_agent::store::{Lookup, Store};
use sidewire_contract::mode::Mode;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::media::{ImageBlock, LibraryConfig};

struct Call {
    _folder: tempfile::TempDir,
    tool: DisplayMedia,
    context: ToolCallContext,
}

async fn call(arguments: Value) -> Call {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(LibraryConfig {
        folder: folder.path().join("media"),
        quota: 1 << 20,
        search_path: None,
    })
    .unwrap();
    let store = Store::in_memory().unwrap();
    let owner = Owner("ann".to_owned());
    let lookup = Lookup {
        owner: owner.clone(),
        origin: Origin::Browser,
        hint: None,
        session_key: "tenant".to_owned(),
        tab: 1,
        browser_run: None,
        now_ms: 0,
    };
    let conversation = store.conversation_for(lookup).await.unwrap().id;
    let context = ToolCallContext {
        call_id: "call_1".to_owned(),
        arguments,
        turn: TurnKey {
            owner,
            id: TurnId("c-1".to_owned()),
        },
        conversation,
        store,
        tab: 1,
        workspace: None,
        allowed: Vec::new(),
        person: Arc::new(Nobody),
        feed: Arc::new(TurnFeed::new(record())),
        cancel: CancellationToken::new(),
    };
    Call {
        _folder: folder,
        tool: DisplayMedia::new(library),
        context,
    }
}

fn record() -> TurnRecord {
    TurnRecord::begun(TurnId("c-1".to_owned()), "", Mode::Screenshot, 0)
}

/// What the model reads when nothing can be shown.
async fn refused(arguments: Value) -> String {
    let call = call(arguments).await;
    let output = call.tool.call(call.context).await;
    assert!(output.is_error && output.media.is_empty(), "{output:?}");
    said(&output)
}

fn said(output: &ToolOutput) -> String {
    serde_json::to_value(&output.content).unwrap()[0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn an_answer_that_shows_as_much_as_it_may_says_so() {
    let call = call(json!({ "frames": [{ "text": "one", "durationMs": 400 }] })).await;
    assert!((0..1_000).any(|_| !call.context.may_show_media()));
    let output = call.tool.call(call.context).await;
    assert!(output.is_error && output.media.is_empty(), "{output:?}");
    assert_eq!(
        said(&output),
        "this answer shows as much media as it may; show more in another one"
    );
}

#[tokio::test]
async fn text_frames_are_shown_with_what_is_said_about_them() {
    let call = call(json!({
        "frames": [{ "text": "one", "durationMs": 400 }, { "text": "two", "durationMs": 600 }],
        "caption": "Counting", "alt": "numbers", "autoplay": false, "loop": true, "fpsCap": 200,
    }))
    .await;
    let output = call.tool.call(call.context).await;
    assert!(!output.is_error, "{output:?}");
    assert_eq!(said(&output), "Shown: Counting (text-timeline)");
    let media = serde_json::to_value(&output.media[0]).unwrap();
    assert_eq!(media["timeline"][1], json!({ "text": "two", "durationMs": 600 }));
    assert_eq!(
        media["playback"],
        json!({ "autoplay": false, "loop": true, "muted": true, "fpsCap": 60 })
    );
    assert_eq!(
        media["provenance"],
        json!({ "sourceType": "tool", "source": "display_media" })
    );
    assert_eq!(
        (media["alt"].as_str(), media["durationMs"].as_u64()),
        (Some("numbers"), Some(1000))
    );
}

#[tokio::test]
async fn media_of_this_conversation_is_shown_again() {
    let mut call = call(Value::Null).await;
    // The smallest GIF there is.
    let data = "R0lGODdhAQABAIAAAP///////ywAAAAAAQABAAACAkQBADs=";
    let place = Place {
        store: &call.context.store,
        conversation: call.context.conversation,
    };
    let block = ImageBlock {
        data,
        mime_type: "image/gif",
        tool: "page_screenshot",
    };
    let first = call.tool.library.ingest_image_block(place, block).await.unwrap();
    let reference = first.original.as_ref().unwrap().reference.clone();
    call.context.arguments = json!({ "source": reference.as_str(), "caption": "Again" });
    let shown = call.tool.call(call.context).await;
    assert!(!shown.is_error, "{shown:?}");
    assert_eq!(shown.media[0].caption.as_deref(), Some("Again"));
    assert_eq!(shown.media[0].id, first.id);
    assert_eq!(shown.pictures.len(), 1, "the model sees it too");
}

#[tokio::test]
async fn files_of_this_machine_are_never_opened() {
    let local =
        "local files are not shown in this conversation; use an https address or a blob:sha256: reference";
    for source in [
        "/etc/passwd",
        "picture.png",
        "../picture.png",
        "~/picture.png",
        "file:///etc/passwd",
        "C:\\picture.png",
        "c:/picture.png",
        "",
    ] {
        assert_eq!(refused(json!({ "source": source })).await, local, "{source:?}");
        let frames = json!([{ "source": source, "durationMs": 1 }]);
        assert_eq!(refused(json!({ "frames": frames })).await, local, "{source:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_shown_is_said() {
    let unknown = format!("blob:sha256:{}", "a".repeat(64));
    for (source, why) in [
        (unknown.as_str(), "shows no such file"),
        ("blob:sha256:../../etc/passwd", "shows no such file"),
        (&unknown.to_uppercase(), "https addresses only"),
        ("http://cdn.example/a.png", "https addresses only"),
        ("data:image/png;base64,AAAA", "https addresses only"),
        ("https://127.0.0.1/a.png", "not public"),
        ("https://ann:pw@cdn.example/a.png", "user or password"),
    ] {
        let text = refused(json!({ "source": source })).await;
        assert!(text.contains(why), "{source}: {text}");
    }
    let many = vec![json!({ "text": "a", "durationMs": 1 }); 721];
    assert!(
        refused(json!({ "frames": many }))
            .await
            .contains("at most 720 frames")
    );
    assert!(
        refused(json!({ "frames": [] }))
            .await
            .contains("at least one frame")
    );
}

#[tokio::test]
async fn a_stopped_turn_stops_it() {
    let call = call(json!({ "source": "https://192.0.2.1/a.png" })).await;
    call.context.cancel.cancel();
    let output = call.tool.call(call.context).await;
    assert_eq!(said(&output), "the turn was stopped");
}
