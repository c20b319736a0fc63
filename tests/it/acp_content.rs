//! What a prompt may hold: text, links, resources, pictures; and what is refused before a turn begins.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sidewire_tests::{Editor, Home, Project, Refusal, ScriptedModel, png, text_block};

/// A home whose model sees pictures.
async fn scene() -> (ScriptedModel, Home, Project) {
    let model = ScriptedModel::start().await;
    let home = Home::new();
    home.configure(&format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"scripted\"\nvision = true\n",
        model.base_url()
    ));
    (model, home, Project::new())
}

fn image(bytes: &[u8], mime: &str) -> Value {
    json!({ "type": "image", "data": STANDARD.encode(bytes), "mimeType": mime })
}

/// Sends these blocks and gives the refusal.
async fn refused(blocks: Value) -> Refusal {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let turn = session.prompt_blocks(blocks).await;
    assert_eq!(turn.updates, [] as [Value; 0], "no turn begins");
    assert_eq!(model.requests().len(), 0, "nobody is asked");
    assert!(!project.has(".sidewire/attachments") || project.attachments().is_empty());
    let refusal = turn.refusal().clone();
    assert_eq!(session.prompt("hello").await.done(), "ok");
    refusal
}

#[tokio::test]
async fn texts_links_and_resources_reach_the_model_in_order() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let turn = session
        .prompt_blocks(json!([
            text_block("First this."),
            { "type": "resource_link", "uri": "file:///src/main.rs", "name": "main.rs", "title": "The entry" },
            { "type": "resource", "resource": { "uri": "file:///notes.md", "text": "EMBEDDED notes", "mimeType": "text/markdown" } },
            text_block("Then that."),
        ]))
        .await;
    turn.done();
    let question = model.request(0).await.question();
    let places: Vec<Option<usize>> = [
        "First this.",
        "file:///src/main.rs",
        "EMBEDDED notes",
        "Then that.",
    ]
    .iter()
    .map(|words| question.find(words))
    .collect();
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{question}"
    );
    assert!(
        question.contains("file:///notes.md"),
        "where it is from: {question}"
    );
}

#[tokio::test]
async fn a_picture_is_kept_in_the_workspace_and_shown_to_the_model() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let picture = png(b"filling");
    // What it is called does not matter; its bytes say what it is.
    let turn = session
        .prompt_blocks(json!([
            text_block("What is this?"),
            image(&picture, "image/jpeg")
        ]))
        .await;
    turn.done();
    let asked = model.request(0).await;
    let data_url = format!("data:image/png;base64,{}", STANDARD.encode(&picture));
    assert!(asked.body.to_string().contains(&data_url));
    let kept = project.attachments();
    assert_eq!(kept.len(), 1);
    assert!(kept[0].ends_with(".png"), "{kept:?}");
    assert_eq!(
        project.bytes(&format!(".sidewire/attachments/{}", kept[0])),
        picture
    );
    assert!(
        asked
            .body
            .to_string()
            .contains(&format!("@.sidewire/attachments/{}", kept[0])),
        "the model is told where it is"
    );
}

#[tokio::test]
async fn a_picture_is_shown_again_to_the_next_turn_and_not_replayed_as_data() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session
        .prompt_blocks(json!([text_block("Look."), image(&png(b"filling"), "image/png")]))
        .await
        .done();
    let from = editor.count();
    let loaded = editor.load(&session.id, project.cwd()).await;
    let replayed: String = loaded
        .updates_since(from)
        .iter()
        .filter(|update| update["sessionUpdate"] == "user_message_chunk")
        .map(ToString::to_string)
        .collect();
    assert!(
        replayed.contains("Look.") && replayed.contains(".sidewire/attachments/"),
        "{replayed}"
    );
    loaded.prompt("And again?").await.done();
    assert!(
        model
            .request(1)
            .await
            .body
            .to_string()
            .contains(".sidewire/attachments/")
    );
}

#[tokio::test]
async fn a_model_that_sees_nothing_gets_the_place_only() {
    let model = ScriptedModel::start().await;
    let home = Home::new();
    home.configure(&format!(
        "[provider]\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"scripted\"\nvision = false\n",
        model.base_url()
    ));
    let project = Project::new();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    session
        .prompt_blocks(json!([text_block("Look."), image(&png(b"filling"), "image/png")]))
        .await
        .done();
    let asked = model.request(0).await;
    assert!(!asked.body.to_string().contains("data:image"));
    assert!(asked.question().contains("@.sidewire/attachments/"));
}

