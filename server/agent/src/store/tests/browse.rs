use super::*;

#[tokio::test]
async fn a_list_shows_own_conversations_with_turns_newest_first() {
    let store = memory();
    conversation_with(&store, "old", "a", 10).await;
    conversation_with(&store, "new", "a", 30).await;
    conversation_with(&store, "middle", "a", 20).await;
    conversation(&store, ann(), "empty").await;
    let bobs = conversation(&store, bob(), "chat").await;
    store
        .begin_turn(question(bobs, bob(), "t", "bob's"))
        .await
        .unwrap();

    let page = store.list(Some(&ann()), None, 10).await.unwrap();
    assert_eq!(titles(&page.conversations), ["new", "middle", "old"]);
    assert_eq!(page.next, None);
    let all = store.list(None, None, 10).await.unwrap();
    assert_eq!(titles(&all.conversations), ["bob's", "new", "middle", "old"]);
}

#[tokio::test]
async fn pages_stay_in_step_while_rows_come_in() {
    let store = memory();
    // Two of the same moment: the cursor must tell them apart.
    for (name, at) in [("a", 10), ("b", 20), ("c", 20), ("d", 30)] {
        conversation_with(&store, name, "x", at).await;
    }
    let first = store.list(Some(&ann()), None, 2).await.unwrap();
    assert_eq!(titles(&first.conversations), ["d", "c"]);
    conversation_with(&store, "newcomer", "x", 40).await;
    let second = store.list(Some(&ann()), first.next.as_deref(), 2).await.unwrap();
    assert_eq!(titles(&second.conversations), ["b", "a"]);
    assert_eq!(second.next, None);
}

#[tokio::test]
async fn a_made_up_cursor_is_an_error() {
    let store = memory();
    let id = conversation_with(&store, "a", "x", 10).await;
    for cursor in ["", "1", "1.", "a.b", "1.2.3", "9999999999999999999999.1"] {
        let page = store.list(None, Some(cursor), 2).await;
        assert!(matches!(page, Err(StoreError::BadCursor)), "{cursor:?}");
    }
    let page = store.transcript(&ann(), id, Some("x"), 100).await;
    assert!(matches!(page, Err(StoreError::BadCursor)));
}

#[tokio::test]
async fn search_looks_at_titles_questions_and_answers() {
    let store = memory();
    let pools = conversation_with(&store, "Which pools?", "There are two origin pools.", 10).await;
    conversation_with(&store, "Zürich latency", "It is 20 ms.", 20).await;
    store
        .rename(&ann(), pools, "Origins of http-lb-01")
        .await
        .unwrap();
    let cases: [(&str, &[&str]); 12] = [
        ("which POOLS", &["Origins of http-lb-01"]),
        ("two origin", &["Origins of http-lb-01"]),
        ("http-lb-01", &["Origins of http-lb-01"]),
        ("orig", &["Origins of http-lb-01"]),
        ("zurich", &["Zürich latency"]),
        ("2", &["Zürich latency"]),
        ("", &["Zürich latency", "Origins of http-lb-01"]),
        ("  ", &["Zürich latency", "Origins of http-lb-01"]),
        ("?!", &[]),
        ("pools zurich", &[]),
        ("rigins", &[]),
        ("bob", &[]),
    ];
    for (query, expected) in cases {
        let page = store.search(Some(&ann()), query, None, 10).await.unwrap();
        assert_eq!(titles(&page.conversations), expected, "{query:?}");
        assert!(
            store
                .search(Some(&bob()), query, None, 10)
                .await
                .unwrap()
                .conversations
                .is_empty()
        );
    }
}

#[tokio::test]
async fn no_sign_in_a_query_is_an_operator() {
    let store = memory();
    conversation_with(&store, "plain words", "x", 10).await;
    let queries = [
        "\"",
        "\"\"",
        "a\"b",
        "words*",
        "NOT words",
        "words OR",
        "AND",
        "NEAR(words)",
        "title:words",
        "^words",
        "-words",
        "(words",
        "words)",
        "{x}",
        "x + y",
        "'; DROP TABLE turn; --",
        "wor\0ds",
        "%",
        "_",
        "\u{202e}words",
        "\\",
    ];
    for query in queries {
        store
            .search(None, query, None, 10)
            .await
            .unwrap_or_else(|error| panic!("{query:?}: {error}"));
    }
    let page = store.search(None, "plain NOT words", None, 10).await.unwrap();
    assert!(page.conversations.is_empty(), "NOT is a word like any other");
    let page = store.search(None, "w\"ords", None, 10).await.unwrap();
    assert!(
        page.conversations.is_empty(),
        "the quote parts it in two words side by side"
    );
    let many = "plain ".repeat(10_000);
    assert_eq!(
        store
            .search(None, &many, None, 10)
            .await
            .unwrap()
            .conversations
            .len(),
        1
    );
}

