//! S1–S4, S7–S10, S28: requests that come from where no client of ours comes from.

use std::fs;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};

use sidewire_contract::bridge::conversations::ConversationList;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::identity::EXTENSION_ID;
use sidewire_tests::{Home, HttpAnswer, Peer, Worker, requests};

const ROUTES: [&str; 6] = [
    "/",
    "/health",
    "/bridge",
    "/conversations",
    "/../health",
    "/health/",
];

async fn home_and_worker() -> (Home, Worker) {
    let home = Home::new();
    let worker = home.worker().await;
    (home, worker)
}

/// Nothing but the refusal: no word of state, no door left open for a page's script.
fn assert_bare(answer: &HttpAnswer) {
    assert_eq!(answer.body(), "", "{answer:?}");
    for header in [
        "access-control-allow-origin",
        "access-control-allow-private-network",
        "location",
        "set-cookie",
    ] {
        assert!(!answer.has_header(header), "{answer:?}");
    }
}

fn origin(value: &str) -> String {
    format!("Origin: {value}")
}

#[tokio::test]
async fn s01_only_the_loopback_address_is_listened_on() {
    let (_home, worker) = home_and_worker().await;
    // Every listening socket of this port, as the kernel tells it: local address and state 0A.
    let port = format!(":{:04X} ", worker.port);
    let listening = |table: &str| {
        let table = fs::read_to_string(table).unwrap_or_default();
        table
            .lines()
            .filter(|line| line.contains(&port) && line.contains(" 0A "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let v4 = listening("/proc/net/tcp");
    assert_eq!(v4.len(), 1, "{v4:?}");
    assert!(v4[0].contains(&format!("0100007F{port}")), "{v4:?}");
    assert_eq!(listening("/proc/net/tcp6"), [] as [&str; 0]);
    let others: [SocketAddr; 2] = [
        (Ipv6Addr::LOCALHOST, worker.port).into(),
        (Ipv4Addr::new(127, 0, 0, 2), worker.port).into(),
    ];
    for other in others {
        assert!(TcpStream::connect(other).is_err(), "{other}");
    }
}

#[tokio::test]
async fn s01_a_wider_address_cannot_be_configured() {
    let home = Home::new();
    for setting in ["listen", "host", "bind"] {
        home.configure(&format!("[worker]\n{setting} = \"0.0.0.0\"\n"));
        let error = home.run(&["serve", "--port", "0"]).await.failed();
        assert!(error.contains(setting) && error.contains("line 2"), "{error}");
    }
    home.configure("");
    let error = home.run(&["serve", "--host", "0.0.0.0"]).await.failed();
    assert!(error.contains("--host"), "{error}");
}

#[tokio::test]
async fn s02_a_web_page_is_refused_before_the_upgrade() {
    let (_home, worker) = home_and_worker().await;
    let mut raw = worker.raw().await;
    let answer = raw.upgrade(&[&raw.host(), &origin("https://evil.example")]).await;
    assert_eq!(answer.status, 403);
    assert_bare(&answer);
}

#[tokio::test]
async fn s03_another_extension_is_refused_whatever_it_looks_like() {
    let (_home, worker) = home_and_worker().await;
    let ours = format!("chrome-extension://{EXTENSION_ID}");
    let origins = [
        "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".to_owned(),
        format!("{ours}/"),
        format!("{ours}.evil"),
        format!("{ours}:443"),
        format!("{ours}@evil.example"),
        format!("chrome-extension://evil.{EXTENSION_ID}"),
        format!("chrome-extension://{}", EXTENSION_ID.to_uppercase()),
        format!("CHROME-EXTENSION://{EXTENSION_ID}"),
        format!("moz-extension://{EXTENSION_ID}"),
        format!("https://{EXTENSION_ID}"),
        format!("{ours} https://evil.example"),
        format!("{ours}\u{0}"),
    ];
    for value in origins {
        let mut raw = worker.raw().await;
        let answer = raw.upgrade(&[&raw.host(), &origin(&value)]).await;
        assert!(matches!(answer.status, 400 | 403), "{value:?}: {answer:?}");
        assert_bare(&answer);
    }
}

#[tokio::test]
async fn s04_an_odd_origin_is_refused() {
    let (_home, worker) = home_and_worker().await;
    let port = worker.port;
    let origins = [
        "null".to_owned(),
        String::new(),
        "file://".into(),
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
    ];
    for value in origins {
        let mut raw = worker.raw().await;
        let answer = raw.upgrade(&[&raw.host(), &origin(&value)]).await;
        assert_eq!(answer.status, 403, "{value:?}");
        assert_bare(&answer);
    }
    let ours = origin(&format!("chrome-extension://{EXTENSION_ID}"));
    for second in [ours.as_str(), "Origin: https://evil.example"] {
        let mut raw = worker.raw().await;
        let answer = raw.upgrade(&[&raw.host(), &ours, second]).await;
        assert_eq!(answer.status, 403, "two origins are nobody's: {second}");
        assert_bare(&answer);
    }
}

#[tokio::test]
async fn s07_a_foreign_host_header_is_refused() {
    let (_home, worker) = home_and_worker().await;
    let port = worker.port;
    let hosts = [
        format!("evil.test:{port}"),
        format!("127.0.0.1.evil.test:{port}"),
        format!("localhost.:{port}"),
        format!("localhost:{port}"),
        format!("127.0.0.1:{}", port ^ 1),
        "127.0.0.1".to_owned(),
        format!("user@127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        format!("0x7f.1:{port}"),
        format!("2130706433:{port}"),
        String::new(),
    ];
    for host in hosts {
        for route in ROUTES {
            let mut raw = worker.raw().await;
            let get = format!("GET {route} HTTP/1.1");
            let answer = raw.request(&[&get, &format!("Host: {host}")]).await;
            assert!(matches!(answer.status, 400 | 403), "{host:?} {route}: {answer:?}");
            assert_bare(&answer);
        }
        let answer = worker.raw().await.upgrade(&[&format!("Host: {host}")]).await;
        assert!(matches!(answer.status, 400 | 403), "{host:?}: {answer:?}");
    }
}

#[tokio::test]
async fn s07_a_missing_or_doubled_host_header_is_refused() {
    let (_home, worker) = home_and_worker().await;
    let mut raw = worker.raw().await;
    assert_eq!(raw.request(&["GET /health HTTP/1.1"]).await.status, 400);
    let mut raw = worker.raw().await;
    let host = raw.host();
    assert_eq!(
        raw.request(&["GET /health HTTP/1.1", &host, &host]).await.status,
        400
    );
    let mut raw = worker.raw().await;
    assert_eq!(
        raw.request(&["GET /health HTTP/1.1", &host, "Host: evil.test"])
            .await
            .status,
        400
    );
    // The address of the request line does not stand in for the header.
    let mut raw = worker.raw().await;
    let line = format!("GET http://127.0.0.1:{}/health HTTP/1.1", worker.port);
    assert_eq!(raw.request(&[&line, "Host: evil.test"]).await.status, 403);
}

#[tokio::test]
async fn s08_a_get_without_origin_reads_nothing() {
    let (_home, worker) = home_and_worker().await;
    for route in ROUTES {
        let mut raw = worker.raw().await;
        let get = format!("GET {route} HTTP/1.1");
        let evil = format!("Host: evil.test:{}", worker.port);
        assert_eq!(raw.request(&[&get, &evil]).await.status, 403, "{route}");
    }
    // Even with the right host there is nothing to read but that a worker is there.
    let mut raw = worker.raw().await;
    let answer = raw.request(&["GET /health HTTP/1.1", &raw.host()]).await;
    let health: serde_json::Value = serde_json::from_str(answer.body()).unwrap();
    assert_eq!(
        health,
        serde_json::json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") })
    );
    let mut raw = worker.raw().await;
    assert_eq!(
        raw.request(&["GET /bridge HTTP/1.1", &raw.host()]).await.status,
        426
    );
    for route in ["/", "/conversations", "/../health", "/health/"] {
        let mut raw = worker.raw().await;
        let answer = raw
            .request(&[&format!("GET {route} HTTP/1.1"), &raw.host()])
            .await;
        assert_eq!((answer.status, answer.body()), (404, ""), "{route}");
    }
}

#[tokio::test]
async fn s09_a_form_of_a_web_page_changes_nothing() {
    let (home, worker) = home_and_worker().await;
    let body = r#"{"type":"chat_request","id":"c-1","text":"x","context":null,"mode":"educational","tabId":1,"sessionKey":"s"}"#;
    let length = format!("Content-Length: {}", body.len());
    for (sender, allowed) in [
        (Some("Origin: https://evil.example"), [403, 403]),
        (None, [405, 404]),
    ] {
        for method in ["POST", "PUT", "DELETE", "PATCH"] {
            for route in ROUTES {
                let mut raw = worker.raw().await;
                let line = format!("{method} {route} HTTP/1.1");
                let host = raw.host();
                let end = format!("\r\n{body}");
                let mut lines = vec![line.as_str(), &host, "Content-Type: text/plain", &length];
                lines.extend(sender);
                lines.push(&end);
                let answer = raw.request(&lines).await;
                assert!(
                    allowed.contains(&answer.status),
                    "{method} {route} {sender:?}: {answer:?}"
                );
                assert_bare(&answer);
            }
        }
    }
    let list = ClientFrame::ConversationList(ConversationList {
        request_id: requests::id("r"),
        cursor: None,
    });
    let WorkerFrame::ConversationPage(page) = worker.client().await.call(list).await else {
        panic!("no page")
    };
    assert_eq!(page.items, []);
    assert_eq!(home.run(&["data", "export"]).await.ok(), "");
}

#[tokio::test]
async fn s10_no_origin_is_ever_allowed_across() {
    let (_home, worker) = home_and_worker().await;
    let ours = format!("chrome-extension://{EXTENSION_ID}");
    for value in ["https://evil.example", "null", ours.as_str()] {
        for route in ["/health", "/bridge"] {
            let mut raw = worker.raw().await;
            let line = format!("OPTIONS {route} HTTP/1.1");
            let preflight = [
                &line,
                &raw.host(),
                &origin(value),
                "Access-Control-Request-Method: POST",
                "Access-Control-Request-Headers: content-type",
                "Access-Control-Request-Private-Network: true",
            ]
            .map(String::from);
            let answer = raw.request(&preflight.each_ref().map(String::as_str)).await;
            assert!(matches!(answer.status, 403 | 405), "{value} {route}: {answer:?}");
            assert!(
                !answer.text.to_ascii_lowercase().contains("access-control-"),
                "{answer:?}"
            );
            let mut raw = worker.raw().await;
            let answer = raw
                .request(&[&format!("GET {route} HTTP/1.1"), &raw.host(), &origin(value)])
                .await;
            assert!(
                !answer.text.to_ascii_lowercase().contains("access-control-"),
                "{answer:?}"
            );
        }
    }
}

#[tokio::test]
async fn s28_the_worker_never_redirects() {
    let (_home, worker) = home_and_worker().await;
    for route in [
        "/",
        "/health",
        "/bridge",
        "/bridge/",
        "//evil.example/",
        "/health?next=https://evil.example",
        "/%2e%2e/",
    ] {
        let mut raw = worker.raw().await;
        let answer = raw
            .request(&[&format!("GET {route} HTTP/1.1"), &raw.host()])
            .await;
        assert!(
            !(300..400).contains(&answer.status) && !answer.has_header("location"),
            "{route}: {answer:?}"
        );
    }
}
