use std::collections::HashMap;
use std::sync::Mutex;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use crate::tools::testing::{Bench, feed, said};

/// Pages of a network that is not there.
#[derive(Default)]
struct Pages {
    pages: HashMap<String, (u16, HeaderMap, Vec<u8>)>,
    asked: Mutex<Vec<String>>,
}

impl Pages {
    fn page(mut self, url: &str, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, kind.parse().unwrap())]);
        self.pages.insert(url.to_owned(), (200, headers, body.into()));
        self
    }

    fn redirect(mut self, url: &str, to: &str) -> Self {
        let headers = HeaderMap::from_iter([(LOCATION, to.parse().unwrap())]);
        self.pages.insert(url.to_owned(), (302, headers, Vec::new()));
        self
    }
}

#[async_trait::async_trait]
impl Outside for Pages {
    async fn get(&self, url: &Url) -> Result<Answer, FetchError> {
        self.asked.lock().unwrap().push(url.to_string());
        let (status, headers, body) = self
            .pages
            .get(url.as_str())
            .ok_or(FetchError::Unreachable)?
            .clone();
        let pieces: Vec<_> = body
            .chunks(1000)
            .map(|piece| Ok(Bytes::copy_from_slice(piece)))
            .collect();
        Ok(Answer {
            status,
            headers,
            body: stream::iter(pieces).boxed(),
        })
    }
}

fn tool(public: &Arc<Pages>, local: &Arc<Pages>) -> WebFetch {
    let converter = Arc::new(Semaphore::new(1));
    WebFetch::over(
        Arc::clone(public) as Arc<_>,
        Arc::clone(local) as Arc<_>,
        converter,
    )
}

async fn fetch(pages: &Arc<Pages>, url: &str) -> Result<Page, String> {
    tool(pages, pages)
        .page(url)
        .await
        .map_err(|error| error.to_string())
}

