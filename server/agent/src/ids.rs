//! Names of things inside the core. Each is a newtype, so that one cannot stand for another.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// One transcript, whichever front it was started from; minted here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConversationId(Uuid);

impl ConversationId {
    /// A fresh random id.
    #[must_use]
    pub fn mint() -> Self {
        Self(Uuid::new_v4())
    }

    /// Reads the lower-case hyphenated form; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let id = Uuid::try_parse(text).ok()?;
        (id.hyphenated().to_string() == text).then_some(Self(id))
    }
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// Who a conversation belongs to: one browser profile, one terminal user, one editor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Owner(pub String);

impl Owner {
    /// What the editors of this person are called; a browser is called by a UUID.
    pub(crate) const EDITOR: &str = "editor";

    /// Editors of this person: one owner, so that a session outlives the editor process that began it.
    #[must_use]
    pub fn editor() -> Self {
        Self(Self::EDITOR.to_owned())
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id a client gave its turn; unique within its owner only.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnId(pub String);

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A turn as the core finds it: nobody reaches a turn of another owner.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TurnKey {
    /// Owner of the turn and of its conversation.
    pub owner: Owner,
    /// The client's id of the turn.
    pub id: TurnId,
}
