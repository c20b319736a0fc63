//! The conversations of a client: listed, searched, read in pages, renamed, deleted, branched.

use sidewire_contract::bridge::conversations::{ConversationTranscript, RequestErrorCode};
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::limits;
use sidewire_contract::reason::ErrorReason;
use sidewire_contract::turn::TurnState;
use sidewire_tests::requests::{
    ask, branch, delete, get, list, named, refusal, rename, restore, search, transcript,
};
use sidewire_tests::{
    Gate, Home, Peer, Script, ScriptedModel, canary_page, next_millisecond, play, question,
};

fn prompts(transcript: &ConversationTranscript) -> Vec<&str> {
    transcript.turns.iter().map(|turn| turn.prompt.as_str()).collect()
}

#[tokio::test]
async fn conversations_are_listed_newest_first_with_what_a_row_shows() {
    let gate = Gate::new();
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let first = ask(&mut client, "a", "c-1", "The first question").await;
    let second = ask(&mut client, "b", "c-2", "The second question").await;
    next_millisecond().await;
    model.script(Script::stream().wait(&gate).text("x").done());
    client
        .send(ClientFrame::ChatRequest(Box::new(named("a", "c-3", "And more"))))
        .await;
    model.request(2).await;
    let WorkerFrame::TurnAccepted(_) = client.receive().await else {
        panic!("not accepted")
    };
    let items = list(&mut client, None).await.items;
    assert_eq!(
        items.iter().map(|item| &item.id).collect::<Vec<_>>(),
        [&first, &second]
    );
    let row = &items[0];
    assert_eq!(
        (row.title.as_str(), row.turns.get(), row.running),
        ("The first question", 2, true)
    );
    assert!(!items[1].running);
    gate.open();
}

#[tokio::test]
async fn a_long_list_comes_in_pages_without_a_gap() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let mut expected = Vec::new();
    for number in 0..55 {
        expected.push(
            ask(
                &mut client,
                &format!("n{number}"),
                &format!("c-{number}"),
                "What?",
            )
            .await,
        );
    }
    expected.reverse();
    let mut listed = Vec::new();
    let mut cursor = None;
    loop {
        let page = list(&mut client, cursor).await;
        assert!(!page.items.is_empty() && page.items.len() <= 50);
        listed.extend(page.items.into_iter().map(|item| item.id));
        cursor = page.cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(listed, expected);
}

#[tokio::test]
async fn search_finds_words_of_question_answer_and_title() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    model.script(Script::says("The zebra answers."));
    let first = ask(&mut client, "a", "c-1", "A question about origin pools").await;
    let second = ask(&mut client, "b", "c-2", "Something else").await;
    client.call(rename(&second, "Certificates")).await;
    let rows = [
        ("origin", vec![&first]),
        ("ZEBRA", vec![&first]),
        ("certificates", vec![&second]),
        ("unicorn", vec![]),
    ];
    for (words, expected) in rows {
        assert_eq!(
            search(&mut client, words).await.iter().collect::<Vec<_>>(),
            expected,
            "{words}"
        );
    }
    // What a query language would choke on is only words here.
    for odd in [
        "\"",
        "a AND",
        "*",
        "%",
        "'; DROP TABLE conversation; --",
        "(",
        "-",
    ] {
        assert_eq!(search(&mut client, odd).await, [], "{odd}");
    }
}

#[tokio::test]
async fn a_transcript_comes_in_pages_each_of_which_fits() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let mut conversation = None;
    let mut expected = Vec::new();
    for number in 0..5 {
        model.script(Script::says(&format!("{number}{}", "x".repeat(100_000))));
        expected.push(format!("question {number}"));
        conversation = Some(ask(&mut client, "a", &format!("c-{number}"), &expected[number]).await);
    }
    let conversation = conversation.unwrap();
    let (mut turns, mut before, mut pages) = (Vec::new(), None, 0);
    loop {
        client.send(get(&conversation, before)).await;
        let text = client.receive_text().await.unwrap();
        assert!(text.len() <= limits::LIST_FRAME, "{}", text.len());
        let page = transcript(WorkerFrame::decode(&text).unwrap());
        let newer = std::mem::take(&mut turns);
        turns = page.turns;
        turns.extend(newer);
        pages += 1;
        before = page.before;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(
        turns.iter().map(|turn| turn.prompt.clone()).collect::<Vec<_>>(),
        expected
    );
    assert!(
        pages > 1
            && turns
                .iter()
                .all(|turn| turn.clipped.is_none() && turn.text.len() == 100_001)
    );
}

