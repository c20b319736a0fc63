//! How sessions end: closed, deleted, or left by their editor.

use std::sync::Arc;

use agent_client_protocol_schema::v1::{CloseSessionResponse, DeleteSessionResponse};
use futures_util::future::join_all;
use sidewire_agent::ids::{ConversationId, Owner};
use sidewire_agent::session::DeleteError;
use sidewire_agent::store::StoreError;

use super::AGENT;
use super::editor::Editor;
use super::params::SessionParams;
use super::refusals::{held, refuse_when_held, storage};
use super::sessions::{Place, Sessions};
use crate::rpc::{Answer, Call, Error, Handling, Reply};

/// `session/close`. Closing what is not open is no fault.
pub(super) fn close(editor: &Arc<Editor>, call: Call) -> Handling {
    let closed = || Reply::new(&CloseSessionResponse::new());
    match session_of(call, AGENT.session_close) {
        Ok(Some(id)) => {
            let ending = end(&editor.sessions, id);
            Handling::careful(async move {
                ending.await;
                closed()
            })
        }
        Ok(None) => Handling::Done(closed()),
        Err(error) => Handling::Done(Err(error)),
    }
}

/// `session/delete`. Deleting what is not there is no fault, and what is gone does not come back.
pub(super) fn delete(editor: &Arc<Editor>, call: Call) -> Handling {
    match session_of(call, AGENT.session_delete) {
        Ok(Some(id)) => {
            let (editor, place) = (Arc::clone(editor), editor.sessions.line_up(id));
            Handling::careful(async move { remove(&editor, place.await).await })
        }
        Ok(None) => Handling::Done(Reply::new(&DeleteSessionResponse::new())),
        Err(error) => Handling::Done(Err(error)),
    }
}

/// The session that a request names; `None` for an id that is none of ours.
fn session_of(call: Call, method: &str) -> Result<Option<ConversationId>, Error> {
    let params = call.params;
    let id = params.read::<SessionParams>()?.id(method)?;
    Ok(ConversationId::parse(&id))
}

async fn remove(editor: &Editor, place: Place) -> Answer {
    let (method, id) = (AGENT.session_delete, place.id());
    let parts = editor.parts().await?;
    // Whatever can be refused is refused before anything is ended.
    refuse_when_held(&parts, method, id)?;
    if let Some(open) = place.take() {
        open.session.end().await;
    }
    match parts.agent.delete(&Owner::editor(), id).await {
        Ok(()) | Err(DeleteError::Store(StoreError::NotFound)) => Reply::new(&DeleteSessionResponse::new()),
        Err(DeleteError::Busy) => Err(held(&parts, method, id)),
        Err(DeleteError::Store(error)) => Err(storage(method, &error)),
    }
}

/// Ends a session. No later message finds it; what was asked before, such as opening it, is done first.
fn end(sessions: &Sessions, id: ConversationId) -> impl Future<Output = ()> + Send + use<> {
    let open = sessions.take(id);
    if let Some(open) = &open {
        open.session.leave();
    }
    let place = sessions.line_up(id);
    async move {
        let place = place.await;
        for open in [open, place.take()].into_iter().flatten() {
            open.session.end().await;
        }
    }
}

/// The editor is gone: everything ends.
pub(super) async fn end_all(editor: &Editor) {
    let ids = editor.sessions.ids().into_iter();
    join_all(ids.map(|id| end(&editor.sessions, id))).await;
}
