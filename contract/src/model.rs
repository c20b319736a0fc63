//! Models and the servers that run them, as lists show them.

use serde::{Deserialize, Serialize};

use crate::number::Count;
use crate::text::NonEmpty;
use crate::wire::present;

/// The model in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ModelState {
    /// Kind of provider.
    pub provider: NonEmpty,
    /// Name by which the provider knows it.
    pub model: NonEmpty,
    /// What to call it in front of a person.
    pub label: NonEmpty,
    /// Whether it is the built-in one that needs no model.
    pub offline: bool,
    /// Tokens it can read at once.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub window: Option<Count>,
}

/// A model that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ModelItem {
    /// Name by which to choose it.
    pub id: NonEmpty,
    /// What to call it in front of a person.
    pub label: String,
    /// Kind of provider.
    pub provider: String,
    /// Whether it is the built-in one that needs no model.
    pub offline: bool,
    /// Tokens it can read at once.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub window: Option<Count>,
}

/// A model server that was found on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ServerFound {
    /// Name of the product.
    pub label: String,
    /// Where it listens.
    pub base_url: String,
    /// Models it has.
    pub models: Vec<String>,
}

objects!(ModelState, ModelItem, ServerFound);
