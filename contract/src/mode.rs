//! What kind of answer the person asked for.

/// The five modes of the chat contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Explain what is on the page.
    #[default]
    Educational,
    /// Show it to an audience.
    Presentation,
    /// Help to set it up.
    Configuration,
    /// Work with pictures of the page.
    Screenshot,
    /// Mark things on the page.
    Annotation,
}

words!(Mode {
    Educational = "educational",
    Presentation = "presentation",
    Configuration = "configuration",
    Screenshot = "screenshot",
    Annotation = "annotation",
});
