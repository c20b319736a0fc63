//! The gate of one conversation: judges each call, and asks the person where posture and rules leave it to them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::card::{Card, Decision, Offer};
use super::verdict::{Beyond, Grant, Policy, Standing, Verdict, goes_beyond, judge};
use super::{Case, Posture, Refusal, Rule, Rules};
use crate::event::{ToolContent, ToolStart};
use crate::person::{Answer, Person};

/// A person's client that is told to take a card away has this long to do it.
const FAREWELL: Duration = Duration::from_millis(500);
/// Rules that answers of one session may make; more is no help to anyone.
const GRANTS: usize = 256;

/// Judges the calls of one conversation. Shared by its front, which changes the posture, and its turns.
pub struct Gate {
    policy: Policy,
    // Whoever waits with a card wakes up when it changes.
    standing: watch::Sender<Standing>,
    /// Held while a card is shown: a person sees one at a time, in the order of the calls.
    card: Mutex<()>,
    name: String,
    cards: AtomicU32,
}

/// A call that asks to run.
pub struct Asking<'a> {
    /// The call, as it is shown.
    pub call: &'a ToolStart,
    /// What it would do.
    pub case: &'a Case,
    /// The same for a person's eyes, where they would be asked ([`Gate::would_ask`]).
    pub shown: Vec<ToolContent>,
    /// The session proposes and changes nothing.
    pub planning: bool,
    /// Whom to ask.
    pub person: &'a dyn Person,
    /// Fires when the turn ends.
    pub cancel: &'a CancellationToken,
}

/// How showing a card ended.
enum Shown {
    Answered(Decision),
    /// Something else decided meanwhile.
    Overtaken,
    Stopped,
}

impl Gate {
    /// A gate in this posture, without rules, for a conversation that is trusted.
    #[must_use]
    pub fn new(posture: Posture) -> Self {
        let mut name = Uuid::new_v4().simple().to_string();
        name.truncate(8);
        Self {
            policy: Policy::default(),
            standing: watch::Sender::new(Standing {
                posture,
                trusted: true,
                grants: Vec::new(),
            }),
            card: Mutex::default(),
            name,
            cards: AtomicU32::new(0),
        }
    }

    /// With what the person configured.
    #[must_use]
    pub fn with_rules(mut self, rules: Rules) -> Self {
        self.policy.rules = rules;
        self
    }

    /// Where a person would be asked about a change of files, it is made.
    #[must_use]
    pub fn accepting_edits(mut self, accepts: bool) -> Self {
        self.policy.accepts_edits = accepts;
        self
    }

    /// For a conversation that began beside a web page and was never trusted to act: whatever the posture, a person is
    /// asked before anything is changed or run (decision 35).
    #[must_use]
    pub fn untrusted(self) -> Self {
        self.distrust();
        self
    }

    /// The same for a conversation that a page has come into since.
    pub fn distrust(&self) {
        self.standing.send_modify(|standing| standing.trusted = false);
    }

    /// How much may be done unasked now.
    #[must_use]
    pub fn posture(&self) -> Posture {
        self.standing.borrow().posture
    }

    /// Changes the posture at once; cards that wait are answered when it decides them.
    pub fn set_posture(&self, posture: Posture) {
        self.standing.send_modify(|standing| standing.posture = posture);
    }

