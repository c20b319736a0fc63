use serde_json::json;

use crate::tools::testing::Bench;

fn project() -> Bench {
    let bench = Bench::new();
    bench.write(".gitignore", "target/\n*.log\n");
    bench.write("src/main.rs", "fn main() {\n    needle();\n}\n");
    bench.write("src/deep/lib.rs", "// Needle\n");
    bench.write("target/out.rs", "needle\nonly_here\n");
    bench.write(".git/config", "needle\n");
    bench.write("keys/secret.rs", "needle\n");
    bench.write(".hidden", "");
    bench.write(
        "wide.txt",
        "\u{feff}"
            .encode_utf16()
            .chain("wide needle\r\n".encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>(),
    );
    bench.write("binary.rs", b"needle\0\n");
    std::os::unix::fs::symlink(&bench.outside, bench.root.join("link")).unwrap();
    std::fs::write(bench.outside.join("far.rs"), "needle\n").unwrap();
    bench
}

#[tokio::test]
async fn a_folder_is_listed() {
    let bench = project();
    let told = bench.ok("ls", json!({})).await;
    assert_eq!(
        told,
        ".gitignore\n.hidden\nbinary.rs\nlink@\nsrc/\ntarget/\nwide.txt"
    );
    let told = bench.ok("ls", json!({ "path": "src", "recursive": true })).await;
    assert_eq!(told, "deep/\ndeep/lib.rs\nmain.rs");
    let told = bench.ok("ls", json!({ "recursive": true })).await;
    assert!(
        !told.contains("target") && !told.contains("secret") && !told.contains("far.rs"),
        "{told}"
    );
    assert!(
        bench
            .fails("ls", json!({ "path": "src/main.rs" }))
            .await
            .contains("is a file; read_file")
    );
    assert!(
        bench
            .fails("ls", json!({ "path": "nowhere" }))
            .await
            .contains("does not exist")
    );
    assert!(
        bench
            .fails("ls", json!({ "path": "keys" }))
            .await
            .contains("is protected")
    );
    std::fs::create_dir(bench.root.join("empty")).unwrap();
    assert_eq!(bench.ok("ls", json!({ "path": "empty" })).await, "(empty folder)");
}

#[tokio::test]
async fn a_long_list_ends() {
    let bench = Bench::new();
    for number in 0..1000 {
        bench.write(&format!("{number:04}"), "");
    }
    assert_eq!(bench.ok("ls", json!({})).await.lines().count(), 1000);
    bench.write("more", "");
    let told = bench.ok("ls", json!({})).await;
    assert!(
        told.ends_with("[more than 1000 entries; list a folder below, or use glob]"),
        "{}",
        told.len()
    );
    let told = bench.ok("glob", json!({ "pattern": "*" })).await;
    assert!(told.ends_with("[801 more files; use a narrower pattern]"));
    assert_eq!(told.lines().count(), 201);
}

#[tokio::test]
async fn files_are_found_by_pattern_the_newest_first() {
    let bench = project();
    let old = std::fs::File::options()
        .write(true)
        .open(bench.root.join("src/main.rs"))
        .unwrap();
    old.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let glob = |pattern: &str| json!({ "pattern": pattern, "path": "src" });
    assert_eq!(
        bench.ok("glob", glob("**/*.rs")).await,
        "src/deep/lib.rs\nsrc/main.rs"
    );
    assert_eq!(
        bench.ok("glob", glob("*.rs")).await,
        "src/deep/lib.rs\nsrc/main.rs"
    );
    assert_eq!(
        bench.ok("glob", glob("./deep/*.{rs,ts}")).await,
        "src/deep/lib.rs"
    );
    assert_eq!(
        bench.ok("glob", json!({ "pattern": "src/*.rs" })).await,
        "src/main.rs"
    );
    let absolute = format!("{}/src/*.rs", bench.root.display());
    assert_eq!(
        bench.ok("glob", json!({ "pattern": absolute })).await,
        "src/main.rs"
    );
    assert_eq!(bench.ok("glob", glob("*.py")).await, "no files match *.py");
    let told = bench.ok("glob", json!({ "pattern": "out.rs" })).await;
    assert_eq!(told, "[only files that the project ignores]\ntarget/out.rs");
    for pattern in ["secret.rs", "far.rs", "config"] {
        assert!(
            bench
                .ok("glob", json!({ "pattern": pattern }))
                .await
                .starts_with("no files match"),
            "{pattern}"
        );
    }
    assert!(
        bench
            .fails("glob", glob("{a"))
            .await
            .starts_with("invalid pattern: ")
    );
}

#[tokio::test]
async fn lines_are_found_by_regular_expression() {
    let bench = project();
    let grep = |pattern: &str| json!({ "pattern": pattern });
    let told = bench.ok("grep", grep("needle")).await;
    assert_eq!(told, "src/main.rs:2:    needle();\nwide.txt:1:wide needle");
    let told = bench
        .ok("grep", json!({ "pattern": "(?i)needle", "glob": "*.rs" }))
        .await;
    assert_eq!(told, "src/deep/lib.rs:1:// Needle\nsrc/main.rs:2:    needle();");
    let told = bench
        .ok(
            "grep",
            json!({ "pattern": "needle", "path": "src/main.rs", "glob": "*.txt" }),
        )
        .await;
    assert_eq!(told, "src/main.rs:2:    needle();");
    let told = bench.ok("grep", grep("only_here")).await;
    assert_eq!(
        told,
        "[only in files that the project ignores]\ntarget/out.rs:2:only_here"
    );
    assert_eq!(bench.ok("grep", grep("nowhere")).await, "no matches");
    assert!(
        bench
            .fails("grep", grep("("))
            .await
            .starts_with("invalid pattern: ")
    );
    assert!(
        bench
            .fails("grep", grep("a\nb"))
            .await
            .starts_with("invalid pattern: ")
    );
}

#[tokio::test]
async fn older_encodings_are_searched_as_the_text_they_are() {
    let bench = Bench::new();
    let text = "// 这个函数计算两个数字的总和，并且返回结果。\nlet 总和 = 一 + 二;\n";
    bench.write("gbk.rs", encoding_rs::GBK.encode(text).0);
    let told = bench.ok("grep", json!({ "pattern": "总和 =" })).await;
    assert_eq!(told, "gbk.rs:2:let 总和 = 一 + 二;");
}

#[tokio::test]
async fn a_name_is_one_line_whatever_it_holds() {
    let bench = Bench::new();
    bench.write("a\nb.txt", "needle\n");
    let glob = bench.ok("glob", json!({ "pattern": "*" })).await;
    assert_eq!(glob, "a\\nb.txt");
    let grep = bench.ok("grep", json!({ "pattern": "needle" })).await;
    assert_eq!(grep, "a\\nb.txt:1:needle");
}

#[tokio::test]
async fn many_matches_and_long_lines_are_bounded() {
    let bench = Bench::new();
    bench.write("a.txt", "x\n".repeat(200));
    bench.write("b.txt", "y".repeat(600));
    assert_eq!(
        bench.ok("grep", json!({ "pattern": "x" })).await.lines().count(),
        200
    );
    let told = bench.ok("grep", json!({ "pattern": "y" })).await;
    assert_eq!(told, format!("b.txt:1:{}…", "y".repeat(500)));
    bench.write("c.txt", "x\n");
    let told = bench.ok("grep", json!({ "pattern": "x" })).await;
    assert!(told.ends_with("\n[more than 200 matches; narrow the pattern, the path or the glob]"));
    assert_eq!(told.lines().count(), 201);
}

#[tokio::test]
async fn a_search_that_is_stopped_ends() {
    let bench = project();
    bench.cancel.cancel();
    let told = bench.ok("grep", json!({ "pattern": "needle" })).await;
    assert!(told.starts_with("no matches"), "{told}");
}
