//! `session/list`: every conversation, whichever front it began in, and the newest session that was not used yet.

use std::cmp::Reverse;
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
    let unused = unused(editor, wanted).filter(|_| cursor.is_none());
    let room = PAGE - usize::from(unused.is_some());
    let store = parts.agent.store();
    let found = store.sessions(folder.as_deref(), cursor, room).await;
    let found = found.map_err(|error| match error {
        StoreError::BadCursor => Error::invalid_params(format!("{method}: unsupported cursor")),
        other => storage(method, &other),
    })?;
    let mut rows: Vec<_> = found
        .conversations
        .iter()
        .map(|record| stored(&parts, record))
        .collect();
    // Unless it was used just now.
    let unused = unused.filter(|unused| !found.conversations.iter().any(|record| record.id == unused.id));
    if let Some(unused) = unused {
        rows.push(opened(&unused));
        rows.sort_by_key(|(used_at_ms, _)| Reverse(*used_at_ms));
    }
    let sessions = rows.into_iter().map(|(_, mut info)| {
        if let Some(wanted) = wanted {
            info.cwd.clone_from(&wanted.written);
        } else if let Some(open) = editor.sessions.get(&info.session_id.0) {
            info.cwd = open.has.spelling.of(&info.cwd).into_owned();
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

/// The newest open session in which nothing was asked: no store lists it. Older ones are threads that a person left
/// empty, and would only stand in the way.
fn unused(editor: &Editor, wanted: Option<&Wanted>) -> Option<Arc<Session>> {
    let open = editor.sessions.all().into_iter();
    let unused = open.filter(|session| {
        session.state().is_new && wanted.is_none_or(|wanted| wanted.real == session.has.roots.folder())
    });
    unused.max_by_key(|session| session.state().opened_at_ms)
}

fn opened(session: &Session) -> Row {
    let folder = session.has.roots.folder().to_owned();
    let place = (session.id.to_string(), folder);
    row(place, None, session.state().opened_at_ms)
}

fn row((id, folder): (String, PathBuf), title: Option<String>, updated_at_ms: i64) -> Row {
    let info = SessionInfo::new(id, folder)
        .title(title)
        .updated_at(shown_time(updated_at_ms));
    (updated_at_ms, info)
}

/// A moment in milliseconds since 1970, as clients read it.
pub(super) fn shown_time(ms: i64) -> Option<String> {
    let at = Timestamp::from_millisecond(ms).ok()?;
    Some(format!("{at:.3}"))
}
