//! How two sides learn who the other is, and how the connection itself is kept.

use serde::{Deserialize, Serialize};

use crate::ids::{BrowserRun, Hex256, InstanceId, KeyId};
use crate::model::ModelState;
use crate::number::{Count, One};
use crate::text::{NonEmpty, Text};
use crate::wire::present;

/// Opens the handshake (`hello`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct Hello {
    /// Version of our frames.
    pub bridge: One,
    /// The secret that will be used.
    pub key_id: KeyId,
    /// Random bytes of the client.
    pub nonce_c: Hex256,
}

/// The worker proves itself and asks for the same (`challenge`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct Challenge {
    /// Random bytes of the worker.
    pub nonce_s: Hex256,
    /// Proof that the worker knows the secret.
    pub mac_s: Hex256,
}

/// The client proves itself and says who it is (`proof`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct Proof {
    /// Proof that the client knows the secret.
    pub mac_c: Hex256,
    /// The program.
    pub client: ClientName,
    /// The installation.
    pub instance: InstanceId,
    /// The chat contract it speaks.
    pub contract_version: Version,
    /// What it is.
    pub role: Role,
    /// The run of its browser.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub browser_run: Option<BrowserRun>,
    /// Whether nothing of it may be stored.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub ephemeral: Option<bool>,
}

/// A program and its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ClientName {
    /// Name of the program.
    pub name: Text<64>,
    /// Its version.
    pub version: Text<64>,
}

/// What a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A browser extension with a WebSocket of its own.
    Browser,
    /// The native host, on behalf of an extension.
    Host,
    /// A command of ours.
    Cli,
    /// An editor process.
    Editor,
}

words!(Role { Browser = "browser", Host = "host", Cli = "cli", Editor = "editor" });

/// A version of three numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version(String);
checked_text!(Version, "a version of three numbers", |text| {
    text.split('.').count() == 3
        && text
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
});

impl Version {
    /// The chat contract this crate holds.
    #[must_use]
    pub fn contract() -> Self {
        Self(crate::identity::CONTRACT_VERSION.to_owned())
    }

    /// Its three numbers, for comparing; too great ones count as the greatest.
    #[must_use]
    pub fn parts(&self) -> [u64; 3] {
        let mut parts = [0; 3];
        for (part, text) in parts.iter_mut().zip(self.0.split('.')) {
            *part = text.parse().unwrap_or(u64::MAX);
        }
        parts
    }
}

/// The extension says who it is, behind a native host that has proved itself (`client_info`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ClientInfo {
    /// The program.
    pub client: ClientName,
    /// The installation.
    pub instance: InstanceId,
    /// The chat contract it speaks.
    pub contract_version: Version,
    /// The run of its browser.
    pub browser_run: BrowserRun,
    /// Whether nothing of it may be stored.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub ephemeral: Option<bool>,
}

/// The client is accepted (`hello_ack`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct HelloAck {
    /// The worker.
    pub worker: WorkerName,
    /// The chat contract it speaks.
    pub contract_version: String,
    /// What it takes and gives at most.
    pub limits: Limits,
    /// What it can do beyond the contract.
    pub features: Vec<NonEmpty>,
    /// The model in use.
    pub model: ModelState,
    /// After pairing: the key that replaces the pairing secret.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub paired_key_id: Option<KeyId>,
}

/// The worker's version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct WorkerName {
    /// Its version.
    pub version: NonEmpty,
}

/// What a worker takes and gives at most, in bytes and levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct Limits {
    /// Frame towards the worker.
    pub frame_in: Count,
    /// Frame towards the client.
    pub frame_out: Count,
    /// Text of a question.
    pub chat_text: Count,
    /// Result of a host tool.
    pub tool_result: Count,
    /// Levels of JSON.
    pub depth: Count,
}

impl Default for Limits {
    fn default() -> Self {
        use crate::limits;
        Self {
            frame_in: limits::INBOUND_FRAME.into(),
            frame_out: limits::BROWSER_FRAME.into(),
            chat_text: limits::CHAT_TEXT.into(),
            tool_result: limits::HOST_TOOL_RESULT.into(),
            depth: limits::DEPTH.into(),
        }
    }
}

/// Asks for a `pong`, and keeps a service worker alive (`ping`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Ping {}

/// Answers a `ping` (`pong`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Pong {}

/// The connection cannot go on, or one frame could not be handled (`bridge_error`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct BridgeError {
    /// What went wrong.
    pub code: BridgeErrorCode,
    /// The same for a developer; the panel has its own texts.
    pub message: String,
}

/// What went wrong with a connection or a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BridgeErrorCode {
    /// The caller is not our extension.
    OriginRefused,
    /// There is no worker to start.
    WorkerNotInstalled,
    /// The worker did not start in time.
    WorkerNotStarted,
    /// The worker does not answer, or no longer.
    WorkerUnreachable,
    /// One of the sides did not prove itself.
    HandshakeFailed,
    /// The sides are too far apart.
    VersionMismatch,
    /// A frame was longer than the limit and was dropped.
    FrameTooLarge,
    /// A frame was not understood and was dropped.
    BadFrame,
    /// The client has too many turns running.
    TooManyTurns,
    /// The worker is about to end.
    ShuttingDown,
}

words!(BridgeErrorCode {
    OriginRefused = "origin-refused",
    WorkerNotInstalled = "worker-not-installed",
    WorkerNotStarted = "worker-not-started",
    WorkerUnreachable = "worker-unreachable",
    HandshakeFailed = "handshake-failed",
    VersionMismatch = "version-mismatch",
    FrameTooLarge = "frame-too-large",
    BadFrame = "bad-frame",
    TooManyTurns = "too-many-turns",
    ShuttingDown = "shutting-down",
});

/// A newer client asks the worker to end, so that a newer worker can take its place (`handover`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Handover {
    /// Version of the client.
    pub version: Text<64>,
}

/// Whether the worker will end (`handover_ack`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct HandoverAck {
    /// Whether it will.
    pub accepted: bool,
}

objects!(
    Hello,
    Challenge,
    Proof,
    ClientName,
    ClientInfo,
    HelloAck,
    WorkerName,
    Limits,
    Ping,
    Pong,
    BridgeError,
    Handover,
    HandoverAck,
);
