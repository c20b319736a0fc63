use std::collections::HashMap;
use std::sync::Mutex;

use futures_util::stream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::client::all_of;
use super::*;

/// A small internet of pages; it remembers what was asked, and where.
#[derive(Default)]
pub(in super::super) struct Sandbox {
    hosts: HashMap<&'static str, Vec<&'static str>>,
    pages: HashMap<&'static str, Page>,
    asked: Mutex<Vec<String>>,
}

#[derive(Clone, Default)]
struct Page {
    status: u16,
    headers: Vec<(HeaderName, &'static str)>,
    body: Vec<Result<Vec<u8>, ()>>,
}

impl Sandbox {
    pub(in super::super) fn host(mut self, name: &'static str, addresses: &[&'static str]) -> Self {
        self.hosts.insert(name, addresses.to_vec());
        self
    }

    pub(in super::super) fn file(mut self, url: &'static str, mime: &'static str, bytes: &[u8]) -> Self {
        let page = Page {
            status: 200,
            headers: vec![(CONTENT_TYPE, mime)],
            body: vec![Ok(bytes.to_vec())],
        };
        self.pages.insert(url, page);
        self
    }

    fn redirect(mut self, from: &'static str, to: &'static str) -> Self {
        let page = Page {
            status: 302,
            headers: vec![(LOCATION, to)],
            body: Vec::new(),
        };
        self.pages.insert(from, page);
        self
    }

    fn page(mut self, url: &'static str, page: Page) -> Self {
        self.pages.insert(url, page);
        self
    }
}

#[async_trait::async_trait]
impl Outside for Sandbox {
    async fn get(&self, url: &Url) -> Result<Answer, FetchError> {
        if let Some(Host::Domain(host)) = url.host() {
            let addresses = self.hosts.get(host).ok_or(FetchError::NoHost)?;
            all_of(
                addresses.iter().map(|address| address.parse().unwrap()).collect(),
                is_public,
            )?;
        }
        self.asked.lock().unwrap().push(url.to_string());
        let page = self
            .pages
            .get(url.as_str())
            .ok_or(FetchError::Unreachable)?
            .clone();
        let body = page
            .body
            .into_iter()
            .map(|piece| piece.map(Bytes::from).map_err(|()| FetchError::Truncated));
        Ok(Answer {
            status: page.status,
            headers: page
                .headers
                .into_iter()
                .map(|(name, value)| (name, value.parse().unwrap()))
                .collect(),
            body: stream::iter(body.collect::<Vec<_>>()).boxed(),
        })
    }
}

async fn read(outside: &dyn Outside, url: &str) -> Result<Vec<u8>, FetchError> {
    let mut fetched = open(outside, url).await?;
    let mut all = Vec::new();
    while let Some(bytes) = fetched.next().await? {
        all.extend_from_slice(&bytes);
    }
    Ok(all)
}

#[tokio::test]
async fn a_public_file_is_fetched() {
    let web = Sandbox::default()
        .host("cdn.example", &["1.1.1.1", "2606:4700::1"])
        .file("https://cdn.example:8443/a.png", "image/png", b"bytes");
    assert_eq!(
        read(&web, "https://cdn.example:8443/a.png").await.unwrap(),
        b"bytes"
    );
    assert_eq!(*web.asked.lock().unwrap(), ["https://cdn.example:8443/a.png"]);
}

