//! What editors need: conversations before their first turn, controls, folders, replay, a fresh start.

use super::*;
use crate::briefing::{Collaboration, Preset};
use crate::permission::Posture;
use crate::record::Controls;
use crate::store::NewConversation;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn editor() -> Owner {
    Owner::editor()
}

fn controls() -> Controls {
    Controls {
        model: Some("deepseek/pro".to_owned()),
        effort: Some("high".to_owned()),
        preset: Preset::Delivery,
        collaboration: Collaboration::Plan,
        posture: Some(Posture::Yolo),
        trusted: true,
    }
}

async fn session(store: &Store, folder: &str) -> ConversationId {
    let new = NewConversation {
        owner: editor(),
        origin: Origin::Editor,
        folder: Some(folder.to_owned()),
        controls: Controls::default(),
    };
    store.create(new).await.unwrap().id
}

/// A whole turn that an editor asked for.
async fn prompt_at(store: &Store, id: ConversationId, (turn, prompt): (&str, &str), now_ms: i64) {
    let begin = BeginTurn {
        now_ms,
        ..question(id, editor(), turn, prompt)
    };
    let number = store.begin_turn(begin).await.unwrap().number;
    let record = answered(turn, prompt, "answer");
    store
        .finish_turn(id, number, ended(record, reply("answer")), now_ms)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_session_is_there_before_its_first_turn_but_not_listed() {
    let store = memory();
    let id = session(&store, "/srv/app").await;
    let found = store.conversation(&editor(), id).await.unwrap();
    assert_eq!((found.folder.as_deref(), found.turns), (Some("/srv/app"), 0));
    assert_eq!(found.controls, Controls::default());
    assert_eq!(store.sessions(None, None, 9).await.unwrap().conversations, []);
    assert_eq!(store.list(None, None, 9).await.unwrap().conversations, []);
    prompt_at(&store, id, ("t1", "hello"), 10).await;
    let listed = store.sessions(None, None, 9).await.unwrap().conversations;
    assert_eq!(titles(&listed), ["hello"]);
}

#[tokio::test]
async fn controls_are_kept_and_belong_to_one_conversation() {
    let store = memory();
    let (one, other) = (session(&store, "/a").await, session(&store, "/a").await);
    store.set_controls(one, controls()).await.unwrap();
    let of = async |id| store.conversation(&editor(), id).await.unwrap().controls;
    let untrusted = Controls {
        trusted: false,
        ..controls()
    };
    assert_eq!(of(one).await, untrusted, "trust is no setting");
    store.trust(one).await.unwrap();
    assert_eq!(of(one).await, controls());
    store.set_controls(one, untrusted).await.unwrap();
    assert_eq!(of(one).await, controls());
    assert_eq!(of(other).await, Controls::default());
    let unknown = store.set_controls(ConversationId::mint(), controls()).await;
    assert!(matches!(unknown, Err(StoreError::NotFound)));
}

/// A question as an editor asks it: about no page.
fn prompt(id: ConversationId, turn: &str) -> BeginTurn {
    let mut begin = question(id, editor(), turn, "q");
    begin.turn.page = None;
    begin
}

#[tokio::test]
async fn trust_ends_when_a_browser_asks_wherever_the_conversation_began() {
    let store = memory();
    let begun_beside_a_page = conversation(&store, ann(), "chat").await;
    for (at, id) in [session(&store, "/a").await, begun_beside_a_page]
        .into_iter()
        .enumerate()
    {
        store.trust(id).await.unwrap();
        let is_kept = async || store.conversation(&editor(), id).await.unwrap().controls.trusted;
        let begin = |begin| store.begin_turn(begin);
        assert!(begin(prompt(id, &format!("e{at}"))).await.unwrap().trusted);
        assert!(is_kept().await);
        let without_page = BeginTurn {
            owner: ann(),
            ..prompt(id, &format!("b{at}"))
        };
        assert!(!begin(without_page).await.unwrap().trusted);
        assert!(!is_kept().await);
        assert!(!begin(prompt(id, &format!("f{at}"))).await.unwrap().trusted);
    }
}

#[tokio::test]
async fn an_editor_leaves_the_mode_to_the_panel() {
    let store = memory();
    let id = conversation_with(&store, "q", "a", 10).await;
    let mode = async || store.conversation(&editor(), id).await.unwrap().mode;
    assert_eq!(mode().await, Mode::Configuration);
    let mut begin = prompt(id, "e1");
    begin.turn.mode = Mode::Educational;
    store.begin_turn(begin).await.unwrap();
    assert_eq!(mode().await, Mode::Configuration);
}

#[tokio::test]
async fn the_first_prompt_names_it_on_one_line_of_eighty_characters() {
    let exact = "x".repeat(80);
    for (prompt, title) in [
        ("  Fix\n\n the\tparser ", "Fix the parser".to_owned()),
        (exact.as_str(), exact.clone()),
        (&"x".repeat(81), format!("{}…", "x".repeat(79))),
        (&"é ".repeat(60), format!("{}é…", "é ".repeat(39))),
    ] {
        let store = memory();
        let id = session(&store, "/a").await;
        prompt_at(&store, id, ("t1", prompt), 10).await;
        prompt_at(&store, id, ("t2", "another"), 20).await;
        let found = store.conversation(&editor(), id).await.unwrap();
        assert_eq!(found.title, title);
        assert!(found.title.chars().count() <= 80);
    }
}

#[tokio::test]
async fn sessions_come_newest_first_in_pages_and_by_folder() {
    let store = memory();
    let mut all = Vec::new();
    for at in 0..7_i64 {
        let id = session(&store, if at % 2 == 0 { "/even" } else { "/odd" }).await;
        // Pairs of the same age: the id decides.
        prompt_at(&store, id, (&format!("t{at}"), &format!("s{at}")), 100 + at / 2).await;
        all.push((-(at / 2), id.to_string(), format!("s{at}"), at % 2 == 0));
    }
    conversation_with(&store, "beside a page", "x", 50).await;
    all.sort();
    let expected: Vec<&str> = all
        .iter()
        .map(|row| row.2.as_str())
        .chain(["beside a page"])
        .collect();

    let (mut cursor, mut told) = (None, Vec::new());
    loop {
        let page = store.sessions(None, cursor.as_deref(), 3).await.unwrap();
        assert!(page.conversations.len() <= 3);
        told.extend(page.conversations.into_iter().map(|record| record.title));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(told, expected);

    let even: Vec<&str> = all.iter().filter(|row| row.3).map(|row| row.2.as_str()).collect();
    let found = store
        .sessions(Some("/even"), None, 9)
        .await
        .unwrap()
        .conversations;
    assert_eq!(titles(&found), even);
    assert_eq!(
        store.sessions(Some("/eve"), None, 9).await.unwrap().conversations,
        []
    );
    for cursor in ["", "1", "x.y", "1.2", "7.not-an-id"] {
        let refused = store.sessions(None, Some(cursor), 9).await;
        assert!(matches!(refused, Err(StoreError::BadCursor)), "{cursor}");
    }
}

#[tokio::test]
async fn turns_are_replayed_oldest_first_in_pages() {
    let store = memory();
    let id = session(&store, "/a").await;
    for name in ["t1", "t2", "t3"] {
        prompt_at(&store, id, (name, name), 10).await;
    }
    let numbers = async |after, limit| -> Vec<i64> {
        let turns = store.stored_turns(&editor(), id, after, limit).await.unwrap();
        turns.iter().map(|turn| turn.number).collect()
    };
    assert_eq!(numbers(0, usize::MAX).await, [1, 2, 3]);
    assert_eq!(numbers(0, 1).await, [1], "one at least");
    assert_eq!(numbers(1, usize::MAX).await, [2, 3]);
    assert_eq!(numbers(3, usize::MAX).await, [0_i64; 0]);
    let first = store.stored_turns(&editor(), id, 0, 1).await.unwrap().remove(0);
    assert_eq!(first.record.prompt, "t1");
    assert_eq!(
        first.messages,
        [
            Message::text(Role::User, "t1"),
            Message::text(Role::Assistant, "answer")
        ]
    );
}

#[tokio::test]
async fn clearing_starts_afresh_under_the_same_id() {
    let store = memory();
    let id = session(&store, "/a").await;
    store.set_controls(id, controls()).await.unwrap();
    let kept = store.conversation(&editor(), id).await.unwrap().controls;
    prompt_at(&store, id, ("t1", "secret"), 10).await;
    store
        .keep_summary(id, 1, Message::text(Role::User, "summary"))
        .await
        .unwrap();
    store.clear(id).await.unwrap();
    let found = store.conversation(&editor(), id).await.unwrap();
    assert_eq!((found.title.as_str(), found.turns), ("", 0));
    assert_eq!((found.folder.as_deref(), found.controls), (Some("/a"), kept));
    let hits = store.search(None, "secret", None, 9).await.unwrap().conversations;
    assert_eq!(hits, []);
    let begun = store
        .begin_turn(question(id, editor(), "t1", "again"))
        .await
        .unwrap();
    assert_eq!((begun.number, begun.history.len(), begun.summary), (1, 0, None));
    assert_eq!(begun.title, "again");
}

#[tokio::test]
async fn what_never_got_a_turn_goes_after_a_month() {
    let store = memory();
    let (unused, used) = (session(&store, "/a").await, session(&store, "/a").await);
    store
        .begin_turn(question(used, editor(), "t1", "hello"))
        .await
        .unwrap();
    let now = crate::session::now_ms();
    store.purge(now + 29 * DAY_MS).await.unwrap();
    store.conversation(&editor(), unused).await.unwrap();
    store.purge(now + 31 * DAY_MS).await.unwrap();
    let gone = store.conversation(&editor(), unused).await;
    assert!(matches!(gone, Err(StoreError::NotFound)));
    store.conversation(&editor(), used).await.unwrap();
}
