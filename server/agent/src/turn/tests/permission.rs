//! The gate in a turn: when it is asked, what a refused call looks like to the model and to a person.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::briefing::{Briefing, Collaboration, EditorBriefing, Preset};
use crate::event::{ToolContent, ToolStart};
use crate::feed::News;
use crate::permission::{Class, Gate, Intent, Posture, Rule, Rules};
use crate::person::{Answer, Nobody, Person, Question};
use crate::tool::{Location, ToolCallContext, ToolMeta};
use crate::workspace::Roots;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// A tool that writes, and counts how often it ran.
struct Writer {
    meta: ToolMeta,
    ran: AtomicUsize,
}

impl Writer {
    fn new() -> Arc<Self> {
        let mut meta = Echo::named("write_file").meta().clone();
        meta.read_only = false;
        Arc::new(Self {
            meta,
            ran: AtomicUsize::new(0),
        })
    }
}

#[async_trait::async_trait]
impl Tool for Writer {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn intent(&self, arguments: &Value, _roots: Option<&Roots>) -> Intent {
        assert!(
            arguments["panic"].is_null(),
            "a tool that cannot say what it does"
        );
        let path = arguments["path"].as_str().map(str::to_owned);
        Intent::new(Class::Edit, path)
    }

    fn locations(&self, arguments: &Value, _roots: Option<&Roots>) -> Vec<Location> {
        let path = arguments["path"].as_str().unwrap_or("?").to_owned();
        vec![Location { path, line: None }]
    }

    async fn preview(&self, call: &ToolCallContext) -> Result<Vec<ToolContent>, ToolOutput> {
        match &call.arguments["cannot"] {
            Value::Null => Ok(vec![ToolContent::Text("would write".into())]),
            _ => Err(ToolOutput::error("cannot write")),
        }
    }

    async fn call(&self, _call: ToolCallContext) -> ToolOutput {
        self.ran.fetch_add(1, Ordering::SeqCst);
        ToolOutput::text("written")
    }
}

/// Answers every card the same way, or never.
struct Answering {
    answer: Option<&'static str>,
    seen: Mutex<Vec<Question>>,
    shown: Notify,
}

impl Answering {
    fn new(answer: Option<&'static str>) -> Arc<Self> {
        Arc::new(Self {
            answer,
            seen: Mutex::default(),
            shown: Notify::new(),
        })
    }
}

#[async_trait::async_trait]
impl Person for Answering {
    async fn ask(&self, question: Question, cancel: CancellationToken) -> Answer {
        self.seen.lock().unwrap().push(question);
        self.shown.notify_one();
        match self.answer {
            Some(id) => Answer::Chosen(id.into()),
            None => {
                cancel.cancelled().await;
                Answer::Dismissed
            }
        }
    }
}

struct Scene {
    gate: Arc<Gate>,
    person: Arc<dyn Person>,
    collaboration: Collaboration,
    hooks: Arc<dyn Hooks>,
    stop: StopSwitch,
    arguments: Value,
}

impl Scene {
    fn new(posture: Posture, person: Arc<dyn Person>) -> Self {
        Self {
            gate: Arc::new(Gate::new(posture)),
            person,
            collaboration: Collaboration::Normal,
            hooks: Arc::new(NoHooks),
            stop: StopSwitch::default(),
            arguments: serde_json::json!({ "path": "a.txt" }),
        }
    }

    /// Has the model call the tool once; what happened, and whether it ran.
    async fn play(self) -> (Vec<TurnEvent>, Ran, usize) {
        let tool = Writer::new();
        let calling = Say::Event(ModelEvent::ToolCall {
            call_id: "1".into(),
            name: "write_file".into(),
            arguments: self.arguments.clone(),
        });
        let provider = Scripted::new(vec![vec![calling, stop()], vec!["done".into(), stop()]]);
        let feed = Arc::new(TurnFeed::new(record("t")));
        let mut reading = feed.subscribe(Arc::new(Notify::new()));
        let turn = self.turn(Arc::clone(&feed), provider.clone(), tool.clone());
        let finished = turn.run(request()).await;
        let requests = provider.requests.lock().unwrap().clone();
        let events = reading.take().into_iter().filter_map(|news| match news {
            News::Event(event) => Some(event),
            _ => None,
        });
        let ran = Ran {
            finished,
            record: feed.record(),
            requests,
            news: Vec::new(),
        };
        (events.collect(), ran, tool.ran.load(Ordering::SeqCst))
    }

