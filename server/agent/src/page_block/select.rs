//! Which lines stay when not all fit: the best by score, each with the containers it stands in.

use std::cmp::Reverse;

use super::lines::{Kind, Line, Lines, write_line};

/// Bytes kept for the account of what was left out, and for marks in tables with gaps.
const ACCOUNT: usize = 200;
const MARKS: usize = 96;
/// The API response keeps at least this share (1/5) of the room, if it needs it.
const API_SHARE: usize = 5;

/// The most useful lines that fit into `room` bytes, in document order, and an account of the rest.
pub(super) fn best(lines: &Lines, room: usize) -> String {
    let mut choice = Choice {
        lines: &lines.all,
        taken: vec![false; lines.all.len()],
    };
    let kept = (ACCOUNT + MARKS).min(room / 3);
    let room_for_lines = room - kept;
    let mut order: Vec<usize> = (0..lines.all.len()).collect();
    order.sort_by_key(|&index| (Reverse(lines.all.get(index).map_or(0, |line| line.score)), index));

    let fields: Vec<usize> = order
        .iter()
        .copied()
        .filter(|&index| choice.kind(index) == Some(Kind::Field))
        .collect();
    let share = room_for_lines / API_SHARE;
    let spent = share - choice.take(&fields, share);
    let left = choice.take(&order, room_for_lines - spent);
    choice.write(lines, left + kept.saturating_sub(ACCOUNT))
}

/// Lines and which of them are shown.
struct Choice<'a> {
    lines: &'a [Line],
    taken: Vec<bool>,
}

impl Choice<'_> {
    fn kind(&self, index: usize) -> Option<Kind> {
        self.lines.get(index).map(|line| line.kind)
    }

    fn is_taken(&self, index: usize) -> bool {
        self.taken.get(index).copied().unwrap_or(true)
    }

    /// Takes what fits of `order`, best first; returns the bytes that are left.
    fn take(&mut self, order: &[usize], room: usize) -> usize {
        let mut left = room;
        for &index in order {
            if left < 2 {
                break;
            }
            // A container without anything inside tells nothing.
            if self.is_taken(index) || self.kind(index) == Some(Kind::Outline) {
                continue;
            }
            let cost = self.cost_with_parents(index);
            if cost <= left {
                self.take_with_parents(index);
                left -= cost;
            }
        }
        left
    }

    fn cost_with_parents(&self, index: usize) -> usize {
        self.untaken_path(index)
            .filter_map(|step| self.lines.get(step))
            .map(Line::cost)
            .sum()
    }

    fn take_with_parents(&mut self, index: usize) {
        let path: Vec<usize> = self.untaken_path(index).collect();
        for step in path {
            if let Some(taken) = self.taken.get_mut(step) {
                *taken = true;
            }
        }
    }

    /// The line and the containers above it, up to the first that is shown already.
    fn untaken_path(&self, index: usize) -> impl Iterator<Item = usize> {
        let parent = |&step: &usize| self.lines.get(step).and_then(|line| line.parent);
        std::iter::successors(Some(index), parent).take_while(|&step| !self.is_taken(step))
    }

    /// The shown lines, a mark in each series with a gap, and the account; at most `slack` bytes beside the lines.
    fn write(&self, lines: &Lines, mut slack: usize) -> String {
        let mut out = String::new();
        let mut gap = Gap::default();
        for (line, taken) in self.lines.iter().zip(&self.taken) {
            if !*taken {
                gap.widen(line.kind);
                continue;
            }
            if let Some(mark) = std::mem::take(&mut gap).before(line.kind)
                && mark.len() + line.depth < slack
            {
                slack -= mark.len() + line.depth + 1;
                write_line(&mut out, line.depth, &mark);
            }
            write_line(&mut out, line.depth, &line.text);
        }
        out.push_str(&self.account(lines));
        out
    }

    /// What was left out, in numbers.
    fn account(&self, lines: &Lines) -> String {
        let missing = || {
            self.lines
                .iter()
                .zip(&self.taken)
                .filter(|(_, taken)| !**taken)
                .map(|(line, _)| line)
        };
        let count = |kind: Kind| missing().filter(|line| line.kind == kind).count();
        let mut parts: Vec<String> = [Kind::Row, Kind::Item, Kind::Control, Kind::Text, Kind::Field]
            .into_iter()
            .filter_map(|kind| Some((count(kind), kind.plural()?)))
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if lines.clipped > 0 {
            parts.push(format!("{} texts shortened", lines.clipped));
        }
        if lines.unread > 0 {
            parts.push(format!("{} elements not in the snapshot", lines.unread));
        }
        let hidden = missing()
            .filter(|line| line.offscreen && line.kind != Kind::Outline)
            .count();
        if hidden > 0 {
            parts.push(format!("{hidden} of these out of view"));
        }
        format!("… left out to fit: {}\n", parts.join(", "))
    }
}

/// Rows or items that are left out between two lines that are shown.
#[derive(Default)]
struct Gap {
    what: Option<&'static str>,
    count: usize,
}

impl Gap {
    fn widen(&mut self, kind: Kind) {
        let Some(what) = kind.gap() else { return };
        if self.what != Some(what) {
            *self = Self {
                what: Some(what),
                count: 0,
            };
        }
        self.count += 1;
    }

    /// The mark for a gap that ends with a line of its own kind.
    fn before(self, kind: Kind) -> Option<String> {
        let what = self.what.filter(|_| self.what == kind.gap())?;
        Some(format!("… {} more {what}", self.count))
    }
}
