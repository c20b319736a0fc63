//! The worker's own tools, one file each. They know no front and no provider.
//!
//! [`display_media`] is for conversations beside a page. All others are for a workspace: they share how a call is read
//! and refused ([`call`]), how a file is changed ([`change`], [`replace`]) and looked for ([`search`]), the disk itself
//! ([`local_workspace`]), what is never touched ([`protected`]) and the background jobs ([`jobs`]).

mod call;
mod change;
mod command_output;
mod jobs;
mod local_workspace;
mod protected;
mod replace;
mod search;
mod shell;

mod ask;
mod bash;
mod bash_output;
mod display_media;
mod edit_file;
mod glob;
mod grep;
mod kill_shell;
mod ls;
mod move_file;
mod multi_edit;
mod read_file;
mod todo_write;
mod wait;
mod web_fetch;
mod write_file;

use std::sync::Arc;

use sidewire_agent::tool::Tool;

pub(crate) use display_media::DisplayMedia;
pub(crate) use jobs::JobTable;
pub(crate) use local_workspace::LocalWorkspace;
pub(crate) use protected::Protected;

/// The tools of a workspace, in the order they are offered: what looks, what changes, what runs, what asks.
pub(crate) fn workspace_tools(workspace: &LocalWorkspace, jobs: &Arc<JobTable>) -> Vec<Arc<dyn Tool>> {
    let turnstile = change::Turnstile::default();
    let (workspace, jobs) = (|| workspace.clone(), || Arc::clone(jobs));
    vec![
        Arc::new(read_file::ReadFile::new()),
        Arc::new(ls::Ls::new(workspace())),
        Arc::new(glob::Glob::new(workspace())),
        Arc::new(grep::Grep::new(workspace())),
        Arc::new(edit_file::tool(Arc::clone(&turnstile))),
        Arc::new(multi_edit::tool(Arc::clone(&turnstile))),
        Arc::new(write_file::tool(Arc::clone(&turnstile))),
        Arc::new(move_file::MoveFile::new(workspace(), turnstile)),
        Arc::new(bash::Bash::new(workspace(), jobs())),
        Arc::new(bash_output::BashOutput::new(jobs())),
        Arc::new(wait::Wait::new(jobs())),
        Arc::new(kill_shell::KillShell::new(jobs())),
        Arc::new(todo_write::TodoWrite::new()),
        Arc::new(web_fetch::WebFetch::new()),
        Arc::new(ask::Ask::new()),
    ]
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
