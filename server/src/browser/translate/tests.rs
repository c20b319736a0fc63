use serde_json::json;
use sidewire_agent::record::{PageStub, ToolRow};
use sidewire_contract::bridge::turns::TurnSnapshot;
use sidewire_contract::media::Media;
use sidewire_contract::mode::Mode;

use super::*;

/// As long as it gets: what a picture of 720 frames says of itself.
fn long_media() -> Media {
    let asset =
        json!({ "ref": format!("blob:sha256:{}", "a".repeat(64)), "mimeType": "image/jpeg", "bytes": 1 });
    let frame = json!({ "asset": asset, "durationMs": 1000 });
    serde_json::from_value(json!({
        "version": 1, "id": format!("media_{}", "a".repeat(24)), "kind": "raster-timeline",
        "timeline": vec![frame; 720],
        "provenance": { "sourceType": "tool", "source": "display_media" },
        "playback": { "autoplay": false, "loop": false, "muted": true, "fpsCap": 12 },
    }))
    .unwrap()
}

fn long_record() -> TurnRecord {
    let row = ToolRow {
        call_id: "call".to_owned(),
        tool: "tool".to_owned(),
        label: "Tool".to_owned(),
        ok: Some(true),
        ms: Some(1),
        input: Some("\u{1}".repeat(2_000)),
        output: Some("\u{1}".repeat(2_000)),
        kind: None,
        locations: Vec::new(),
    };
    TurnRecord {
        state: TurnState::Done,
        text: "\u{1}".repeat(4 * 1024 * 1024),
        tools: vec![row; 300],
        media: vec![long_media(); 20],
        page: Some(PageStub {
            title: "\u{1}".repeat(4 * 1024),
            url: "https://a.example".to_owned(),
        }),
        ..TurnRecord::begun(
            TurnId("c-1".to_owned()),
            "\u{1}".repeat(limits::CHAT_TEXT),
            Mode::Screenshot,
            1,
        )
    }
}

#[test]
fn a_record_that_has_too_much_of_everything_fits_one_frame() {
    let turn = record(long_record()).unwrap();
    assert_eq!(turn.clipped, Some(true));
    assert!(!turn.media.is_empty() && !turn.tools.is_empty() && !turn.text.is_empty());
    let snapshot = WorkerFrame::TurnSnapshot(Box::new(TurnSnapshot {
        conversation: conversation_id(sidewire_agent::ids::ConversationId::mint()).unwrap(),
        next_seq: Count::from(0_u64),
        turn,
    }));
    let bytes = snapshot.encode().len();
    assert!(bytes <= limits::BROWSER_FRAME, "{bytes}");
}
