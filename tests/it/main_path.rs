//! The one job, over every transport: ask about a page, read a streamed answer.

use sidewire_contract::chat::ChatRequest;
use sidewire_contract::turn::Reference;
use sidewire_tests::{
    Home, Identity, NativeHost, Peer, Script, ScriptedModel, page, play, question, until_quiet,
};

fn about_the_page(id: &str, text: &str) -> ChatRequest {
    ChatRequest {
        context: Some(page()),
        ..question(id, text)
    }
}

/// Asks the example of the contract and gets an answer of three pieces with a link.
async fn check_with_a_model(peer: &mut impl Peer, model: &ScriptedModel) {
    let pieces = [
        "This LB ",
        "routes traffic; ",
        "see [HTTP LB](https://docs.cloud.f5.com/docs/how-to).",
    ];
    model.script(Script::stream().texts(pieces).done());
    let turn = play(peer, about_the_page("c-1111", "What does this load balancer do?")).await;
    assert_eq!(turn.text, pieces.concat());
    let accepted = turn.accepted.as_ref().unwrap();
    assert_eq!(accepted.model, "scripted");
    assert_eq!(accepted.title, "What does this load balancer do?");
    let report = turn.report.as_ref().unwrap();
    assert_eq!((report.model.as_str(), report.stopped), ("scripted", None));
    let usage = report.usage.unwrap();
    assert_eq!((usage.input_tokens.get(), usage.output_tokens.get()), (11, 7));
    let url = "https://docs.cloud.f5.com/docs/how-to".to_owned();
    assert_eq!(
        turn.references,
        [Reference {
            kind: "doc".into(),
            title: "HTTP LB".into(),
            url
        }]
    );
    assert_eq!((turn.notices.as_slice(), turn.error), ([].as_slice(), None));
    let asked = model.request(0).await;
    assert!(
        asked.question().contains("lb1.example.com"),
        "the page reaches the model: {}",
        asked.question()
    );
}

/// The same without any model: the answer comes from the page itself.
async fn check_offline(peer: &mut impl Peer) {
    let turn = play(
        peer,
        about_the_page("c-1", "Which domains does this load balancer have?"),
    )
    .await;
    assert!(turn.text.contains("lb1.example.com"), "{}", turn.text);
    assert_eq!(
        turn.report.as_ref().map(|report| report.model.clone()),
        turn.accepted.as_ref().map(|a| a.model.clone())
    );
    assert!(turn.deltas > 1, "it streams like a model");
    assert_eq!(turn.error, None);
}

#[tokio::test]
async fn a_local_client_asks_a_model() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    assert!(!client.welcome().model.offline);
    check_with_a_model(&mut client, &model).await;
}

#[tokio::test]
async fn a_local_client_asks_without_a_model() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    assert!(
        client.welcome().model.offline,
        "the client is told that nothing answers but the page"
    );
    check_offline(&mut client).await;
}

#[tokio::test]
async fn a_paired_extension_asks_a_model() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let extension = worker.paired(&home).await;
    let mut client = worker.client_as(&extension).await;
    check_with_a_model(&mut client, &model).await;
}

#[tokio::test]
async fn a_paired_extension_asks_without_a_model() {
    let home = Home::new();
    let worker = home.worker().await;
    let extension = worker.paired(&home).await;
    check_offline(&mut worker.client_as(&extension).await).await;
}

#[tokio::test]
async fn an_extension_asks_a_model_over_native_messaging() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut host = NativeHost::start(&home);
    let ack = host.introduce(&Identity::local(worker.secret)).await;
    assert!(!ack.model.offline);
    check_with_a_model(&mut host, &model).await;
}

#[tokio::test]
async fn an_extension_asks_without_a_model_over_native_messaging() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut host = NativeHost::start(&home);
    host.introduce(&Identity::local(worker.secret)).await;
    check_offline(&mut host).await;
}

#[tokio::test]
async fn thinking_shows_as_signs_of_life_and_never_as_text() {
    let thinking = Script::stream().thinks("PRIVATE THOUGHT").text("Answer.").done();
    let model = ScriptedModel::playing(thinking).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let turn = play(&mut worker.client().await, question("c-1", "Why?")).await;
    assert_eq!(turn.keepalives, 1);
    assert_eq!(turn.done(), "Answer.");
}

#[tokio::test]
async fn what_is_not_there_is_answered_all_the_same() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let blob = format!("blob:sha256:{}", "a".repeat(64));
    let read = format!(r#"{{"type":"media_asset_read","requestId":"m","ref":"{blob}"}}"#);
    client.send_text(&read).await;
    let answer = client.receive_text().await.unwrap();
    assert!(answer.contains("asset-unavailable"), "{answer}");
    assert_eq!(until_quiet(&mut client).await, []);
}
