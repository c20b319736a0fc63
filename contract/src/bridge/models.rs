//! Frames about models, their providers and paired clients.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::ids::{KeyId, RequestId};
use crate::model::{ModelItem, ModelState, ServerFound};
use crate::number::Count;
use crate::text::Text;
use crate::wire::present;

/// Asks for the models that can be chosen (`model_list`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ModelList {
    /// Names the request.
    pub request_id: RequestId,
}

/// The models that can be chosen (`model_page`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ModelPage {
    /// Names the request.
    pub request_id: RequestId,
    /// The one in use.
    pub current: ModelState,
    /// All of them.
    pub models: Vec<ModelItem>,
}

/// Chooses a model (`model_select`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ModelSelect {
    /// Names the request.
    pub request_id: RequestId,
    /// Its id.
    pub model: Text<256>,
}

/// Another model is in use (`model_changed`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ModelChanged {
    /// The one in use.
    pub model: ModelState,
}

/// Looks for model servers on this machine (`provider_detect`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ProviderDetect {
    /// Names the request.
    pub request_id: RequestId,
}

/// The model servers that were found (`provider_found`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ProviderFound {
    /// Names the request.
    pub request_id: RequestId,
    /// The servers.
    pub servers: Vec<ServerFound>,
}

/// Sets the provider up (`provider_set`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ProviderSet {
    /// Names the request.
    pub request_id: RequestId,
    /// Kind of provider.
    pub kind: ProviderKind,
    /// Where its server listens.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub base_url: Option<Text<2048>>,
    /// The model to use.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub model: Option<Text<256>>,
    /// The key; goes to the key file and never comes back.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub api_key: Option<ApiKey>,
}

/// Kind of provider that a panel can set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProviderKind {
    /// A server that speaks chat completions.
    Openai,
    /// The built-in one.
    Offline,
}

words!(ProviderKind { Openai = "openai", Offline = "offline" });

/// A key for a model's server; it is never printed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ApiKey(Text<4096>);

impl ApiKey {
    /// Takes the key in.
    #[must_use]
    pub const fn new(key: Text<4096>) -> Self {
        Self(key)
    }

    /// The key itself, for the one place that stores it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(..)")
    }
}

/// Asks for the paired clients (`pairing_list`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct PairingList {
    /// Names the request.
    pub request_id: RequestId,
}

/// The paired clients (`pairing_page`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct PairingPage {
    /// Names the request.
    pub request_id: RequestId,
    /// The clients.
    pub items: Vec<PairingItem>,
}

/// A paired client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct PairingItem {
    /// Names its secret.
    pub key_id: KeyId,
    /// What to call it in front of a person.
    pub label: String,
    /// When it was paired, in milliseconds since 1970.
    pub created_at: Count,
    /// When it was last connected, in milliseconds since 1970.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub last_seen_at: Option<Count>,
    /// Whether it is the one that asks.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub current: Option<bool>,
}

/// Ends a pairing (`pairing_revoke`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct PairingRevoke {
    /// Names the request.
    pub request_id: RequestId,
    /// The client's secret.
    pub key_id: KeyId,
}

objects!(
    ModelList,
    ModelPage,
    ModelSelect,
    ModelChanged,
    ProviderDetect,
    ProviderFound,
    ProviderSet,
    PairingList,
    PairingPage,
    PairingItem,
    PairingRevoke,
);
