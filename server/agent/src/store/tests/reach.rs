//! Who reaches what: an editor everything, a browser its own and the editor's, never another browser's.

use super::*;
use crate::record::Controls;
use crate::store::NewConversation;

/// A conversation of this owner with one turn.
async fn of(store: &Store, owner: Owner) -> ConversationId {
    let id = if owner == Owner::editor() {
        let new = NewConversation {
            owner: owner.clone(),
            origin: Origin::Editor,
            folder: Some("/a".to_owned()),
            controls: Controls::default(),
        };
        store.create(new).await.unwrap().id
    } else {
        conversation(store, owner.clone(), "chat").await
    };
    let name = owner.0.clone();
    let begun = store.begin_turn(question(id, owner, "t1", &name)).await.unwrap();
    store
        .finish_turn(
            id,
            begun.number,
            ended(answered("t1", &name, "word"), reply("word")),
            10,
        )
        .await
        .unwrap();
    id
}

/// Does with a conversation whatever an owner may do; true when everything was allowed, false when nothing was.
async fn reaches(store: &Store, owner: &Owner, id: ConversationId) -> bool {
    let turn = format!("{id} asked by {owner}");
    let tries = [
        store.conversation(owner, id).await.is_ok(),
        store.transcript(owner, id, None, usize::MAX).await.is_ok(),
        store.stored_turns(owner, id, 0, usize::MAX).await.is_ok(),
        store.rename(owner, id, "renamed").await.is_ok(),
        store.branch(owner, id, &TurnId("t1".to_owned()), 5).await.is_ok(),
        store
            .begin_turn(question(id, owner.clone(), &turn, "q"))
            .await
            .is_ok(),
        store.delete(owner, id, 1_000).await.is_ok(),
        store.restore(owner, id).await.is_ok(),
    ];
    let [first, rest @ ..] = tries;
    assert!(rest.iter().all(|one| *one == first), "{owner}: {tries:?}");
    first
}

#[tokio::test]
async fn everybody_reaches_their_own_and_the_editors_and_the_editor_everything() {
    let store = memory();
    let owners = [ann(), bob(), Owner::editor()];
    let mut conversations = Vec::new();
    for owner in &owners {
        conversations.push((owner.clone(), of(&store, owner.clone()).await));
    }
    for owner in &owners {
        let listed = store.list(Some(owner), None, 99).await.unwrap().conversations;
        let found = store
            .search(Some(owner), "word", None, 99)
            .await
            .unwrap()
            .conversations;
        for (of, id) in &conversations {
            let expected = owner == of || [owner, of].contains(&&Owner::editor());
            assert_eq!(
                listed.iter().any(|row| row.id == *id),
                expected,
                "{owner} lists {of}"
            );
            assert_eq!(
                found.iter().any(|row| row.id == *id),
                expected,
                "{owner} finds {of}"
            );
            assert_eq!(reaches(&store, owner, *id).await, expected, "{owner} uses {of}");
        }
    }
}

#[tokio::test]
async fn a_branch_belongs_to_who_made_it() {
    let store = memory();
    let id = of(&store, Owner::editor()).await;
    let branch = store
        .branch(&ann(), id, &TurnId("t1".to_owned()), 5)
        .await
        .unwrap();
    assert_eq!((branch.owner, branch.branch_of), (ann(), Some(id)));
}

#[tokio::test]
async fn a_panel_goes_on_in_an_editors_conversation_whatever_its_page() {
    let store = memory();
    let (mine, editors) = (of(&store, ann()).await, of(&store, Owner::editor()).await);
    let find = async |id: ConversationId, session_key: &str| {
        let lookup = Lookup {
            session_key: session_key.to_owned(),
            ..lookup(ann(), Some(&id.to_string()))
        };
        store.conversation_for(lookup).await.unwrap().id
    };
    assert_eq!(find(editors, "tenant").await, editors);
    assert_eq!(find(editors, "another tenant").await, editors);
    assert_eq!(find(mine, "tenant").await, mine);
    assert_ne!(find(mine, "another tenant").await, mine);
}

#[tokio::test]
async fn deleting_everything_of_a_browser_leaves_the_editors() {
    let store = memory();
    let (mine, editors) = (of(&store, ann()).await, of(&store, Owner::editor()).await);
    store.delete_all(Some(&ann())).await.unwrap();
    let gone = store.conversation(&Owner::editor(), mine).await;
    assert!(matches!(gone, Err(StoreError::NotFound)));
    store.conversation(&ann(), editors).await.unwrap();
}
