//! The tool calls of one step: found, refused or run side by side, told of, and answered in their order.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::{Instant, sleep_until, timeout};

use super::Turn;
use super::inside::Inside;
use super::sample::Call;
use crate::briefing::{Briefing, Collaboration};
use crate::event::{ToolContent, ToolEnd, ToolProgress, ToolStart, TurnEvent};
use crate::hooks::Verdict;
use crate::message::{Message, Part, ResultContent, Role};
use crate::page_block::text::clip_with_remark;
use crate::permission::{Asking, Case, Class, Gate, Intent};
use crate::provider::Picture;
use crate::tool::{Tool, ToolCallContext, ToolKind, ToolOutput, without_secrets};
use crate::workspace::{Roots, Workspace};

/// Tool calls of one step that run at once.
const PARALLEL_CALLS: usize = 8;
/// Most bytes of each text of a result that are shown, before a remark about the rest; both take less than 8,000.
const SHOWN: usize = 7_900;
/// A tool that is told to end has this long to clean up after itself.
const FAREWELL: Duration = Duration::from_millis(500);

/// When something was last shown to the person, over all steps of a turn. Whoever holds it shows.
// A tokio mutex: it is held while a tool shows something, and its queue keeps the order of the calls.
pub(super) type Showing = Mutex<Option<Instant>>;

/// Every tool that the turn has had, by name: one that is gone knows best why it cannot be called.
pub(super) type Seen = HashMap<String, Arc<dyn Tool>>;

/// What the calls of one step share.
pub(super) struct Step<'a> {
    pub(super) turn: &'a Turn,
    pub(super) seen: &'a Seen,
    pub(super) showing: &'a Showing,
}

