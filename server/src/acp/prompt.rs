//! `session/prompt` and `session/cancel`: one prompt at a time, answered once and only after everything of its turn. One
//! that comes while the turn before is being stopped waits for its end.

use std::sync::Arc;

use agent_client_protocol_schema::v1::{ContentBlock, PromptResponse, StopReason};
use serde::Deserialize;

use super::editor::Editor;
use super::order::Front;
use super::params::{SessionParams, checked_id};
use super::refusals::unknown_session;
use super::session::{RunningTurn, State};
use super::slash::{self, Slash};
use super::{AGENT, content, mcp_wait, queued, turn};
use crate::rpc::{Call, Error, Handling, Params, Reply};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptParams {
    #[serde(default)]
    session_id: String,
    prompt: Vec<ContentBlock>,
}

/// `session/prompt`. Its place is taken before the next message is read, so that a cancel right behind finds it.
pub(super) fn prompt(editor: &Arc<Editor>, call: Call) -> Handling {
    let (turn, blocks) = match begin(editor, &call) {
        Ok(begun) => begun,
        Err(error) => return Handling::Done(Err(error)),
    };
    let place = turn.session.order.line_up();
    Handling::careful(async move {
        turn.its_time().await;
        let response = answer(&turn, place, blocks).await;
        turn.finish().await;
        let stopped = response
            .as_ref()
            .is_ok_and(|response| response.stop_reason == StopReason::Cancelled);
        // A request that was given up says so, unless it has a result of its own.
        if stopped && call.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        Reply::new(&response?)
    })
}

fn begin(editor: &Editor, call: &Call) -> Result<(RunningTurn, Vec<ContentBlock>), Error> {
    let method = AGENT.session_prompt;
    let params = call.params.read::<PromptParams>()?;
    let id = checked_id(method, params.session_id)?;
    let session = editor
        .sessions
        .get(&id)
        .ok_or_else(|| unknown_session(method, &id))?;
    Ok((session.begin_turn(method, call)?, params.prompt))
}

async fn answer(
    turn: &RunningTurn,
    place: impl Future<Output = Front>,
    blocks: Vec<ContentBlock>,
) -> Result<PromptResponse, Error> {
    let session = &turn.session;
    let ready = async {
        let in_order = place.await;
        queued::settle(session, State::begin_turn).await;
        drop(in_order);
        let mut prompt = content::read(blocks, &session.has.roots).await?;
        let asked = slash::resolve(session, &mut prompt).await?;
        Ok((prompt, asked))
    };
    match turn.unless_stopped(ready).await {
        None => Ok(PromptResponse::new(StopReason::Cancelled)),
        Some(Err(error)) => Err(error),
        Some(Ok((prompt, None))) => {
            // So that the tools of the first turn are all there. A turn that is stopped here is kept like any other.
            let _all_there = turn.unless_stopped(mcp_wait::settled(session)).await;
            turn::run(turn, prompt).await
        }
        Some(Ok((_, Some(Slash { command, words })))) => slash::run(command, turn, &words).await,
    }
}

/// `session/cancel`. What does not run cannot be stopped; that is no fault.
pub(super) fn cancel(editor: &Editor, params: &Params) {
    let id = params
        .read::<SessionParams>()
        .and_then(|params| params.id(AGENT.session_cancel));
    if let Some(session) = id.ok().and_then(|id| editor.sessions.get(&id)) {
        session.stop_turn();
    }
}
