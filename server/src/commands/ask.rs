//! `sidewire ask`: one question in the terminal, through the same socket, handshake and frames as a browser's.

mod html;
mod page;

use std::time::Duration;

use anyhow::{Context, bail};
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::{ChatId, SessionKey};
use sidewire_contract::layout::{Layout, WorkerState};
use sidewire_contract::number::Number;
use sidewire_contract::page::PageSnapshot;
use sidewire_contract::reason::ErrorReason;
use sidewire_contract::turn::{NoticeCode, Reference};

use crate::cli::AskArgs;
use crate::link::{self, Link};
use crate::mac::Secret;
use crate::{process, ui};

/// A worker that we start is ready by then.
const START: Duration = Duration::from_secs(10);

/// Asks, prints the answer as it comes, and fails when the turn does.
pub(crate) async fn run(args: AskArgs, layout: Layout) -> anyhow::Result<()> {
    let page = args.page.as_deref().map(page::read).transpose()?;
    let (state, secret) = find_or_start(&layout).await?;
    let (mut link, _) = Link::open(state.port, &secret).await?;
    let request = request(&args, page)?;
    link.send(&ClientFrame::ChatRequest(Box::new(request))).await?;
    let mut answer = Answer {
        streams: !args.json,
        ..Answer::default()
    };
    while answer.take(link.receive().await?)? {}
    link.close().await;
    answer.print_end(args.json)
}

/// The running worker, or one that is started for this and for whoever comes next.
async fn find_or_start(layout: &Layout) -> anyhow::Result<(WorkerState, Secret)> {
    if let Some(found) = reachable(layout).await? {
        return Ok(found);
    }
    let program = std::env::current_exe().context("failed to find this program's own file")?;
    process::start_worker(program.as_os_str()).context("failed to start the worker")?;
    let started = async {
        loop {
            if let Some(found) = reachable(layout).await? {
                return Ok(found);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(START, started)
        .await
        .context("the worker did not start; run `sidewire serve` to see why")?
}

async fn reachable(layout: &Layout) -> anyhow::Result<Option<(WorkerState, Secret)>> {
    let Some((state, secret)) = link::running_worker(layout)? else {
        return Ok(None);
    };
    let answers = tokio::net::TcpStream::connect((std::net::Ipv4Addr::LOCALHOST, state.port))
        .await
        .is_ok();
    Ok(answers.then_some((state, secret)))
}

fn request(args: &AskArgs, context: Option<PageSnapshot>) -> anyhow::Result<ChatRequest> {
    Ok(ChatRequest {
        id: ChatId::new(format!("c-{}", uuid::Uuid::new_v4()))?,
        text: args.question.join(" "),
        context,
        mode: args.mode.into(),
        tab_id: Number::from(0_i64),
        session_key: SessionKey::new("terminal")?,
        history_hint: None,
    })
}

/// The answer as it comes.
#[derive(Default)]
struct Answer {
    streams: bool,
    text: String,
    model: String,
    references: Vec<Reference>,
    failure: Option<ErrorReason>,
}

impl Answer {
    /// Takes a frame; false when the turn has ended.
    fn take(&mut self, frame: WorkerFrame) -> anyhow::Result<bool> {
        match frame {
            WorkerFrame::ChatDelta(delta) => {
                if self.streams {
                    ui::stream(&delta.delta)?;
                }
                self.text.push_str(&delta.delta);
            }
            WorkerFrame::TurnReport(report) => self.model = report.model,
            WorkerFrame::TurnNotice(notice) if notice.code == NoticeCode::Retrying => {
                ui::note("the model server failed; trying again");
            }
            WorkerFrame::ChatDone(done) => {
                self.references = done.references.unwrap_or_default();
                return Ok(false);
            }
            WorkerFrame::ChatError(error) => {
                self.failure = Some(error.reason);
                return Ok(false);
            }
            WorkerFrame::BridgeError(error) => bail!("the worker refused: {}", error.message),
            _ => {}
        }
        Ok(true)
    }

    fn print_end(self, json: bool) -> anyhow::Result<()> {
        if json {
            let report = serde_json::json!({
                "text": self.text,
                "model": self.model,
                "references": self.references,
                "error": self.failure.map(ErrorReason::as_str),
            });
            ui::say(report);
        } else {
            ui::say("");
        }
        match self.failure {
            Some(reason) => bail!("{}", explain(reason)),
            None => Ok(()),
        }
    }
}

/// What a person can do about each reason.
fn explain(reason: ErrorReason) -> &'static str {
    match reason {
        ErrorReason::ProviderAuth => "the model server refused the key; run `sidewire setup`",
        ErrorReason::Provider4xx => {
            "the model server refused the request; check the model's name with `sidewire setup`"
        }
        ErrorReason::Provider5xx => "the model server failed or cannot be reached; run `sidewire doctor`",
        ErrorReason::TokenExpired => "the key has expired; run `sidewire setup` with a new one",
        ErrorReason::TokenExpiring => "the key is about to expire; run `sidewire setup` with a new one",
        ErrorReason::SessionBusy => "the conversation is still answering another question",
        ErrorReason::SessionDisposed => "the worker stopped, or could not store the conversation; ask again",
        ErrorReason::BridgeDisconnected | ErrorReason::BridgeUnresponsive | ErrorReason::NoWorker => {
            "the connection to the worker was lost; ask again"
        }
    }
}
