//! Whole connections over an in-memory pair: what a peer sees, line by line.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::connection::IN_FLIGHT;
use super::lines::LINE_LIMIT;
use super::*;

/// Answers what the method's name says.
struct Script {
    peer: Peer,
    /// Lets `slow` requests go on, one each.
    gate: Arc<Semaphore>,
    heard: mpsc::Sender<String>,
}

impl Service for Script {
    fn request(&self, call: Call) -> Handling {
        let (peer, gate, cancel) = (self.peer.clone(), Arc::clone(&self.gate), call.cancel);
        match call.method.as_str() {
            "echo" => Handling::Done(call.params.read::<Value>().and_then(|params| Reply::new(&params))),
            "panic" => panic!("as asked"),
            "slow" => Handling::Running(Box::pin(async move {
                gate.acquire().await.unwrap().forget();
                Reply::new(&"slow")
            })),
            "careful" => Handling::Careful(Box::pin(async move {
                cancel.cancelled().await;
                peer.notify("last/news", &json!({})).await.unwrap();
                Reply::new(&"cancelled")
            })),
            "ask" => Handling::Running(Box::pin(async move {
                let answer: Result<u32, _> = peer.request("client/ask", &json!({}), &cancel).await;
                Reply::new(&format!("{answer:?}"))
            })),
            "opened" => Handling::Running(Box::pin(async move {
                peer.notify("before", &json!({})).await.unwrap();
                Ok(Reply::new(&json!({}))?.then(async move {
                    peer.notify("after", &json!({})).await.unwrap();
                }))
            })),
            method => Handling::Done(Err(Error::new(
                Error::METHOD_NOT_FOUND,
                format!("method not found: {method}"),
            ))),
        }
    }

    fn notification(&self, method: &str, _params: Params) {
        self.heard.try_send(method.to_owned()).unwrap();
    }
}

struct Client {
    input: BufReader<ReadHalf<DuplexStream>>,
    output: WriteHalf<DuplexStream>,
    gate: Arc<Semaphore>,
    heard: mpsc::Receiver<String>,
    served: JoinHandle<()>,
    stop: CancellationToken,
    peer: Peer,
}

fn connect() -> Client {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(theirs);
    let (peer, connection) = open(input, output);
    let (sender, heard) = mpsc::channel(8);
    let gate = Arc::new(Semaphore::new(0));
    let service = Arc::new(Script {
        peer: peer.clone(),
        gate: Arc::clone(&gate),
        heard: sender,
    });
    let stop = CancellationToken::new();
    let (input, output) = tokio::io::split(ours);
    Client {
        input: BufReader::new(input),
        output,
        gate,
        heard,
        served: tokio::spawn(connection.run(service, stop.clone())),
        stop,
        peer,
    }
}

impl Client {
    async fn say(&mut self, line: &str) {
        self.output
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
    }

    async fn ask(&mut self, id: Value, method: &str) {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"asked": id}});
        self.say(&request.to_string()).await;
    }

    async fn hear(&mut self) -> Value {
        let mut line = String::new();
        let reading = self.input.read_line(&mut line);
        tokio::time::timeout(Duration::from_secs(20), reading)
            .await
            .expect("nothing came")
            .unwrap();
        assert!(line.ends_with('\n'), "the connection ended: {line:?}");
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    async fn code(&mut self) -> (Value, Value) {
        let message = self.hear().await;
        (message["id"].clone(), message["error"]["code"].clone())
    }
}

#[tokio::test]
async fn requests_are_answered_under_their_ids_in_order() {
    let mut client = connect();
    for id in [json!(1), json!("a"), json!(null), json!(7)] {
        client.ask(id.clone(), "echo").await;
        let answer = client.hear().await;
        assert_eq!((&answer["id"], &answer["result"]), (&id, &json!({"asked": id})));
    }
    for id in 0..20 {
        client.ask(json!(id), "echo").await;
    }
    for id in 0..20 {
        assert_eq!(client.hear().await["id"], id);
    }
}

