//! `bash_output`: what a background job printed since the last look.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};

use super::call::{self, CallError, Described};
use super::jobs::JobTable;

/// The tool.
pub(crate) struct BashOutput {
    meta: ToolMeta,
    jobs: Arc<JobTable>,
}

/// The argument of the tools about one job.
#[derive(Deserialize)]
pub(super) struct JobArgument {
    #[serde(alias = "id", alias = "shell_id", alias = "bash_id")]
    pub(super) job_id: String,
}

/// Its schema.
pub(super) fn job_id() -> Value {
    json!({ "type": "string", "description": "What bash called it, such as job-1" })
}

/// A title that names the job.
pub(super) fn titled(verb: &str, arguments: &Value) -> String {
    let asked = call::read::<JobArgument>(arguments);
    let job = asked.map_or_else(|_| "a job".to_owned(), |asked| call::clip_line(&asked.job_id, 40));
    format!("{verb} {job}")
}

impl BashOutput {
    /// The tool.
    pub(crate) fn new(jobs: Arc<JobTable>) -> Self {
        let described = Described {
            name: "bash_output",
            label: "Read output",
            description: "Gives how a background job is and what it printed since the last look. It does not wait; wait does.",
            kind: ToolKind::Execute,
            read_only: true,
        };
        let meta = described.taking(&["job_id"], &json!({ "job_id": job_id() }));
        Self { meta, jobs }
    }

    fn look(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let asked: JobArgument = call::read(&call.arguments)?;
        let job = self.jobs.find(&asked.job_id)?;
        Ok(ToolOutput::text(job.look()))
    }
}

#[async_trait::async_trait]
impl Tool for BashOutput {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn title(&self, arguments: &Value) -> String {
        titled("Read output of", arguments)
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.look(&call).unwrap_or_else(Into::into)
    }
}
