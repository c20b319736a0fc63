use std::fs;

use super::*;

struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".sidewire")).unwrap();
        Self(folder)
    }

    fn file(self, name: &str, text: &str) -> Self {
        fs::write(self.0.path().join(name), text).unwrap();
        self
    }

    fn read(&self) -> ProjectServers {
        read(self.0.path())
    }
}

fn names(found: &ProjectServers) -> Vec<&str> {
    found.servers.iter().map(|one| one.server.name.as_str()).collect()
}

#[test]
fn a_project_without_files_brings_nothing() {
    assert_eq!(Project::new().read(), ProjectServers::default());
}

#[test]
fn both_files_are_read_and_ours_wins() {
    let found = Project::new()
        .file(
            ".sidewire/mcp.json",
            "\u{feff}{\"mcpServers\": {\"a\": {\"command\": \"ours\"}}}",
        )
        .file(
            ".mcp.json",
            r#"{"mcpServers": {"a": {"command": "theirs"}, "b": {"type": "sse", "url": "http://x/s", "timeout": 5}}, "x": 1}"#,
        )
        .read();
    assert_eq!(names(&found), ["a", "b"]);
    assert!(
        matches!(&found.servers[0].server.transport, McpTransport::Stdio { command, .. } if command == "ours")
    );
    assert_eq!(found.warnings.len(), 1);
    assert!(found.warnings[0].contains("same name"), "{:?}", found.warnings);
}

#[test]
fn a_bad_entry_costs_only_itself_and_is_not_repeated() {
    let found = Project::new()
        .file(
            ".mcp.json",
            r#"{"mcpServers": {"good": {"command": "x"}, "bad name": {"command": "x"}, "shape": {"command": "x", "env": {"A": ["hunter2"]}},
               "number": 7, "none": {}, "type": {"type": "hunter2", "url": "http://x"}, "off": {"command": "x", "disabled": true}}}"#,
        )
        .read();
    assert_eq!(names(&found), ["good", "off"]);
    assert!(found.servers[1].disabled);
    assert_eq!(found.warnings.len(), 5, "{:?}", found.warnings);
    assert!(!format!("{:?}", found.warnings).contains("hunter2"));
}

#[test]
fn a_file_that_is_none_is_said() {
    let large = format!("{{\"mcpServers\": {{}}, \"x\": \"{}\"}}", "x".repeat(256 * 1024));
    for (text, part) in [
        ("{\n\"mcpServers\": [", "line 2"),
        ("[]", "line 1"),
        ("{\"mcpServers\": \"hunter2\"}", "not an object"),
        (large.as_str(), "262144 bytes"),
    ] {
        let found = Project::new().file(".mcp.json", text).read();
        assert!(found.servers.is_empty() && found.warnings.len() == 1);
        assert!(found.warnings[0].contains(part), "{:?}", found.warnings);
        assert!(!found.warnings[0].contains("hunter2"));
    }
    let project = Project::new();
    fs::create_dir(project.0.path().join(".mcp.json")).unwrap();
    assert!(project.read().warnings[0].contains("not a regular file"));
}

#[test]
fn servers_are_bounded_in_number_and_size() {
    let many: Map<String, Value> = (0..=SERVERS)
        .map(|at| (format!("s{at:02}"), serde_json::json!({ "command": "x" })))
        .collect();
    let found = Project::new()
        .file(
            ".mcp.json",
            &serde_json::json!({ "mcpServers": many }).to_string(),
        )
        .read();
    assert_eq!((found.servers.len(), found.warnings.len()), (SERVERS, 1));
    let large = serde_json::json!({ "mcpServers": { "a": { "command": "x".repeat(DEFINITION_BYTES) } } });
    let found = Project::new().file(".mcp.json", &large.to_string()).read();
    assert!(found.servers.is_empty() && found.warnings[0].contains("16384"));
}

#[test]
fn variables_are_replaced_where_they_are_meant() {
    let variable = |name: &str| match name {
        "HOME" => Some("/home/ann".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    };
    for (text, expected) in [
        ("plain", "plain"),
        ("${HOME}/x/${HOME}", "/home/ann/x//home/ann"),
        ("a${EMPTY}b", "ab"),
        ("${EMPTY:-full}", "full"),
        ("${NONE:-}", ""),
        ("${NONE:-a:-b}", "a:-b"),
        ("$HOME ${} ${1x} ${a b} ${", "$HOME ${} ${1x} ${a b} ${"),
    ] {
        assert_eq!(replaced(text, &variable).unwrap(), expected, "{text}");
    }
    assert_eq!(
        replaced("${NONE}", &variable),
        Err(MissingVariable("NONE".into()))
    );
}
