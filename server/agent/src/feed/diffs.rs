//! The changed files that the calls of a turn showed, as far as they are kept: within bounds, and a call's all or none.

use crate::event::{ToolContent, ToolEnd};
use crate::record::CallDiff;

/// Most bytes of both sides of a changed file that is kept.
pub(super) const FILE: usize = 64 * 1024;
/// Most bytes that are kept of a turn.
pub(super) const TURN: usize = 256 * 1024;

/// What is kept of a turn.
#[derive(Default)]
pub(super) struct Diffs {
    kept: Vec<CallDiff>,
    bytes: usize,
}

impl Diffs {
    /// In the order the calls ended.
    pub(super) fn kept(&self) -> &[CallDiff] {
        &self.kept
    }

    /// A call ended. Half of what it showed would look like all of it.
    pub(super) fn keep(&mut self, end: &ToolEnd) {
        let shown = diffs(end);
        let bytes: usize = shown.iter().map(CallDiff::weight).sum();
        let fits = shown.iter().all(|diff| diff.weight() <= FILE) && self.bytes + bytes <= TURN;
        if fits {
            self.bytes += bytes;
            self.kept.extend(shown);
        }
    }
}

fn diffs(end: &ToolEnd) -> Vec<CallDiff> {
    let diff = |block: &ToolContent| match block {
        ToolContent::Diff { path, before, after } => Some(CallDiff {
            call_id: end.call_id.clone(),
            path: path.clone(),
            before: before.clone(),
            after: after.clone(),
        }),
        ToolContent::Text(_) | ToolContent::Terminal(_) | ToolContent::Picture(_) => None,
    };
    end.content.iter().filter_map(diff).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(call_id: &str, sizes: &[usize]) -> ToolEnd {
        let diff = |size: &usize| ToolContent::Diff {
            path: "/w/a".into(),
            before: Some("x".repeat(size / 2)),
            after: "y".repeat(size - size / 2),
        };
        let text = ToolContent::Text("edited a".into());
        ToolEnd {
            call_id: call_id.into(),
            name: "edit_file".into(),
            ok: true,
            ms: 1,
            content: std::iter::once(text).chain(sizes.iter().map(diff)).collect(),
            kept_arguments: None,
            locations: Vec::new(),
        }
    }

    /// The calls of which something is kept, with its bytes.
    fn kept(ends: &[(&str, &[usize])]) -> Vec<(String, usize)> {
        let mut diffs = Diffs::default();
        for (call_id, sizes) in ends {
            diffs.keep(&end(call_id, sizes));
        }
        let kept = diffs.kept().iter();
        kept.map(|diff| (diff.call_id.clone(), diff.weight())).collect()
    }

    #[test]
    fn a_file_is_kept_up_to_its_limit() {
        for (size, is_kept) in [(FILE - 1, true), (FILE, true), (FILE + 1, false)] {
            let expected: Vec<_> = is_kept.then(|| ("c".to_owned(), size)).into_iter().collect();
            assert_eq!(kept(&[("c", &[size])]), expected, "{size}");
        }
    }

    #[test]
    fn a_turn_is_kept_up_to_its_limit_and_a_smaller_file_still_fits() {
        let ends: [(&str, &[usize]); 6] = [
            ("1", &[FILE]),
            ("2", &[FILE]),
            ("3", &[FILE]),
            ("4", &[FILE - 10]),
            ("5", &[11]),
            ("6", &[10]),
        ];
        let calls: Vec<String> = kept(&ends).into_iter().map(|(call, _)| call).collect();
        assert_eq!(calls, ["1", "2", "3", "4", "6"]);
        assert_eq!(kept(&ends).iter().map(|(_, bytes)| bytes).sum::<usize>(), TURN);
    }

    #[test]
    fn of_a_call_all_is_kept_or_nothing() {
        assert_eq!(kept(&[("c", &[10, FILE + 1])]), []);
        assert_eq!(kept(&[("c", &[10, 20])]).len(), 2);
    }
}
