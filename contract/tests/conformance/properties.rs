//! Mutated examples: schema and type must agree on every one.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::corpus::{BRIDGE, CHAT, Document, check_agreement, documents};
use crate::mutation::{apply, mutations_at, places};

/// Frames with the optional members that the documents' own examples leave out.
pub(crate) fn rich_examples() -> Vec<(&'static str, Value)> {
    let blob = format!("blob:sha256:{}", "0".repeat(64));
    let asset = json!({ "ref": blob, "mimeType": "video/mp4", "bytes": 9 });
    let media = json!({
        "version": 1, "id": format!("media_{}", "0".repeat(24)), "kind": "raster-timeline", "width": 2, "height": 1,
        "durationMs": 3, "caption": "a", "alt": "b", "poster": asset, "degradation": "c", "filenameHint": "d.mp4",
        "timeline": [{ "text": "e", "durationMs": 1 }, { "asset": asset, "durationMs": 2 }],
        "provenance": { "sourceType": "url", "source": "https://example.com/f" },
        "playback": { "autoplay": true, "loop": true, "muted": true, "fpsCap": 59.5 },
        "metadata": { "a.b-c_D9": "g" },
    });
    let output =
        json!({ "content": [{ "type": "image", "data": "h", "n": [1.5, null] }], "details": { "i": [1] } });
    vec![
        (
            "chat_media",
            json!({ "type": "chat_media", "id": "c-1", "media": media }),
        ),
        (
            "chat_tool_notice",
            json!({ "type": "chat_tool_notice", "id": "c-1", "tool": "t", "ok": false, "detail": "" }),
        ),
        (
            "host_tool_result",
            json!({ "type": "host_tool_result", "id": "1", "result": output, "isError": true }),
        ),
        (
            "host_tool_update",
            json!({ "type": "host_tool_update", "id": "1", "partialResult": output }),
        ),
        (
            "set_host_tools",
            json!({ "type": "set_host_tools", "tools": [{ "name": "n", "description": "d", "parameters": {}, "hidden": true }] }),
        ),
        (
            "page_context_snapshot",
            json!({
                "v": 1.0, "capturedAt": 1e20, "tabId": -1.5, "url": "", "path": "", "title": "", "ax": null, "truncated": true,
                "api": { "url": "", "status": 1e300, "resourceType": null, "body": null, "truncated": true },
            }),
        ),
    ]
}

fn bases() -> Vec<(&'static Document, String, Value)> {
    let own = documents().into_iter().flat_map(|document| {
        document
            .valid
            .iter()
            .map(move |example| (document, example.schema.clone(), example.value.clone()))
    });
    let rich = rich_examples()
        .into_iter()
        .map(|(schema, value)| (&*CHAT, schema.to_owned(), value));
    own.chain(rich).collect()
}

#[test]
fn rich_examples_are_valid() {
    for (schema, value) in rich_examples() {
        assert!(CHAT.validators[schema].is_valid(&value), "{schema}");
    }
}

/// Two tests, so that both cores have work.
#[test]
fn schema_and_type_agree_on_every_single_change_of_chat() {
    check_single_changes(&CHAT);
}

#[test]
fn schema_and_type_agree_on_every_single_change_of_bridge() {
    check_single_changes(&BRIDGE);
}

fn check_single_changes(document: &Document) {
    let mut count = 0;
    for (_, schema, base) in bases().into_iter().filter(|base| std::ptr::eq(base.0, document)) {
        check_agreement(document, &schema, &base);
        for place in places(&base) {
            for mutation in mutations_at(&base, &place) {
                let mut value = base.clone();
                apply(&mut value, &place, &mutation);
                check_agreement(document, &schema, &value);
                count += 1;
            }
        }
    }
    assert!(count > 20_000, "only {count} changes were tried");
}

#[test]
fn schema_and_type_agree_on_the_values_of_other_schemas() {
    for (_, _, base) in bases() {
        for document in [&*CHAT, &*BRIDGE] {
            for schema in document.validators.keys() {
                check_agreement(document, schema, &base);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn schema_and_type_agree_on_several_changes(
        base in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), any::<Index>()), 2..5),
    ) {
        let bases = bases();
        let (document, schema, mut value) = base.get(&bases).clone();
        for (place, mutation) in changes {
            let places = places(&value);
            let place = place.get(&places);
            let mutations = mutations_at(&value, place);
            apply(&mut value, place, mutation.get(&mutations));
        }
        check_agreement(document, &schema, &value);
    }
}
