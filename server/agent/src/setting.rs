//! What a front brings to a turn beside its question: who answers, what it may touch, whom to ask.

use std::sync::Arc;

use sidewire_contract::mode::Mode;

use crate::briefing::Briefing;
use crate::permission::Gate;
use crate::person::{Nobody, Person};
use crate::provider::Provider;
use crate::workspace::Workspace;

/// Where and how a turn runs.
#[derive(Clone)]
pub struct Setting {
    /// What the model is told about its job.
    pub briefing: Briefing,
    /// What answers; the agent's own choice when there is none.
    pub provider: Option<Arc<dyn Provider>>,
    /// Files and shell.
    pub workspace: Option<Arc<dyn Workspace>>,
    /// Whom tools and the gate ask.
    pub person: Arc<dyn Person>,
    /// What decides whether a call may run; `None` where a client enforces consent itself (decision 28).
    pub gate: Option<Arc<Gate>>,
}

impl Setting {
    /// A turn beside a page: no files, nobody to ask, consent is the extension's.
    #[must_use]
    pub fn panel(mode: Mode) -> Self {
        Self {
            briefing: Briefing::Panel(mode),
            provider: None,
            workspace: None,
            person: Arc::new(Nobody),
            gate: None,
        }
    }
}
