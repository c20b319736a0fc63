//! `session/list`: every conversation, whichever front it began in, and the sessions that were opened but not used yet.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_client_protocol_schema::v1::{ListSessionsRequest, ListSessionsResponse, SessionInfo};
use jiff::Timestamp;
use sidewire_agent::record::ConversationRecord;
use sidewire_agent::store::StoreError;

use super::connection::Editor;
use super::refusals::storage;
use super::session::Session;
use super::{AGENT, Parts};
use crate::rpc::{Answer, Call, Error, Handling, Reply};

/// Sessions of one page.
const PAGE: usize = 50;

/// `session/list`.
pub(super) fn list(editor: &Arc<Editor>, call: Call) -> Handling {
    let editor = Arc::clone(editor);
    Handling::running(async move {
        let request = call.params.read::<ListSessionsRequest>()?;
        let folder = folder(request.cwd.as_deref())?;
        let cursor = request.cursor.filter(|cursor| !cursor.trim().is_empty());
        page(&editor, folder.as_deref(), cursor.as_deref()).await
    })
}

/// The folder to look for; blank means any.
fn folder(cwd: Option<&Path>) -> Result<Option<String>, Error> {
    let Some(cwd) = cwd.and_then(Path::to_str).filter(|cwd| !cwd.trim().is_empty()) else {
        return Ok(None);
    };
    if Path::new(cwd).is_absolute() {
        return Ok(Some(cwd.to_owned()));
    }
    let text = format!("{}: cwd must be an absolute path", AGENT.session_list);
    Err(Error::invalid_params(text))
}

async fn page(editor: &Editor, folder: Option<&str>, cursor: Option<&str>) -> Answer {
    let method = AGENT.session_list;
    let parts = editor.parts().await?;
    let found = parts.agent.store().sessions(folder, cursor, PAGE).await;
    let found = found.map_err(|error| match error {
        StoreError::BadCursor => Error::invalid_params(format!("{method}: unsupported cursor")),
        other => storage(method, &other),
    })?;
    let mut rows: Vec<_> = found
        .conversations
        .iter()
        .map(|record| stored(&parts, record))
        .collect();
    if cursor.is_none() {
        rows.extend(unused(editor, folder));
        rows.sort_by(|(one, _), (other, _)| other.cmp(one));
    }
    let sessions = rows.into_iter().map(|(_, info)| info).collect();
    Reply::new(&ListSessionsResponse::new(sessions).next_cursor(found.next))
}

/// A row and when it was last used.
type Row = (i64, SessionInfo);

fn stored(parts: &Parts, record: &ConversationRecord) -> Row {
    let folder = record.folder.as_ref().map(PathBuf::from);
    let title = Some(record.title.clone()).filter(|title| !title.is_empty());
    row(
        (
            record.id.to_string(),
            folder.unwrap_or_else(|| parts.browser_folder.clone()),
        ),
        title,
        record.updated_at_ms,
    )
}

/// Sessions that are open and in which nothing was asked; no store lists them.
fn unused(editor: &Editor, folder: Option<&str>) -> Vec<Row> {
    let open = editor.sessions.all();
    let unused = open
        .iter()
        .filter(|session| session.state().is_new && folder.is_none_or(|folder| session.has.folder == folder));
    unused.map(|session| opened(session)).collect()
}

fn opened(session: &Session) -> Row {
    let place = (session.id.to_string(), PathBuf::from(&session.has.folder));
    row(place, None, session.state().opened_at_ms)
}

fn row((id, folder): (String, PathBuf), title: Option<String>, updated_at_ms: i64) -> Row {
    let updated_at = Timestamp::from_millisecond(updated_at_ms).ok();
    let info = SessionInfo::new(id, folder)
        .title(title)
        .updated_at(updated_at.map(|at| format!("{at:.3}")));
    (updated_at_ms, info)
}
