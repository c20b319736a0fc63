//! `session/list`: every conversation, whichever front it began in, and the sessions that were opened but not used yet.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_client_protocol_schema::v1::{ListSessionsRequest, ListSessionsResponse, SessionInfo};
use jiff::Timestamp;
use sidewire_agent::record::ConversationRecord;
use sidewire_agent::store::StoreError;

use super::editor::Editor;
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
        let wanted = match request.cwd.filter(|cwd| !is_blank(cwd)) {
            Some(cwd) => Some(Wanted::of(cwd).await?),
            None => None,
        };
        let cursor = request.cursor.filter(|cursor| !cursor.trim().is_empty());
        page(&editor, wanted.as_ref(), cursor.as_deref()).await
    })
}

/// The folder to look for.
struct Wanted {
    /// As the client writes it: it knows its sessions by this.
    written: PathBuf,
    /// As sessions are kept: with links resolved.
    real: PathBuf,
}

impl Wanted {
    async fn of(written: PathBuf) -> Result<Self, Error> {
        if !written.is_absolute() {
            let text = format!("{}: cwd must be an absolute path", AGENT.session_list);
            return Err(Error::invalid_params(text));
        }
        // One that is gone may still have sessions.
        let real = tokio::fs::canonicalize(&written).await;
        let real = real.unwrap_or_else(|_| written.components().collect());
        Ok(Self { written, real })
    }
}

fn is_blank(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.trim().is_empty())
}

async fn page(editor: &Editor, wanted: Option<&Wanted>, cursor: Option<&str>) -> Answer {
    let method = AGENT.session_list;
    let parts = editor.parts().await?;
    let folder = wanted.map(|wanted| wanted.real.display().to_string());
    let found = parts
        .agent
        .store()
        .sessions(folder.as_deref(), cursor, PAGE)
        .await;
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
        rows.extend(unused(editor, wanted, &found.conversations));
        rows.sort_by(|(one, _), (other, _)| other.cmp(one));
    }
    let sessions = rows.into_iter().map(|(_, mut info)| {
        if let Some(wanted) = wanted {
            info.cwd.clone_from(&wanted.written);
        }
        info
    });
    let sessions = sessions.collect();
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

/// Sessions that are open and in which nothing was asked; no store lists them, unless that has just changed.
fn unused(editor: &Editor, wanted: Option<&Wanted>, stored: &[ConversationRecord]) -> Vec<Row> {
    let open = editor.sessions.all();
    let unused = open.iter().filter(|session| {
        let folder = session.has.roots.folder();
        session.state().is_new
            && wanted.is_none_or(|wanted| wanted.real == folder)
            && !stored.iter().any(|record| record.id == session.id)
    });
    unused.map(|session| opened(session)).collect()
}

fn opened(session: &Session) -> Row {
    let folder = session.has.roots.folder().to_owned();
    let place = (session.id.to_string(), folder);
    row(place, None, session.state().opened_at_ms)
}

fn row((id, folder): (String, PathBuf), title: Option<String>, updated_at_ms: i64) -> Row {
    let updated_at = Timestamp::from_millisecond(updated_at_ms).ok();
    let info = SessionInfo::new(id, folder)
        .title(title)
        .updated_at(updated_at.map(|at| format!("{at:.3}")));
    (updated_at_ms, info)
}