    /// Whether the conversation is trusted to act; a person's answer may have made it so, which its front keeps.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.standing.borrow().trusted
    }

    /// Forgets what was allowed for the session.
    pub fn forget_grants(&self) {
        self.standing.send_modify(|standing| standing.grants.clear());
    }

    /// Whether a person would be asked about a call as things stand.
    #[must_use]
    pub fn would_ask(&self, asking: &Asking<'_>) -> bool {
        matches!(self.weigh(asking), Verdict::Ask(..))
    }

    /// Whether what the call is about, as far as that is inside, may be looked at without asking anyone.
    #[must_use]
    pub fn lets_look(&self, asking: &Asking<'_>) -> bool {
        let look = asking.case.as_look();
        judge(&look, &self.policy, &self.standing.borrow(), asking.planning) == Verdict::Run
    }

    /// Whether a call may run. Waits for the person as long as the turn runs.
    pub async fn judge(&self, asking: Asking<'_>) -> Result<(), Refusal> {
        loop {
            match self.weigh(&asking) {
                Verdict::Run => return Ok(()),
                Verdict::Refuse(refusal) => return Err(refusal),
                Verdict::Ask(..) => {}
            }
            match self.consult(&asking).await {
                Shown::Overtaken => {}
                Shown::Stopped => return Err(Refusal::stopped()),
                Shown::Answered(decision) => return self.settle(decision, &asking),
            }
        }
    }

    fn weigh(&self, asking: &Asking<'_>) -> Verdict {
        judge(
            asking.case,
            &self.policy,
            &self.standing.borrow(),
            asking.planning,
        )
    }

    /// Waits until this call's card may be shown, and shows it.
    async fn consult(&self, asking: &Asking<'_>) -> Shown {
        let _alone = tokio::select! {
            biased;
            () = asking.cancel.cancelled() => return Shown::Stopped,
            () = self.decided(asking) => return Shown::Overtaken,
            alone = self.card.lock() => alone,
        };
        // The card before may have decided this call too.
        match self.weigh(asking) {
            Verdict::Ask(why, offer) => self.show(asking, why, offer).await,
            Verdict::Run | Verdict::Refuse(_) => Shown::Overtaken,
        }
    }

    async fn show(&self, asking: &Asking<'_>, why: &'static str, offer: Offer) -> Shown {
        let id = format!(
            "gate-{}-{}",
            self.name,
            self.cards.fetch_add(1, Ordering::Relaxed) + 1
        );
        let card = Card::new(id, asking, why, offer);
        let withdrawn = asking.cancel.child_token();
        let mut answer = std::pin::pin!(asking.person.ask(card.question.clone(), withdrawn.clone()));
        let early = tokio::select! {
            biased;
            () = asking.cancel.cancelled() => Shown::Stopped,
            () = self.decided(asking) => Shown::Overtaken,
            answer = &mut answer => return Shown::Answered(card.read(&answer)),
        };
        withdrawn.cancel();
        // So that the client takes the card away; what it answers now counts no longer.
        let _late: Result<Answer, _> = timeout(FAREWELL, answer).await;
        early
    }

    /// Resolves once posture, trust or an earlier answer decides the call.
    async fn decided(&self, asking: &Asking<'_>) {
        let mut standing = self.standing.subscribe();
        while self.would_ask(asking) {
            if standing.changed().await.is_err() {
                // Its sender is this gate, so it never ends.
                std::future::pending::<()>().await;
            }
        }
    }

    fn settle(&self, decision: Decision, asking: &Asking<'_>) -> Result<(), Refusal> {
        match decision {
            Decision::Allow => Ok(()),
            Decision::Grant(rules) => {
                self.grant(rules, goes_beyond(asking.case));
                Ok(())
            }
            Decision::Trust => {
                self.standing.send_modify(|standing| standing.trusted = true);
                Ok(())
            }
            Decision::Decline => Err(Refusal::declined()),
            Decision::Unanswered => Err(self.unanswered()),
            Decision::Astray => Err(Refusal::aborted()),
        }
    }

    fn unanswered(&self) -> Refusal {
        if self.is_trusted() {
            Refusal::unattended("a person's permission is needed")
        } else {
            Refusal::untrusted()
        }
    }

    fn grant(&self, rules: Vec<Rule>, beyond: Option<Beyond>) {
        self.standing.send_modify(|standing| {
            let room = GRANTS.saturating_sub(standing.grants.len());
            let grants = rules.into_iter().map(|rule| Grant { rule, beyond });
            standing.grants.extend(grants.take(room));
        });
    }
}
