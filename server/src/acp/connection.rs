//! The connection of an editor: its messages find their method, and its end ends everything.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::controls::Start;
use super::editor::Editor;
use super::lifecycle;
use super::methods::{METHODS, Method};
use super::prompt;
use super::refusals::word;
use super::{AGENT, Parts};
use crate::rpc::{self, Call, Error, Handling, Params, Service};

/// Sessions have ended so long after their editor went, with MCP servers that do not listen to anybody; an editor
/// waits a second for us. What is left then ends with this process.
const LAST_WRITES: Duration = Duration::from_millis(900);

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
    let editor = Arc::new(Editor::new(peer, start, open));
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
