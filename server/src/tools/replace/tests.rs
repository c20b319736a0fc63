use proptest::prelude::*;

use super::*;

fn edit(old: &str, new: &str) -> Edit {
    Edit {
        old_string: old.to_owned(),
        new_string: new.to_owned(),
        replace_all: false,
    }
}

fn everywhere(old: &str, new: &str) -> Edit {
    Edit {
        replace_all: true,
        ..edit(old, new)
    }
}

fn done(text: &str, edit: &Edit) -> (String, usize, u32) {
    let replaced = replace(text, edit).unwrap();
    (replaced.text, replaced.count, replaced.line)
}

#[test]
fn a_unique_piece_is_replaced() {
    assert_eq!(done("a\nb\nc\n", &edit("b", "B")), ("a\nB\nc\n".to_owned(), 1, 2));
    assert_eq!(done("aXbXc", &everywhere("X", "")), ("abc".to_owned(), 2, 1));
    assert_eq!(done("aaa", &everywhere("aa", "b")), ("ba".to_owned(), 1, 1));
}

#[test]
fn lines_end_as_they_did() {
    let rows = [
        // All lines end with a return: what is asked for in plain lines is done in those.
        ("a\r\nb\r\nc\r\n", edit("a\nb", "x\ny\nz"), "x\r\ny\r\nz\r\nc\r\n"),
        ("a\r\nb\r\n", edit("a", "x\ny"), "x\r\ny\r\nb\r\n"),
        ("a\r\nb\r\n", edit("a\r\nb", "x\r\ny"), "x\r\ny\r\n"),
        // Plain lines stay plain even if the model writes returns.
        ("a\nb\n", edit("a", "x\r\ny"), "x\ny\nb\n"),
        // A mixed text: as in the piece that is replaced.
        ("a\r\nb\nc\nd\ne\n", edit("a\nb", "x\ny"), "x\r\ny\nc\nd\ne\n"),
        ("a\r\nb\r\nc\nd\n", edit("c\nd", "x\ny"), "a\r\nb\r\nx\ny\n"),
        // Changing the line end itself is what was asked for.
        ("a\r\nb\r\n", edit("a\r\n", "a\n"), "a\nb\r\n"),
        // Nothing to go by.
        ("one line", edit("line", "line\r\nmore"), "one line\r\nmore"),
    ];
    for (text, edit, wanted) in rows {
        assert_eq!(replace(text, &edit).unwrap().text, wanted, "{text:?} {edit:?}");
    }
}

#[test]
fn what_cannot_be_done_is_explained() {
    let text = "fn a() {\n    one();\n    two();\n}\nfn b() {\n    one();\n}\n";
    let rows = [
        (edit("", "x"), "old_string is empty; write_file"),
        (edit("one", "one"), "are the same"),
        (edit("one();", "x"), "there 2 times (lines 2, 6)"),
        (edit("three", "x"), "not found; read the file again"),
        (
            edit("  one();\n  two();", "x"),
            "from line 2 on only the white space differs, it is there as\n    one();\n    two();",
        ),
        (
            edit("     2→    one();\n     3→    two();", "x"),
            "leave out the line numbers",
        ),
    ];
    for (edit, part) in rows {
        let error = replace(text, &edit).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let many = "x\n".repeat(20);
    let error = replace(&many, &edit("x", "y")).unwrap_err().to_string();
    assert!(
        error.contains("20 times (lines 1, 2, 3, 4, 5, 6, 7, 8, …)"),
        "{error}"
    );
}

proptest! {
    /// What stands around the replaced piece stays the same to the byte, whatever ends the lines.
    #[test]
    fn nothing_else_changes(
        before in "([a-m \t]{0,6}(\r\n|\n)){0,6}",
        piece in "[n-z]{1,5}(\n[n-z]{1,5}){0,3}",
        after in "((\r\n|\n)[a-m \t]{0,6}){0,6}",
        returns in any::<bool>(),
        new in "[A-Z]{0,5}(\n[A-Z]{0,5}){0,3}",
    ) {
        let there = if returns { piece.replace('\n', "\r\n") } else { piece.clone() };
        let text = format!("{before}{there}{after}");
        let replaced = replace(&text, &edit(&piece, &new)).unwrap();
        prop_assert_eq!(replaced.count, 1);
        prop_assert!(replaced.text.starts_with(&before) && replaced.text.ends_with(&after));
        let middle = &replaced.text[before.len()..replaced.text.len() - after.len()];
        prop_assert_eq!(middle.replace("\r\n", "\n"), new);
        if piece.contains('\n') {
            prop_assert_eq!(middle.contains("\r\n"), returns && middle.contains('\n'));
        }
    }

    /// Replacing everything and back is where one began.
    #[test]
    fn there_and_back(text in "[ab\r\n]{0,40}") {
        if let Ok(there) = replace(&text, &everywhere("a", "X")) {
            prop_assert_eq!(there.count, text.matches('a').count());
            prop_assert_eq!(replace(&there.text, &everywhere("X", "a")).unwrap().text, text);
        }
    }

    /// No text and no edit make it panic, or touch more than it says.
    #[test]
    fn anything_can_be_asked(text in "[aä\r\n→1 ]{0,30}", old in "[aä\r\n→1 ]{0,6}", new in "[bö\r\n]{0,6}", all in any::<bool>()) {
        let asked = Edit { old_string: old, new_string: new, replace_all: all };
        if let Ok(replaced) = replace(&text, &asked) {
            prop_assert!(replaced.count == 1 || all);
        }
    }
}
