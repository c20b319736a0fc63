//! Every field of every record comes back as it was stored.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;
use sidewire_contract::media::{Asset, Media};
use sidewire_contract::number::Positive;

use super::*;
use crate::briefing::{Collaboration, Preset};
use crate::error::{ProviderError, TurnFailure};
use crate::message::{Notice, Part, Reference, ResultContent, Usage};
use crate::permission::Posture;
use crate::record::{Controls, ToolRow};
use crate::store::NewConversation;
use crate::tool::{Location, ToolKind};

const KINDS: [ToolKind; 3] = [ToolKind::Read, ToolKind::Execute, ToolKind::Other];
const NOTICES: [Notice; 7] = [
    Notice::HistoryTrimmed,
    Notice::GuessedWindow,
    Notice::PageTrimmed,
    Notice::AnswerClipped,
    Notice::StepLimit,
    Notice::Withheld,
    Notice::Compacted { messages: 7 },
];
const MODES: [Mode; 5] = [
    Mode::Educational,
    Mode::Presentation,
    Mode::Configuration,
    Mode::Screenshot,
    Mode::Annotation,
];
const STATES: [TurnState; 4] = [
    TurnState::Running,
    TurnState::Done,
    TurnState::Stopped,
    TurnState::Failed,
];

/// Text of all kinds: no character is special to the store.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        Just("\0".to_owned()),
        Just("\"'\\\u{2028}😀\r\n".to_owned())
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text(), inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn media() -> impl Strategy<Value = Media> {
    (text(), option::of(text()), 1..u64::MAX).prop_map(|(caption, alt, bytes)| Media {
        caption: Some(caption),
        alt,
        original: Some(Asset {
            bytes: Positive::new(bytes).unwrap(),
            ..picture().original.unwrap()
        }),
        ..picture()
    })
}

fn failure() -> impl Strategy<Value = TurnFailure> {
    let provider = |source| TurnFailure::Provider { source };
    prop_oneof![
        any::<u16>().prop_map(move |status| provider(ProviderError::Auth { status })),
        any::<u16>().prop_map(move |status| provider(ProviderError::Server { status })),
        Just(provider(ProviderError::BrokenStream)),
        Just(TurnFailure::Disposed),
        Just(TurnFailure::Storage),
    ]
}

fn usage() -> impl Strategy<Value = Usage> {
    any::<(u64, u64, Option<u64>, Option<u64>)>().prop_map(|(input, output, cached, reasoning)| Usage {
        input,
        output,
        cached,
        reasoning,
    })
}

fn tool() -> impl Strategy<Value = ToolRow> {
    (
        text(),
        text(),
        text(),
        any::<Option<bool>>(),
        any::<Option<u64>>(),
        option::of(text()),
        option::of(text()),
        (
            option::of(prop::sample::select(KINDS.to_vec())),
            vec(location(), 0..3),
        ),
    )
        .prop_map(
            |(call_id, tool, label, ok, ms, input, output, (kind, locations))| ToolRow {
                call_id,
                tool,
                label,
                ok,
                ms,
                input,
                output,
                kind,
                locations,
            },
        )
}

fn location() -> impl Strategy<Value = Location> {
    (text(), any::<Option<u32>>()).prop_map(|(path, line)| Location { path, line })
}

fn record() -> impl Strategy<Value = TurnRecord> {
    let reference = (text(), text(), text()).prop_map(|(kind, title, url)| Reference { kind, title, url });
    let page = (text(), text()).prop_map(|(title, url)| PageStub { title, url });
    let words = (text(), text(), prop::sample::select(MODES.to_vec()), any::<i64>());
    let end = (
        prop::sample::select(STATES.to_vec()),
        option::of(failure()),
        (option::of(usage()), any::<Option<u64>>()),
    );
    let shown = (
        vec(tool(), 0..3),
        vec(reference, 0..3),
        vec(media(), 0..3),
        vec(prop::sample::select(NOTICES.to_vec()), 0..3),
        option::of(page),
        option::of(text()),
    );
    (words, end, shown).prop_map(|(words, end, (tools, references, media, notices, page, model))| {
        TurnRecord {
            id: TurnId("t1".to_owned()),
            prompt: words.0,
            text: words.1,
            mode: words.2,
            started_at_ms: words.3,
            state: end.0,
            failure: end.1,
            usage: end.2.0,
            context: end.2.1,
            tools,
            references,
            media,
            notices,
            page,
            model,
        }
    })
}

