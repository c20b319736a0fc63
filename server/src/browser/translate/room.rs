//! What a record has room for of a list: its newest items.

use serde::Serialize;

/// The newest items that take at most `limit` bytes as JSON, in their order; and whether older ones were left out.
pub(super) fn newest<T: Serialize>(mut items: Vec<T>, limit: usize) -> (Vec<T>, bool) {
    let mut left = limit;
    let kept = items
        .iter()
        .rev()
        .take_while(|item| {
            let bytes = serde_json::to_vec(item).map_or(usize::MAX, |json| json.len());
            let rest = left.checked_sub(bytes);
            left = rest.unwrap_or_default();
            rest.is_some()
        })
        .count();
    let old = items.len() - kept;
    items.drain(..old);
    (items, old > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_that_fit_stay_in_order() {
        let items = || vec!["old".to_owned(), "new".to_owned()];
        assert_eq!(newest(items(), 10), (items(), false));
        assert_eq!(newest(items(), 9), (vec!["new".to_owned()], true));
        assert_eq!(newest(items(), 4), (Vec::new(), true));
        assert_eq!(newest(Vec::<String>::new(), 0), (Vec::new(), false));
    }

    #[test]
    fn one_that_does_not_fit_hides_those_before_it() {
        let items = vec!["a".to_owned(), "x".repeat(100), "b".to_owned()];
        assert_eq!(newest(items, 50), (vec!["b".to_owned()], true));
    }
}
