//! Panel and editor share their conversations: what begins in one is found, loaded and continued in the other.

use serde_json::{Value, json};
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::ids::ConversationId;
use sidewire_tests::{
    Editor, Gate, Home, Peer, Project, Script, ScriptedModel, Worker, canary_page, page, plain_editor, play,
    question, requests,
};

use crate::acp_files::calls;

async fn scene() -> (ScriptedModel, Home, Worker, Project) {
    let model = ScriptedModel::start().await;
    let home = Home::with_model(&model);
    let worker = home.worker().await;
    (model, home, worker, Project::new())
}

/// Asks in the panel; gives the conversation.
async fn ask_in_panel(peer: &mut impl Peer, text: &str) -> ConversationId {
    let request = ChatRequest {
        context: Some(page()),
        ..question("c-1", text)
    };
    let turn = play(peer, request).await;
    assert_eq!(turn.error, None);
    turn.accepted.unwrap().conversation
}

#[tokio::test]
async fn a_conversation_of_the_panel_is_listed_and_goes_on_in_the_editor() {
    let (model, home, worker, project) = scene().await;
    let mut panel = worker.client_as(&worker.paired(&home).await).await;
    model.script(Script::says("It routes traffic."));
    let conversation = ask_in_panel(&mut panel, "What does this page do?").await;
    let editor = Editor::start(&home).await;
    let listed = editor.list(json!({})).await.unwrap();
    let item = listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|session| session["sessionId"] == json!(conversation.as_str()))
        .expect("it is listed")
        .clone();
    assert_eq!(item["title"], "What does this page do?");
    assert!(item["cwd"].as_str().unwrap().starts_with('/'), "{item}");
    assert_eq!(
        editor.session_ids(json!({ "cwd": project.cwd() })).await,
        [] as [String; 0],
        "no folder of an editor is its own"
    );
    let from = editor.count();
    let session = editor.load(conversation.as_str(), project.cwd()).await;
    let replayed: Vec<Value> = session
        .updates_since(from)
        .into_iter()
        .filter_map(|update| update["content"].get("text").cloned())
        .collect();
    assert_eq!(replayed[0], "What does this page do?");
    assert_eq!(replayed.last().unwrap(), "It routes traffic.");
    model.script(Script::says("As I said."));
    assert_eq!(session.prompt("And in the code?").await.done(), "As I said.");
    let asked = model.request(1).await;
    assert!(
        asked
            .texts("assistant")
            .contains(&"It routes traffic.".to_owned())
    );
    // The panel sees what the editor said.
    let transcript = requests::transcript(panel.call(requests::get(&conversation, None)).await);
    let texts: Vec<&str> = transcript.turns.iter().map(|turn| turn.text.as_str()).collect();
    assert_eq!(texts, ["It routes traffic.", "As I said."]);
}

#[tokio::test]
async fn a_conversation_of_the_panel_goes_on_in_the_folder_that_the_list_names() {
    let (model, home, worker, _project) = scene().await;
    let mut panel = worker.client_as(&worker.paired(&home).await).await;
    let conversation = ask_in_panel(&mut panel, "What does this page do?").await;
    let editor = Editor::start(&home).await;
    let listed = editor.list(json!({})).await.unwrap();
    let folder = listed["sessions"][0]["cwd"].as_str().unwrap();
    let session = editor.load(conversation.as_str(), folder).await;
    model.script(Script::says("As I said."));
    assert_eq!(session.prompt("And?").await.done(), "As I said.");
}

