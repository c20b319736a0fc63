//! What a client asks and what it gets: the question, the turn it starts, and why it was not taken.

use std::sync::Arc;

use sidewire_contract::page::PageContext;

use super::now_ms;
use crate::error::ProviderError;
use crate::feed::Subscription;
use crate::ids::{ConversationId, TurnKey};
use crate::message::{Message, Part, Role};
use crate::page_block::text::clip;
use crate::provider::Picture;
use crate::record::{PageStub, TurnRecord};
use crate::setting::Setting;
use crate::store::{ClaimError, Lookup, StoreError};
use crate::tool::ToolShelf;

/// Most bytes of a page's title or address that are kept with its turn.
const PAGE_NAME_BYTES: usize = 4 * 1024;

/// Which conversation a question belongs to.
#[derive(Clone, Debug)]
pub enum Place {
    /// The one a browser means (decision 15).
    Found(Lookup),
    /// One that is known.
    Known(ConversationId),
}

impl Place {
    /// The tab the question came from; 0 for a document or an editor.
    pub(crate) fn tab(&self) -> i64 {
        match self {
            Self::Found(lookup) => lookup.tab,
            Self::Known(_) => 0,
        }
    }
}

/// A question from a client.
pub struct Ask {
    /// The turn it starts.
    pub key: TurnKey,
    /// Which conversation it belongs to.
    pub place: Place,
    /// The question.
    pub text: String,
    /// The page it is about.
    pub page: Option<Arc<PageContext>>,
    /// What belongs to the question beside its text, such as pictures.
    pub parts: Vec<Part>,
    /// Bytes of the pictures among them.
    pub pictures: Vec<Picture>,
    /// What the transcript shows, when it is not the text itself.
    pub shown: Option<String>,
    /// Where and how the turn runs.
    pub setting: Setting,
    /// Tools of the client that asks.
    pub tools: ToolShelf,
}

/// A turn that runs now.
pub struct Started {
    /// Its conversation.
    pub conversation: ConversationId,
    /// What the conversation is called.
    pub title: String,
    /// The model that answers.
    pub model: String,
    /// Everything that happens in it.
    pub subscription: Subscription,
}

/// A turn found again.
pub struct Followed {
    /// Its conversation.
    pub conversation: ConversationId,
    /// The turn so far.
    pub record: TurnRecord,
    /// What follows; `None` when it has ended.
    pub subscription: Option<Subscription>,
}

/// Why a question was not taken.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The conversation is answering another question.
    #[error("the conversation is still answering")]
    Busy,
    /// Another process is answering in the conversation.
    #[error("the conversation is open in {holder}")]
    Held {
        /// Which one, in words: program and process.
        holder: String,
    },
    /// This owner has used this turn id before; follow it instead.
    #[error("a turn of this id exists")]
    Duplicate,
    /// The worker is shutting down.
    #[error("the worker is shutting down")]
    Disposed,
    /// The provider's key has expired or will within the turn.
    #[error(transparent)]
    Provider(ProviderError),
    /// The conversation could not be read or written.
    #[error("failed to store the question")]
    Store(#[from] StoreError),
}

impl From<ClaimError> for AskError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Held { holder } => Self::Held { holder },
            ClaimError::Store(source) => Self::Store(source),
        }
    }
}

/// Why something was not deleted.
#[derive(Debug, thiserror::Error)]
pub enum DeleteError {
    /// A question is being answered in it.
    #[error("the conversation is still answering")]
    Busy,
    /// It could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<ClaimError> for DeleteError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Held { .. } => Self::Busy,
            ClaimError::Store(source) => Self::Store(source),
        }
    }
}

pub(super) fn first_record(ask: &Ask) -> TurnRecord {
    let shown = ask.shown.clone().unwrap_or_else(|| ask.text.clone());
    let page = ask.page.as_deref().map(|page| PageStub {
        title: page_name(&page.title),
        url: page_name(&page.url),
    });
    TurnRecord {
        page,
        ..TurnRecord::begun(ask.key.id.clone(), shown, ask.setting.briefing.mode(), now_ms())
    }
}

/// Title or address as it is kept: what is longer is no name, and would not fit the frame that shows the turn again.
fn page_name(text: &str) -> String {
    clip(text, PAGE_NAME_BYTES).to_owned()
}

/// The question as it is stored: the page it was about is kept by name only.
pub(super) fn user_message(ask: &Ask) -> Message {
    let page = ask.page.as_deref().map(|page| Part::Page {
        title: page_name(&page.title),
        url: page_name(&page.url),
        captured_at_ms: page.captured_at_ms,
    });
    let text = Part::Text {
        text: ask.text.clone(),
    };
    Message {
        role: Role::User,
        parts: page
            .into_iter()
            .chain([text])
            .chain(ask.parts.iter().cloned())
            .collect(),
    }
}
