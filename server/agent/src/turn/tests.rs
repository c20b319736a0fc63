mod calls;
mod compact;
mod drafts;
mod permission;

use std::sync::Mutex;

use sidewire_contract::mode::Mode;

use super::*;
use crate::briefing::Briefing;
use crate::error::ProviderError;
use crate::event::StopCause;
use crate::feed::News;
use crate::hooks::NoHooks;
use crate::ids::ConversationId;
use crate::message::ResultContent;
use crate::prompt::{EarlierTurn, Prompt, PromptInput};
use crate::provider::{FinishReason, ModelEvent, Picture};
use crate::testing::{Echo, Say, Scripted, call, doing, key, record, stop};
use crate::tool::{Tool, ToolOutput, ToolShelf};

struct Ran {
    finished: Finished,
    record: crate::record::TurnRecord,
    requests: Vec<ModelRequest>,
    news: Vec<News>,
}

async fn run(scripts: Vec<Vec<Say>>, tools: Vec<Arc<dyn Tool>>) -> Ran {
    run_with(scripts, tools, Arc::new(NoHooks), StopSwitch::default()).await
}

async fn run_with(
    scripts: Vec<Vec<Say>>,
    tools: Vec<Arc<dyn Tool>>,
    hooks: Arc<dyn Hooks>,
    stop: StopSwitch,
) -> Ran {
    let toolbox = Toolbox::new(tools, ToolShelf::default());
    Running {
        toolbox,
        hooks,
        stop,
        ..Running::default()
    }
    .run(scripts)
    .await
}

/// What a turn of these tests is made of.
struct Running {
    toolbox: Toolbox,
    hooks: Arc<dyn Hooks>,
    stop: StopSwitch,
    briefing: Briefing,
    window: Option<u64>,
    /// Earlier turns; the question follows.
    earlier: Vec<EarlierTurn>,
    album: Album,
    steps: u32,
    /// Most tokens that the model is known to have taken.
    held: u64,
}

impl Default for Running {
    fn default() -> Self {
        Self {
            toolbox: Toolbox::default(),
            hooks: Arc::new(NoHooks),
            stop: StopSwitch::default(),
            briefing: Briefing::Panel(Mode::Educational),
            window: None,
            earlier: Vec::new(),
            album: Album::default(),
            steps: STEP_CEILING,
            held: 0,
        }
    }
}

impl Running {
    fn in_mode(mode: Mode, tools: Vec<Arc<dyn Tool>>) -> Self {
        Self {
            toolbox: Toolbox::new(tools, ToolShelf::default()),
            briefing: Briefing::Panel(mode),
            ..Self::default()
        }
    }

    async fn run(self, scripts: Vec<Vec<Say>>) -> Ran {
        let provider = Scripted::with_window(self.window, scripts);
        let Prompt { request, past, .. } = prompt::build(PromptInput {
            briefing: &self.briefing,
            question: "q",
            parts: &[],
            page: None,
            summary: None,
            history: &self.earlier,
            history_cut: false,
            window: self.window,
            tools: Vec::new(),
            marker: "m4rk3r",
        });
        let feed = Arc::new(TurnFeed::new(record("t")));
        let turn = Turn {
            place: TurnPlace {
                turn: key("t"),
                conversation: ConversationId::mint(),
            },
            feed: Arc::clone(&feed),
            provider: provider.clone(),
            toolbox: self.toolbox,
            store: Store::in_memory().unwrap(),
            tab: 7,
            need: Need::new(self.briefing.clone(), ["q"]),
            past: Past {
                held: self.held,
                ..past
            },
            setting: Setting {
                briefing: self.briefing,
                ..Setting::panel(Mode::Educational)
            },
            album: self.album,
            hooks: self.hooks,
            steps: self.steps,
            stop: self.stop,
        };
        let finished = turn.run(request).await;
        let requests = provider.requests.lock().unwrap().clone();
        Ran {
            finished,
            record: feed.record(),
            requests,
            news: feed.subscribe(Arc::default()).take(),
        }
    }
}

#[tokio::test]
async fn an_answer_is_streamed_and_kept() {
    let ran = run(vec![vec!["This ".into(), "LB".into(), stop()]], vec![]).await;
    assert_eq!(ran.finished.outcome, TurnOutcome::Done);
    assert_eq!(ran.record.text, "This LB");
    assert_eq!(ran.finished.messages, [Message::text(Role::Assistant, "This LB")]);
    assert_eq!(ran.record.model.as_deref(), Some("scripted"));
}

