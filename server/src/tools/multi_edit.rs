//! `multi_edit`: several changes of one file, all or none.

use serde::Deserialize;
use serde_json::json;
use sidewire_agent::tool::ToolKind;

use super::call::{CallError, Described};
use super::change::{Change, ChangeTool, File, Made, Turnstile};
use super::replace::{Edit, replace};

/// Most steps of one call.
const STEPS: usize = 100;

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(alias = "file_path")]
    path: String,
    edits: Vec<Edit>,
}

/// A text after all steps.
#[derive(Debug, PartialEq, Eq)]
struct Applied {
    text: String,
    count: usize,
    line: u32,
}

/// The tool.
pub(super) fn tool(turnstile: Turnstile) -> ChangeTool<Asked> {
    let described = Described {
        name: "multi_edit",
        label: "Edit",
        description: "Makes several changes of one text file, one after the other: each sees what the one before made \
                      of it. Nothing is written unless all of them can be done; every one that cannot is named. Each \
                      edit follows the rules of edit_file.",
        kind: ToolKind::Edit,
        read_only: false,
    };
    let meta = described.taking(
        &["path", "edits"],
        &json!({
            "path": { "type": "string", "description": "The file, absolute or from the working folder" },
            "edits": {
                "type": "array",
                "minItems": 1,
                "maxItems": STEPS,
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["old_string", "new_string"],
                    "properties": {
                        "old_string": { "type": "string", "description": "The piece as it is by then" },
                        "new_string": { "type": "string", "description": "What is to be there instead" },
                        "replace_all": { "type": "boolean", "description": "Replace it everywhere" },
                    },
                },
            },
        }),
    );
    ChangeTool::new(meta, turnstile)
}

impl Change for Asked {
    fn path(&self) -> &str {
        &self.path
    }

    fn make(self, file: &File<'_>) -> Result<Made, CallError> {
        let steps = self.edits.len();
        if steps == 0 || steps > STEPS {
            return Err(CallError::Arguments(format!(
                "edits must hold 1 to {STEPS} edits"
            )));
        }
        file.must_exist()?;
        let (name, place) = (&file.name, file.place);
        let done = apply(file.text, &self.edits).map_err(|faults| told_faults(&faults, steps, name))?;
        Ok(Made {
            text: done.text,
            line: Some(done.line),
            told: format!(
                "multi_edit {name}{place}: {steps} edits applied ({} total replacements)",
                done.count
            ),
        })
    }
}

/// Makes all changes in memory, or says what is wrong with each that cannot be made.
fn apply(text: &str, edits: &[Edit]) -> Result<Applied, Vec<String>> {
    let mut faults = Vec::new();
    let mut done = Applied {
        text: text.to_owned(),
        count: 0,
        line: u32::MAX,
    };
    for (edit, number) in edits.iter().zip(1..) {
        match replace(&done.text, edit) {
            Ok(replaced) => {
                done = Applied {
                    text: replaced.text,
                    count: done.count + replaced.count,
                    line: done.line.min(replaced.line),
                }
            }
            Err(error) => faults.push(format!("edit {number}: {error}")),
        }
    }
    if faults.is_empty() { Ok(done) } else { Err(faults) }
}

fn told_faults(faults: &[String], of: usize, path: &str) -> CallError {
    let failed = faults.len();
    let listed = faults.join("\n");
    CallError::Said(format!(
        "{failed} of {of} edits failed; {path} left untouched\n{listed}"
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edit(old: &str, new: &str) -> Edit {
        Edit {
            old_string: old.to_owned(),
            new_string: new.to_owned(),
            replace_all: false,
        }
    }

    #[test]
    fn each_step_sees_what_the_one_before_made() {
        let done = apply("a\nb\n", &[edit("b", "c"), edit("c", "d"), edit("a", "A")]).unwrap();
        assert_eq!((done.text.as_str(), done.count, done.line), ("A\nd\n", 3, 1));
    }

    #[test]
    fn every_step_that_fails_is_named() {
        let faults = apply("a a\n", &[edit("a", "b"), edit("x", "y"), edit("a a", "c")]).unwrap_err();
        assert_eq!(faults.len(), 2);
        let told = told_faults(&faults, 3, "f.txt").to_string();
        assert!(
            told.starts_with(
                "2 of 3 edits failed; f.txt left untouched\nedit 1: old_string is there 2 times"
            )
        );
        assert!(told.contains("\nedit 2: old_string was not found"), "{told}");
    }

    proptest! {
        /// All steps at once are the steps one by one; a fault anywhere means that none is made.
        #[test]
        fn all_or_none(text in "[abc\r\n]{0,30}", steps in prop::collection::vec(("[abc\r\n]{0,3}", "[abcd\r\n]{0,3}", any::<bool>()), 1..6)) {
            let edits: Vec<Edit> = steps.into_iter().map(|(old_string, new_string, replace_all)| Edit { old_string, new_string, replace_all }).collect();
            let one_by_one = edits.iter().try_fold((text.clone(), 0), |(text, count), edit| {
                replace(&text, edit).map(|replaced| (replaced.text, count + replaced.count))
            });
            match (apply(&text, &edits), one_by_one) {
                (Ok(done), Ok((text, count))) => prop_assert_eq!((done.text, done.count), (text, count)),
                (Err(faults), Err(_)) => prop_assert!(!faults.is_empty() && faults.len() <= edits.len()),
                (all, single) => prop_assert!(false, "{all:?} {single:?}"),
            }
        }
    }
}