fn result_content() -> impl Strategy<Value = ResultContent> {
    prop_oneof![
        text().prop_map(|text| ResultContent::Text { text }),
        (text(), text()).prop_map(|(mime_type, blob)| ResultContent::Image { mime_type, blob }),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        text().prop_map(|text| Part::Text { text }),
        (text(), option::of(text())).prop_map(|(text, signature)| Part::Reasoning { text, signature }),
        (text(), text(), value()).prop_map(|(call_id, name, arguments)| Part::ToolCall {
            call_id,
            name,
            arguments
        }),
        (text(), vec(result_content(), 0..3), any::<bool>()).prop_map(|(call_id, content, is_error)| {
            Part::ToolResult {
                call_id,
                content,
                is_error,
            }
        }),
        (text(), text()).prop_map(|(mime_type, blob)| Part::Image { mime_type, blob }),
        media().prop_map(|media| Part::Media {
            descriptor: Box::new(media)
        }),
        (text(), text(), any::<i64>()).prop_map(|(title, url, captured_at_ms)| Part::Page {
            title,
            url,
            captured_at_ms
        }),
        prop::sample::select(NOTICES.to_vec()).prop_map(|notice| Part::Notice { notice }),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let role = prop::sample::select(vec![Role::User, Role::Assistant, Role::Tool]);
    (role, vec(part(), 0..4)).prop_map(|(role, parts)| Message { role, parts })
}

fn controls() -> impl Strategy<Value = Controls> {
    let chosen = (
        prop::sample::select(vec![Preset::Light, Preset::Balanced, Preset::Delivery]),
        prop::sample::select(vec![Collaboration::Normal, Collaboration::Plan]),
        option::of(prop::sample::select(Posture::ALL.to_vec())),
    );
    (option::of(text()), option::of(text()), chosen, any::<bool>()).prop_map(
        |(model, effort, (preset, collaboration, posture), trusted)| Controls {
            model,
            effort,
            preset,
            collaboration,
            posture,
            trusted,
        },
    )
}

/// Begins a conversation of an editor, sets other controls, and reads it again.
async fn begun_and_set(folder: Option<String>, first: Controls, then: Controls) {
    let store = memory();
    let new = NewConversation {
        owner: Owner::editor(),
        origin: Origin::Editor,
        folder,
        controls: first,
    };
    let begun = store.create(new).await.unwrap();
    let read = async || store.conversation(&Owner::editor(), begun.id).await.unwrap();
    assert_eq!(read().await, begun);
    store.set_controls(begun.id, then.clone()).await.unwrap();
    let controls = Controls {
        trusted: begun.controls.trusted,
        ..then
    };
    let expected = ConversationRecord {
        controls,
        ..begun.clone()
    };
    assert_eq!(read().await, expected);
}

/// Keeps a summary and reads it again.
async fn summed_up(summary: Message) -> Option<Message> {
    let store = memory();
    let id = conversation_with(&store, "q", "a", 10).await;
    store.keep_summary(id, 1, summary).await.unwrap();
    store.past(id, HISTORY).await.unwrap().summary
}

/// Stores a turn and its messages, and reads both again.
async fn there_and_back(record: TurnRecord, messages: Vec<Message>) -> (TurnRecord, Vec<Message>) {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    let mut begin = question(id, ann(), "t1", "");
    let mut rest = messages.into_iter();
    begin.user_message = rest.next().unwrap();
    store.begin_turn(begin).await.unwrap();
    store
        .finish_turn(id, 1, ended(record, rest.collect()), 3_000)
        .await
        .unwrap();
    let mut export = store.export(None);
    export.next_item().await.unwrap();
    match export.next_item().await.unwrap() {
        Some(crate::store::ExportItem::Turn(turn)) => (turn.record, turn.messages),
        other => panic!("{other:?}"),
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(work)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_turn_and_its_messages_come_back_whole(record in record(), messages in vec(message(), 1..4)) {
        let stored = block_on(there_and_back(record.clone(), messages.clone()));
        prop_assert_eq!(stored, (record, messages));
    }

    #[test]
    fn a_conversation_of_an_editor_comes_back_whole(
        folder in option::of(text()), first in controls(), then in controls(),
    ) {
        block_on(begun_and_set(folder, first, then));
    }

    #[test]
    fn a_summary_comes_back_whole(summary in message()) {
        prop_assert_eq!(block_on(summed_up(summary.clone())), Some(summary));
    }

    #[test]
    fn any_title_hint_and_query_is_taken(title in text(), hint in text(), query in any::<String>()) {
        block_on(async {
            let store = memory();
            let id = conversation(&store, ann(), &hint).await;
            turn_at(&store, id, ("t1", &title, "x"), 10).await;
            assert_eq!(conversation(&store, ann(), &hint).await, id);
            store.search(None, &query, None, 9).await.unwrap();
            let word: String = title.chars().filter(char::is_ascii_alphanumeric).collect();
            turn_at(&store, id, ("t2", &word, "x"), 10).await;
            assert_eq!(store.search(None, &word, None, 9).await.unwrap().conversations.len(), 1);
        });
    }
}

#[tokio::test]
async fn arguments_as_deep_as_a_parser_allows_come_back() {
    // 127 levels is what serde_json accepts from a peer; a message puts them a few levels deeper.
    let deep = format!("{}1{}", "[".repeat(127), "]".repeat(127));
    let arguments: Value = serde_json::from_str(&deep).unwrap();
    let call = Part::ToolCall {
        call_id: "c".to_owned(),
        name: "n".to_owned(),
        arguments,
    };
    let messages = vec![Message {
        role: Role::Assistant,
        parts: vec![call],
    }];
    let record = answered("t1", "q", "a");
    assert_eq!(
        there_and_back(record.clone(), messages.clone()).await,
        (record, messages)
    );
}