impl Step<'_> {
    /// Answers every call, in the order the model made them; with the pictures it is to see.
    pub(super) async fn answer(&self, calls: Vec<Call>) -> (Message, Vec<Picture>) {
        let order: Vec<String> = calls.iter().map(|call| call.id.clone()).collect();
        let mut answered: HashMap<String, (Part, Vec<Picture>)> = HashMap::new();
        for run in self.runs(calls) {
            let running = stream::iter(run)
                .map(|call| async { (call.id.clone(), self.answer_call(call).await) })
                .buffer_unordered(PARALLEL_CALLS);
            answered.extend(running.collect::<Vec<_>>().await);
        }
        let (parts, pictures): (_, Vec<_>) = order.iter().filter_map(|id| answered.remove(id)).unzip();
        let message = Message {
            role: Role::Tool,
            parts,
        };
        (message, pictures.concat())
    }

    /// Calls that may run beside each other, in runs that follow one another: where this process acts itself, what
    /// changes something runs alone and in its place. A client that acts for us keeps its own order.
    fn runs(&self, calls: Vec<Call>) -> Vec<Vec<Call>> {
        let acts_itself = self.turn.setting.gate.is_some();
        let mut runs: Vec<Vec<Call>> = Vec::new();
        let mut after_a_look = false;
        for call in calls {
            let looks = !acts_itself || self.tool(&call.name).is_none_or(|tool| tool.meta().read_only);
            match runs.last_mut().filter(|_| looks && after_a_look) {
                Some(run) => run.push(call),
                None => runs.push(vec![call]),
            }
            after_a_look = looks;
        }
        runs
    }

    async fn answer_call(&self, mut call: Call) -> (Part, Vec<Picture>) {
        let mut shown = self.turn_to_show(&call.name).await;
        let began = Instant::now();
        let tool = self.tool(&call.name);
        let feed = &self.turn.feed;
        feed.push(TurnEvent::ToolStarted(self.announce(&call, tool.as_deref())));
        let (place, hooks) = (&self.turn.place, &self.turn.hooks);
        let mut output = match hooks.before_tool(place, &call.name, &mut call.arguments).await {
            Verdict::Refuse(why) => ToolOutput::error(why),
            Verdict::Continue => self.run(tool, &call).await,
        };
        hooks.after_tool(place, &call.name, &mut output).await;
        if let Some(last) = shown.as_mut() {
            **last = Some(Instant::now());
        }
        self.conclude(call, output, began)
    }

    /// Where the mode has a pace, what is shown is shown one after the other; `None` where nothing waits.
    async fn turn_to_show(&self, tool: &str) -> Option<MutexGuard<'_, Option<Instant>>> {
        let pace = self.turn.setting.briefing.pace(tool);
        if pace.is_zero() {
            return None;
        }
        let waiting = async {
            let last = self.showing.lock().await;
            if let Some(last) = *last {
                sleep_until(last + pace).await;
            }
            last
        };
        tokio::select! {
            biased;
            () = self.turn.stop.token().cancelled() => None,
            last = waiting => Some(last),
        }
    }

    /// The tool as it is now, or as it was before: a client may have left or come back since.
    fn tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let now = self.turn.toolbox.tools();
        let now = now.into_iter().find(|tool| tool.meta().name == name);
        now.or_else(|| self.seen.get(name).cloned())
    }

    async fn run(&self, tool: Option<Arc<dyn Tool>>, call: &Call) -> ToolOutput {
        let briefing = &self.turn.setting.briefing;
        if !briefing.offers(&call.name) {
            return ToolOutput::error(briefing.lacks(&call.name));
        }
        let Some(tool) = tool else {
            return ToolOutput::error(format!("there is no tool named {:?}", call.name));
        };
        let stop = &self.turn.stop;
        if stop.outcome().is_some() {
            return stopped();
        }
        let context = match &self.turn.setting.gate {
            Some(gate) => match self.permit(gate, &tool, call).await {
                Ok(context) => {
                    self.turn.feed.push(begins(call));
                    context
                }
                Err(refused) => return refused,
            },
            None => self.context(call, Vec::new()),
        };
        let mut running = std::pin::pin!(tool.call(context));
        tokio::select! {
            biased;
            output = &mut running => output,
            // What it still says in time tells what was done by then.
            () = stop.token().cancelled() => timeout(FAREWELL, running).await.unwrap_or_else(|_late| stopped()),
        }
    }

    /// Whether the gate lets the call through, as its arguments are now, and with what.
    async fn permit(
        &self,
        gate: &Gate,
        tool: &Arc<dyn Tool>,
        call: &Call,
    ) -> Result<ToolCallContext, ToolOutput> {
        let setting = &self.turn.setting;
        let case = case(Arc::clone(tool), call, self.roots().cloned()).await;
        let planning = matches!(&setting.briefing, Briefing::Editor(editor)
            if editor.collaboration == Collaboration::Plan);
        let mut asking = Asking {
            call: &self.announce(call, Some(tool.as_ref())),
            case: &case,
            shown: Vec::new(),
            planning,
            person: setting.person.as_ref(),
            cancel: self.turn.stop.token(),
        };
        if gate.would_ask(&asking) {
            match self.preview(tool.as_ref(), call).await {
                Ok(shown) => asking.shown = shown,
                // It may tell what is in a file, and does so to whoever may read that unasked.
                Err(refused) if gate.lets_look(&asking) => return Err(refused),
                Err(_) => {}
            }
        }
        let allowed = asking.shown.clone();
        let judged = gate.judge(asking).await;
        judged.map_err(|refusal| ToolOutput::error(refusal.to_string()))?;
        Ok(ToolCallContext {
            allowed,
            ..self.context(call, case.intent().outside.clone())
        })
    }

    /// What the call would do; finding out looks at nothing outside, which nobody has allowed yet.
    async fn preview(&self, tool: &dyn Tool, call: &Call) -> Result<Vec<ToolContent>, ToolOutput> {
        let context = self.context(call, Vec::new());
        tokio::select! {
            biased;
            () = self.turn.stop.token().cancelled() => Err(stopped()),
            shown = tool.preview(&context) => shown,
        }
    }

    fn announce(&self, call: &Call, tool: Option<&dyn Tool>) -> ToolStart {
        let arguments = &call.arguments;
        ToolStart {
            call_id: call.id.clone(),
            name: call.name.clone(),
            title: tool.map_or_else(|| call.name.clone(), |tool| tool.title(arguments)),
            kind: tool.map_or(ToolKind::Other, |tool| tool.meta().kind),
            arguments: arguments.clone(),
            locations: tool.map_or_else(Vec::new, |tool| tool.locations(arguments, self.roots())),
        }
    }

    fn roots(&self) -> Option<&Roots> {
        let workspace = self.turn.setting.workspace.as_ref();
        workspace.map(|workspace| workspace.roots())
    }

    fn context(&self, call: &Call, beyond: Vec<PathBuf>) -> ToolCallContext {
        let turn = self.turn;
        let workspace = turn.setting.workspace.clone();
        ToolCallContext {
            call_id: call.id.clone(),
            arguments: call.arguments.clone(),
            turn: turn.place.turn.clone(),
            conversation: turn.place.conversation,
            store: turn.store.clone(),
            tab: turn.tab,
            workspace: workspace
                .map(|workspace| Arc::new(Inside { workspace, beyond }) as Arc<dyn Workspace>),
            allowed: Vec::new(),
            person: Arc::clone(&turn.setting.person),
            feed: Arc::clone(&turn.feed),
            cancel: turn.stop.token().clone(),
        }
    }

    /// Shows the end of a call (its media first) and makes the part the model reads.
    fn conclude(&self, call: Call, output: ToolOutput, began: Instant) -> (Part, Vec<Picture>) {
        let feed = &self.turn.feed;
        for media in output.media {
            feed.push(TurnEvent::Media(Box::new(media)));
        }
        let mut content: Vec<ToolContent> = if output.shown.is_empty() {
            output.content.iter().filter_map(words).collect()
        } else {
            output.shown
        };
        if self.turn.setting.briefing.shows_pictures() {
            content.extend(output.pictures.iter().cloned().map(ToolContent::Picture));
        }
        feed.push(TurnEvent::ToolFinished(ToolEnd {
            call_id: call.id.clone(),
            name: call.name,
            ok: !output.is_error,
            ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            content,
            kept_arguments: output.secret_input.then(|| without_secrets(&call.arguments)),
            locations: output.locations,
        }));
        let result = Part::ToolResult {
            call_id: call.id,
            content: output.content,
            is_error: output.is_error,
        };
        (result, output.pictures)
    }
}