#[tokio::test]
async fn a_file_of_any_kind_is_kept_and_named() {
    let (model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let bytes = b"%PDF-1.4 not really";
    let blob = json!({ "uri": "file:///tmp/report.pdf", "blob": STANDARD.encode(bytes), "mimeType": "application/pdf" });
    let odd = json!({ "uri": "file:///x/odd.na%20me..%2F", "blob": STANDARD.encode(b"odd") });
    session
        .prompt_blocks(json!([
            text_block("Read."),
            { "type": "resource", "resource": blob },
            { "type": "resource", "resource": odd },
        ]))
        .await
        .done();
    let kept = project.attachments();
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(kept.iter().any(|name| name.ends_with(".pdf")), "{kept:?}");
    assert!(
        kept.iter().any(|name| name.ends_with(".bin")),
        "an ending that is none becomes .bin: {kept:?}"
    );
    let question = model.request(0).await.question();
    for name in kept {
        assert!(
            question.contains(&format!("@.sidewire/attachments/{name}")),
            "{question}"
        );
    }
}

#[tokio::test]
async fn sound_is_refused() {
    let refusal =
        refused(json!([text_block("Hear."), { "type": "audio", "data": "AAAA", "mimeType": "audio/wav" }]))
            .await;
    assert_eq!(refusal.code, -32602);
}

#[tokio::test]
async fn what_is_no_base64_or_no_picture_is_refused() {
    for (data, cause) in [
        ("not base64!", "data must be base64"),
        ("", "no data"),
        (
            STANDARD.encode(b"just text").as_str(),
            "pasted data is not a supported image",
        ),
    ] {
        let refusal =
            refused(json!([text_block("Look."), { "type": "image", "data": data, "mimeType": "image/png" }]))
                .await;
        assert_eq!(
            (refusal.code, refusal.message.as_str()),
            (
                -32602,
                format!("session/prompt: prompt block 1 (image): {cause}").as_str()
            )
        );
    }
    let blob = json!({ "uri": "file:///a.pdf", "blob": "???" });
    let refusal = refused(json!([{ "type": "resource", "resource": blob }])).await;
    assert_eq!(refusal.code, -32602);
}

#[tokio::test]
async fn pictures_have_a_limit() {
    let mut picture = png(b"filling");
    picture.resize(10 * 1024 * 1024 + 1, 0);
    let refusal = refused(json!([image(&picture, "image/png")])).await;
    assert_eq!(refusal.code, -32602);
    assert!(
        refusal
            .message
            .ends_with("pasted image must be between 1 byte and 10 MB"),
        "{refusal:?}"
    );
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    picture.truncate(10 * 1024 * 1024);
    session
        .prompt_blocks(json!([image(&picture, "image/png"), text_block("Look.")]))
        .await
        .done();
}

#[tokio::test]
async fn an_empty_prompt_is_refused() {
    for blocks in [json!([]), json!([text_block("")]), json!([text_block(" \n\t")])] {
        let refusal = refused(blocks).await;
        assert_eq!(
            (refusal.code, refusal.message.as_str()),
            (-32602, "session/prompt: empty prompt")
        );
    }
}

#[tokio::test]
async fn unknown_blocks_are_refused_and_unknown_members_are_not() {
    let refusal = refused(json!([{ "type": "hologram", "data": "x" }])).await;
    assert_eq!(refusal.code, -32602);
    let (_model, home, project) = scene().await;
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let block = json!({ "type": "text", "text": "hi", "annotations": { "audience": ["user"], "priority": 1 },
        "_meta": { "a": 1 }, "other": true });
    session.prompt_blocks(json!([block])).await.done();
}

#[tokio::test]
async fn attachments_never_leave_the_workspace_through_a_link() {
    let (_model, home, project) = scene().await;
    let elsewhere = Project::new();
    std::fs::create_dir(project.path().join(".sidewire")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), project.path().join(".sidewire/attachments")).unwrap();
    let editor = Editor::start(&home).await;
    let session = editor.session(project.cwd()).await;
    let turn = session
        .prompt_blocks(json!([text_block("Look."), image(&png(b"filling"), "image/png")]))
        .await;
    assert!(turn.end.is_err(), "{turn:?}");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}
