//! Books from folders made for the test: a file is a path and its text.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::*;

struct Home(tempfile::TempDir);

impl Home {
    /// Paths begin with `config/` or `project/`.
    fn with(files: &[(&str, &str)]) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for folder in ["config", "project"] {
            fs::create_dir(home.path(folder)).unwrap();
        }
        for (path, text) in files {
            home.write(path, text);
        }
        home
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn book(&self) -> CommandBook {
        CommandBook::load(&self.path("config"), &self.path("project"))
    }
}

/// Names, descriptions and hints beside those of built-in commands.
fn listed(book: &CommandBook) -> Vec<(String, String, String)> {
    let entries = book.entries().into_iter();
    entries
        .filter(|entry| BuiltIn::named(&entry.name).is_none())
        .map(|entry| (entry.name, entry.description, entry.hint.unwrap_or_default()))
        .collect()
}

/// Which files were left out, and why.
fn faults(book: &CommandBook, home: &Home) -> Vec<String> {
    let root = format!("{}/", home.0.path().display());
    let lines = book
        .skipped()
        .iter()
        .map(|skipped| skipped.to_string().replace(&root, ""));
    lines.collect()
}

#[test]
fn command_files_are_listed_with_what_they_say_of_themselves() {
    let home = Home::with(&[
        (
            "config/commands/review.md",
            "---\ndescription: Looks at\n  a change\nargument-hint: [branch] [depth]\nmodel: x\n---\nReview $1.",
        ),
        ("project/.sidewire/commands/git/commit.md", "Commit $ARGUMENTS"),
        ("project/.sidewire/commands/plain.md", "---\n\n---\nDo it."),
        ("project/.sidewire/commands/notes.txt", "not a command"),
        ("project/.sidewire/commands/.hidden.md", "not a command"),
    ]);
    let row = |name: &str, description: &str, hint: &str| (name.into(), description.into(), hint.into());
    let book = home.book();
    assert_eq!(
        listed(&book),
        [
            row("git:commit", "Run the git:commit command", "arguments"),
            row("plain", "Run the plain command", ""),
            row("review", "Looks at a change", "[branch] [depth]"),
        ]
    );
    assert_eq!(book.expand("/review main"), Some("Review main.".into()));
    assert_eq!(
        book.expand("  /git:commit now\nplease "),
        Some("Commit now\nplease".into())
    );
    assert_eq!(faults(&book, &home), [""; 0]);
}

#[test]
fn what_is_no_command_goes_to_the_model_unchanged() {
    let home = Home::with(&[("config/commands/a.md", "text")]);
    let book = home.book();
    for prompt in [
        "", "/", "/b", "a", "see /a", "//a", "/A", "/a/b", "/compact", "/ a",
    ] {
        assert_eq!(book.expand(prompt), None, "{prompt:?}");
    }
    assert_eq!(book.expand("/a"), Some("text".into()));
}

