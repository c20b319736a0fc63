use super::*;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

async fn find(store: &Store, lookup: Lookup) -> ConversationId {
    store.conversation_for(lookup).await.unwrap().id
}

#[tokio::test]
async fn a_new_conversation_is_empty_and_says_where_it_began() {
    let record = memory().conversation_for(lookup(ann(), None)).await.unwrap();
    assert_eq!(
        (record.origin, record.turns, record.title.as_str()),
        (Origin::Browser, 0, "")
    );
    assert_eq!(
        (record.session_key.as_str(), record.created_at_ms),
        ("tenant", 1_000)
    );
}

#[tokio::test]
async fn an_id_of_ours_finds_its_conversation_from_any_tab() {
    let store = memory();
    let id = find(&store, lookup(ann(), None)).await;
    let elsewhere = Lookup {
        tab: 99,
        browser_run: None,
        ..lookup(ann(), Some(&id.to_string()))
    };
    assert_eq!(find(&store, elsewhere).await, id);
}

#[tokio::test]
async fn an_id_with_another_session_key_means_another_conversation_every_time() {
    let store = memory();
    let id = find(&store, lookup(ann(), None)).await;
    let other = Lookup {
        session_key: "other".to_owned(),
        ..lookup(ann(), Some(&id.to_string()))
    };
    let first = find(&store, other.clone()).await;
    assert_ne!(first, id);
    assert_eq!(find(&store, other).await, first);
    assert_eq!(
        find(&store, lookup(ann(), Some(&id.to_string()))).await,
        id,
        "the first one is still itself"
    );
}

#[tokio::test]
async fn the_id_of_a_stranger_gives_no_access() {
    let store = memory();
    let id = find(&store, lookup(ann(), None)).await;
    let stolen = store
        .conversation_for(lookup(bob(), Some(&id.to_string())))
        .await
        .unwrap();
    assert_ne!(stolen.id, id);
    assert_eq!(stolen.owner, bob());
    assert_eq!(
        find(&store, lookup(bob(), Some(&id.to_string()))).await,
        stolen.id
    );
}

#[tokio::test]
async fn any_word_is_a_hint_and_holds_per_owner() {
    let store = memory();
    let mine = find(&store, lookup(ann(), Some("new chat"))).await;
    let much_later = Lookup {
        now_ms: 400 * DAY_MS,
        tab: 1,
        ..lookup(ann(), Some("new chat"))
    };
    assert_eq!(find(&store, much_later).await, mine);
    assert_ne!(find(&store, lookup(ann(), Some("newer chat"))).await, mine);
    assert_ne!(find(&store, lookup(bob(), Some("new chat"))).await, mine);
}

#[tokio::test]
async fn without_a_hint_every_part_of_the_place_counts() {
    let store = memory();
    let here = lookup(ann(), None);
    let places = [
        here.clone(),
        Lookup {
            tab: 8,
            ..here.clone()
        },
        Lookup {
            browser_run: Some("next run".to_owned()),
            ..here.clone()
        },
        Lookup {
            browser_run: None,
            ..here.clone()
        },
        Lookup {
            session_key: "other".to_owned(),
            ..here.clone()
        },
        lookup(bob(), None),
    ];
    let mut found = std::collections::HashSet::new();
    for place in places {
        let id = find(&store, place.clone()).await;
        assert_eq!(find(&store, place).await, id);
        assert!(found.insert(id), "two places share a conversation");
    }
    let empty_hint = lookup(ann(), Some(""));
    assert_eq!(find(&store, empty_hint).await, find(&store, here).await);
}

#[tokio::test]
async fn a_place_is_remembered_for_a_day_after_its_last_use() {
    let store = memory();
    let at = |now_ms| Lookup {
        now_ms,
        ..lookup(ann(), None)
    };
    let id = find(&store, at(0)).await;
    assert_eq!(find(&store, at(DAY_MS - 1)).await, id);
    assert_eq!(
        find(&store, at(2 * DAY_MS - 2)).await,
        id,
        "the use before has prolonged it"
    );
    assert_ne!(find(&store, at(3 * DAY_MS - 2)).await, id);
}

#[tokio::test]
async fn a_deleted_conversation_is_not_found_by_id_or_name() {
    let store = memory();
    let id = conversation(&store, ann(), "chat").await;
    store.delete(&ann(), id, 2_000).await.unwrap();
    let by_name = find(&store, lookup(ann(), Some("chat"))).await;
    let by_id = find(&store, lookup(ann(), Some(&id.to_string()))).await;
    assert!(by_name != id && by_id != id);
}
