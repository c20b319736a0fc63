//! How sessions end: closed, deleted, or left by their editor.

use std::sync::Arc;

use agent_client_protocol_schema::v1::{CloseSessionResponse, DeleteSessionResponse};
use futures_util::future::join_all;
use sidewire_agent::ids::{ConversationId, Owner};
use sidewire_agent::session::DeleteError;
use sidewire_agent::store::StoreError;

use super::AGENT;
use super::connection::{Editor, SessionParams};
use super::refusals::{in_use, storage};
use crate::rpc::{Answer, Call, Handling, Reply};

/// `session/close`. Closing what is not open is no fault.
pub(super) fn close(editor: &Arc<Editor>, call: Call) -> Handling {
    let editor = Arc::clone(editor);
    Handling::careful(async move {
        let id = call.params.read::<SessionParams>()?.id(AGENT.session_close)?;
        if let Some(id) = ConversationId::parse(&id) {
            end(&editor, id).await;
        }
        Reply::new(&CloseSessionResponse::new())
    })
}

/// `session/delete`. Deleting what is not there is no fault, and what is gone does not come back.
pub(super) fn delete(editor: &Arc<Editor>, call: Call) -> Handling {
    let editor = Arc::clone(editor);
    Handling::careful(async move {
        let id = call.params.read::<SessionParams>()?.id(AGENT.session_delete)?;
        match ConversationId::parse(&id) {
            Some(id) => remove(&editor, id).await,
            None => Reply::new(&DeleteSessionResponse::new()),
        }
    })
}

async fn remove(editor: &Editor, id: ConversationId) -> Answer {
    let method = AGENT.session_delete;
    let parts = editor.parts().await?;
    end(editor, id).await;
    match parts.agent.delete(&Owner::editor(), id).await {
        Ok(()) | Err(DeleteError::Store(StoreError::NotFound)) => Reply::new(&DeleteSessionResponse::new()),
        Err(DeleteError::Busy) => {
            let holder = parts.agent.store().holder(id).ok().flatten();
            Err(in_use(method, holder.as_deref().unwrap_or("another program")))
        }
        Err(DeleteError::Store(error)) => Err(storage(method, &error)),
    }
}

/// Stops what runs in a session and ends what it started.
async fn end(editor: &Editor, id: ConversationId) {
    if let Some(session) = editor.sessions.remove(id) {
        session.end().await;
    }
}

/// The editor is gone: everything ends.
pub(super) async fn end_all(editor: &Editor) {
    let sessions = editor.sessions.all();
    join_all(sessions.iter().map(|session| session.end())).await;
}