#[tokio::test]
async fn addresses_that_are_not_for_fetching_are_never_asked() {
    let pages = Arc::new(Pages::default());
    for (url, part) in [
        ("not an address", "is no address"),
        ("file:///etc/passwd", "only http and https"),
        ("ftp://a.example/", "only http and https"),
        ("https://ann:pw@a.example/", "user or password"),
        ("http://10.0.0.1/", "private network"),
        ("http://192.168.1.1/", "private network"),
        ("http://169.254.169.254/latest", "private network"),
        ("http://100.64.0.1/", "private network"),
        ("http://0.0.0.0/", "private network"),
        ("http://[::]/", "private network"),
        ("http://[fe80::1]/", "private network"),
        ("http://[::ffff:10.0.0.1]/", "private network"),
    ] {
        let error = fetch(&pages, url).await.map(|page| page.status).unwrap_err();
        assert!(error.contains(part), "{url}: {error}");
    }
    assert!(pages.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn every_redirect_is_checked_like_the_first_address() {
    let pages = Pages::default()
        .redirect("https://a.example/1", "/2")
        .page("https://a.example/2", "text/plain", "there")
        .redirect("https://a.example/in", "http://10.1.1.1/")
        .redirect("https://a.example/file", "file:///etc/passwd")
        .redirect("https://a.example/loop", "https://a.example/loop");
    let pages = Arc::new(pages);
    let page = fetch(&pages, "https://a.example/1").await.unwrap();
    assert_eq!(page.bytes, b"there");
    assert_eq!(
        page.head(),
        "status 200 · text/plain · 5 bytes\nhttps://a.example/2"
    );
    for (path, part) in [
        ("in", "private network"),
        ("file", "only http and https"),
        ("loop", "more than 5 times"),
    ] {
        let error = fetch(&pages, &format!("https://a.example/{path}"))
            .await
            .map(|page| page.status)
            .unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_to_another_place_is_told_and_not_followed() {
    for to in [
        "http://localhost:8080/3",
        "http://127.0.0.1/",
        "http://a.example/",
        "https://a.example:8443/",
        "https://b.example/",
    ] {
        let pages = Arc::new(
            Pages::default()
                .redirect("https://a.example/", to)
                .page(to, "text/plain", "x"),
        );
        let told = fetch(&pages, "https://a.example/")
            .await
            .map(|page| page.status)
            .unwrap_err();
        let wanted = format!("it redirects to another site: {to}\nfetch that address if you need it");
        assert_eq!(told, wanted);
        assert_eq!(*pages.asked.lock().unwrap(), ["https://a.example/"]);
    }
}

#[tokio::test]
async fn this_machine_is_reached_only_by_its_own_name() {
    let local = [
        "http://localhost:3000/",
        "http://app.localhost./",
        "http://127.8.8.8/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
    ];
    // A public name may lead to this machine, which only the network of the name can tell.
    let public = [
        "http://localhost.a.example/",
        "http://notlocalhost/",
        "https://1.1.1.1/",
    ];
    for url in local.into_iter().chain(public) {
        let (here, there) = (Arc::new(Pages::default()), Arc::new(Pages::default()));
        assert!(tool(&there, &here).page(url).await.is_err());
        let asked = [here, there].map(|pages| pages.asked.lock().unwrap().len());
        let is_local = usize::from(local.contains(&url));
        assert_eq!(asked, [is_local, 1 - is_local], "{url}");
    }
}

#[tokio::test]
async fn no_more_is_taken_than_may_be() {
    let pages = Pages::default()
        .page("http://a.example/just", "text/plain", vec![b'x'; BYTES])
        .page("http://a.example/over", "text/plain", vec![b'x'; BYTES + 1])
        .page("http://a.example/picture", "image/png", "x");
    let pages = Arc::new(pages);
    let just = fetch(&pages, "http://a.example/just").await.unwrap();
    assert_eq!((just.bytes.len(), just.cut), (BYTES, false));
    let over = fetch(&pages, "http://a.example/over").await.unwrap();
    assert_eq!((over.bytes.len(), over.cut), (BYTES, true));
    assert!(over.head().contains("1048576 bytes (there is more)"));
    let picture = fetch(&pages, "http://a.example/picture")
        .await
        .map(|page| page.status)
        .unwrap_err();
    assert_eq!(picture, "status 200 · image/png · it is no text");
}

const PAGE: &str = "http://a.example/";

fn one_page() -> Arc<Pages> {
    Arc::new(Pages::default().page(PAGE, "text/html", "<h1>One</h1> <p>two"))
}

/// Nothing here is real but the clock, which jumps to the end of the time.
#[tokio::test(start_paused = true)]
async fn while_another_page_gets_its_form_the_words_of_this_one_come_in_time() {
    let tool = tool(&one_page(), &one_page());
    let _other = Arc::clone(&tool.converter).acquire_owned().await.unwrap();
    let began = Instant::now();
    let told = said(&tool.told(PAGE).await.unwrap());
    assert!(told.ends_with("\n\nOne two"), "{told}");
    assert_eq!(began.elapsed(), LIMIT);
}

#[tokio::test]
async fn a_turn_that_is_stopped_does_not_wait_for_the_form_of_a_page() {
    let (bench, tool) = (Bench::new(), tool(&one_page(), &one_page()));
    let other = Arc::clone(&tool.converter).acquire_owned().await.unwrap();
    let call = bench.context(json!({ "url": PAGE }), &feed()).await;
    let (output, ()) = tokio::join!(tool.call(call), async { bench.cancel.cancel() });
    assert!(output.is_error && said(&output).contains("stopped"), "{output:?}");
    drop(other);
    let told = said(&tool.told(PAGE).await.unwrap());
    assert!(told.ends_with("# One\n\ntwo"), "{told}");
}

/// The real client and a real server on this machine.
#[tokio::test]
async fn a_server_of_this_machine_can_be_fetched_from() {
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = server.local_addr().unwrap().port();
    let serving = tokio::spawn(async move {
        let (mut socket, _) = server.accept().await.unwrap();
        let mut request = vec![0; 4096];
        let _read = socket.read(&mut request).await.unwrap();
        let body = "<h1>Not here</h1>";
        let answer = format!(
            "HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        socket.write_all(answer.as_bytes()).await.unwrap();
    });
    let bench = Bench::new();
    let told = bench
        .fails("web_fetch", json!({ "url": format!("http://localhost:{port}/") }))
        .await;
    assert!(
        told.starts_with("status 404 · text/html · 17 bytes\n") && told.ends_with("# Not here"),
        "{told}"
    );
    serving.await.unwrap();
    let told = bench
        .fails("web_fetch", json!({ "url": format!("http://127.0.0.1:{port}/") }))
        .await;
    assert_eq!(told, "127.0.0.1 could not be reached");
}
