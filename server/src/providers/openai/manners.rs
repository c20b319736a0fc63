//! How one server wants to be asked, as far as it has shown it: what it refuses, and what it insists on.
//!
//! Nothing is concluded from what a server writes. A way counts as refused when the server answers HTTP 400 or 422 and
//! takes another one, and as accepted once an answer began.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sidewire_agent::message::{Message, Part};
use url::Url;

use super::super::http::{Asking, short_id};

/// Servers differ in what they refuse. The forms are tried in this order until one is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Asks for token counts; what almost every server takes.
    Usual,
    /// Without the wish for token counts, for servers that know no `stream_options`.
    Bare,
    /// With the newer name of the output limit, which some models insist on.
    Newer,
}

impl Form {
    /// All forms, in the order of trying.
    const ALL: [Self; 3] = [Self::Usual, Self::Bare, Self::Newer];
}

/// One way to put a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    form: Form,
    /// Says how hard to think.
    effort: bool,
    /// Gives the thinking before each tool call back.
    echo: bool,
}

impl Way {
    /// How many wishes it holds that a server may not know.
    pub(super) fn extras(self) -> usize {
        usize::from(self.effort) + usize::from(self.echo)
    }
}

/// What a request is about, as far as servers differ in it.
pub(super) struct Wants<'a> {
    /// How hard the model is to think.
    effort: Option<&'a str>,
    /// The transcript holds tool calls.
    calls: bool,
    /// With thinking that a server of this API sent.
    thoughts: bool,
}

impl<'a> Wants<'a> {
    /// Those of a request.
    pub(super) fn of(asking: &Asking<'a>, manners: &Manners) -> Self {
        let calling = || {
            let messages = asking.request.messages.iter();
            messages.filter(|message| calls_tools(message))
        };
        Self {
            effort: asking.effort.or(manners.usual_effort),
            calls: calling().next().is_some(),
            thoughts: calling().any(|message| message.parts.iter().any(|part| thought(part).is_some())),
        }
    }
}

/// A way with all it needs.
pub(super) struct Shape<'a> {
    /// Which fields name limits and wishes.
    pub(super) form: Form,
    /// How hard to think, where that is said.
    pub(super) effort: Option<&'a str>,
    /// Says the effort as DeepSeek wants it, in two fields.
    pub(super) deepseek: bool,
    /// Gives the thinking before each tool call back.
    pub(super) echo: bool,
    /// The answer needs room for thinking.
    pub(super) thinks: bool,
    /// Ids of calls have nine letters and digits.
    short_ids: bool,
}

impl Shape<'_> {
    /// The id of a call as the server takes it.
    pub(super) fn id<'a>(&self, id: &'a str) -> Cow<'a, str> {
        if self.short_ids {
            short_id(id)
        } else {
            Cow::Borrowed(id)
        }
    }
}

/// How the names of Mistral's models begin. Whoever serves them refuses ids of any other kind.
const MISTRAL: [&str; 7] = [
    "mistral",
    "mixtral",
    "ministral",
    "magistral",
    "codestral",
    "devstral",
    "pixtral",
];

/// What is known of one server and model.
pub(super) struct Manners {
    deepseek: bool,
    mistral: bool,
    /// The effort when none was chosen.
    usual_effort: Option<&'static str>,
    // A std mutex: held for a look or a note.
    learned: Mutex<Learned>,
}

#[derive(Default)]
struct Learned {
    form: Option<Form>,
    /// Efforts it was asked for, and whether it takes them.
    efforts: HashMap<String, bool>,
    /// Whether it takes thinking back.
    echo: Option<bool>,
    /// It sent `reasoning_content`, so it may insist on getting that back.
    shows: bool,
    /// It thinks, shown or not.
    thinks: bool,
}

impl Manners {
    /// What is known before the first request.
    pub(super) fn of(base: &Url, model: &str) -> Self {
        let is_of = |vendor: &str| {
            let rest = base.host_str().and_then(|host| host.strip_suffix(vendor));
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let deepseek = is_of("deepseek.com") || name.starts_with("deepseek");
        let mistral = is_of("mistral.ai") || MISTRAL.iter().any(|begin| name.starts_with(begin));
        // These think only when told to; the older names say by themselves whether they do.
        let told = deepseek && (name.contains("flash") || name.contains("pro"));
        Self {
            deepseek,
            mistral,
            usual_effort: told.then_some("high"),
            learned: Mutex::default(),
        }
    }

    /// The ways to try, the likeliest first.
    pub(super) fn ways(&self, wants: &Wants<'_>) -> Vec<Way> {
        let learned = self.lock();
        let forms = learned
            .form
            .as_ref()
            .map_or(Form::ALL.as_slice(), std::slice::from_ref);
        let taken = wants.effort.map(|effort| learned.efforts.get(effort).copied());
        let effort = taken.is_some_and(|taken| taken != Some(false));
        let likely = self.deepseek || learned.shows || wants.thoughts;
        let echo = wants.calls && learned.echo.unwrap_or(likely);
        let mut choices = vec![(effort, echo)];
        if taken == Some(None) {
            choices.push((false, echo));
        }
        if wants.calls && learned.echo.is_none() {
            choices.push((effort, !echo));
        }
        let way = |(effort, echo)| forms.iter().map(move |&form| Way { form, effort, echo });
        choices.into_iter().flat_map(way).collect()
    }

    /// The server took this way.
    pub(super) fn took(&self, way: Way, wants: &Wants<'_>) {
        let mut learned = self.lock();
        learned.form = Some(way.form);
        if let Some(effort) = wants.effort
            && learned.efforts.insert(effort.to_owned(), way.effort).is_none()
            && !way.effort
        {
            tracing::info!(effort, "the model server takes no effort");
        }
        if wants.calls {
            learned.echo = Some(way.echo);
        }
    }

    /// All that a body needs to know.
    pub(super) fn shape<'a>(&self, way: Way, wants: &Wants<'a>) -> Shape<'a> {
        let effort = wants.effort.filter(|_| way.effort);
        Shape {
            form: way.form,
            effort,
            deepseek: self.deepseek,
            echo: way.echo,
            thinks: effort.is_some() || self.lock().thinks,
            short_ids: self.mistral,
        }
    }

    /// The server counted tokens of thinking.
    pub(super) fn thinks(&self) {
        self.lock().thinks = true;
    }

    /// The server showed its thinking as `reasoning_content`.
    pub(super) fn shows_thinking(&self) {
        let mut learned = self.lock();
        learned.thinks = true;
        // Leaving it out was right while it did not think.
        if !std::mem::replace(&mut learned.shows, true) && learned.echo == Some(false) {
            learned.echo = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a message calls tools.
fn calls_tools(message: &Message) -> bool {
    let is_call = |part: &Part| matches!(part, Part::ToolCall { .. });
    message.parts.iter().any(is_call)
}

/// The thinking of a message that came over this API.
pub(super) fn thinking(message: &Message) -> String {
    message.parts.iter().filter_map(thought).collect()
}

/// This API knows no seals, so what has one came over another.
fn thought(part: &Part) -> Option<&str> {
    match part {
        Part::Reasoning {
            text,
            signature: None,
        } => Some(text),
        _ => None,
    }
}
