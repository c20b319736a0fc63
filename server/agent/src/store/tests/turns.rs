use super::*;
use crate::error::TurnFailure;
use crate::store::worker::QUEUE;

#[tokio::test]
async fn a_turn_is_stored_from_question_to_end() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    let begun = ask(&store, id, "t1", "\n  How many pools?\nTell me.").await;
    assert_eq!(
        (begun.number, begun.title.as_str(), begun.history_cut),
        (1, "How many pools?", false)
    );
    assert!(begun.history.is_empty());

    let place = store.conversation(&ann(), id).await.unwrap();
    assert_eq!((place.turns, place.updated_at_ms), (1, 2_000));
    assert_eq!(
        (place.mode, place.host.as_deref()),
        (Mode::Configuration, Some("console.example"))
    );

    store
        .finish_turn(id, 1, ended(answered("t1", "q", "Two."), reply("Two.")), 3_000)
        .await
        .unwrap();
    assert_eq!(turns(&store, id).await, [answered("t1", "q", "Two.")]);
    assert_eq!(store.conversation(&ann(), id).await.unwrap().updated_at_ms, 3_000);
    let found = store.turn(&ann(), &TurnId("t1".to_owned())).await.unwrap();
    assert_eq!(found, Some((id, answered("t1", "q", "Two."))));
    assert_eq!(store.turn(&bob(), &TurnId("t1".to_owned())).await.unwrap(), None);
}

#[tokio::test]
async fn a_turn_without_a_page_keeps_title_and_host() {
    let store = memory();
    let id = conversation_with(&store, "first", "a", 2_000).await;
    let mut begin = question(id, ann(), "t2", "second");
    begin.turn.page = None;
    assert_eq!(store.begin_turn(begin).await.unwrap().title, "first");
    assert_eq!(
        store.conversation(&ann(), id).await.unwrap().host.as_deref(),
        Some("console.example")
    );
}

#[tokio::test]
async fn a_title_is_one_clean_line_cut_at_a_character() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    let begun = ask(&store, id, "t1", &format!(" a\t\u{7} b{}", "é".repeat(500))).await;
    assert_eq!(begun.title, format!("a b{}", "é".repeat(77)));
}

#[tokio::test]
async fn an_owner_uses_a_turn_id_once() {
    let store = memory();
    let first = conversation_with(&store, "t1", "a", 2_000).await;
    let other = conversation(&store, ann(), "other").await;
    let again = store.begin_turn(question(other, ann(), "t1", "again")).await;
    let Err(BeginError::Duplicate { conversation, turn }) = again else {
        panic!("{again:?}")
    };
    assert_eq!((conversation, turn.text.as_str()), (first, "a"));
    assert!(turns(&store, other).await.is_empty());
    assert_eq!(store.conversation(&ann(), other).await.unwrap().turns, 0);

    let bobs = super::conversation(&store, bob(), "chat").await;
    store
        .begin_turn(question(bobs, bob(), "t1", "mine"))
        .await
        .unwrap();
}

#[tokio::test]
async fn nobody_begins_a_turn_in_a_strangers_or_deleted_conversation() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    let strange = store.begin_turn(question(id, bob(), "t1", "q")).await;
    assert!(matches!(strange, Err(BeginError::Store(StoreError::NotFound))));
    store.delete(&ann(), id, 2_000).await.unwrap();
    let deleted = store.begin_turn(question(id, ann(), "t1", "q")).await;
    assert!(matches!(deleted, Err(BeginError::Store(StoreError::NotFound))));
}

#[tokio::test]
async fn history_is_the_newest_turns_that_fit_oldest_first() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    for name in ["t1", "t2", "t3"] {
        turn_at(&store, id, (name, name, &"x".repeat(1_000)), 2_000).await;
    }
    let begin = |name: &str, history_bytes| BeginTurn {
        history_bytes,
        ..question(id, ann(), name, name)
    };

    let begun = store.begin_turn(begin("t4", 2_500)).await.unwrap();
    let numbers: Vec<i64> = begun.history.iter().map(|turn| turn.number).collect();
    assert_eq!((begun.number, numbers, begun.history_cut), (4, vec![2, 3], true));
    let newest = begun.history.last().unwrap();
    assert_eq!(
        newest.messages,
        [
            Message::text(Role::User, "t3"),
            reply(&"x".repeat(1_000))[0].clone()
        ]
    );

    store
        .finish_turn(id, 4, ended(answered("t4", "t4", "a"), reply("a")), 2_000)
        .await
        .unwrap();
    let begun = store.begin_turn(begin("t5", 0)).await.unwrap();
    assert!(begun.history.is_empty() && begun.history_cut);
}