#[tokio::test]
async fn a_transcript_shows_what_a_panel_needs() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    model.script(Script::says("See [docs](https://docs.example/x)."));
    let request = ChatRequest {
        context: Some(canary_page("PAGETEXT")),
        ..question("c-1", "What is it?")
    };
    let conversation = play(&mut client, request).await.accepted.unwrap().conversation;
    model.script(Script::fails(404));
    assert_eq!(
        play(&mut client, question("c-2", "And this?")).await.error,
        Some(ErrorReason::Provider4xx)
    );
    let frame = client.call(get(&conversation, None)).await;
    assert!(
        !frame.encode().contains("body PAGETEXT"),
        "of a page only its name is kept"
    );
    let turns = transcript(frame).turns;
    let page = turns[0].page.as_ref().unwrap();
    assert_eq!(
        (page.title.as_str(), page.url.as_str()),
        ("title PAGETEXT", "https://app.example/lb1")
    );
    assert_eq!(turns[0].references[0].url, "https://docs.example/x");
    assert_eq!(
        (turns[0].state, turns[0].model.as_deref()),
        (TurnState::Done, Some("scripted"))
    );
    assert_eq!(
        (turns[1].state, turns[1].reason),
        (TurnState::Failed, Some(ErrorReason::Provider4xx))
    );
}

#[tokio::test]
async fn a_conversation_is_renamed_deleted_and_restored() {
    let home = Home::new();
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let conversation = ask(&mut client, "a", "c-1", "What?").await;
    assert_eq!(
        refusal(&client.call(rename(&conversation, "A better name")).await),
        None
    );
    assert_eq!(list(&mut client, None).await.items[0].title, "A better name");
    assert_eq!(refusal(&client.call(delete(&conversation)).await), None);
    assert_eq!(list(&mut client, None).await.items, []);
    assert_eq!(search(&mut client, "What").await, []);
    assert_eq!(
        refusal(&client.call(get(&conversation, None)).await),
        Some(RequestErrorCode::NotFound)
    );
    assert_eq!(refusal(&client.call(restore(&conversation)).await), None);
    assert_eq!(list(&mut client, None).await.items[0].title, "A better name");
    assert_eq!(
        prompts(&transcript(client.call(get(&conversation, None)).await)),
        ["What?"]
    );
}

#[tokio::test]
async fn a_conversation_that_answers_is_not_deleted() {
    let gate = Gate::new();
    let model = ScriptedModel::playing(Script::stream().text("a").wait(&gate).done()).await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    client
        .send(ClientFrame::ChatRequest(Box::new(question("c-1", "What?"))))
        .await;
    let WorkerFrame::TurnAccepted(accepted) = client.receive().await else {
        panic!("not accepted")
    };
    let mut watcher = worker.client().await;
    drop(list(&mut watcher, None).await);
    client.send(delete(&accepted.conversation)).await;
    let refused = loop {
        if let WorkerFrame::RequestError(error) = client.receive().await {
            break error.code;
        }
    };
    assert_eq!(refused, RequestErrorCode::Conflict);
    gate.open();
}

#[tokio::test]
async fn a_branch_holds_the_turns_before_one_and_goes_its_own_way() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let mut client = worker.client().await;
    let mut conversation = None;
    for (id, text) in [("c-1", "one"), ("c-2", "two"), ("c-3", "three")] {
        conversation = Some(ask(&mut client, "a", id, text).await);
    }
    let conversation = conversation.unwrap();
    let copy = transcript(client.call(branch(&conversation, "c-3")).await);
    assert_eq!(prompts(&copy), ["one", "two"]);
    assert_eq!(copy.conversation.branch_of.as_ref(), Some(&conversation));
    let id = copy.conversation.id;
    assert_eq!(ask(&mut client, id.as_str(), "c-4", "instead").await, id);
    assert_eq!(model.request(3).await.texts("user"), ["one", "two", "instead"]);
    assert_eq!(
        prompts(&transcript(client.call(get(&conversation, None)).await)),
        ["one", "two", "three"]
    );
    let missing = client.call(branch(&conversation, "c-9")).await;
    assert_eq!(refusal(&missing), Some(RequestErrorCode::NotFound));
}

#[tokio::test]
async fn conversations_survive_a_restart_of_the_worker() {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    let identity = worker.local();
    let mut client = worker.client_as(&identity).await;
    let conversation = ask(&mut client, "a", "c-1", "Before?").await;
    worker.end().await;
    let worker = home.worker().await;
    let mut client = worker.client_as(&identity).await;
    assert_eq!(list(&mut client, None).await.items[0].id, conversation);
    assert_eq!(
        ask(&mut client, conversation.as_str(), "c-2", "After?").await,
        conversation
    );
    assert_eq!(model.request(1).await.texts("user"), ["Before?", "After?"]);
}
