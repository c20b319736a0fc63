//! `kill_shell`: ends a background job.

use std::sync::Arc;

use serde_json::{Value, json};
use sidewire_agent::permission::{Class, Intent};
use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};
use sidewire_agent::workspace::Roots;

use super::bash_output::{JobArgument, job_id, titled};
use super::call::{self, CallError, Described};
use super::jobs::JobTable;

/// The tool.
pub(crate) struct KillShell {
    meta: ToolMeta,
    jobs: Arc<JobTable>,
}

impl KillShell {
    /// The tool.
    pub(crate) fn new(jobs: Arc<JobTable>) -> Self {
        let described = Described {
            name: "kill_shell",
            label: "Stop",
            description: "Ends a background job with everything it started, and gives the rest of what it printed.",
            kind: ToolKind::Execute,
            read_only: false,
        };
        let meta = described.taking(&["job_id"], &json!({ "job_id": job_id() }));
        Self { meta, jobs }
    }

    async fn kill(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let asked: JobArgument = call::read(&call.arguments)?;
        let job = self.jobs.find(&asked.job_id)?;
        job.kill().await;
        Ok(ToolOutput::text(job.look()))
    }
}

#[async_trait::async_trait]
impl Tool for KillShell {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn title(&self, arguments: &Value) -> String {
        titled("Stop", arguments)
    }

    /// It ends what this session started itself; nobody is asked for that.
    fn intent(&self, _arguments: &Value, _roots: Option<&Roots>) -> Intent {
        Intent::new(Class::Read, None)
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.kill(&call).await.unwrap_or_else(Into::into)
    }
}
