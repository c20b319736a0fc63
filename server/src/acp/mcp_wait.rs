//! Waiting for MCP servers, so that the tools of a turn are all there. A wait that lasts is told.

use std::pin::pin;
use std::time::Duration;

use super::desks::{McpSession, McpStatus};
use super::session::Session;
use super::translate::{TOLD_WAIT_MS, aside, words};

/// Resolves once every server has connected, failed or waits for the person.
pub(super) async fn settled(session: &Session) {
    let mcp = session.mcp();
    let mut settled = pin!(mcp.settled());
    tokio::select! {
        biased;
        () = &mut settled => return,
        () = tokio::time::sleep(Duration::from_millis(TOLD_WAIT_MS)) => {}
    }
    let late = late(&*mcp);
    if !late.is_empty() {
        let told = words::waiting_for(&late);
        session.tell(aside(told, session.has.notices)).await;
    }
    settled.await;
}

/// The names of the servers that are waited for.
fn late(mcp: &dyn McpSession) -> Vec<String> {
    let states = mcp.states().into_iter();
    let late = states.filter(|state| state.status == McpStatus::Connecting);
    late.map(|state| state.name).collect()
}
