//! The workspace tools over real files and processes.

mod edits;
mod others;
mod searches;
mod shell;

use super::testing::Bench;

#[test]
fn every_tool_is_told_apart_and_described() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let _entered = runtime.enter();
    let bench = Bench::new();
    let names: Vec<_> = bench
        .all_tools()
        .iter()
        .map(|tool| tool.meta().name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "read_file",
            "ls",
            "glob",
            "grep",
            "edit_file",
            "multi_edit",
            "write_file",
            "move_file",
            "bash",
            "bash_output",
            "wait",
            "kill_shell",
            "todo_write",
            "web_fetch",
            "ask"
        ]
    );
    for tool in bench.all_tools() {
        let meta = tool.meta();
        assert!(
            meta.description.len() > 60 && !meta.description.contains("  "),
            "{}",
            meta.name
        );
        let schema = jsonschema::validator_for(&meta.parameters).unwrap();
        let nothing = serde_json::json!({});
        let required = meta.parameters["required"].as_array().unwrap();
        assert_eq!(schema.is_valid(&nothing), required.is_empty(), "{}", meta.name);
        // Whatever a model writes, a title and an intent are made of it.
        for arguments in [
            nothing,
            serde_json::json!(null),
            serde_json::json!({ "path": 3, "command": [] }),
        ] {
            assert!(!tool.title(&arguments).is_empty());
            let roots = sidewire_agent::workspace::Roots::new("/".into(), []);
            let _some_intent = tool.intent(&arguments, Some(&roots));
            let _some_places = tool.locations(&arguments, None);
        }
    }
}
