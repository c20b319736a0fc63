//! The native host: a round trip through it, beside a relay that does nothing but relay.

use std::time::Instant;

use futures_util::{SinkExt, StreamExt};
use sidewire_contract::{limits, native_frame};
use sidewire_tests::{Home, NativeHost, Peer, ping};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio_tungstenite::tungstenite::Message;

use crate::bridge;
use crate::table::{Table, percentile};

/// The first argument that makes this program the bare relay.
pub(crate) const ROLE: &str = "--bare-relay";

const ROUND_TRIPS: usize = 3_000;

/// Both relay to an echo that answers a ping: the worker for ours, a bare socket for the baseline.
pub(crate) async fn measure(table: &mut Table) {
    let home = Home::new();
    let worker = home.worker().await;
    let mut host = NativeHost::start(&home);
    let mut ours = Vec::with_capacity(ROUND_TRIPS);
    for _ in 0..ROUND_TRIPS {
        let began = Instant::now();
        host.call(ping()).await;
        ours.push(micros(began));
    }
    drop(host);

    let mut direct = worker.client().await;
    let mut worker_alone = Vec::with_capacity(ROUND_TRIPS);
    for _ in 0..ROUND_TRIPS {
        let began = Instant::now();
        direct.call(ping()).await;
        worker_alone.push(micros(began));
    }
    worker.end().await;

    let mut bare = BareRelay::start(echo().await);
    let mut baseline = Vec::with_capacity(ROUND_TRIPS);
    for _ in 0..ROUND_TRIPS {
        let began = Instant::now();
        bare.round_trip().await;
        baseline.push(micros(began));
    }
    for (name, share, goal) in [("p50", 0.5, "≤ 1.3"), ("p99", 0.99, "≤ 1.5")] {
        let (ours, baseline) = (percentile(&mut ours, share), percentile(&mut baseline, share));
        table.ratio(
            &format!("round trip through the native host, {name}"),
            "µs",
            ours,
            baseline,
            goal,
        );
    }
    table.value(
        "round trip to the worker alone, p50",
        "µs",
        percentile(&mut worker_alone, 0.5),
        "-",
    );
}

/// Microseconds since then.
#[expect(clippy::cast_precision_loss, reason = "nanoseconds of a round trip")]
pub(crate) fn micros(began: Instant) -> f64 {
    began.elapsed().as_nanos() as f64 / 1_000.0
}

/// A WebSocket that answers every text with `pong`; its port.
pub(crate) async fn echo() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        while let Some(Ok(Message::Text(_))) = socket.next().await {
            socket.send(Message::text("{\"type\":\"pong\"}")).await.unwrap();
        }
    });
    port
}

struct BareRelay {
    _child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

/// This program as the bare relay to a port, with both its ends.
pub(crate) fn start_bare(port: u16) -> (Child, ChildStdin, ChildStdout) {
    #[expect(
        clippy::disallowed_methods,
        reason = "a baseline is a process like what it is compared with"
    )]
    let mut command = tokio::process::Command::new(std::env::current_exe().unwrap());
    command.args([ROLE, &port.to_string()]).kill_on_drop(true);
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    (child, stdin, stdout)
}

impl BareRelay {
    fn start(port: u16) -> Self {
        let (child, stdin, stdout) = start_bare(port);
        Self {
            _child: child,
            stdin,
            stdout,
        }
    }

    async fn round_trip(&mut self) {
        let frame = native_frame::encode(b"{\"type\":\"ping\"}", limits::NATIVE_IN).unwrap();
        self.stdin.write_all(&frame).await.unwrap();
        self.stdin.flush().await.unwrap();
        let mut header = [0; native_frame::HEADER_LEN];
        self.stdout.read_exact(&mut header).await.unwrap();
        let mut payload = vec![0; native_frame::decode_header(header, limits::NATIVE_OUT).unwrap()];
        self.stdout.read_exact(&mut payload).await.unwrap();
    }
}

/// Frames between standard input and output and a WebSocket, one after the other, with no check and no handshake.
pub(crate) async fn serve(port: u16) {
    let mut socket = bridge::connect(port).await;
    let (mut stdin, mut stdout) = (tokio::io::stdin(), tokio::io::stdout());
    let mut header = [0; native_frame::HEADER_LEN];
    while stdin.read_exact(&mut header).await.is_ok() {
        let mut payload = vec![0; native_frame::decode_header(header, limits::NATIVE_IN).unwrap()];
        stdin.read_exact(&mut payload).await.unwrap();
        socket
            .send(Message::text(String::from_utf8(payload).unwrap()))
            .await
            .unwrap();
        let Some(Ok(Message::Text(answer))) = socket.next().await else {
            return;
        };
        let frame = native_frame::encode(answer.as_bytes(), limits::NATIVE_OUT).unwrap();
        stdout.write_all(&frame).await.unwrap();
        stdout.flush().await.unwrap();
    }
}
