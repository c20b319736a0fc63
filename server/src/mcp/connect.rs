//! How a connection comes to be, and how it is taken down: the process or the address, the handshake, the time it may
//! take. Whatever goes wrong here leaves no process behind.

use std::path::Path;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle_and_ct,
};
use rmcp::transport::Transport;
use sidewire_contract::mcp_server::{McpServer, McpTransport};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::error::{ConnectError, wants_newer};
use super::guard::{Fault, Guarded};
use super::handler::Handler;
use super::sse::SseTransport;
use super::{http, stdio};
use crate::process::{Piped, PipedChild};

/// How long the library may take to close its side; then the child is ended all the same.
pub(super) const FAREWELL: Duration = Duration::from_millis(200);

/// A connection that stands.
pub(super) struct Connection {
    /// The library's side.
    pub(super) running: RunningService<RoleClient, Handler>,
    /// The process, when the server is one.
    pub(super) child: Option<PipedChild>,
    /// Why it ended, when it did by itself.
    pub(super) fault: Fault,
}

/// What a connection is made of.
pub(super) struct Attempt<'a> {
    pub(super) server: &'a McpServer,
    pub(super) folder: &'a Path,
    /// Ourselves, to stand between us and a process.
    pub(super) family: Option<&'a Path>,
    pub(super) handler: &'a Handler,
    /// Ends the connection, also while it is being made.
    pub(super) stop: &'a CancellationToken,
    /// When it must stand, and how long that is.
    pub(super) deadline: Instant,
    pub(super) limit: Duration,
}

/// Why an attempt failed, and whether another way is worth trying.
struct Failure {
    error: ConnectError,
    wants_newer: bool,
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        Self {
            error,
            wants_newer: false,
        }
    }
}

impl Attempt<'_> {
    /// Connects: with a handshake, as nearly every server wants it, else in the newer way without one.
    pub(super) async fn connect(&self) -> Result<Connection, ConnectError> {
        match self.once(ClientLifecycleMode::Initialize).await {
            Err(failure) if failure.wants_newer => {
                let preferred_versions = vec![ProtocolVersion::LATEST];
                let newer = self.once(ClientLifecycleMode::Discover { preferred_versions });
                newer.await.map_err(|failure| failure.error)
            }
            once => once.map_err(|failure| failure.error),
        }
    }

    async fn once(&self, lifecycle: ClientLifecycleMode) -> Result<Connection, Failure> {
        match &self.server.transport {
            McpTransport::Stdio { command, args, env } => {
                let program = Piped {
                    family: self.family,
                    program: command.as_ref(),
                    args,
                    env,
                    folder: self.folder,
                };
                let started = stdio::start(&self.server.name, &program)
                    .map_err(|error| ConnectError::of_start(&error, command))?;
                self.with_child(started, lifecycle).await
            }
            McpTransport::Http { url, headers } => {
                let transport = http::streamable(url, headers)?;
                self.remote(transport, lifecycle).await
            }
            McpTransport::Sse { url, headers } => {
                let opening = SseTransport::open(url, http::read_headers(headers)?);
                let transport = self.in_time(opening).await??;
                self.remote(transport, lifecycle).await
            }
        }
    }

    async fn remote<T: Transport<RoleClient> + 'static>(
        &self,
        transport: T,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Connection, Failure> {
        let fault = Fault::default();
        let running = self
            .serve(Guarded::new(transport, fault.clone()), lifecycle)
            .await?;
        Ok(Connection {
            running,
            child: None,
            fault,
        })
    }

    async fn with_child(
        &self,
        started: stdio::Started,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Connection, Failure> {
        let stdio::Started {
            child,
            transport,
            fault,
        } = started;
        let transport = Guarded::new(transport, fault.clone());
        match self.serve(transport, lifecycle).await {
            Ok(running) => Ok(Connection {
                running,
                child: Some(child),
                fault,
            }),
            Err(mut failure) => {
                failure.error = failure.error.with_status(child.end().await);
                Err(fault.known().map_or(failure, Failure::from))
            }
        }
    }

    async fn serve<T: Transport<RoleClient> + 'static>(
        &self,
        transport: T,
        lifecycle: ClientLifecycleMode,
    ) -> Result<RunningService<RoleClient, Handler>, Failure> {
        let serving =
            serve_client_with_lifecycle_and_ct(self.handler.clone(), transport, lifecycle, self.stop.clone());
        // Large: on the heap, since it is held across many awaits.
        let served = self.in_time(Box::pin(serving)).await?;
        served.map_err(|error: ClientInitializeError| Failure {
            error: ConnectError::from(&error),
            wants_newer: wants_newer(&error),
        })
    }

    /// Waits as long as a connection may take, and no longer than the session lives.
    pub(super) async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T, ConnectError> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(ConnectError::Closed),
            done = timeout_at(self.deadline, work) => {
                done.map_err(|_| ConnectError::TooSlow(self.limit.as_secs()))
            }
        }
    }
}

impl Connection {
    /// Takes it down; its process is gone when this returns, which is the exit status of one that ended with one.
    pub(super) async fn end(mut self) -> Option<i32> {
        let _how_it_ended = self.running.close_with_timeout(FAREWELL).await;
        self.child?.end().await
    }
}