/// chat-worker.md §8 row 1: the message that asks for tools does not end the turn.
#[tokio::test]
async fn fault_1_tools_are_answered_before_the_turn_ends() {
    let scripts = vec![
        vec!["Let me see. ".into(), call("1", "a"), call("2", "b"), stop()],
        vec!["Done.".into(), stop()],
    ];
    let ran = run(scripts, vec![Echo::named("a"), Echo::named("b")]).await;
    assert_eq!(ran.finished.outcome, TurnOutcome::Done);
    assert_eq!(ran.record.text, "Let me see. Done.");
    assert_eq!(
        ran.finished.final_text, "Done.",
        "references come from the last message only"
    );
    let Some(Message {
        role: Role::Tool,
        parts,
    }) = ran.requests[1].messages.last()
    else {
        panic!("no results")
    };
    let texts: Vec<_> = parts
        .iter()
        .map(|part| match part {
            Part::ToolResult {
                content,
                is_error: false,
                ..
            } => content.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    let text = |text: &str| vec![ResultContent::Text { text: text.into() }];
    assert_eq!(texts, [text("a 1"), text("b 2")], "in the order of the calls");
}

/// chat-worker.md §8 row 2: the true outcome of a tool is told.
#[tokio::test]
async fn fault_2_a_failed_tool_is_shown_as_failed_and_the_turn_goes_on() {
    let ran = run(
        vec![vec![call("1", "nobody"), stop()], vec!["ok".into(), stop()]],
        vec![],
    )
    .await;
    assert_eq!(ran.finished.outcome, TurnOutcome::Done);
    assert_eq!(
        ran.record.tools.iter().map(|row| row.ok).collect::<Vec<_>>(),
        [Some(false)]
    );
}

#[tokio::test]
async fn a_model_that_never_stops_calling_is_ended_honestly() {
    let ran = run(vec![vec![call("1", "a"), stop()]], vec![Echo::named("a")]).await;
    assert_eq!(ran.finished.outcome, TurnOutcome::CutShort(Cut::Steps));
    assert_eq!(ran.requests.len(), STEP_CEILING as usize);
    assert_eq!(ran.record.notices, [Notice::StepLimit]);
}

#[tokio::test]
async fn a_person_says_how_many_steps_a_turn_may_make() {
    let running = Running {
        steps: 3,
        ..Running::in_mode(Mode::Educational, vec![Echo::named("a")])
    };
    let ran = running.run(vec![vec![call("1", "a"), stop()]]).await;
    assert_eq!(ran.finished.outcome, TurnOutcome::CutShort(Cut::Steps));
    assert_eq!(ran.requests.len(), 3);
}

#[tokio::test]
async fn only_the_last_answer_says_how_a_turn_ended() {
    let finish = |reason| Say::Event(ModelEvent::Finished(reason));
    let calls = |reason| vec![call("1", "a"), finish(reason)];
    let says = |reason| vec!["That is".into(), finish(reason)];
    let cut = TurnOutcome::CutShort;
    for (scripts, outcome, notices) in [
        (
            vec![calls(FinishReason::Length), says(FinishReason::Stop)],
            TurnOutcome::Done,
            vec![Notice::AnswerClipped],
        ),
        (
            vec![calls(FinishReason::Filtered), says(FinishReason::Stop)],
            TurnOutcome::Done,
            vec![Notice::Withheld],
        ),
        (
            vec![says(FinishReason::Length)],
            cut(Cut::Length),
            vec![Notice::AnswerClipped],
        ),
        (
            vec![calls(FinishReason::ToolCalls), says(FinishReason::Filtered)],
            cut(Cut::Withheld),
            vec![Notice::Withheld],
        ),
    ] {
        let ran = run(scripts, vec![Echo::named("a")]).await;
        assert_eq!(ran.finished.outcome, outcome);
        assert_eq!(ran.record.notices, notices);
    }
}

fn picture(name: &str) -> Picture {
    Picture {
        blob: name.into(),
        mime_type: "image/png".into(),
        bytes: vec![0; 8].into(),
    }
}

#[tokio::test]
async fn the_pictures_of_the_question_stay_while_those_of_tools_come_and_go() {
    let shoots = doing("shoot", |call| async move {
        ToolOutput {
            pictures: vec![picture(&call.call_id)],
            ..ToolOutput::text("see")
        }
    });
    let names = ["s1", "s2", "s3", "s4", "s5"];
    let steps = names.map(|name| vec![call(name, "shoot"), stop()]);
    let scripts: Vec<Vec<Say>> = steps.into_iter().chain([vec!["done".into(), stop()]]).collect();
    let asked = ["1", "2", "3", "4", "5"];
    let ran = Running {
        toolbox: Toolbox::new(vec![shoots], ToolShelf::default()),
        album: Album::of(asked.map(picture).into()),
        ..Running::default()
    }
    .run(scripts)
    .await;
    let shown = |step: usize| -> Vec<&str> {
        let pictures = &ran.requests[step].pictures;
        pictures.iter().map(|picture| picture.blob.as_str()).collect()
    };
    assert_eq!(shown(0), asked);
    assert_eq!(shown(5), ["s2", "s3", "s4", "s5", "1", "2", "3", "4", "5"]);
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_an_error_and_keeps_its_text() {
    let ran = run(vec![vec!["half".into(), Say::BreakOff]], vec![]).await;
    assert_eq!(
        ran.finished.outcome,
        TurnOutcome::Failed(ProviderError::BrokenStream.into())
    );
    assert_eq!(ran.record.text, "half");
    assert_eq!(ran.finished.messages, [Message::text(Role::Assistant, "half")]);
}

#[tokio::test]
async fn an_endless_answer_is_cut_at_the_limit() {
    let piece = "x".repeat(100_000);
    let script: Vec<Say> = std::iter::repeat_n(Say::from(piece.as_str()), 20)
        .chain([stop()])
        .collect();
    let ran = run(vec![script], vec![]).await;
    assert_eq!(ran.finished.outcome, TurnOutcome::CutShort(Cut::Length));
    assert_eq!(ran.record.text.len(), 600_000);
    assert_eq!(ran.record.notices, [Notice::AnswerClipped]);
}

#[tokio::test]
async fn stopping_ends_a_hanging_tool_and_keeps_what_was_said() {
    let switch = StopSwitch::default();
    let from_outside = switch.clone();
    let scripts = vec![vec!["Wait. ".into(), call("1", "hang"), stop()]];
    let running = run_with(scripts, vec![Echo::named("hang")], Arc::new(NoHooks), switch);
    let stopping = async move { from_outside.stop(StopCause::Person) };
    let (ran, ()) = tokio::join!(running, stopping);
    assert_eq!(ran.finished.outcome, TurnOutcome::Stopped(StopCause::Person));
    assert_eq!(ran.record.text, "Wait. ");
}

#[tokio::test]
async fn the_first_cause_of_an_end_counts() {
    let switch = StopSwitch::default();
    switch.stop(StopCause::Abandoned);
    switch.stop(StopCause::Person);
    switch.dispose();
    assert_eq!(switch.outcome(), Some(TurnOutcome::Stopped(StopCause::Abandoned)));
}

#[derive(Default)]
struct Meddler {
    refused: Mutex<Vec<String>>,
}

#[async_trait::async_trait]
impl Hooks for Meddler {
    async fn before_model(&self, _: &TurnPlace, request: &mut ModelRequest) -> Verdict {
        if request.messages.len() > 3 {
            Verdict::Refuse("enough".into())
        } else {
            Verdict::Continue
        }
    }

    async fn before_tool(&self, _: &TurnPlace, tool: &str, _: &mut Value) -> Verdict {
        self.refused.lock().unwrap().push(tool.to_owned());
        Verdict::Refuse("not today".into())
    }

    async fn after_tool(&self, _: &TurnPlace, _: &str, output: &mut ToolOutput) {
        output.shown.clear();
    }
}

#[tokio::test]
async fn hooks_can_refuse_a_tool_and_end_a_turn() {
    let hooks = Arc::new(Meddler::default());
    let scripts = vec![vec![call("1", "a"), stop()]];
    let ran = run_with(
        scripts,
        vec![Echo::named("a")],
        hooks.clone(),
        StopSwitch::default(),
    )
    .await;
    assert_eq!(ran.finished.outcome, TurnOutcome::Failed(TurnFailure::Plugin));
    assert_eq!(*hooks.refused.lock().unwrap(), ["a", "a"]);
    assert!(ran.record.tools.iter().all(|row| row.ok == Some(false)));
}
