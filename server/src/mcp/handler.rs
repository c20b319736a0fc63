//! Our side of a connection: who we are, and what a server gets when it asks us something.
//!
//! It may ask for the session's folder. It may not ask the model (sampling is refused as a method we do not have) nor,
//! yet, the person (elicitation is declined). Its log messages are not kept.

use std::future::ready;
use std::path::Path;
use std::sync::Arc;

use rmcp::model::{
    ClientCapabilities, ClientConfig, ErrorData, Implementation, ProgressNotificationParam, ProtocolVersion,
    RootsCapabilities,
};
#[expect(
    deprecated,
    reason = "a later protocol drops roots; servers of today ask for them"
)]
use rmcp::model::{ListRootsResult, Root};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::Notify;
use url::Url;

use super::reports::Reports;

/// Answers one server.
#[derive(Clone)]
pub(super) struct Handler {
    folder: Arc<Path>,
    /// Progress of running calls.
    pub(super) reports: Reports,
    /// Notified when the server says that its tools or prompts have changed.
    pub(super) changed: Arc<Notify>,
}

impl Handler {
    /// For a session in this folder.
    pub(super) fn new(folder: Arc<Path>) -> Self {
        Self {
            folder,
            reports: Reports::default(),
            changed: Arc::default(),
        }
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        let us = Implementation::new("sidewire", env!("CARGO_PKG_VERSION")).with_title("Sidewire");
        // The newest version that begins with a handshake; servers without one are asked again (`connect.rs`).
        ClientConfig::new(capabilities, us).with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    #[expect(
        deprecated,
        reason = "a later protocol drops roots; servers of today ask for them"
    )]
    fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> impl Future<Output = Result<ListRootsResult, ErrorData>> + Send + '_ {
        let name = self
            .folder
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let root = Url::from_file_path(&self.folder).map(|url| {
            let root = Root::new(url.as_str());
            match name {
                Some(name) => root.with_name(name),
                None => root,
            }
        });
        ready(Ok(ListRootsResult::new(root.into_iter().collect())))
    }

    fn on_progress(
        &self,
        report: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) -> impl Future<Output = ()> + Send + '_ {
        self.reports.take(report);
        ready(())
    }

    fn on_tool_list_changed(
        &self,
        _context: NotificationContext<RoleClient>,
    ) -> impl Future<Output = ()> + Send + '_ {
        self.changed.notify_one();
        ready(())
    }

    fn on_prompt_list_changed(
        &self,
        _context: NotificationContext<RoleClient>,
    ) -> impl Future<Output = ()> + Send + '_ {
        self.changed.notify_one();
        ready(())
    }
}
