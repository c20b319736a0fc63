//! Reads the page a question is about: a snapshot of the chat contract, or an HTML file made into one.

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
    let size = std::fs::metadata(path)
        .with_context(|| format!("failed to read {}", path.display()))?
        .len();
    anyhow::ensure!(
        size <= FILE_LIMIT,
        "{} holds {size} bytes; at most {FILE_LIMIT} can be asked about",
        path.display()
    );
    let text = std::fs::read_to_string(path).with_context(|| format!("failed to read {}", path.display()))?;
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
}
