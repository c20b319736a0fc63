//! The baseline of media: a WebSocket that reads a part of one file, writes it as base64 into one buffer and sends
//! it, or takes a picture in and says so. No look-up, no check, no turn beside it.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write as _};
use std::path::Path;
use std::time::Instant;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use sidewire_contract::{limits, native_frame};
use sidewire_tests::Peer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, accept_async};

use super::{CHUNK, FILE, ROUNDS};
use crate::{bridge, relay};

/// The first argument that makes this program the bare server of a file.
pub(crate) const ROLE: &str = "--bare-media";

/// Serves until it is killed; prints its port.
pub(crate) async fn serve(path: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    while let Ok((stream, _)) = listener.accept().await {
        stream.set_nodelay(true).unwrap();
        let (file, folder) = (File::open(path).unwrap(), format!("{path}-taken"));
        fs::create_dir_all(&folder).unwrap();
        tokio::spawn(converse(stream, file, folder));
    }
}

/// Each message of the client is an offset, or a result that is a picture.
async fn converse(stream: TcpStream, mut file: File, folder: String) {
    let mut socket = accept_async(stream).await.unwrap();
    let mut bytes = Vec::with_capacity(CHUNK);
    while let Some(Ok(Message::Text(asked))) = socket.next().await {
        let text = match asked.parse() {
            Ok(offset) => part(&mut file, offset, &mut bytes),
            Err(_) => take_in(&asked, Path::new(&folder)),
        };
        socket.send(Message::text(text)).await.unwrap();
    }
}

/// Decode, hash, write, flush and rename.
fn take_in(frame: &str, folder: &Path) -> String {
    let frame: Value = serde_json::from_str(frame).unwrap();
    let data = frame.pointer("/result/content/0/data").and_then(Value::as_str);
    let bytes = base64_simd::STANDARD.decode_to_vec(data.unwrap()).unwrap();
    let name: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let mut file = File::create(folder.join("new")).unwrap();
    file.write_all(&bytes).unwrap();
    file.sync_all().unwrap();
    fs::rename(folder.join("new"), folder.join(&name)).unwrap();
    File::open(folder).unwrap().sync_all().unwrap();
    name
}

fn part(file: &mut File, offset: u64, bytes: &mut Vec<u8>) -> String {
    bytes.clear();
    file.seek(SeekFrom::Start(offset)).unwrap();
    file.take(CHUNK as u64).read_to_end(bytes).unwrap();
    let mut text = String::with_capacity(bytes.len() / 3 * 4 + 256);
    text.push_str(r#"{"type":"media_asset_chunk","data":""#);
    base64_simd::STANDARD.encode_append(bytes, &mut text);
    text.push_str("\"}");
    text
}

/// Parts made and thrown away: millions of raw bytes per second.
pub(crate) fn limit(path: &Path) -> f64 {
    let (mut file, mut bytes, mut made) = (File::open(path).unwrap(), Vec::with_capacity(CHUNK), 0);
    let began = Instant::now();
    for _ in 0..ROUNDS {
        for offset in (0..FILE as u64).step_by(CHUNK) {
            made += part(&mut file, offset, &mut bytes).len();
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    assert!(made > ROUNDS * FILE, "base64 is longer than its bytes");
    f64::from(u32::try_from(ROUNDS * FILE).unwrap()) / seconds / 1_000_000.0
}

/// This program as the bare server of a file; its port.
pub(crate) async fn start(file: &Path) -> (Child, u16) {
    bridge::start_self(&[ROLE, file.to_str().unwrap()]).await
}

/// A WebSocket to it.
pub(crate) struct Bare(WebSocketStream<TcpStream>);

pub(crate) async fn connect(port: u16) -> Bare {
    Bare(bridge::connect(port).await)
}

impl Peer for Bare {
    async fn send_text(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.unwrap();
    }

    async fn receive_text(&mut self) -> Option<String> {
        match self.0.next().await? {
            Ok(Message::Text(text)) => Some(text.as_str().to_owned()),
            _ => None,
        }
    }
}

/// The bare relay in front of it.
pub(crate) struct Relay {
    _child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl Relay {
    pub(crate) fn start(port: u16) -> Self {
        let (child, stdin, stdout) = relay::start_bare(port);
        Self {
            _child: child,
            stdin,
            stdout,
        }
    }
}

impl Peer for Relay {
    async fn send_text(&mut self, text: &str) {
        let frame = native_frame::encode(text.as_bytes(), limits::NATIVE_IN).unwrap();
        self.stdin.write_all(&frame).await.unwrap();
        self.stdin.flush().await.unwrap();
    }

    async fn receive_text(&mut self) -> Option<String> {
        let mut header = [0; native_frame::HEADER_LEN];
        self.stdout.read_exact(&mut header).await.ok()?;
        let mut payload = vec![0; native_frame::decode_header(header, limits::NATIVE_OUT).ok()?];
        self.stdout.read_exact(&mut payload).await.ok()?;
        String::from_utf8(payload).ok()
    }
}
