//! What posture and rules say about a case, before any person is asked. Pure: the whole table is here.

use super::card::Offer;
use super::rules::{Rules, covering, might_touch, touching};
use super::{Case, Class, Posture, Refusal, Rule};

/// What a conversation may do now. Cheap to copy: a change of it is compared with what was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) posture: Posture,
    /// A conversation that began beside a web page acts only once a person trusts it (decision 35).
    pub(super) trusted: bool,
    /// What a person allowed for this session.
    pub(super) grants: Vec<Grant>,
}

/// A rule that a person made by an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) rule: Rule,
    /// How far the call went that it was given for; it allows none that goes further.
    pub(super) beyond: Option<Beyond>,
}

/// In which way a call goes beyond the files of the workspace; the furthest stands last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Beyond {
    /// It changes what git reads to know how to behave.
    Git,
    /// It touches places outside.
    Outside,
    /// Nothing confines it.
    Sandbox,
}

/// What never changes for a gate.
#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    pub(super) rules: Rules,
    /// Where a person would be asked about a change of files, it is made.
    pub(super) accepts_edits: bool,
}

/// What is to happen with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Run,
    Refuse(Refusal),
    /// A person decides; this is why, and what they may decide beside yes and no.
    Ask(&'static str, Offer),
}

const FRESH: &str = "only a person can decide this";
const UNTRUSTED: &str = "this conversation began beside a web page and is not trusted to act here";
const ASK_RULE: &str = "a permission rule wants it asked";
const HIDDEN: &str =
    "a permission rule may be about something it runs or touches, which cannot be told beforehand";
pub(super) const OUTSIDE: &str = "it reaches outside the workspace";
pub(super) const UNCONFINED: &str =
    "it runs outside the sandbox: it can read and write whatever you can, the keys of Sidewire too";
const TAMPERS: &str = "it changes how git behaves here";
const OPAQUE: &str = "what it runs cannot be told from its words";
const DEFAULT: &str = "no permission rule allows it";

/// Judges a case; `planning` is the mode that proposes and changes nothing.
pub(super) fn judge(case: &Case, policy: &Policy, standing: &Standing, planning: bool) -> Verdict {
    let (rules, posture) = (&policy.rules, standing.posture);
    let looks = case.intent().class == Class::Read;
    if let Some(rule) = touching(&rules.deny, case) {
        return Verdict::Refuse(Refusal::deny_rule(rule));
    }
    if posture == Posture::ReadOnly && !looks {
        return Verdict::Refuse(Refusal::read_only());
    }
    if planning && case.changes() {
        return Verdict::Refuse(Refusal::plan_mode());
    }
    if case.intent().fresh {
        return ask(posture, FRESH, Offer::Nothing);
    }
    if !standing.trusted && (!looks || case.is_command()) {
        if !posture.asks() {
            return Verdict::Refuse(Refusal::untrusted());
        }
        return Verdict::Ask(UNTRUSTED, Offer::Trust);
    }
    if posture != Posture::Yolo && touching(&rules.ask, case).is_some() {
        return ask(posture, ASK_RULE, Offer::Nothing);
    }
    if may_hide_something(case, rules, posture) {
        return ask(posture, HIDDEN, Offer::Nothing);
    }
    by_default(case, policy, standing)
}

/// No rule forbids it or wants it asked; does anything allow it?
fn by_default(case: &Case, policy: &Policy, standing: &Standing) -> Verdict {
    let (intent, posture) = (case.intent(), standing.posture);
    let beyond = goes_beyond(case);
    // No posture takes the sandbox away: a person does, each time or for the session.
    let runs_all = posture == Posture::Yolo && beyond != Some(Beyond::Sandbox);
    if runs_all || (!intent.opaque && is_allowed(case, &policy.rules, standing)) {
        return Verdict::Run;
    }
    if let Some(beyond) = beyond {
        let offer = if intent.opaque {
            Offer::Nothing
        } else {
            Offer::Beyond
        };
        return ask(posture, beyond.why(), offer);
    }
    let edits = policy.accepts_edits && posture == Posture::Ask && intent.class == Class::Edit;
    if edits || intent.class == Class::Read || posture >= Posture::Auto {
        return Verdict::Run;
    }
    if intent.opaque {
        return ask(posture, OPAQUE, Offer::Nothing);
    }
    ask(posture, DEFAULT, Offer::Rule)
}

/// In which way a call goes beyond the files of the workspace: the furthest.
pub(super) fn goes_beyond(case: &Case) -> Option<Beyond> {
    if case.intent().unconfined {
        return Some(Beyond::Sandbox);
    }
    if !case.intent().outside.is_empty() {
        return Some(Beyond::Outside);
    }
    case.tampers().then_some(Beyond::Git)
}

impl Beyond {
    fn why(self) -> &'static str {
        match self {
            Self::Git => TAMPERS,
            Self::Outside => OUTSIDE,
            Self::Sandbox => UNCONFINED,
        }
    }
}

fn ask(posture: Posture, why: &'static str, offer: Offer) -> Verdict {
    if posture.asks() {
        return Verdict::Ask(why, offer);
    }
    Verdict::Refuse(Refusal::unattended(why))
}

/// A command that cannot be read, or a folder whose files are not known, may be what a rule is about.
fn may_hide_something(case: &Case, rules: &Rules, posture: Posture) -> bool {
    might_touch(&rules.deny, case) || (posture != Posture::Yolo && might_touch(&rules.ask, case))
}

fn is_allowed(case: &Case, rules: &Rules, standing: &Standing) -> bool {
    let beyond = goes_beyond(case);
    // Who wrote that a command may run unasked counted on what confines it.
    let configured = rules.allow.iter().filter(|_| beyond != Some(Beyond::Sandbox));
    let granted = standing.grants.iter().filter(|grant| grant.beyond >= beyond);
    covering(configured.chain(granted.map(|grant| &grant.rule)), case)
}
