//! Why a server is not there, or a call gave nothing. People and models read it, so it repeats no address, no header
//! and nothing a server wrote about its own fault.

use std::error::Error;
use std::io;

use rmcp::model::ErrorCode;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
};

/// Why a server could not be reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ConnectError {
    /// The program does not start.
    #[error("the program could not be started: {0}")]
    Start(String),
    /// Its name is not known.
    #[error("there is no program of that name on the PATH of the editor; write its whole path")]
    NotOnPath,
    /// Its path leads nowhere.
    #[error("there is no such program")]
    NoProgram,
    /// The address has no meaning.
    #[error("the url cannot be used")]
    Url,
    /// A header that cannot be sent.
    #[error("the header {0:?} cannot be sent")]
    Header(String),
    /// A variable of the definition is not set, or something else is wrong with it.
    #[error("{0}")]
    Definition(String),
    /// It did not answer in time.
    #[error("it did not answer within {0} seconds")]
    TooSlow(u64),
    /// It ended, or the connection did.
    #[error("it ended before it answered")]
    Ended,
    /// The program ended, with this exit status.
    #[error("it ended with status {0} before it answered; run it in a terminal to see what it says")]
    Exited(i32),
    /// It said more in one message than we read.
    #[error("it sent a message larger than {} MiB", super::stdio::LINE_BYTES >> 20)]
    TooMuch,
    /// It asks us faster than it reads our answers.
    #[error("it asks without reading the answers")]
    Flood,
    /// Nobody listens there.
    #[error("it could not be reached")]
    Unreachable,
    /// It wants us to log in.
    #[error("it asks for authorisation (HTTP 401)")]
    Unauthorised,
    /// It answered with a status that means no.
    #[error("it answered with HTTP status {0}")]
    Status(u16),
    /// It speaks no version that we know.
    #[error("it speaks no version of MCP that we know")]
    Version,
    /// It answered our first message with an error.
    #[error("it refused the connection (code {0})")]
    Refused(i32),
    /// It answered with something else than MCP.
    #[error("its answer is not MCP")]
    Unreadable,
    /// The session is over.
    #[error("the session was closed")]
    Closed,
}

impl ConnectError {
    /// Why a program did not start.
    pub(super) fn of_start(error: &io::Error, program: &str) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound if program.contains('/') => Self::NoProgram,
            io::ErrorKind::NotFound => Self::NotOnPath,
            kind => Self::Start(kind.to_string()),
        }
    }

    /// The same once it is known with which status the program has ended, if it has.
    pub(super) fn with_status(self, status: Option<i32>) -> Self {
        match (self, status) {
            (Self::Ended, Some(status)) => Self::Exited(status),
            (other, _) => other,
        }
    }

    /// What a model can do about a server that was lost in a call.
    fn advice(&self) -> &'static str {
        match self {
            Self::TooMuch => "Ask it for less: the same call would end the same way",
            _ => "The next call connects it again",
        }
    }
}

impl From<&ClientInitializeError> for ConnectError {
    fn from(error: &ClientInitializeError) -> Self {
        match error {
            ClientInitializeError::ConnectionClosed(_) => Self::Ended,
            ClientInitializeError::TransportError { error, .. } => of_transport(error.error.as_ref()),
            ClientInitializeError::JsonRpcError(error) => Self::Refused(error.code.0),
            ClientInitializeError::NoCompatibleProtocolVersion { .. } => Self::Version,
            ClientInitializeError::Cancelled => Self::Closed,
            _ => Self::Unreadable,
        }
    }
}

impl From<ServiceError> for ConnectError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Self::Refused(error.code.0),
            ServiceError::TransportSend(error) => of_transport(error.error.as_ref()),
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => Self::Ended,
            _ => Self::Unreadable,
        }
    }
}

/// Whether a server refused our first message because it knows a newer protocol only.
pub(super) fn wants_newer(error: &ClientInitializeError) -> bool {
    matches!(
        error,
        ClientInitializeError::JsonRpcError(error)
            if matches!(error.code, ErrorCode::METHOD_NOT_FOUND | ErrorCode::UNSUPPORTED_PROTOCOL_VERSION)
    )
}

/// What a transport says, found in the chain of its causes.
fn of_transport(error: &(dyn Error + 'static)) -> ConnectError {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(known) = known_cause(error) {
            return known;
        }
        cause = error.source();
    }
    ConnectError::Ended
}