#[tokio::test]
async fn messages_that_are_kept_stay_while_those_behind_them_are_replaced() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    ask(&store, id, "t1", "q").await;
    for (kept, messages) in [
        (0, [reply("one"), reply("tw")].concat()),
        (1, [reply("two"), reply("thr")].concat()),
        (2, reply("three")),
    ] {
        let partial = PartialTurn {
            record: running("t1", "q"),
            kept,
            messages,
        };
        assert!(store.save_partial(id, 1, partial));
    }
    let begun = ask(&store, id, "t2", "q2").await;
    let texts: Vec<String> = begun.history[0]
        .messages
        .iter()
        .map(Message::plain_text)
        .collect();
    assert_eq!(texts, ["q", "one", "two", "three"]);
}

#[tokio::test]
async fn a_partial_answer_is_replaced_by_the_next_and_by_the_end() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    ask(&store, id, "t1", "q").await;
    for text in ["T", "Tw"] {
        let partial = TurnRecord {
            text: text.to_owned(),
            ..running("t1", "q")
        };
        assert!(store.save_partial(id, 1, so_far(partial, reply(text))));
    }
    store.purge(0).await.unwrap();
    assert_eq!(turns(&store, id).await[0].text, "Tw");

    store
        .finish_turn(id, 1, ended(answered("t1", "q", "Two."), reply("Two.")), 3_000)
        .await
        .unwrap();
    let late = TurnRecord {
        text: "T".to_owned(),
        ..running("t1", "q")
    };
    assert!(store.save_partial(id, 1, so_far(late, reply("T"))));
    let begun = ask(&store, id, "t2", "q2").await;
    assert_eq!(
        begun.history[0].messages,
        [Message::text(Role::User, "q"), reply("Two.")[0].clone()]
    );
    assert_eq!(begun.history[0].record, answered("t1", "q", "Two."));
}

#[tokio::test]
async fn a_full_queue_refuses_partial_answers_and_lets_the_end_wait() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    ask(&store, id, "t1", "q").await;
    let (release, held) = std::sync::mpsc::sync_channel::<()>(0);
    let (entered, wait) = std::sync::mpsc::sync_channel::<()>(0);
    assert!(store.inner.writer.try_run(move |_| {
        entered.send(()).unwrap();
        held.recv().unwrap();
    }));
    wait.recv().unwrap();
    let partial = |text: &str| TurnRecord {
        text: text.to_owned(),
        ..running("t1", "q")
    };
    for _ in 0..QUEUE {
        assert!(store.save_partial(id, 1, so_far(partial("T"), reply("T"))));
    }
    assert!(!store.save_partial(id, 1, so_far(partial("no room"), reply("no room"))));

    let end = store.finish_turn(id, 1, ended(answered("t1", "q", "Two."), reply("Two.")), 3_000);
    let free = async { release.send(()).unwrap() };
    let (end, ()) = tokio::join!(end, free);
    end.unwrap();
    assert_eq!(turns(&store, id).await[0].text, "Two.");
}

#[tokio::test]
async fn the_end_of_a_turn_that_is_gone_says_so() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    ask(&store, id, "t1", "q").await;
    store.delete_all(Some(&ann())).await.unwrap();
    let end = store
        .finish_turn(id, 1, ended(answered("t1", "q", "a"), reply("a")), 3_000)
        .await;
    assert!(matches!(end, Err(StoreError::NotFound)));
}

#[tokio::test]
async fn a_turn_left_running_ends_when_the_next_one_begins() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    ask(&store, id, "t1", "q").await;
    let partial = TurnRecord {
        text: "half".to_owned(),
        ..running("t1", "q")
    };
    assert!(store.save_partial(id, 1, so_far(partial, reply("half"))));
    let begun = ask(&store, id, "t2", "q2").await;
    let dead = &begun.history[0].record;
    assert_eq!(
        (dead.state, &dead.failure),
        (TurnState::Failed, &Some(TurnFailure::Disposed))
    );
    assert_eq!(dead.text, "half");
}

#[tokio::test]
async fn a_full_disk_changes_nothing_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), "test").unwrap();
    let id = conversation(&store, ann(), "chat").await;
    ask(&store, id, "t1", "q").await;
    let partial = TurnRecord {
        text: "half".to_owned(),
        ..running("t1", "q")
    };
    assert!(store.save_partial(id, 1, so_far(partial.clone(), reply("half"))));
    let limit: Result<(), StoreError> = store
        .inner
        .writer
        .run(|connection| {
            let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
            Ok(connection.pragma_update_and_check(None, "max_page_count", pages, |_row| Ok(()))?)
        })
        .await;
    limit.unwrap();

    let long = "x".repeat(1_000_000);
    let end = store
        .finish_turn(id, 1, ended(answered("t1", "q", &long), reply(&long)), 3_000)
        .await;
    assert!(matches!(end, Err(StoreError::Full)), "{end:?}");
    assert_eq!(turns(&store, id).await, [partial]);
}
