//! Where a turn finds its tools: the worker's own, and those that a client has put on its shelf.
//!
//! A shelf belongs to a connection, which changes and empties it; a turn looks at each model call and at each tool
//! call. What a mode offers of them is decided elsewhere ([`crate::modes`]).

use std::sync::{Arc, PoisonError, RwLock};

use super::Tool;

/// Shelves of one turn at most: clients that follow it at the same time.
const SHELVES: usize = 8;

/// Tools as they are passed around: one pointer.
type Tools = Arc<[Arc<dyn Tool>]>;

/// Tools that a client offers now. Clones are the same shelf.
#[derive(Clone, Default)]
// A std lock: held for one pointer copy.
pub struct ToolShelf(Arc<RwLock<Tools>>);

impl ToolShelf {
    /// What is on it now.
    #[must_use]
    pub fn tools(&self) -> Arc<[Arc<dyn Tool>]> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts other tools there; running turns see them at their next model call.
    pub fn replace(&self, tools: Vec<Arc<dyn Tool>>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = tools.into();
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Everything a running turn may call. Clones are the same box.
#[derive(Clone, Default)]
pub struct Toolbox {
    built_in: Tools,
    // A std lock: held while a few shelves are looked at.
    shelves: Arc<RwLock<Vec<ToolShelf>>>,
}

impl Toolbox {
    /// The worker's own tools and a client's shelf.
    #[must_use]
    pub fn new(built_in: Vec<Arc<dyn Tool>>, shelf: ToolShelf) -> Self {
        Self {
            built_in: built_in.into(),
            shelves: Arc::new(RwLock::new(vec![shelf])),
        }
    }

    /// Another client brings its tools; they are used instead of those of clients before, as long as there are any.
    pub fn lend(&self, shelf: ToolShelf) {
        let mut shelves = self.shelves.write().unwrap_or_else(PoisonError::into_inner);
        shelves.retain(|known| !known.is(&shelf));
        if shelves.len() == SHELVES {
            shelves.remove(0);
        }
        shelves.push(shelf);
    }

    /// All tools: the worker's own first, then those of the newest client that offers any.
    #[must_use]
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let shelves = self.shelves.read().unwrap_or_else(PoisonError::into_inner);
        let lent = shelves.iter().rev().map(ToolShelf::tools);
        let lent = lent.into_iter().find(|tools| !tools.is_empty());
        self.built_in
            .iter()
            .chain(lent.iter().flat_map(|tools| tools.iter()))
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Echo;

    fn names(toolbox: &Toolbox) -> Vec<String> {
        toolbox
            .tools()
            .iter()
            .map(|tool| tool.meta().name.clone())
            .collect()
    }

    #[test]
    fn the_newest_client_that_offers_something_is_asked() {
        let (first, second) = (ToolShelf::default(), ToolShelf::default());
        let toolbox = Toolbox::new(vec![Echo::named("own")], first.clone());
        assert_eq!(names(&toolbox), ["own"]);
        first.replace(vec![Echo::named("one")]);
        toolbox.lend(second.clone());
        assert_eq!(
            names(&toolbox),
            ["own", "one"],
            "a client without tools takes none away"
        );
        second.replace(vec![Echo::named("two"), Echo::named("three")]);
        assert_eq!(names(&toolbox), ["own", "two", "three"]);
        second.replace(Vec::new());
        assert_eq!(names(&toolbox), ["own", "one"]);
        first.replace(Vec::new());
        assert_eq!(names(&toolbox), ["own"]);
    }

    #[test]
    fn the_same_shelf_is_lent_once() {
        let shelf = ToolShelf::default();
        let toolbox = Toolbox::new(Vec::new(), shelf.clone());
        for _ in 0..100 {
            toolbox.lend(shelf.clone());
            toolbox.lend(ToolShelf::default());
        }
        assert_eq!(toolbox.shelves.read().unwrap().len(), SHELVES);
    }
}