fn stopped() -> ToolOutput {
    ToolOutput::error("the turn was stopped")
}

/// A call that may have waited for a person runs now, and has nothing to show yet.
fn begins(call: &Call) -> TurnEvent {
    TurnEvent::ToolProgress(ToolProgress {
        call_id: call.id.clone(),
        name: call.name.clone(),
        content: Vec::new(),
        kept_arguments: None,
    })
}

/// What a person is shown of a result that does not say it; it stays in memory as long as its turn.
fn words(content: &ResultContent) -> Option<ToolContent> {
    match content {
        ResultContent::Text { text } => Some(ToolContent::Text(clip_with_remark(text, SHOWN))),
        ResultContent::Image { .. } => None,
    }
}

/// What a call would do. Finding out may look at the disk, so it happens beside the turn.
async fn case(tool: Arc<dyn Tool>, call: &Call, roots: Option<Roots>) -> Case {
    let (name, arguments) = (call.name.clone(), call.arguments.clone());
    let found = tokio::task::spawn_blocking(move || {
        let intent = tool.intent(&arguments, roots.as_ref());
        Case::new(&name, intent, roots.as_ref())
    });
    found.await.unwrap_or_else(|_panic| {
        // Whoever cannot say what it does may do anything.
        let intent = Intent {
            opaque: true,
            ..Intent::new(Class::Other, None)
        };
        Case::new(&call.name, intent, None)
    })
}
