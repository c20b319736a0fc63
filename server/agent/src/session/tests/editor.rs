//! What only editors have: trust in a conversation, and the pictures of earlier questions.

use std::path::Path;

use tokio_util::sync::CancellationToken;

use super::*;
use crate::briefing::Briefing;
use crate::message::{Message, Part};
use crate::permission::{Class, Gate, Intent, Posture};
use crate::person::{Answer, ChoiceKind, Nobody, Person, Question};
use crate::provider::Picture;
use crate::record::Controls;
use crate::store::NewConversation;
use crate::testing::{Echo, call};
use crate::tool::{ToolCallContext, ToolMeta, ToolOutput};
use crate::workspace::{Document, Roots, ShellCommand, ShellEnd, Watch, Workspace, WorkspaceError};

/// A tool that changes something.
struct Change(ToolMeta);

#[async_trait::async_trait]
impl Tool for Change {
    fn meta(&self) -> &ToolMeta {
        &self.0
    }

    fn intent(&self, _: &serde_json::Value, _: Option<&Roots>) -> Intent {
        Intent::new(Class::Other, None)
    }

    async fn call(&self, _call: ToolCallContext) -> ToolOutput {
        ToolOutput::text("changed")
    }
}

/// Trusts every conversation.
struct Trusting;

#[async_trait::async_trait]
impl Person for Trusting {
    async fn ask(&self, question: Question, _cancel: CancellationToken) -> Answer {
        let always = question
            .options
            .into_iter()
            .find(|choice| choice.kind == ChoiceKind::AllowAlways);
        always.map_or(Answer::Dismissed, |choice| Answer::Chosen(choice.id))
    }
}

/// Knows one picture and no files.
struct Pictures(Roots);

#[async_trait::async_trait]
impl Workspace for Pictures {
    fn roots(&self) -> &Roots {
        &self.0
    }

    async fn open(&self, path: &Path, _limit: u64) -> Result<Document, WorkspaceError> {
        Err(WorkspaceError::Missing(path.to_owned()))
    }

    async fn picture(&self, name: &str) -> Option<Picture> {
        (name != "gone.png").then(|| picture(name))
    }

    async fn save(&self, document: &Document) -> Result<(), WorkspaceError> {
        Err(WorkspaceError::ReadOnly(document.path.clone()))
    }

    async fn run(&self, _: ShellCommand, _: Arc<dyn Watch>) -> Result<ShellEnd, WorkspaceError> {
        Err(WorkspaceError::Cancelled)
    }
}

fn picture(name: &str) -> Picture {
    Picture {
        blob: name.into(),
        mime_type: "image/png".into(),
        bytes: vec![0; 8].into(),
    }
}

fn mention(name: &str) -> Part {
    Part::Image {
        mime_type: "image/png".into(),
        blob: name.into(),
    }
}

/// A trusted conversation of an editor.
async fn conversation(agent: &Agent) -> ConversationId {
    let new = NewConversation {
        owner: Owner::editor(),
        origin: Origin::Editor,
        folder: None,
        controls: Controls {
            trusted: true,
            ..Controls::default()
        },
    };
    agent.store().create(new).await.unwrap().id
}

async fn is_trusted(agent: &Agent, id: ConversationId) -> bool {
    let found = agent.store().conversation(&Owner::editor(), id).await.unwrap();
    found.controls.trusted
}

/// An editor's question there.
fn prompt(id: ConversationId, turn: &str) -> Ask {
    Ask {
        key: TurnKey {
            owner: Owner::editor(),
            ..key(turn)
        },
        place: Place::Known(id),
        setting: Setting {
            briefing: Briefing::Editor(Box::default()),
            ..Setting::panel(Mode::Educational)
        },
        ..question(turn, "q")
    }
}

async fn run(agent: &Arc<Agent>, ask: Ask) {
    let wake = Arc::new(Notify::new());
    let started = agent.ask(ask, Arc::clone(&wake)).await.unwrap();
    let (_, outcome) = read_to_end(started.subscription, &wake).await;
    assert_eq!(outcome, TurnOutcome::Done);
}

/// The prompt has the tool called once; whether it ran.
async fn acts(
    agent: &Arc<Agent>,
    provider: &Scripted,
    mut ask: Ask,
    person: Arc<dyn Person>,
    gate: &Arc<Gate>,
) -> bool {
    ask.tools
        .replace(vec![Arc::new(Change(Echo::named("change").meta().clone()))]);
    ask.setting.person = person;
    ask.setting.gate = Some(Arc::clone(gate));
    run(agent, ask).await;
    let requests = provider.requests.lock().unwrap();
    let results = requests.last().unwrap().messages.last().unwrap();
    matches!(&results.parts[..], [Part::ToolResult { is_error: false, .. }])
}

#[tokio::test]
async fn an_open_session_learns_at_its_next_turn_that_a_page_came_in() {
    let turn = || [vec![call("1", "change"), stop()], vec!["done".into(), stop()]];
    let scripts = [
        turn().to_vec(),
        vec![vec!["beside a page".into(), stop()]],
        turn().to_vec(),
        turn().to_vec(),
    ];
    let (agent, provider) = agent(scripts.concat());
    let id = conversation(&agent).await;
    let gate = Arc::new(Gate::new(Posture::Yolo));
    assert!(acts(&agent, &provider, prompt(id, "e-1"), Arc::new(Nobody), &gate).await);

    let mut beside_a_page = question("c-1", "and here?");
    if let Place::Found(lookup) = &mut beside_a_page.place {
        lookup.hint = Some(id.to_string());
    }
    run(&agent, beside_a_page).await;
    assert!(!is_trusted(&agent, id).await);
    assert!(!acts(&agent, &provider, prompt(id, "e-2"), Arc::new(Nobody), &gate).await);
    assert!(!is_trusted(&agent, id).await, "nobody said so");

    assert!(acts(&agent, &provider, prompt(id, "e-3"), Arc::new(Trusting), &gate).await);
    assert!(is_trusted(&agent, id).await, "the answer is kept");
}

#[tokio::test]
async fn a_later_question_sees_the_pictures_of_earlier_ones() {
    let (agent, provider) = agent(vec![vec!["I see.".into(), stop()]]);
    let id = conversation(&agent).await;
    for (turn, names) in [
        ("1", vec!["a.png", "gone.png"]),
        ("2", vec!["b.png"]),
        ("3", vec!["c.png"]),
        ("4", vec![]),
    ] {
        let mut ask = prompt(id, turn);
        ask.setting.workspace = Some(Arc::new(Pictures(Roots::new("/".into(), []))));
        ask.parts = names.iter().map(|name| mention(name)).collect();
        ask.pictures = names.iter().map(|name| picture(name)).collect();
        run(&agent, ask).await;
    }
    let requests = provider.requests.lock().unwrap();
    let shown = |turn: usize| -> Vec<&str> {
        let pictures = &requests[turn].pictures;
        pictures.iter().map(|picture| picture.blob.as_str()).collect()
    };
    assert_eq!(shown(0), ["a.png", "gone.png"]);
    assert_eq!(shown(3), ["a.png", "b.png", "c.png"]);
    let texts = requests[3].messages.iter().map(Message::plain_text);
    assert_eq!(texts.count(), 7, "three turns and the question");
}