fn known_cause(error: &(dyn Error + 'static)) -> Option<ConnectError> {
    if let Some(error) = error.downcast_ref::<ConnectError>() {
        return Some(error.clone());
    }
    if let Some(error) = error.downcast_ref::<HttpStatusError>() {
        return Some(ConnectError::Status(error.status));
    }
    if error.is::<AuthRequiredError>() {
        return Some(ConnectError::Unauthorised);
    }
    if error.is::<InsufficientScopeError>() {
        return Some(ConnectError::Status(403));
    }
    if let Some(error) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        return of_http(error);
    }
    let error = error.downcast_ref::<reqwest::Error>()?;
    Some(of_request(error))
}

fn of_http(error: &StreamableHttpError<reqwest::Error>) -> Option<ConnectError> {
    match error {
        StreamableHttpError::Client(error) => Some(of_request(error)),
        StreamableHttpError::UnexpectedServerResponse(text) => Some(of_text(text)),
        StreamableHttpError::ResponseBodyTooLarge { .. } => Some(ConnectError::TooMuch),
        StreamableHttpError::HttpStatus(error) => Some(ConnectError::Status(error.status)),
        StreamableHttpError::SessionExpired => Some(ConnectError::Status(404)),
        StreamableHttpError::UnexpectedContentType(_)
        | StreamableHttpError::Deserialize(_)
        | StreamableHttpError::Sse(_) => Some(ConnectError::Unreadable),
        _ => None,
    }
}

/// The library gives other statuses only as the beginning of its text: `HTTP 404 Not Found: …`.
fn of_text(text: &str) -> ConnectError {
    let digits = text.strip_prefix("HTTP ").and_then(|rest| rest.get(..3));
    match digits.and_then(|digits| digits.parse().ok()) {
        Some(401) => ConnectError::Unauthorised,
        Some(status) => ConnectError::Status(status),
        None => ConnectError::Unreadable,
    }
}

/// Why a request got no answer.
pub(super) fn of_request(error: &reqwest::Error) -> ConnectError {
    match error.status().map(|status| status.as_u16()) {
        Some(401) => ConnectError::Unauthorised,
        Some(status) => ConnectError::Status(status),
        None if error.is_builder() => ConnectError::Url,
        None => ConnectError::Unreachable,
    }
}

/// Why a call gave no result. The model reads it.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    /// The model wrote something else.
    #[error("the arguments are not a JSON object; write them again as one")]
    Arguments,
    /// The turn is over.
    #[error("the turn was stopped")]
    Stopped,
    /// The server is not there.
    #[error("the MCP server {server:?} is not available: {error}")]
    Unavailable {
        /// Which.
        server: String,
        /// Why.
        error: ConnectError,
    },
    /// It went away during the call.
    #[error("the MCP server {server:?} was lost: {error}; what it did so far is unknown. {}", error.advice())]
    Lost {
        /// Which.
        server: String,
        /// Why.
        error: ConnectError,
    },
    /// It said no; its words, shortened.
    #[error("the MCP server {server:?} refused the call: {message}")]
    Refused {
        /// Which.
        server: String,
        /// What it said.
        message: String,
    },
    /// It took too long and was told to stop.
    #[error(
        "the MCP server {server:?} did not answer within {seconds} seconds and was told to stop; what it did so far is unknown"
    )]
    TooSlow {
        /// Which.
        server: String,
        /// How long.
        seconds: u64,
    },
    /// It wants to ask the person something.
    #[error(
        "the MCP server {0:?} asked for more input, which is not possible here; give it everything in one call"
    )]
    WantsInput(String),
    /// It answered with something that is no result.
    #[error("the MCP server {0:?} answered with something that is no result")]
    Unreadable(String),
}

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorData;

    use super::*;

    #[test]
    fn statuses_are_found_and_nothing_else_is_repeated() {
        assert_eq!(of_text("HTTP 404 Not Found: secret"), ConnectError::Status(404));
        assert_eq!(
            of_text("HTTP 401 Unauthorized: secret"),
            ConnectError::Unauthorised
        );
        assert_eq!(of_text("HTTP é: secret"), ConnectError::Unreadable);
        assert_eq!(of_text("could not parse: secret"), ConnectError::Unreadable);
        let refused = ClientInitializeError::JsonRpcError(ErrorData::invalid_params("secret", None));
        assert_eq!(
            ConnectError::from(&refused).to_string(),
            "it refused the connection (code -32602)"
        );
        assert!(!wants_newer(&refused));
    }
}
