//! A running turn from its first news to its end: everything is in the line to the editor before this returns.

use std::sync::Arc;

use agent_client_protocol_schema::v1::{SessionUpdate, ToolCallContent};
use sidewire_agent::event::TurnOutcome;
use sidewire_agent::feed::{News, Subscription};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::client_workspace::Terminals;
use super::line::SessionLine;
use super::translate::TurnUpdates;
use crate::rpc::Closed;

/// A turn that an editor follows.
pub(super) struct Following {
    /// What happens in it.
    pub(super) subscription: Subscription,
    /// Notified whenever there is news.
    pub(super) wake: Arc<Notify>,
    /// What the editor has been told.
    pub(super) updates: TurnUpdates,
    /// The terminals of the session, whose commands wait until they are shown.
    pub(super) terminals: Arc<Terminals>,
}

impl Following {
    /// Sends every update of the turn; returns how it ended. While the editor is slow, news gathers and is merged.
    pub(super) async fn run(&mut self, line: &SessionLine) -> Result<TurnOutcome, Closed> {
        loop {
            for news in self.subscription.take() {
                if let News::End { outcome, .. } = news {
                    return Ok(outcome);
                }
                let updates = self.updates.take(news);
                self.send(line, updates).await?;
            }
            tokio::select! {
                () = self.wake.notified() => {}
                () = until(self.updates.due()) => {
                    let overdue = self.updates.overdue();
                    self.send(line, overdue).await?;
                }
            }
        }
    }

    async fn send(&self, line: &SessionLine, updates: Vec<SessionUpdate>) -> Result<(), Closed> {
        for update in updates {
            line.send(&update).await?;
            for terminal in terminals(&update) {
                self.terminals.show(terminal);
            }
        }
        Ok(())
    }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// The terminals that an update brings into view.
fn terminals(update: &SessionUpdate) -> impl Iterator<Item = &str> {
    let content = match update {
        SessionUpdate::ToolCallUpdate(update) => update.fields.content.as_deref(),
        _ => None,
    };
    content
        .unwrap_or_default()
        .iter()
        .filter_map(|block| match block {
            ToolCallContent::Terminal(terminal) => Some(terminal.terminal_id.0.as_ref()),
            _ => None,
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sidewire_agent::event::{StopCause, ToolContent, ToolProgress, ToolStart, TurnEvent};
    use sidewire_agent::feed::TurnFeed;
    use sidewire_agent::ids::TurnId;
    use sidewire_agent::record::TurnRecord;
    use sidewire_agent::tool::ToolKind;
    use sidewire_contract::mode::Mode;

    use super::*;
    use crate::acp::testing::{editor, session};

    fn feed() -> Arc<TurnFeed> {
        let record = TurnRecord::begun(TurnId("t".into()), "hi", Mode::Educational, 0);
        Arc::new(TurnFeed::new(record))
    }

    fn following(feed: &Arc<TurnFeed>) -> Following {
        let wake = Arc::new(Notify::new());
        Following {
            subscription: feed.subscribe(Arc::clone(&wake)),
            wake,
            updates: TurnUpdates::new(TurnId("t".into()), false),
            terminals: Arc::default(),
        }
    }

    fn start() -> TurnEvent {
        TurnEvent::ToolStarted(ToolStart {
            call_id: "c".into(),
            name: "bash".into(),
            title: "Run".into(),
            kind: ToolKind::Execute,
            arguments: json!({}),
            locations: Vec::new(),
        })
    }

    fn progress(content: ToolContent) -> TurnEvent {
        TurnEvent::ToolProgress(ToolProgress {
            call_id: "c".into(),
            name: "bash".into(),
            content: vec![content],
            kept_arguments: None,
        })
    }

    #[tokio::test]
    async fn every_update_is_in_the_line_before_the_end_is_told() {
        let (peer, mut editor) = editor();
        let line = SessionLine::new(peer, session());
        let feed = feed();
        let mut following = following(&feed);
        for _ in 0..3 {
            feed.push(TurnEvent::Text("a".into()));
        }
        feed.finish(TurnOutcome::Stopped(StopCause::Person), Vec::new());
        let outcome = following.run(&line).await;
        assert_eq!(outcome, Ok(TurnOutcome::Stopped(StopCause::Person)));
        assert_eq!(editor.update().await["content"]["text"], "aaa");
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_report_of_a_silent_command_is_told() {
        let (peer, mut editor) = editor();
        let line = SessionLine::new(peer, session());
        let feed = feed();
        let mut following = following(&feed);
        let running = tokio::spawn(async move { following.run(&line).await });
        feed.push(start());
        assert_eq!(editor.update().await["status"], "pending");
        feed.push(progress(ToolContent::Terminal("x".into())));
        assert_eq!(editor.update().await["content"][0]["terminalId"], "x");
        feed.push(progress(ToolContent::Text("listening".into())));
        assert_eq!(
            editor.update().await["content"][0]["content"]["text"],
            "listening"
        );
        feed.finish(TurnOutcome::Done, Vec::new());
        assert_eq!(running.await.unwrap(), Ok(TurnOutcome::Done));
    }

    #[tokio::test]
    async fn without_an_editor_nobody_follows() {
        let (peer, editor) = editor();
        drop(editor);
        let line = SessionLine::new(peer, session());
        let feed = feed();
        let mut following = following(&feed);
        let pushing = async {
            loop {
                feed.push(TurnEvent::Text("a".into()));
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            ended = following.run(&line) => assert_eq!(ended, Err(Closed)),
            () = pushing => {}
        }
    }
}