    fn turn(self, feed: Arc<TurnFeed>, provider: Arc<Scripted>, tool: Arc<Writer>) -> Turn {
        let briefing = Briefing::Editor(Box::new(EditorBriefing {
            collaboration: self.collaboration,
            preset: Preset::Balanced,
            folders: Vec::new(),
            instructions: None,
            skills: Vec::new(),
        }));
        Turn {
            place: TurnPlace {
                turn: key("t"),
                conversation: ConversationId::mint(),
            },
            feed,
            provider,
            toolbox: Toolbox::new(vec![tool], ToolShelf::default()),
            store: Store::in_memory().unwrap(),
            tab: 0,
            need: Need::new(briefing.clone(), ["q"]),
            past: Past::default(),
            setting: Setting {
                briefing,
                person: self.person,
                gate: Some(self.gate),
                ..Setting::panel(Mode::Educational)
            },
            album: Album::default(),
            hooks: self.hooks,
            steps: STEP_CEILING,
            stop: self.stop,
        }
    }
}

fn request() -> ModelRequest {
    ModelRequest {
        system: String::new(),
        messages: vec![Message::text(Role::User, "q")],
        question: "q".into(),
        page: None,
        mode: Some(Mode::Educational),
        tools: Vec::new(),
        pictures: Vec::new(),
        input_tokens: 0,
        max_output_tokens: Some(100),
    }
}

fn told(ran: &Ran) -> String {
    let last = ran.requests[1].messages.last().unwrap();
    let [
        Part::ToolResult {
            content, is_error, ..
        },
    ] = &last.parts[..]
    else {
        panic!("{last:?}")
    };
    let [ResultContent::Text { text }] = &content[..] else {
        panic!("{content:?}")
    };
    format!("{} {text}", if *is_error { "error" } else { "ok" })
}

#[tokio::test]
async fn an_allowed_call_runs() {
    let person = Answering::new(Some("allow_once"));
    let (events, ran, times) = Scene::new(Posture::Ask, person.clone()).play().await;
    assert_eq!((times, told(&ran).as_str()), (1, "ok written"));
    let card = person.seen.lock().unwrap()[0].clone();
    let start = events.iter().find_map(|event| match event {
        TurnEvent::ToolStarted(start) => Some(start.clone()),
        _ => None,
    });
    let start: ToolStart = start.unwrap();
    assert_eq!(start.locations[0].path, "a.txt");
    assert_eq!(
        (card.title.as_str(), card.about),
        ("write_file a.txt", Some(start))
    );
    assert_eq!(card.shown, [ToolContent::Text("would write".into())]);
}

