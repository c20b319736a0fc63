use super::*;
use crate::tools::testing::{Bench, feed};

/// A project with a file of its own and one that it ignores.
fn project() -> Bench {
    let bench = Bench::new();
    bench.write(".gitignore", "target/\n");
    bench.write("own.rs", "ours\n");
    bench.write("target/out.rs", "made\n");
    bench
}

/// What is told of a search that reads ignored files no further than this many bytes.
async fn told(bench: &Bench, pattern: &str, free: usize) -> String {
    let call = bench.context(json!({}), &feed()).await;
    let bounds = Bounds::new(&call, Duration::from_secs(SECONDS));
    let area = Area::find(&bench.disk, None, &bounds).unwrap();
    let hunt = Hunt {
        workspace: &bench.disk,
        matcher: matcher(pattern).unwrap(),
        only: None,
        budget: Budget::whole(&bounds),
        hits: Vec::new(),
    };
    let time = Duration::ZERO;
    hunt.told(&area, Patience { free, time })
}

#[tokio::test]
async fn files_that_the_project_ignores_are_searched_within_a_budget_of_their_own() {
    let bench = project();
    assert_eq!(told(&bench, "ours", 0).await, "own.rs:1:ours");
    for nothing in ["made", "nowhere"] {
        assert_eq!(
            told(&bench, nothing, 0).await,
            "no matches in the project's files; those that it ignores were not all searched; a folder of them can be \
             named as `path`"
        );
    }
    let found = "[only in files that the project ignores]\ntarget/out.rs:1:made";
    let one = Budget::FILE + 100;
    assert_eq!(told(&bench, "made", one).await, found);
    assert_eq!(told(&bench, "nowhere", one).await, "no matches");
    bench.write("target/second.rs", "made\n");
    let rest = "those that it ignores were not all searched; a folder of them can be named as `path`";
    assert_eq!(told(&bench, "made", one).await, format!("{found}\n[{rest}]"));
    assert_eq!(
        told(&bench, "made", 2 * one).await,
        format!("{found}\ntarget/second.rs:1:made")
    );
}

#[tokio::test]
async fn a_folder_of_ignored_files_that_is_named_is_searched_like_any_other() {
    let bench = project();
    let found = bench
        .ok("grep", json!({ "pattern": "made", "path": "target" }))
        .await;
    assert_eq!(found, "target/out.rs:1:made");
}

/// Nobody may read on.
struct Closed;

impl Read for Closed {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Other.into())
    }
}

#[test]
fn only_the_head_of_what_is_no_text_is_read() {
    let mut head = vec![b'a'; usize::try_from(HEAD).unwrap()];
    head[100] = 0;
    let refused = readable(head.as_slice().chain(Closed)).map(drop).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
    head[100] = b'a';
    let read_on = readable(head.as_slice().chain(Closed)).map(drop).unwrap_err();
    assert_eq!(read_on.kind(), io::ErrorKind::Other);
}

#[test]
fn a_large_text_whose_beginning_ends_within_a_character_is_what_it_is() {
    let lines = "café\n".repeat(usize::try_from(FILE_LIMIT).unwrap() / 6 + 10);
    // The border lies at each place of a line once, and so within the character.
    for shift in 0..6 {
        let text = format!("{}{lines}", "x".repeat(shift));
        let mut read = vec![0; 1000];
        readable(text.as_bytes()).unwrap().read_exact(&mut read).unwrap();
        assert_eq!(read, text.as_bytes()[..1000], "{shift}");
    }
    let short = encoding_rs::WINDOWS_1252.encode("ein Café").0;
    let mut read = String::new();
    readable(short.as_ref())
        .unwrap()
        .read_to_string(&mut read)
        .unwrap();
    assert_eq!(
        read, "ein Café",
        "what ends within a character and is not cut is in another encoding"
    );
}
