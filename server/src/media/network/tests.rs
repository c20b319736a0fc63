use std::collections::HashMap;
use std::sync::Mutex;

use futures_util::stream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;

/// A small internet of pages; it remembers what was asked, and where.
#[derive(Default)]
pub(in super::super) struct Sandbox {
    hosts: HashMap<&'static str, Vec<&'static str>>,
    pages: HashMap<&'static str, Page>,
    asked: Mutex<Vec<(String, Vec<SocketAddr>)>>,
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
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, FetchError> {
        let addresses = self.hosts.get(host).ok_or(FetchError::NoHost)?;
        Ok(addresses.iter().map(|address| address.parse().unwrap()).collect())
    }

    async fn get(&self, url: &Url, addresses: &[SocketAddr]) -> Result<Answer, FetchError> {
        self.asked
            .lock()
            .unwrap()
            .push((url.to_string(), addresses.to_vec()));
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
async fn a_public_file_is_fetched_from_the_address_that_was_checked() {
    let web = Sandbox::default()
        .host("cdn.example", &["1.1.1.1", "2606:4700::1"])
        .file("https://cdn.example:8443/a.png", "image/png", b"bytes");
    assert_eq!(
        read(&web, "https://cdn.example:8443/a.png").await.unwrap(),
        b"bytes"
    );
    let asked = web.asked.lock().unwrap();
    assert_eq!(
        asked[0].1,
        [
            "1.1.1.1:8443".parse().unwrap(),
            "[2606:4700::1]:8443".parse().unwrap()
        ]
    );
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

/// The real client: it goes where it is sent and nowhere else, whatever the name would say.
#[tokio::test]
async fn the_connection_goes_to_the_given_address_and_follows_nothing() {
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = server.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        let (mut socket, _) = server.accept().await.unwrap();
        let mut request = vec![0; 4096];
        let read = socket.read(&mut request).await.unwrap();
        request.truncate(read);
        let answer = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
        socket.write_all(answer).await.unwrap();
        String::from_utf8(request).unwrap()
    });
    let url = Url::parse(&format!("http://name.invalid:{}/a.png", address.port())).unwrap();
    let answer = Internet.get(&url, &[address]).await.unwrap();
    assert_eq!(answer.status, 302);
    let request = serving.await.unwrap().to_ascii_lowercase();
    assert!(request.starts_with("get /a.png http/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("host: name.invalid:{}", address.port())));
    for header in ["cookie", "authorization", "referer"] {
        assert!(!request.contains(header), "{request}");
    }
}
