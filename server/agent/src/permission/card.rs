//! The card that asks a person about a call: what it says, what can be answered, and what an answer means.

use url::Url;

use super::verdict::{OUTSIDE, UNCONFINED};
use super::{Asking, Case, Class, Rule};
use crate::page_block::text::clip;
use crate::person::{Answer, Choice, ChoiceKind, Question};

/// Most bytes of a subject or a rule that a card shows.
const SHOWN: usize = 300;
/// Rules that one answer makes at most; a command of more parts is allowed once or not at all.
const RULES: usize = 4;
/// Programs whose second word says what they do, and second words that say nothing about it.
const TWO_WORDS: [&str; 14] = [
    "git", "cargo", "go", "npm", "pnpm", "yarn", "bun", "docker", "kubectl", "pip", "uv", "mvn", "gradle",
    "dotnet",
];
const ANYTHING: [&str; 9] = [
    "run", "exec", "x", "dlx", "create", "init", "config", "node", "tool",
];

const ALLOW_ONCE: &str = "allow_once";
const ALLOW_ALWAYS: &str = "allow_always";
const REJECT_ONCE: &str = "reject_once";

/// What a person may decide beside yes and no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// Nothing: the decision is made anew each time.
    Nothing,
    /// To allow calls like this one for the session.
    Rule,
    /// To allow this very call for the session, although it goes beyond the files of the workspace.
    Beyond,
    /// To trust the conversation.
    Trust,
}

/// What an answer means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Allow,
    /// Allow, and these rules hold for the session.
    Grant(Vec<Rule>),
    /// Allow, and trust the conversation.
    Trust,
    Decline,
    /// Nobody answered.
    Unanswered,
    /// The answer was none of the choices.
    Astray,
}

/// A card about a call.
pub(super) struct Card {
    pub(super) question: Question,
    offer: Offer,
    rules: Vec<Rule>,
}

impl Card {
    pub(super) fn new(id: String, asking: &Asking<'_>, why: &str, offer: Offer) -> Self {
        let case = asking.case;
        let rules = rules_for(case, offer);
        let mut options = vec![choice(ALLOW_ONCE, "Allow".to_owned(), ChoiceKind::AllowOnce)];
        if let Some(label) = lasting_label(offer, &rules) {
            options.push(choice(ALLOW_ALWAYS, label, ChoiceKind::AllowAlways));
        }
        options.push(choice(REJECT_ONCE, "Reject".to_owned(), ChoiceKind::RejectOnce));
        let question = Question {
            id,
            title: title(case),
            detail: Some(detail(case, why)),
            about: Some(asking.call.clone()),
            shown: asking.shown.clone(),
            subject: case.intent().subject.clone(),
            fresh: case.intent().fresh,
            options,
            deadline_ms: None,
        };
        Self {
            question,
            offer,
            rules,
        }
    }

    /// What an answer to it means; anything that was not offered allows nothing.
    pub(super) fn read(&self, answer: &Answer) -> Decision {
        let chosen = match answer {
            Answer::Chosen(id) => self.question.options.iter().find(|option| option.id == *id),
            Answer::Dismissed => return Decision::Decline,
            Answer::None => return Decision::Unanswered,
        };
        match chosen.map(|option| option.kind) {
            Some(ChoiceKind::AllowOnce) => Decision::Allow,
            Some(ChoiceKind::AllowAlways) if self.offer == Offer::Trust => Decision::Trust,
            Some(ChoiceKind::AllowAlways) => Decision::Grant(self.rules.clone()),
            Some(ChoiceKind::RejectOnce | ChoiceKind::RejectAlways) => Decision::Decline,
            None => Decision::Astray,
        }
    }
}

fn choice(id: &str, label: String, kind: ChoiceKind) -> Choice {
    Choice {
        id: id.to_owned(),
        label,
        kind,
    }
}

fn title(case: &Case) -> String {
    match &case.intent().subject {
        Some(subject) if subject != case.tool() => format!("{} {}", case.tool(), in_one_line(subject)),
        Some(_) | None => case.tool().to_owned(),
    }
}