#[tokio::test]
async fn junk_is_answered_and_the_connection_goes_on() {
    let mut client = connect();
    client.say("hello").await;
    assert_eq!(client.code().await, (json!(null), json!(Error::PARSE)));
    client.say("[]").await;
    assert_eq!(client.code().await, (json!(null), json!(Error::INVALID_REQUEST)));
    client.say("\n  \n\r").await;
    client.ask(json!(1), "nothing").await;
    assert_eq!(client.code().await, (json!(1), json!(Error::METHOD_NOT_FOUND)));
    client.ask(json!(2), "panic").await;
    assert_eq!(client.code().await, (json!(2), json!(Error::INTERNAL)));
    client.say(r#"{"method":"unknown/news"}"#).await;
    assert_eq!(client.heard.recv().await.as_deref(), Some("unknown/news"));
    client.say(r#"{"id":99,"result":{}}"#).await;
    client.ask(json!(3), "echo").await;
    assert_eq!(client.hear().await["id"], 3);
}

#[tokio::test]
async fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
    let mut client = connect();
    for (over, code) in [(-1, None), (0, None), (1, Some(Error::INVALID_REQUEST))] {
        let empty = r#"{"id":1,"method":"opened","params":""}"#;
        let fill = LINE_LIMIT.saturating_add_signed(over) - empty.len();
        let line = empty.replace(r#":"""#, &format!(r#":"{}""#, "x".repeat(fill)));
        assert_eq!(line.len(), LINE_LIMIT.saturating_add_signed(over));
        client.say(&line).await;
        let Some(code) = code else {
            for _ in 0..3 {
                client.hear().await;
            }
            continue;
        };
        assert_eq!(client.code().await, (json!(1), json!(code)));
    }
    client.say(&"x".repeat(LINE_LIMIT + 1)).await;
    let unknown = (json!(null), json!(Error::INVALID_REQUEST));
    assert_eq!(client.code().await, unknown, "nobody can tell whose it was");
    client.ask(json!(2), "echo").await;
    assert_eq!(client.hear().await["id"], 2);
}

#[tokio::test]
async fn what_precedes_and_follows_an_answer_keeps_its_place() {
    let mut client = connect();
    client.ask(json!(1), "opened").await;
    assert_eq!(client.hear().await["method"], "before");
    assert_eq!(client.hear().await["id"], 1);
    assert_eq!(client.hear().await["method"], "after");
}

#[tokio::test]
async fn a_request_that_waits_holds_up_nothing() {
    let mut client = connect();
    client.ask(json!(1), "slow").await;
    client.ask(json!(1), "echo").await;
    assert_eq!(
        client.code().await,
        (json!(1), json!(Error::INVALID_REQUEST)),
        "the id is taken"
    );
    client.ask(json!(2), "echo").await;
    assert_eq!(client.hear().await["id"], 2);
    client.gate.add_permits(1);
    assert_eq!(client.hear().await["result"], "slow");
    client.ask(json!(1), "echo").await;
    assert_eq!(client.hear().await["id"], 1, "the id is free again");
}

#[tokio::test]
async fn a_cancelled_request_is_answered_so_or_with_its_own_result() {
    let mut client = connect();
    client.ask(json!("s"), "slow").await;
    client
        .say(r#"{"method":"$/cancel_request","params":{"requestId":"s"}}"#)
        .await;
    assert_eq!(client.code().await, (json!("s"), json!(Error::CANCELLED)));
    client.ask(json!(2), "careful").await;
    client
        .say(r#"{"method":"$/cancel_request","params":{"requestId":2}}"#)
        .await;
    assert_eq!(client.hear().await["method"], "last/news");
    assert_eq!(client.hear().await["result"], "cancelled");
    for unknown in ["2", r#""s""#, "null", "{}"] {
        client
            .say(&format!(
                r#"{{"method":"$/cancel_request","params":{{"requestId":{unknown}}}}}"#
            ))
            .await;
    }
    client.ask(json!(3), "echo").await;
    assert_eq!(client.hear().await["id"], 3);
}

#[tokio::test]
async fn our_requests_are_answered_refused_or_given_up() {
    let mut client = connect();
    client.ask(json!("a"), "ask").await;
    let ours = client.hear().await["id"].clone();
    client.say(&json!({"id": ours, "result": 5}).to_string()).await;
    assert_eq!(client.hear().await["result"], "Ok(5)");
    client.ask(json!("b"), "ask").await;
    let ours = client.hear().await["id"].clone();
    client
        .say(&json!({"id": ours, "error": {"code": 4, "message": "no"}}).to_string())
        .await;
    let refused = client.hear().await["result"].clone();
    assert!(
        refused.as_str().unwrap().contains("Refused { code: 4"),
        "{refused}"
    );
    client.ask(json!("c"), "ask").await;
    let ours = client.hear().await["id"].clone();
    client
        .say(&json!({"id": ours, "result": "five"}).to_string())
        .await;
    assert_eq!(client.hear().await["result"], "Err(Malformed)");
    client.ask(json!("e"), "ask").await;
    let ours = client.hear().await["id"].clone();
    client.say(&json!({"id": ours}).to_string()).await;
    assert_eq!(client.hear().await["result"], "Err(Malformed)");
    client.say(&json!({"id": ours}).to_string()).await;
    assert_eq!(client.code().await, (ours, json!(Error::INVALID_REQUEST)));
    client.ask(json!("d"), "ask").await;
    let ours = client.hear().await["id"].clone();
    client
        .say(r#"{"method":"$/cancel_request","params":{"requestId":"d"}}"#)
        .await;
    let said = [client.hear().await, client.hear().await];
    let told = said
        .iter()
        .find(|message| message["method"] == "$/cancel_request");
    assert_eq!(told.unwrap()["params"]["requestId"], ours);
    assert!(said.iter().any(|message| message["id"] == "d"), "{said:?}");
}

#[tokio::test]
async fn too_many_requests_are_refused_and_the_rest_is_answered() {
    let mut client = connect();
    for id in 0..IN_FLIGHT {
        client.ask(json!(id), "slow").await;
    }
    client.ask(json!("more"), "slow").await;
    assert_eq!(
        client.code().await,
        (json!("more"), json!(Error::INVALID_REQUEST))
    );
    client.gate.add_permits(IN_FLIGHT);
    for _ in 0..IN_FLIGHT {
        assert_eq!(client.hear().await["result"], "slow");
    }
}

#[tokio::test]
async fn the_end_of_the_input_ends_everything_and_answers_what_was_asked() {
    let mut client = connect();
    client.ask(json!(1), "slow").await;
    client.ask(json!(2), "careful").await;
    client.ask(json!(3), "ask").await;
    assert_eq!(client.hear().await["method"], "client/ask");
    client
        .output
        .write_all(br#"{"id":4,"method":"echo"}"#)
        .await
        .unwrap();
    client.output.shutdown().await.unwrap();
    let mut answers = Vec::new();
    while answers.len() < 4 {
        let message = client.hear().await;
        if !message["id"].is_null() {
            answers.push(message["id"].as_u64().unwrap());
        }
    }
    answers.sort_unstable();
    assert_eq!(answers, [1, 2, 3, 4]);
    client.served.await.unwrap();
}

/// Far more than has room on the way.
async fn flood(client: &mut Client) {
    for id in 0..2_000 {
        client.ask(json!(id), "echo").await;
    }
}

#[tokio::test]
async fn a_peer_that_reads_nothing_does_not_hold_up_the_end() {
    let mut client = connect();
    flood(&mut client).await;
    client.stop.cancel();
    tokio::time::timeout(Duration::from_secs(20), client.served)
        .await
        .expect("it waits for its peer")
        .unwrap();
    // Whoever has something to say learns that nobody listens.
    assert_eq!(client.peer.notify("late/news", &json!({})).await, Err(Closed));
}

#[tokio::test]
async fn the_end_of_the_input_is_seen_although_no_answer_was_taken() {
    let mut client = connect();
    flood(&mut client).await;
    client.output.shutdown().await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), client.served)
        .await
        .expect("it waits for its peer")
        .unwrap();
}

#[tokio::test]
async fn a_flood_is_answered_to_the_last_once_it_is_read() {
    let mut client = connect();
    flood(&mut client).await;
    let mut answered = std::collections::HashSet::new();
    while answered.len() < 2_000 {
        let message = client.hear().await;
        assert!(answered.insert(message["id"].as_u64().unwrap()), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_asks_for_ever_and_takes_nothing_is_given_up() {
    let mut client = connect();
    let flooding = async {
        loop {
            if client.output.write_all(b"junk\n").await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = flooding => {}
        served = &mut client.served => served.unwrap(),
    }
}
