//! Accepts sockets on the loopback and answers two paths: `/health`, and `/bridge` for WebSockets.
//!
//! Every request passes [`checks`](super::checks) first, whatever its path and method. There is no CORS: no page has
//! business here. GET changes nothing; nothing redirects.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde_json::json;
use sidewire_contract::{identity, limits};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_util::task::TaskTracker;

use super::checks::{self, Caller};
use super::gate::{GateKey, Gated};
use super::{Front, connection};

/// Pending connections the kernel keeps: 200 clients that connect at once must not wait for a retransmission.
const BACKLOG: u32 = 1024;
/// Open HTTP sockets at most; and as many WebSockets.
const SOCKETS: usize = 1024;
/// A request's headers must be there by then.
const HEADER_TIMEOUT: Duration = Duration::from_secs(5);
/// Most bytes of a request's headers.
const HEADER_BYTES: usize = 16 * 1024;
/// So long a stranger waits for its turn to prove itself: many clients may come back at once, as after a restart.
const QUEUE: Duration = Duration::from_secs(2);
/// What a stranger may send before it has proved itself: a few small frames.
const STRANGER_BYTES: usize = 16 * 1024;

/// A WebSocket whose peer may still be a stranger.
pub(super) type Socket = WebSocketStream<Gated<TokioIo<hyper::upgrade::Upgraded>>>;

/// Why there is nothing to listen on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BindError {
    /// The port that was asked for is taken.
    #[error("port {0} on 127.0.0.1 is taken by another program; choose another with --port, or leave it out")]
    Taken(u16),
    /// Every port of the range is taken.
    #[error("every port from {first} to {last} on 127.0.0.1 is taken; free one or choose one with --port", first = identity::PORT_FIRST, last = identity::PORT_LAST)]
    RangeFull,
    /// The system refused.
    #[error("failed to listen on 127.0.0.1:{port}")]
    Io {
        /// Where.
        port: u16,
        /// Why.
        source: io::Error,
    },
}

/// Listens on the port, or on the first free one of our range.
pub(crate) fn bind(port: Option<u16>) -> Result<TcpListener, BindError> {
    if let Some(port) = port {
        return listen(port);
    }
    for port in identity::PORT_FIRST..=identity::PORT_LAST {
        match listen(port) {
            Err(BindError::Taken(_)) => {}
            bound_or_broken => return bound_or_broken,
        }
    }
    Err(BindError::RangeFull)
}

fn listen(port: u16) -> Result<TcpListener, BindError> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let attempt = || {
        let socket = TcpSocket::new_v4()?;
        // A worker that was just restarted finds its old port in TIME_WAIT; on Unix this does not steal a live one.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    attempt().map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => BindError::Taken(port),
        _ => BindError::Io { port, source },
    })
}

/// Serves until `front.closing` fires and every connection has ended.
pub(crate) async fn run(listener: TcpListener, front: Arc<Front>) {
    let connections = TaskTracker::new();
    let sockets = Arc::new(Semaphore::new(SOCKETS));
    let app = router(Arc::clone(&front), connections.clone());
    loop {
        let accepted = tokio::select! {
            biased;
            () = front.closing.cancelled() => break,
            accepted = accept(&listener, &sockets) => accepted,
        };
        if let Some((stream, place)) = accepted {
            connections.spawn(serve_http(stream, app.clone(), place, Arc::clone(&front)));
        }
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn accept(
    listener: &TcpListener,
    sockets: &Arc<Semaphore>,
) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(sockets).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => Some((stream, place)),
        Err(error) => {
            tracing::warn!(%error, "failed to accept a connection");
            // Out of file descriptors does not pass by asking again at once.
            tokio::time::sleep(Duration::from_millis(100)).await;
            None
        }
    }
}

async fn serve_http(stream: TcpStream, app: Router, _place: OwnedSemaphorePermit, front: Arc<Front>) {
    // Frames are small and each one is waited for.
    let _best_effort = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_headers(64)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
        .with_upgrades();
    tokio::select! {
        served = connection => if let Err(error) = served {
            tracing::debug!(%error, "a request was not completed");
        },
        () = front.closing.cancelled() => {}
    }
}

/// What routes need.
#[derive(Clone)]
struct Shared {
    front: Arc<Front>,
    connections: TaskTracker,
    places: Arc<Semaphore>,
}

fn router(front: Arc<Front>, connections: TaskTracker) -> Router {
    let shared = Shared {
        front,
        connections,
        places: Arc::new(Semaphore::new(SOCKETS)),
    };
    Router::new()
        .route("/health", get(health))
        .route(identity::BRIDGE_PATH, get(bridge))
        .layer(middleware::from_fn_with_state(shared.clone(), guard))
        .with_state(shared)
}

/// Refuses what does not come from where clients come from; before routing, so that no path is an exception.
async fn guard(State(shared): State<Shared>, mut request: Request, next: Next) -> Response {
    match checks::check(request.headers(), &shared.front.authority, |origin| {
        shared.front.allows(origin)
    }) {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            let mut response = next.run(request).await;
            response
                .headers_mut()
                .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
        Err(status) => {
            tracing::warn!(status = status.as_u16(), "refused a request by its headers");
            status.into_response()
        }
    }
}

async fn health() -> Response {
    axum::Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") })).into_response()
}

async fn bridge(State(shared): State<Shared>, mut request: Request) -> Response {
    let Some(caller) = request.extensions_mut().remove::<Caller>() else {
        return StatusCode::FORBIDDEN.into_response();
    };
    let stranger = Arc::clone(&shared.front.strangers).acquire_owned();
    let Ok(Ok(stranger)) = tokio::time::timeout(QUEUE, stranger).await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let Ok(place) = Arc::clone(&shared.places).try_acquire_owned() else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let upgrade = hyper::upgrade::on(&mut request);
    let Ok(mut response) = create_response_with_body(&request, axum::body::Body::empty) else {
        return (
            StatusCode::UPGRADE_REQUIRED,
            upgrade_headers(),
            "this is a WebSocket\n",
        )
            .into_response();
    };
    response.headers_mut().remove(header::SEC_WEBSOCKET_PROTOCOL);
    let front = Arc::clone(&shared.front);
    shared.connections.spawn(async move {
        match upgrade.await {
            Ok(upgraded) => {
                let (socket, key) = web_socket(upgraded).await;
                connection::serve(socket, key, stranger, caller, front).await;
                drop(place);
            }
            Err(error) => tracing::debug!(%error, "a WebSocket was not opened"),
        }
    });
    response
}

fn upgrade_headers() -> HeaderMap {
    HeaderMap::from_iter([(header::UPGRADE, HeaderValue::from_static("websocket"))])
}

async fn web_socket(upgraded: hyper::upgrade::Upgraded) -> (Socket, GateKey) {
    let config = WebSocketConfig::default()
        // Small: an idle connection costs its buffers (performance.md, row 10).
        .read_buffer_size(4 * 1024)
        .write_buffer_size(16 * 1024)
        .max_write_buffer_size(4 * limits::BROWSER_FRAME)
        .max_message_size(Some(limits::INBOUND_FRAME))
        .max_frame_size(Some(limits::INBOUND_FRAME));
    let (gated, key) = Gated::new(TokioIo::new(upgraded), STRANGER_BYTES);
    (
        WebSocketStream::from_raw_socket(gated, Role::Server, Some(config)).await,
        key,
    )
}
