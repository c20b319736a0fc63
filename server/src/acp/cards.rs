//! The person of a session, with a count of what waits for them.

use std::sync::atomic::{AtomicUsize, Ordering};

use sidewire_agent::person::{Answer, Person, Question};
use tokio_util::sync::CancellationToken;

use super::client_person::ClientPerson;

/// Asks, and knows whether something is asked.
pub(super) struct Cards {
    person: ClientPerson,
    waiting: AtomicUsize,
}

/// Counts a question for as long as it waits.
struct Waiting<'a>(&'a AtomicUsize);

impl Cards {
    /// Nothing is asked yet.
    pub(super) fn new(person: ClientPerson) -> Self {
        Self {
            person,
            waiting: AtomicUsize::new(0),
        }
    }

    /// Whether something waits for the person.
    pub(super) fn are_open(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > 0
    }
}

#[async_trait::async_trait]
impl Person for Cards {
    async fn ask(&self, question: Question, cancel: CancellationToken) -> Answer {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let _counted = Waiting(&self.waiting);
        self.person.ask(question, cancel).await
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
