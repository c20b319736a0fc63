//! One editor: what its messages reach, and what all of its sessions share.
//!
//! The parts of the agent are opened while the editor introduces itself; who needs them waits for them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::controls::Start;
use super::initialize::Client;
use super::lifecycle;
use super::methods::{METHODS, Method};
use super::prompt;
use super::refusals::word;
use super::sessions::Sessions;
use super::{AGENT, Parts};
use crate::rpc::{self, Call, Error, Handling, Params, Peer, Service};

/// The parts, once they are open, or why they are not.
type Opening = Shared<BoxFuture<'static, Result<Arc<Parts>, Arc<str>>>>;
/// Begins to open the parts.
type Open = Box<dyn Fn() -> Opening + Send + Sync>;

/// Sessions have ended so long after their editor went, with MCP servers that do not listen to anybody; an editor
/// waits a second for us. What is left then ends with this process.
const LAST_WRITES: Duration = Duration::from_millis(900);

/// An editor that is connected.
pub(super) struct Editor {
    /// The way to it.
    pub(super) peer: Peer,
    /// How this process was started.
    pub(super) start: Start,
    /// Its sessions that are open.
    pub(super) sessions: Sessions,
    open: Open,
    // Std mutexes: held for a copy.
    opening: Mutex<Opening>,
    client: Mutex<Option<Client>>,
}

/// Serves an editor until its input ends or `stop` fires; then everything of it has ended.
///
/// `open` opens the parts, at once and again when that failed; its errors are for the editor.
pub(crate) async fn serve<R, W, O>(
    (input, output): (R, W),
    start: Start,
    open: impl Fn() -> O + Send + Sync + 'static,
    stop: CancellationToken,
) where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
    O: Future<Output = Result<Parts, String>> + Send + 'static,
{
    let (peer, connection) = rpc::open(input, output);
    let open: Open = Box::new(move || {
        let opening = open().map(|opened| opened.map(Arc::new).map_err(Arc::from));
        opening.boxed().shared()
    });
    let editor = Arc::new(Editor {
        peer,
        start,
        sessions: Sessions::default(),
        opening: Mutex::new(open()),
        open,
        client: Mutex::default(),
    });
    // Whether anyone waits for it or not.
    tokio::spawn(editor.opening());
    connection.run(Arc::new(Front(Arc::clone(&editor))), stop).await;
    let ending = async {
        lifecycle::end_all(&editor).await;
        if let Ok(parts) = editor.opening().await {
            parts.agent.shut_down(Duration::ZERO).await;
        }
    };
    if tokio::time::timeout(LAST_WRITES, ending).await.is_err() {
        tracing::warn!("sessions did not end in time");
    }
}

/// What the connection calls.
struct Front(Arc<Editor>);

impl Service for Front {
    fn request(&self, call: Call) -> Handling {
        let editor = &self.0;
        let Some(Method { name, begin }) = METHODS.iter().find(|method| method.name == call.method) else {
            let text = format!("method not found: {}", word(&call.method));
            return Handling::Done(Err(Error::new(Error::METHOD_NOT_FOUND, text)));
        };
        if *name != AGENT.initialize && editor.client().is_none() {
            let text = format!("{name}: the connection is not initialized");
            return Handling::Done(Err(Error::invalid_request(text)));
        }
        begin(editor, call)
    }

    fn notification(&self, method: &str, params: Params) {
        if method == AGENT.session_cancel {
            prompt::cancel(&self.0, &params);
        }
    }
}

impl Editor {
    /// The parts of the agent; waits until they are open.
    pub(super) async fn parts(&self) -> Result<Arc<Parts>, Error> {
        let opened = self.retried().await;
        opened.map_err(|why| Error::internal(&*why))
    }

    /// Opens the parts again when that failed before: the person may have seen to it meanwhile.
    fn retried(&self) -> Opening {
        let mut opening = lock(&self.opening);
        if opening.peek().is_some_and(Result::is_err) {
            *opening = (self.open)();
        }
        opening.clone()
    }

    fn opening(&self) -> Opening {
        lock(&self.opening).clone()
    }

    /// What the editor said about itself; nothing before that.
    pub(super) fn client(&self) -> Option<Client> {
        *lock(&self.client)
    }

    /// The editor introduced itself.
    pub(super) fn introduce(&self, client: Client) {
        *lock(&self.client) = Some(client);
    }
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The session that parameters name.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionParams {
    #[serde(default)]
    session_id: String,
}

impl SessionParams {
    /// The id, when it has the shape of one.
    pub(super) fn id(self, method: &str) -> Result<String, Error> {
        checked_id(method, self.session_id)
    }
}

/// An id of a session has a shape, whether there is such a session or not.
pub(super) fn checked_id(method: &str, id: String) -> Result<String, Error> {
    if id.trim().is_empty() {
        return Err(Error::invalid_params(format!("{method}: missing sessionId")));
    }
    let letters = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if !id.chars().all(letters) || id == "." || id == ".." {
        return Err(Error::invalid_params(format!("{method}: invalid sessionId")));
    }
    Ok(id)
}