#[tokio::test]
async fn addresses_that_are_not_for_fetching_are_never_asked() {
    let web = Sandbox::default()
        .host("mixed.example", &["1.1.1.1", "127.0.0.1"])
        .host("inside.example", &["10.0.0.7"])
        .host("nowhere.example", &[]);
    for (url, refused) in [
        ("http://cdn.example/a.png", "https addresses only"),
        ("file:///etc/passwd", "https addresses only"),
        ("ftp://cdn.example/a.png", "https addresses only"),
        ("/etc/passwd", "cannot be read"),
        ("https://ann:pw@cdn.example/a.png", "user or password"),
        ("https://ann@cdn.example/a.png", "user or password"),
        ("https://127.0.0.1/a.png", "not public"),
        ("https://2130706433/a.png", "not public"),
        ("https://0x7f.1/a.png", "not public"),
        ("https://[::1]/a.png", "not public"),
        ("https://[::ffff:10.0.0.1]/a.png", "not public"),
        ("https://169.254.169.254/latest/meta-data", "not public"),
        ("https://mixed.example/a.png", "not public"),
        ("https://inside.example/a.png", "not public"),
        ("https://nowhere.example/a.png", "not found"),
        ("https://unknown.example/a.png", "not found"),
    ] {
        let error = read(&web, url).await.unwrap_err();
        assert!(error.to_string().contains(refused), "{url}: {error}");
    }
    assert!(web.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn every_redirect_is_checked_like_the_first_address() {
    let web = Sandbox::default()
        .host("a.example", &["1.1.1.1"])
        .host("b.example", &["8.8.8.8"])
        .host("inside.example", &["192.168.1.1"])
        .redirect("https://a.example/1", "/2")
        .redirect("https://a.example/2", "https://b.example/3")
        .file("https://b.example/3", "image/png", b"there")
        .redirect("https://a.example/down", "http://b.example/3")
        .redirect("https://a.example/user", "https://x:y@b.example/3")
        .redirect("https://a.example/in", "https://inside.example/")
        .redirect("https://a.example/loop", "https://a.example/loop");
    let web = &web;
    assert_eq!(read(web, "https://a.example/1").await.unwrap(), b"there");
    let fails = |url: &'static str| async move { read(web, url).await.unwrap_err() };
    assert!(matches!(
        fails("https://a.example/down").await,
        FetchError::NotHttps
    ));
    assert!(matches!(
        fails("https://a.example/user").await,
        FetchError::Credentials
    ));
    assert!(matches!(
        fails("https://a.example/in").await,
        FetchError::NotPublic
    ));
    web.asked.lock().unwrap().clear();
    assert!(matches!(
        fails("https://a.example/loop").await,
        FetchError::TooManyRedirects
    ));
    assert_eq!(web.asked.lock().unwrap().len(), REDIRECTS + 1);
}

#[tokio::test]
async fn what_is_cut_or_refused_is_not_taken() {
    let page = |status, length, body: &[u8]| Page {
        status,
        headers: vec![(CONTENT_LENGTH, length)],
        body: vec![Ok(body.to_vec())],
    };
    let broken = Page {
        status: 200,
        body: vec![Ok(b"ab".to_vec()), Err(())],
        ..Page::default()
    };
    let web = Sandbox::default()
        .host("a.example", &["1.1.1.1"])
        .page("https://a.example/whole", page(200, "3", b"abc"))
        .page("https://a.example/short", page(200, "4", b"abc"))
        .page("https://a.example/long", page(200, "2", b"abc"))
        .page("https://a.example/gone", page(404, "3", b"abc"))
        .page("https://a.example/part", page(206, "3", b"abc"))
        .page("https://a.example/broken", broken);
    assert!(read(&web, "https://a.example/whole").await.is_ok());
    for path in ["short", "long", "broken"] {
        let error = read(&web, &format!("https://a.example/{path}"))
            .await
            .unwrap_err();
        assert!(matches!(error, FetchError::Truncated), "{path}: {error}");
    }
    for (path, status) in [("gone", 404), ("part", 206)] {
        let error = read(&web, &format!("https://a.example/{path}"))
            .await
            .unwrap_err();
        assert!(
            matches!(error, FetchError::Status(said) if said == status),
            "{path}: {error}"
        );
    }
}

#[test]
fn a_server_that_names_a_type_has_to_be_right() {
    for said in [
        None,
        Some("image/png"),
        Some("Image/PNG; q=1"),
        Some("application/octet-stream"),
        Some(""),
    ] {
        assert!(check_type(said, MimeType::Png).is_ok(), "{said:?}");
    }
    assert!(check_type(Some("image/jpg"), MimeType::Jpeg).is_ok());
    let error = check_type(Some("text/html; charset=utf-8"), MimeType::Png).unwrap_err();
    assert_eq!(
        error.to_string(),
        "media MIME mismatch: the server says text/html, the content is image/png"
    );
}

/// Answers one request; gives what was asked.
async fn answer(socket: &mut TcpStream) -> String {
    let mut request = vec![0; 4096];
    let read = socket.read(&mut request).await.unwrap();
    request.truncate(read);
    let answer = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
    socket.write_all(answer).await.unwrap();
    String::from_utf8(request).unwrap().to_ascii_lowercase()
}

/// The real client: one for all, which says nothing of us and follows nothing.
#[tokio::test]
async fn all_fetches_share_a_client_that_follows_nothing() {
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = server.local_addr().unwrap().port();
    let serving = tokio::spawn(async move {
        let (mut socket, _) = server.accept().await.unwrap();
        // Only a client that is the same comes back on the same connection.
        [answer(&mut socket).await, answer(&mut socket).await]
    });
    let internet = Internet::of(|_| true);
    let url = Url::parse(&format!("http://localhost:{port}/a.png")).unwrap();
    for _ in 0..2 {
        let mut answer = internet.get(&url).await.unwrap();
        assert_eq!(answer.status, 302);
        assert!(answer.body.next().await.is_none());
    }
    for request in serving.await.unwrap() {
        assert!(request.starts_with("get /a.png http/1.1\r\n"), "{request}");
        assert!(request.contains(&format!("host: localhost:{port}")));
        for header in ["cookie", "authorization", "referer"] {
            assert!(!request.contains(header), "{request}");
        }
    }
}

/// The client looks up by itself, so what it is told of a name is checked there and nowhere earlier.
#[tokio::test]
async fn a_name_that_leads_into_this_machine_is_not_connected_to() {
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = server.local_addr().unwrap().port();
    let internet = Internet::new();
    let inside = read(&internet, &format!("https://localhost:{port}/a.png")).await;
    assert!(matches!(inside, Err(FetchError::NotPublic)));
    // Too long for a name, which the system says without asking anybody.
    let nowhere = format!("http://{}.example/a.png", "a".repeat(64));
    let nowhere = internet
        .get(&Url::parse(&nowhere).unwrap())
        .await
        .map(|answer| answer.status);
    assert!(matches!(nowhere, Err(FetchError::NoHost)), "{nowhere:?}");
    let nobody = tokio::time::timeout(Duration::ZERO, server.accept()).await;
    assert!(nobody.is_err(), "it was connected to");
}
