//! Reads the page a question is about: a snapshot of the chat contract, or an HTML file made into one.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use sidewire_agent::session::now_ms;
use sidewire_contract::limits;
use sidewire_contract::page::PageSnapshot;

use super::html;

/// Largest file that is read.
const FILE_LIMIT: u64 = limits::INBOUND_FRAME as u64 / 2;

/// Reads a page; which kind of file it is shows from its first character.
pub(super) fn read(path: &Path) -> anyhow::Result<PageSnapshot> {
    let text = text_of(path)?;
    if text.trim_start().starts_with('{') {
        limits::check_depth(text.as_bytes(), limits::DEPTH)?;
        return serde_json::from_str(&text)
            .with_context(|| format!("{} is no page snapshot of the chat contract", path.display()));
    }
    let url = format!(
        "file:///{}",
        path.file_name().unwrap_or_default().to_string_lossy()
    );
    snapshot(&text, &url).with_context(|| format!("failed to read {} as a page", path.display()))
}

/// The text of a file, which may be a pipe or a device that never ends.
fn text_of(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(FILE_LIMIT + 1).read_to_end(&mut bytes))
        .with_context(|| format!("failed to read {}", path.display()))?;
    anyhow::ensure!(
        bytes.len() as u64 <= FILE_LIMIT,
        "{} is too large; at most {FILE_LIMIT} bytes can be asked about",
        path.display()
    );
    String::from_utf8(bytes)
        .map_err(|_| anyhow::anyhow!("{} is not UTF-8; save it as UTF-8 and ask again", path.display()))
}

fn snapshot(document: &str, url: &str) -> anyhow::Result<PageSnapshot> {
    let page = html::read(document);
    let json = serde_json::json!({
        "v": 1,
        "capturedAt": now_ms(),
        "tabId": 0,
        "url": url,
        "path": url.strip_prefix("file://").unwrap_or(url),
        "title": page.title,
        "ax": page.tree,
        "api": null,
        "truncated": page.cut,
    });
    Ok(serde_json::from_str(&json.to_string())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_html_file_becomes_a_snapshot() {
        let page = snapshot(
            "<title>lb1</title><h1>lb1</h1><button>Edit</button>",
            "file:///lb1.html",
        )
        .unwrap();
        assert_eq!(page.title, "lb1");
        let tree = page.ax.unwrap();
        assert!(
            tree.as_str().contains("\"button\"") && tree.as_str().contains("\"Edit\""),
            "{}",
            tree.as_str()
        );
    }

    #[test]
    fn a_snapshot_is_read_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.json");
        let json = r#"{"v":1,"capturedAt":0,"tabId":0,"url":"u","path":"p","title":"t","ax":null,"api":null,"truncated":false}"#;
        std::fs::write(&path, json).unwrap();
        assert_eq!(read(&path).unwrap().title, "t");
        std::fs::write(&path, "{}").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("no page snapshot"));
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_or_is_no_text_is_refused() {
        let endless = read(Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(endless.contains("too large"), "{endless}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("latin.html");
        std::fs::write(&path, b"<p>caf\xe9").unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("save it as UTF-8"), "{error}");
    }
}
