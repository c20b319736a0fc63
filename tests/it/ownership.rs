//! Whose a conversation is: another client reaches nothing of it, and a private window leaves nothing behind.

use sidewire_contract::bridge::conversations::RequestErrorCode;
use sidewire_contract::chat::{ChatRequest, ChatStop};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::{ChatId, ConversationId};
use sidewire_tests::requests::{
    ask, branch, delete, delete_everything, get, list, refusal, rename, restore, search,
};
use sidewire_tests::{
    Client, Gate, Home, Identity, NativeHost, Peer, Script, ScriptedModel, canary_page, play, question,
    until_quiet,
};

use crate::resume::resume;

/// Everything that another client might try with a conversation and its running turn.
async fn check_stranger_reaches_nothing(stranger: &mut impl Peer, conversation: &ConversationId) {
    assert_eq!(list(stranger, None).await.items, []);
    assert_eq!(search(stranger, "secret").await, []);
    for frame in [
        get(conversation, None),
        rename(conversation, "mine"),
        delete(conversation),
        restore(conversation),
        branch(conversation, "c-1"),
    ] {
        let kind = frame.frame_type();
        assert_eq!(
            refusal(&stranger.call(frame).await),
            Some(RequestErrorCode::NotFound),
            "{kind}"
        );
    }
    stranger.send(resume(&["c-1"])).await;
    let frames = stranger.receive_only(1).await;
    assert!(
        matches!(frames.as_slice(), [WorkerFrame::TurnUnknown(_)]),
        "{frames:?}"
    );
    stranger
        .send(ClientFrame::ChatStop(ChatStop {
            id: ChatId::new("c-1").unwrap(),
        }))
        .await;
    assert_eq!(until_quiet(stranger).await, []);
    // Naming it only makes a conversation of one's own.
    let own = ask(stranger, conversation.as_str(), "c-x", "hello").await;
    assert_ne!(&own, conversation);
}

#[tokio::test]
async fn s20_another_client_reaches_nothing_of_a_conversation() {
    let gate = Gate::new();
    let model =
        ScriptedModel::playing(Script::stream().text("secret ").wait(&gate).text("words").done()).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut owner = worker.client().await;
    owner
        .send(ClientFrame::ChatRequest(Box::new(question("c-1", "secret?"))))
        .await;
    let WorkerFrame::TurnAccepted(accepted) = owner.receive().await else {
        panic!("not accepted")
    };
    let extension = worker.paired(&home).await;
    check_stranger_reaches_nothing(&mut worker.client_as(&extension).await, &accepted.conversation).await;
    let mut host = NativeHost::start(&home);
    host.introduce(&Identity::local(worker.secret)).await;
    check_stranger_reaches_nothing(&mut host, &accepted.conversation).await;
    gate.open();
    let mut text = String::new();
    loop {
        match owner.receive().await {
            WorkerFrame::ChatDelta(delta) => text.push_str(&delta.delta),
            WorkerFrame::ChatDone(_) => break,
            WorkerFrame::TurnReport(report) => assert_eq!(report.stopped, None, "nobody else could stop it"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(text, "secret words");
}

#[tokio::test]
async fn delete_all_leaves_others_alone() {
    let home = Home::new();
    let worker = home.worker().await;
    let (mut one, mut other) = (worker.client().await, worker.client().await);
    ask(&mut one, "a", "c-1", "CANARY-mine").await;
    ask(&mut other, "a", "c-1", "theirs").await;
    assert_eq!(refusal(&one.call(delete_everything()).await), None);
    assert_eq!(list(&mut one, None).await.items, []);
    assert_eq!(list(&mut other, None).await.items.len(), 1);
    // Not even in the free pages of the database.
    home.assert_nowhere("CANARY-mine");
}

async fn converse_privately(mut client: Client) {
    let request = ChatRequest {
        context: Some(canary_page("CANARY-PAGE")),
        ..question("c-1", "CANARY-QUESTION?")
    };
    let turn = play(&mut client, request).await;
    assert_eq!(turn.text, "CANARY-ANSWER");
    assert_eq!(
        list(&mut client, None).await.items.len(),
        1,
        "it lives as long as the window"
    );
    // Whatever is written late has been written once an ordinary turn is stored.
    client.vanish();
}

#[tokio::test]
async fn of_a_private_window_nothing_is_on_the_disk() {
    let model = ScriptedModel::playing(Script::says("CANARY-ANSWER")).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.paired(&home).await;
    converse_privately(worker.client_as(&identity.clone().private()).await).await;
    let mut open = worker.client_as(&identity).await;
    assert_eq!(
        list(&mut open, None).await.items,
        [],
        "the ordinary window of the same browser sees nothing of it"
    );
    play(&mut open, question("c-2", "ORDINARY?")).await;
    home.until_stored("ORDINARY").await;
    home.assert_nowhere("CANARY");
    worker.end().await;
    home.assert_nowhere("CANARY");
}