/// Why it is asked, that nothing will confine it, and every place outside the workspace that the call reaches, whatever
/// it is asked for.
fn detail(case: &Case, why: &str) -> String {
    let why = match case.intent().unconfined {
        true if why != UNCONFINED => format!("{why}; {UNCONFINED}"),
        _ => why.to_owned(),
    };
    let places: Vec<String> = case
        .intent()
        .outside
        .iter()
        .map(|place| place.display().to_string())
        .collect();
    if places.is_empty() {
        return why;
    }
    let places = in_one_line(&places.join(", "));
    if why == OUTSIDE {
        format!("{why}: {places}")
    } else {
        format!("{why}; {OUTSIDE}: {places}")
    }
}

fn lasting_label(offer: Offer, rules: &[Rule]) -> Option<String> {
    match offer {
        Offer::Nothing => None,
        Offer::Trust => Some("Allow, and trust this conversation to act here".to_owned()),
        Offer::Rule | Offer::Beyond if rules.is_empty() => None,
        Offer::Rule | Offer::Beyond => {
            let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
            Some(format!(
                "Allow {} for this session",
                in_one_line(&rules.join(", "))
            ))
        }
    }
}

/// Text as a card shows it: without line breaks, and no longer than a person reads.
fn in_one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = clip(&line, SHOWN);
    if shown.len() == line.len() {
        line
    } else {
        format!("{shown}…")
    }
}

/// The rules that a lasting yes makes; none where such a yes is not offered.
fn rules_for(case: &Case, offer: Offer) -> Vec<Rule> {
    let intent = case.intent();
    let subject = intent.subject.as_deref();
    let rules = match (offer, intent.class) {
        (Offer::Nothing | Offer::Trust, _) => return Vec::new(),
        (Offer::Beyond, _) if case.is_command() => {
            subject.map(|command| vec![Rule::exact(case.tool(), command)])
        }
        (Offer::Beyond, _) => Some(exact_rules(case)),
        (Offer::Rule, Class::Edit) => Some(vec![Rule::any("Edit")]),
        (Offer::Rule, Class::Execute) => Some(command_rules(case)),
        (Offer::Rule, Class::Fetch) => subject.and_then(|address| site_rule(case.tool(), address)),
        (Offer::Rule, Class::Read | Class::Other) => None,
    };
    let rules = rules.unwrap_or_else(|| vec![Rule::any(case.tool())]);
    // What a person cannot read whole is not theirs to allow for good.
    let readable = rules.len() <= RULES && rules.iter().all(|rule| rule.to_string().len() <= SHOWN);
    if readable { rules } else { Vec::new() }
}

fn exact_rules(case: &Case) -> Vec<Rule> {
    let needed = case.needed();
    let names = needed.iter().filter_map(|names| names.first());
    names.map(|name| Rule::exact(case.tool(), name)).collect()
}

fn command_rules(case: &Case) -> Vec<Rule> {
    let tool = case.tool();
    let commands = case.needed();
    commands
        .iter()
        .filter_map(|names| names.first())
        .map(|command| match two_words(command) {
            Some(words) => Rule::prefix(tool, words),
            None => Rule::exact(tool, command),
        })
        .collect()
}

/// The program and what it is told to do, where these two words say enough to allow what follows them.
fn two_words(command: &str) -> Option<&str> {
    let mut words = command.split(' ');
    let (program, task) = (words.next()?, words.next()?);
    let is_plain = task.starts_with(|char: char| char.is_ascii_lowercase())
        && task
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '-');
    (is_plain && TWO_WORDS.contains(&program) && !ANYTHING.contains(&task))
        .then(|| command.get(..program.len() + 1 + task.len()))?
}

/// Everything of the site that an address is on.
fn site_rule(tool: &str, address: &str) -> Option<Vec<Rule>> {
    let url = Url::parse(address).ok()?;
    let origin = url.origin().ascii_serialization();
    (url.has_host() && !origin.contains('*')).then(|| vec![Rule::glob(tool, &format!("{origin}/*"))])
}
