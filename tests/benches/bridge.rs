//! The baseline of streams: provider events to `chat_delta` frames over a WebSocket, and nothing else.

use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Child;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, accept_async, client_async};

/// The first argument that makes this program the bridge.
pub(crate) const ROLE: &str = "--minimal-bridge";

/// Serves until it is killed; prints its port.
pub(crate) async fn serve(provider: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    let http = reqwest::Client::builder()
        .tcp_nodelay(true)
        .no_proxy()
        .build()
        .unwrap();
    while let Ok((stream, _)) = listener.accept().await {
        stream.set_nodelay(true).unwrap();
        tokio::spawn(converse(
            stream,
            http.clone(),
            format!("{provider}/chat/completions"),
        ));
    }
}

/// Each message of the client is a turn's id; the model's name stands behind a space.
async fn converse(stream: TcpStream, http: reqwest::Client, url: String) {
    let (mut sink, mut requests) = accept_async(stream).await.unwrap().split();
    while let Some(Ok(Message::Text(request))) = requests.next().await {
        let (id, model) = request.split_once(' ').unwrap();
        answer(&mut sink, &http, &url, id, model).await;
    }
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    choices: Vec<Choice<'a>>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: Delta<'a>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(default, borrow)]
    content: Option<std::borrow::Cow<'a, str>>,
}

async fn answer(
    sink: &mut SplitSink<WebSocketStream<TcpStream>, Message>,
    http: &reqwest::Client,
    url: &str,
    id: &str,
    model: &str,
) {
    let mut body = http
        .post(url)
        .json(&json!({ "model": model }))
        .send()
        .await
        .unwrap()
        .bytes_stream();
    let (mut buffer, mut seq) = (Vec::new(), 0_u64);
    while let Some(Ok(bytes)) = body.next().await {
        buffer.extend_from_slice(&bytes);
        let mut done = 0;
        while let Some(end) = buffer
            .get(done..)
            .and_then(|rest| rest.windows(2).position(|pair| pair == b"\n\n"))
        {
            let event = buffer.get(done + 6..done + end).unwrap_or_default();
            done += end + 2;
            let Ok(event) = serde_json::from_slice::<Event<'_>>(event) else {
                continue;
            };
            let content = event.choices.into_iter().find_map(|choice| choice.delta.content);
            let Some(delta) = content else { continue };
            let frame = json!({ "type": "chat_delta", "id": id, "seq": seq, "delta": delta });
            sink.feed(Message::text(frame.to_string())).await.unwrap();
            seq += 1;
        }
        buffer.drain(..done);
        sink.flush().await.unwrap();
    }
    sink.send(Message::text(
        json!({ "type": "chat_done", "id": id }).to_string(),
    ))
    .await
    .unwrap();
}

/// A WebSocket to a baseline.
pub(crate) async fn connect(port: u16) -> WebSocketStream<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.set_nodelay(true).unwrap();
    client_async(format!("ws://127.0.0.1:{port}/"), stream)
        .await
        .unwrap()
        .0
}

/// This program again, in another role; its first line of output is a port.
pub(crate) async fn start_self(args: &[&str]) -> (Child, u16) {
    #[expect(
        clippy::disallowed_methods,
        reason = "a baseline is a process like what it is compared with"
    )]
    let mut command = tokio::process::Command::new(std::env::current_exe().unwrap());
    let mut child = command
        .args(args)
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap().take(16))
        .read_line(&mut line)
        .await
        .unwrap();
    (child, line.trim().parse().unwrap())
}
