//! Shows a conversation again, from its first turn to its last, a page of turns at a time.

use sidewire_agent::ids::Owner;
use sidewire_agent::record::TurnState;

use crate::acp::AGENT;
use crate::acp::refusals::storage;
use crate::acp::replay;
use crate::acp::session::Session;
use crate::rpc::Error;

/// Bytes of stored messages that are held at once.
const PAGE_BYTES: usize = 1024 * 1024;

/// Sends every turn that has ended, oldest first.
pub(super) async fn replay_all(session: &Session) -> Result<(), Error> {
    let store = session.has.parts.agent.store();
    let mut after = 0;
    loop {
        let page = store
            .stored_turns(&Owner::editor(), session.id, after, PAGE_BYTES)
            .await
            .map_err(|error| storage(AGENT.session_load, &error))?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.number;
        let running = session.has.parts.agent.running(session.id);
        for turn in page {
            // What runs here tells the editor itself what happens in it.
            let runs_here = turn.record.state == TurnState::Running
                && running
                    .as_ref()
                    .is_some_and(|running| running.id == turn.record.id);
            if runs_here {
                continue;
            }
            for update in replay::updates(&turn) {
                let sent = session.has.line.send(&update).await;
                sent.map_err(|_closed| Error::cancelled())?;
            }
        }
    }
}
