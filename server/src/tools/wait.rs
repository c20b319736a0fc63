//! `wait`: until a background job has ended.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};
use sidewire_agent::workspace::WorkspaceError;

use super::bash_output::{job_id, titled};
use super::call::{self, CallError, Described};
use super::jobs::JobTable;

const SECONDS: u64 = 60;
const MOST_SECONDS: u64 = 600;

/// The tool.
pub(crate) struct Wait {
    meta: ToolMeta,
    jobs: Arc<JobTable>,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(alias = "id", alias = "shell_id", alias = "bash_id")]
    job_id: String,
    #[serde(default, deserialize_with = "call::number")]
    timeout_seconds: Option<u64>,
}

impl Wait {
    /// The tool.
    pub(crate) fn new(jobs: Arc<JobTable>) -> Self {
        let described = Described {
            name: "wait",
            label: "Wait",
            description: "Waits until a background job has ended, or for `timeout_seconds`, and gives what bash_output \
                          gives. The job goes on when the time is over.",
            kind: ToolKind::Execute,
            read_only: true,
        };
        let meta = described.taking(
            &["job_id"],
            &json!({
                "job_id": job_id(),
                "timeout_seconds": { "type": "integer", "minimum": 1, "maximum": MOST_SECONDS, "description": "60 if not given" },
            }),
        );
        Self { meta, jobs }
    }

    async fn wait(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let asked: Arguments = call::read(&call.arguments)?;
        let job = self.jobs.find(&asked.job_id)?;
        let seconds = asked.timeout_seconds.unwrap_or(SECONDS).clamp(1, MOST_SECONDS);
        tokio::select! {
            biased;
            () = call.cancel.cancelled() => return Err(WorkspaceError::Cancelled.into()),
            () = job.ended() => {}
            () = tokio::time::sleep(Duration::from_secs(seconds)) => {}
        }
        Ok(ToolOutput::text(job.look()))
    }
}

#[async_trait::async_trait]
impl Tool for Wait {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn title(&self, arguments: &Value) -> String {
        titled("Wait for", arguments)
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.wait(&call).await.unwrap_or_else(Into::into)
    }
}