#[tokio::test]
async fn page_text_stays_data_and_every_change_asks_until_the_person_trusts_it() {
    let (model, home, worker, project) = scene().await;
    let mut panel = worker.client_as(&worker.paired(&home).await).await;
    let request = ChatRequest {
        context: Some(canary_page("CANARY-page")),
        ..question("c-1", "What is this?")
    };
    let conversation = play(&mut panel, request).await.accepted.unwrap().conversation;
    let editor = Editor::with(
        &home,
        &["--permission-mode", "bypassPermissions"],
        &plain_editor(),
    )
    .await;
    let session = editor.load(conversation.as_str(), project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    calls(
        &model,
        "write_file",
        &json!({ "path": project.file("a.txt"), "content": "a" }),
    );
    editor.choose("reject_once");
    let turn = session.prompt("write it").await;
    assert_eq!(turn.call().status(), "failed");
    assert!(!project.has("a.txt"));
    assert_eq!(
        editor.requests("session/request_permission").len(),
        1,
        "whatever the posture"
    );
    let asked = model.request(1).await;
    assert!(!asked.texts("system").join("\n").contains("CANARY-page"));
}

#[tokio::test]
async fn a_conversation_of_the_editor_is_in_the_panels_list_with_its_transcript() {
    let (model, home, worker, project) = scene().await;
    project.write("a.txt", "the port is 8443\n");
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    model.script(
        Script::stream()
            .call("c1", "read_file", &json!({ "path": project.file("a.txt") }))
            .done(),
    );
    model.script(Script::says("It is 8443."));
    session.prompt("Which port do we use?").await.done();
    for identity in [worker.local(), worker.paired(&home).await] {
        let mut panel = worker.client_as(&identity).await;
        let listed = requests::list(&mut panel, None).await;
        let item = listed
            .items
            .iter()
            .find(|item| item.id.as_str() == session.id)
            .expect("it is listed");
        let conversation = item.id.clone();
        assert_eq!(item.title, "Which port do we use?");
        let transcript = requests::transcript(panel.call(requests::get(&conversation, None)).await);
        assert_eq!(transcript.turns[0].text, "It is 8443.");
        assert_eq!(requests::search(&mut panel, "8443").await, [conversation]);
    }
}

#[tokio::test]
async fn a_panel_goes_on_where_the_editor_was() {
    let (model, home, worker, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    model.script(Script::says("8443."));
    session.prompt("Which port?").await.done();
    let mut panel = worker.client_as(&worker.paired(&home).await).await;
    model.script(Script::says("Because of TLS."));
    let turn = play(&mut panel, requests::named(&session.id, "c-9", "Why?")).await;
    assert_eq!(turn.accepted.as_ref().unwrap().conversation.as_str(), session.id);
    assert_eq!(turn.done(), "Because of TLS.");
    assert!(
        model
            .request(1)
            .await
            .texts("assistant")
            .contains(&"8443.".to_owned())
    );
    // No tool of the editor reaches a turn of the panel.
    assert!(!model.request(1).await.tools().contains(&"bash".to_owned()));
    let from = editor.count();
    let loaded = editor.load(&session.id, project.cwd()).await;
    let texts: Vec<Value> = loaded
        .updates_since(from)
        .into_iter()
        .filter_map(|update| update["content"].get("text").cloned())
        .collect();
    assert_eq!(
        texts,
        [
            json!("Which port?"),
            json!("8443."),
            json!("Why?"),
            json!("Because of TLS.")
        ]
    );
}

#[tokio::test]
async fn what_one_deletes_is_gone_in_the_other() {
    let (_model, home, worker, project) = scene().await;
    let mut panel = worker.client_as(&worker.paired(&home).await).await;
    let conversation = ask_in_panel(&mut panel, "to be deleted in the editor").await;
    let editor = Editor::start(&home).await;
    editor.delete(conversation.as_str()).await;
    assert_eq!(requests::list(&mut panel, None).await.items, []);
    let session = editor.session(project.cwd()).await;
    session.prompt("to be deleted in the panel").await.done();
    editor.close(&session.id).await;
    let id: ConversationId = session.id.parse().unwrap();
    assert_eq!(requests::refusal(&panel.call(requests::delete(&id)).await), None);
    assert_eq!(editor.session_ids(json!({})).await, [] as [String; 0]);
    assert_eq!(
        editor
            .try_load(&session.id, project.cwd())
            .await
            .unwrap_err()
            .code,
        -32002
    );
}

#[tokio::test]
async fn a_session_that_answers_in_the_panel_is_busy_for_the_editor_and_the_other_way_round() {
    let (model, home, worker, project) = scene().await;
    let mut panel = worker.client_as(&worker.paired(&home).await).await;
    let conversation = ask_in_panel(&mut panel, "first").await;
    let gate = Gate::new();
    model.script(Script::says("slow").after(&gate));
    let editor = Editor::start(&home).await;
    let session = editor.load(conversation.as_str(), project.cwd()).await;
    let prompt = session.begin("in the editor").await;
    model.request(1).await;
    let busy = play(
        &mut panel,
        requests::named(conversation.as_str(), "c-2", "in the panel"),
    )
    .await;
    assert_eq!(
        busy.error,
        Some(sidewire_contract::reason::ErrorReason::SessionBusy)
    );
    gate.open();
    assert_eq!(prompt.ended().await.done(), "slow");
    let free = play(&mut panel, requests::named(conversation.as_str(), "c-3", "now")).await;
    assert_eq!(free.done(), "ok");
}

#[tokio::test]
async fn another_browsers_conversations_are_still_nobody_elses() {
    let (_model, home, worker, _project) = scene().await;
    let mut one = worker.client_as(&worker.paired(&home).await).await;
    let mut other = worker.client_as(&worker.paired(&home).await).await;
    let conversation = ask_in_panel(&mut one, "private").await;
    assert!(
        requests::list(&mut other, None)
            .await
            .items
            .iter()
            .all(|item| item.id != conversation)
    );
}

#[tokio::test]
async fn a_conversation_of_the_editor_asks_again_once_a_page_came_into_it() {
    let (model, home, worker, project) = scene().await;
    let posture = ["--permission-mode", "bypassPermissions"];
    let editor = Editor::with(&home, &posture, &plain_editor()).await;
    let session = editor.session(project.cwd()).await;
    session.set("tool_approval", "yolo").await.unwrap();
    let write = |name: &str| {
        let arguments = json!({ "path": project.file(name), "content": "a" });
        calls(&model, "write_file", &arguments);
    };
    write("before.txt");
    session.prompt("write it").await.done();
    assert!(project.has("before.txt"));

    let mut panel = worker.client_as(&worker.paired(&home).await).await;
    model.script(Script::says("As the page says."));
    let request = ChatRequest {
        context: Some(canary_page("CANARY-page")),
        ..requests::named(&session.id, "c-9", "And here?")
    };
    play(&mut panel, request).await.done();

    // The session that is open, whose controls are stored once more, and one of another process.
    session.set("agent_preset", "light").await.unwrap();
    let other = Editor::with(&home, &posture, &plain_editor()).await;
    for (editor, session) in [
        (&editor, &session),
        (&other, &other.load(&session.id, project.cwd()).await),
    ] {
        editor.choose("reject_once");
        write("after.txt");
        let turn = session.prompt("write it").await;
        assert_eq!(turn.call().status(), "failed");
        assert!(!project.has("after.txt"));
        assert_eq!(editor.requests("session/request_permission").len(), 1);
    }
}