#[tokio::test]
async fn search_pages_like_a_list_and_forgets_what_is_deleted() {
    let store = memory();
    for (name, at) in [("pool a", 10), ("pool b", 20), ("pool c", 30)] {
        conversation_with(&store, name, "x", at).await;
    }
    let first = store.search(None, "pool", None, 2).await.unwrap();
    assert_eq!(titles(&first.conversations), ["pool c", "pool b"]);
    let last = store
        .search(None, "pool", first.next.as_deref(), 2)
        .await
        .unwrap();
    assert_eq!(titles(&last.conversations), ["pool a"]);

    let gone = first.conversations[0].id;
    store.delete(&ann(), gone, 40).await.unwrap();
    let left = store.search(None, "pool", None, 9).await.unwrap();
    assert_eq!(titles(&left.conversations), ["pool b", "pool a"]);
}

#[tokio::test]
async fn a_running_turn_is_found_by_its_title_and_an_ended_one_by_its_last_text_only() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    ask(&store, id, "t1", "heading").await;
    let hits = async |query: &str| {
        store
            .search(None, query, None, 9)
            .await
            .unwrap()
            .conversations
            .len()
    };
    assert_eq!(hits("heading").await, 1);
    let partial = TurnRecord {
        text: "draft".to_owned(),
        ..running("t1", "heading")
    };
    assert!(store.save_partial(id, 1, so_far(partial, reply("draft"))));
    store
        .finish_turn(
            id,
            1,
            ended(answered("t1", "heading", "final"), reply("final")),
            3_000,
        )
        .await
        .unwrap();
    assert_eq!((hits("draft").await, hits("final").await), (0, 1));
    store
        .finish_turn(
            id,
            1,
            ended(answered("t1", "heading", "revised"), reply("revised")),
            3_000,
        )
        .await
        .unwrap();
    assert_eq!((hits("final").await, hits("revised").await), (0, 1));
}

#[tokio::test]
async fn a_transcript_is_paged_from_its_end_by_bytes() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    for name in ["t1", "t2", "t3", "t4"] {
        turn_at(&store, id, (name, name, &"x".repeat(1_000)), 2_000).await;
    }
    let size = serde_json::to_string(&answered("t1", "t1", &"x".repeat(1_000)))
        .unwrap()
        .len();
    let mut seen = Vec::new();
    let mut cursor = None;
    for expected in [vec!["t3", "t4"], vec!["t1", "t2"]] {
        let page = store
            .transcript(&ann(), id, cursor.as_deref(), 2 * size)
            .await
            .unwrap();
        let ids: Vec<String> = page.turns.iter().map(|turn| turn.id.0.clone()).collect();
        assert_eq!(ids, expected);
        seen.extend(ids);
        cursor = page.before;
    }
    assert_eq!((seen.len(), cursor), (4, None));
    let tiny = store.transcript(&ann(), id, None, 1).await.unwrap();
    assert_eq!(tiny.turns.len(), 1, "one turn at least");
    assert_eq!(tiny.conversation.id, id);
    let short = store.transcript(&ann(), id, None, 2 * size - 1).await.unwrap();
    assert_eq!(short.turns.len(), 1);
    assert_eq!(short.before.as_deref(), Some("4"));
}

#[tokio::test]
async fn nobody_reads_a_strangers_conversation() {
    let store = memory();
    let id = conversation_with(&store, "secret", "x", 10).await;
    assert!(matches!(
        store.conversation(&bob(), id).await,
        Err(StoreError::NotFound)
    ));
    assert!(matches!(
        store.transcript(&bob(), id, None, 100).await,
        Err(StoreError::NotFound)
    ));
}
