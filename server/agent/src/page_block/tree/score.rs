//! How much things matter: by what they are, where they stand, and whether they are in view.

/// What the person is using.
pub(super) const FOCUSED: i32 = 200;
/// Everything in a dialog.
pub(super) const DIALOG: i32 = 100;
pub(super) const HEADING: i32 = 92;
pub(super) const STATUS: i32 = 90;
pub(super) const PAIR: i32 = 86;
pub(super) const ROW: i32 = 82;
pub(super) const CONTROL: i32 = 78;
pub(super) const TEXT: i32 = 74;
pub(super) const PROSE: i32 = 44;
pub(super) const IMAGE: i32 = 24;
/// Navigation, banner and footer.
pub(super) const CHROME: i32 = -26;
/// What stands beside the main content.
pub(super) const BESIDE: i32 = -8;
/// Scrolled out of view.
pub(super) const OFFSCREEN: i32 = -54;
/// First and last rows and items out of view, which show what the others are like.
pub(super) const EDGE: i32 = 22;
/// Rows and items out of view in the middle of many: one more of them tells less than anything else.
pub(super) const MIDDLE: i32 = -14;

/// Text longer than this is prose rather than a fact.
const PROSE_FROM: usize = 140;

/// The worth of running text.
pub(super) fn of_text(said: &str) -> i32 {
    if said.len() > PROSE_FROM { PROSE } else { TEXT }
}

/// Rows and items that show what a series is like: its first ones and its last.
const FIRST: usize = 3;
/// A series up to this length has no middle.
const SHORT: usize = 12;

/// What the place of the `index`th of `count` rows or items adds, when it is out of view.
pub(super) fn in_series(index: usize, count: usize) -> i32 {
    if index < FIRST || index + 1 == count {
        EDGE
    } else if count > SHORT {
        MIDDLE
    } else {
        0
    }
}