#[test]
fn arguments_are_filled_in_once() {
    for (body, arguments, expected) in [
        ("[$ARGUMENTS]", "a b", "[a b]"),
        ("$1-$2-$3.", "a 'b c'", "a-b c-."),
        ("$2$1", r#"a "" c"#, "a"),
        ("$1", "$2 $ARGUMENTS", "$2"),
        (
            "cost $10, $0, $, $x, $ARGUMENTSX",
            "",
            "cost $10, $0, $, $x, $ARGUMENTSX",
        ),
        ("cost $10", "a", "cost $10\n\na"),
        ("Do it.\n", "now", "Do it.\n\nnow"),
        ("Do it.", "", "Do it."),
        ("$1é", "ü", "üé"),
        ("é$", "", "é$"),
    ] {
        assert_eq!(
            arguments::fill(body, arguments),
            expected,
            "{body} with {arguments}"
        );
    }
}

proptest! {
    #[test]
    fn any_text_and_arguments_can_be_filled(body in "\\PC*", arguments in "\\PC*") {
        let filled = arguments::fill(&body, &arguments);
        prop_assert!(arguments::takes_any(&body) || filled.starts_with(body.trim_end()));
    }

    #[test]
    fn any_file_can_be_read(text in "(---\n)?(\\PC|\n|:|\\[){0,200}(\n---\n)?\\PC{0,20}") {
        if let Ok((head, body)) = front_matter::read(&text) {
            prop_assert!(text.ends_with(body));
            prop_assert!(head.text("description").is_none_or(|line| !line.contains('\n')));
        }
    }
}

const SKILL: &str = "---\nname: release\ndescription: How a release is made\n---\nStep one.";

#[test]
fn skills_are_commands_and_lines_for_the_model() {
    let home = Home::with(&[
        ("config/skills/any-folder/SKILL.md", SKILL),
        (
            "project/.sidewire/skills/quiet/SKILL.md",
            "---\nhidden: true\n---\nShh.",
        ),
        (
            "project/.sidewire/skills/quiet2/SKILL.md",
            "---\nuser-invocable: false\n---\nShh.",
        ),
        (
            "project/.sidewire/skills/mine/SKILL.md",
            "---\ndisable-model-invocation: true\n---\nMine.",
        ),
        ("project/.sidewire/skills/empty/README.md", "no skill"),
    ]);
    let book = home.book();
    let names =
        |rows: Vec<(String, String, String)>| -> Vec<String> { rows.into_iter().map(|row| row.0).collect() };
    assert_eq!(names(listed(&book)), ["mine", "release"]);
    assert_eq!(
        listed(&book)[1],
        (
            "release".into(),
            "How a release is made".into(),
            "instructions".into()
        )
    );
    let lines: Vec<String> = book.skills().into_iter().map(|skill| skill.name).collect();
    assert_eq!(lines, ["quiet", "quiet2", "release"]);
    let told = book.expand("/release 1.2").unwrap();
    let folder = home.path("config/skills/any-folder");
    assert_eq!(
        told,
        format!(
            "Skill release (its files are in {}):\n\nStep one.\n\n1.2",
            folder.display()
        )
    );
    assert_eq!(book.expand("/quiet"), None, "the person is not offered it");
    assert!(book.skill("quiet").is_some() && book.skill("mine").is_none());
}

#[test]
fn a_command_file_comes_before_a_skill_and_the_persons_before_the_projects() {
    let home = Home::with(&[
        ("config/commands/both.md", "mine"),
        ("project/.sidewire/commands/both.md", "theirs"),
        ("project/.sidewire/skills/both/SKILL.md", "skill"),
        ("project/.sidewire/skills/status/SKILL.md", "skill"),
        ("project/.sidewire/commands/clear.md", "not this"),
    ]);
    let book = home.book();
    assert_eq!(book.expand("/both"), Some("mine".into()));
    assert_eq!(listed(&book).len(), 1);
    assert_eq!(
        faults(&book, &home),
        [
            "project/.sidewire/commands/both.md was left out: another file has this name and comes first",
            "project/.sidewire/commands/clear.md was left out: a built-in command has this name",
        ]
    );
    assert_eq!(
        BuiltIn::parse("/compact the tests"),
        Some((BuiltIn::Compact, "the tests"))
    );
    assert_eq!(BuiltIn::parse("/compacted"), None);
    let built_in = book
        .entries()
        .into_iter()
        .filter(|entry| BuiltIn::named(&entry.name).is_some());
    assert_eq!(built_in.count(), 3, "each once");
}

#[test]
fn a_bad_file_is_left_out_and_said_so() {
    let home = Home::with(&[
        ("project/.sidewire/commands/good.md", "good"),
        ("project/.sidewire/commands/has space.md", "x"),
        ("project/.sidewire/commands/head.md", "---\na: [\n---\nx"),
        ("project/.sidewire/commands/large.md", &"x".repeat(64 * 1024 + 1)),
        ("project/.sidewire/commands/limit.md", &"x".repeat(64 * 1024)),
        ("project/.sidewire/commands/a/b/c/d/deep.md", "not found"),
    ]);
    home.write("project/.sidewire/commands/bytes.md", [0xff, 0xfe, 0x00]);
    home.write(
        "project/.sidewire/commands/mark.md",
        "\u{feff}---\ndescription: Marked\n---\nx",
    );
    let book = home.book();
    let names: Vec<String> = listed(&book).into_iter().map(|row| row.0).collect();
    assert_eq!(names, ["good", "limit", "mark"]);
    assert_eq!(listed(&book)[2].1, "Marked");
    let expected = [
        ("bytes", "it is not UTF-8 text"),
        ("has space", "a name has letters, digits, - and _ only"),
        ("head", "what stands between the lines of --- is not YAML"),
        ("large", "it holds more than 65536 bytes"),
    ];
    let expected =
        expected.map(|(name, why)| format!("project/.sidewire/commands/{name}.md was left out: {why}"));
    assert_eq!(faults(&book, &home), expected);
}

#[test]
fn too_many_files_end_with_one_warning() {
    let home = Home::with(&[]);
    for number in 0..300 {
        home.write(&format!("config/commands/c{number:03}.md"), "x");
    }
    let book = home.book();
    assert_eq!(listed(&book).len(), 256);
    assert_eq!(
        faults(&book, &home),
        ["config/commands/c256.md was left out: there are more than 256 of them"]
    );
}

#[cfg(unix)]
#[test]
fn no_file_of_a_project_leads_out_of_it() {
    use std::os::unix::fs::symlink;
    let home = Home::with(&[
        ("secret/key.md", "KEY"),
        ("secret/skill/SKILL.md", "KEY"),
        ("project/.sidewire/commands/own.md", "fine"),
        ("project/.sidewire/skills/own/SKILL.md", "fine"),
    ]);
    let link = |to: &str, from: &str| symlink(home.path(to), home.path(from)).unwrap();
    link("secret/key.md", "project/.sidewire/commands/key.md");
    link("secret", "project/.sidewire/commands/folder");
    link("project/.sidewire/commands", "project/.sidewire/commands/loop");
    link(
        "project/.sidewire/commands/own.md",
        "project/.sidewire/commands/link.md",
    );
    link("secret/skill", "project/.sidewire/skills/skill");
    link("secret/key.md", "project/AGENTS.md");
    link("secret/key.md", "config/AGENTS.md");
    let book = home.book();
    let names: Vec<String> = listed(&book).into_iter().map(|row| row.0).collect();
    assert!(
        names.contains(&"link".to_owned()) && names.contains(&"own".to_owned()),
        "{names:?}"
    );
    assert_eq!(book.expand("/key"), None);
    assert_eq!(book.expand("/folder:key"), None);
    assert_eq!(book.skill("skill"), None);
    let instructions = book.instructions().unwrap();
    assert_eq!(
        instructions.matches("KEY").count(),
        1,
        "the person's own link is theirs"
    );
}

#[cfg(unix)]
#[test]
fn the_folder_of_a_projects_commands_does_not_lead_out_of_it_either() {
    use std::os::unix::fs::symlink;
    let home = Home::with(&[
        ("secret/commands/key.md", "KEY"),
        ("secret/skills/key/SKILL.md", "KEY"),
        ("project/tools/commands/own.md", "fine"),
    ]);
    for (to, names) in [("secret", vec![]), ("project/tools", vec!["own"])] {
        let link = home.path("project/.sidewire");
        drop(fs::remove_file(&link));
        symlink(home.path(to), &link).unwrap();
        let found: Vec<String> = listed(&home.book()).into_iter().map(|row| row.0).collect();
        assert_eq!(found, names, "{to}");
    }
}

#[test]
fn instructions_come_from_the_person_and_the_repository() {
    let home = Home::with(&[
        ("config/AGENTS.md", "be brief\n"),
        ("project/.git/HEAD", ""),
        ("project/AGENTS.md", "use tabs"),
        ("project/sub/AGENTS.md", "  \n"),
        ("project/sub/deep/AGENTS.md", "run make"),
        ("AGENTS.md", "above the repository"),
    ]);
    let read = |folder: &str| {
        let book = CommandBook::load(&home.path("config"), &home.path(folder));
        let text = book.instructions().unwrap_or_default().to_owned();
        text.replace(&format!("{}/", home.0.path().display()), "")
    };
    let top = "From config/AGENTS.md:\nbe brief\n\nFrom project/AGENTS.md:\nuse tabs";
    assert_eq!(read("project"), top);
    let deep = format!("{top}\n\nFrom project/sub/deep/AGENTS.md:\nrun make");
    assert_eq!(read("project/sub/deep"), deep);
    let nothing = CommandBook::load(Path::new("/nowhere/at/all"), Path::new("/nowhere/else"));
    assert_eq!(nothing.instructions(), None);
}

async fn load(book: CommandBook, arguments: serde_json::Value) -> crate::tool::ToolOutput {
    use crate::tool::{Tool, ToolCallContext};
    let tool = SkillTool::new(book.into()).unwrap();
    let context = ToolCallContext {
        call_id: "1".into(),
        arguments,
        turn: crate::testing::key("t"),
        conversation: crate::ids::ConversationId::mint(),
        store: crate::store::Store::in_memory().unwrap(),
        tab: 0,
        workspace: None,
        allowed: Vec::new(),
        person: std::sync::Arc::new(crate::person::Nobody),
        feed: std::sync::Arc::new(crate::feed::TurnFeed::new(crate::testing::record("t"))),
        cancel: tokio_util::sync::CancellationToken::new(),
    };
    tool.call(context).await
}

#[tokio::test]
async fn a_model_loads_a_skill_by_its_name() {
    use serde_json::json;
    let home = Home::with(&[("config/skills/release/SKILL.md", SKILL)]);
    let output = load(home.book(), json!({ "name": "release" })).await;
    assert_eq!(
        output,
        crate::tool::ToolOutput::text(home.book().skill("release").unwrap())
    );
    for arguments in [
        json!({}),
        json!({ "name": 1 }),
        json!({ "name": "../release" }),
        json!("release"),
    ] {
        assert!(load(home.book(), arguments.clone()).await.is_error, "{arguments}");
    }
    assert!(
        SkillTool::new(CommandBook::default().into()).is_none(),
        "nothing to load"
    );
}