#[tokio::test]
async fn what_cannot_be_done_is_not_asked_about() {
    for (posture, expected, ran) in [
        (Posture::Ask, "error cannot write", 0),
        // Nobody would be asked, so nobody needs to be shown anything.
        (Posture::Auto, "ok written", 1),
    ] {
        let person = Answering::new(Some("allow_once"));
        let mut scene = Scene::new(posture, person.clone());
        scene.arguments = serde_json::json!({ "path": "a.txt", "cannot": true });
        let (_, told_by, times) = scene.play().await;
        assert_eq!((told(&told_by).as_str(), times), (expected, ran), "{posture:?}");
        assert!(person.seen.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn what_is_in_a_file_is_not_told_to_who_may_not_read_it() {
    let person = Answering::new(Some("reject_once"));
    let mut scene = Scene::new(Posture::Ask, person.clone());
    scene.arguments = serde_json::json!({ "path": "a.txt", "cannot": true });
    let rules = Rules {
        deny: vec![Rule::parse("read_file(a.txt)").unwrap()],
        ..Rules::default()
    };
    scene.gate = Arc::new(Gate::new(Posture::Ask).with_rules(rules));
    let (_, ran, times) = scene.play().await;
    assert_eq!(times, 0);
    assert!(told(&ran).contains("permission.declined"), "{}", told(&ran));
    assert_eq!(person.seen.lock().unwrap()[0].shown, []);
}

#[tokio::test]
async fn a_refused_call_does_not_run_and_says_why() {
    let no = Answering::new(Some("reject_once"));
    let cases: [(Posture, Arc<dyn Person>, &str); 4] = [
        (Posture::Ask, no, "permission.declined"),
        (Posture::Ask, Arc::new(Nobody), "permission.unattended"),
        (Posture::DontAsk, Arc::new(Nobody), "permission.unattended"),
        (Posture::ReadOnly, Arc::new(Nobody), "permission.read_only"),
    ];
    for (posture, person, code) in cases {
        let (events, ran, times) = Scene::new(posture, person).play().await;
        assert_eq!(times, 0, "{code}");
        assert!(
            told(&ran).starts_with(&format!("error {code}: ")),
            "{}",
            told(&ran)
        );
        let ended = events.iter().find_map(|event| match event {
            TurnEvent::ToolFinished(end) => Some(end.clone()),
            _ => None,
        });
        let ended = ended.unwrap();
        assert!(!ended.ok);
        assert!(matches!(&ended.content[..], [ToolContent::Text(text)] if text.starts_with(code)));
        assert_eq!(ran.finished.outcome, TurnOutcome::Done, "the turn goes on");
    }
}

#[tokio::test]
async fn plan_mode_refuses_a_change_in_any_posture() {
    let scene = Scene {
        collaboration: Collaboration::Plan,
        ..Scene::new(Posture::Yolo, Arc::new(Nobody))
    };
    let (_, ran, times) = scene.play().await;
    assert_eq!(times, 0);
    assert!(
        told(&ran).starts_with("error permission.plan_mode: "),
        "{}",
        told(&ran)
    );
}

#[tokio::test(start_paused = true)]
async fn stopping_the_turn_ends_a_waiting_card_at_once() {
    let person = Answering::new(None);
    let scene = Scene::new(Posture::Ask, person.clone());
    let switch = scene.stop.clone();
    let stopping = async {
        person.shown.notified().await;
        switch.stop(StopCause::Person);
    };
    let ((_, ran, times), ()) = tokio::join!(scene.play(), stopping);
    assert_eq!(times, 0);
    assert_eq!(ran.finished.outcome, TurnOutcome::Stopped(StopCause::Person));
    assert_eq!(ran.record.tools[0].ok, Some(false));
}

/// Turns every path into another one.
struct Redirects;

#[async_trait::async_trait]
impl Hooks for Redirects {
    async fn before_tool(&self, _: &TurnPlace, _: &str, arguments: &mut Value) -> Verdict {
        arguments["path"] = "b.txt".into();
        Verdict::Continue
    }
}

#[tokio::test]
async fn what_is_judged_is_what_runs() {
    let person = Answering::new(Some("allow_once"));
    let scene = Scene {
        hooks: Arc::new(Redirects),
        ..Scene::new(Posture::Ask, person.clone())
    };
    scene.play().await;
    let card = person.seen.lock().unwrap()[0].clone();
    assert_eq!(card.title, "write_file b.txt");
    assert_eq!(card.about.unwrap().arguments["path"], "b.txt");
}

#[tokio::test]
async fn a_tool_that_cannot_say_what_it_does_is_asked_about() {
    let person = Answering::new(Some("reject_once"));
    let scene = Scene {
        arguments: serde_json::json!({ "panic": true }),
        ..Scene::new(Posture::Ask, person.clone())
    };
    let (_, ran, times) = scene.play().await;
    assert_eq!(times, 0);
    assert!(told(&ran).starts_with("error permission.declined: "));
    let card = person.seen.lock().unwrap()[0].clone();
    assert_eq!(card.options.len(), 2, "no rule can allow it");
}
