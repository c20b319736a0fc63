//! The built-in provider that needs no model: it answers from the page alone, and says so; where there can be no page,
//! as in an editor, it says how to set a model up.
//!
//! Small retrieval: the snapshot becomes facts (`facts.rs`, found by `read_tree.rs` and `read_api.rs`), the question a
//! kind and weighed words (`question.rs`), the best facts an answer (`rank.rs`, `answer.rs`). It never guesses, never
//! reads the transcript and never leaves the machine.

mod answer;
mod facts;
mod markdown;
mod question;
mod rank;
mod read_api;
mod read_tree;
mod synonyms;
#[cfg(test)]
mod tests;
mod words;

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::stream;
use sidewire_agent::error::ProviderError;
use sidewire_agent::page_block::text::flat;
use sidewire_agent::provider::{FinishReason, ModelEvent, ModelInfo, ModelRequest, ModelStream, Provider};

/// What ends every answer from a page.
pub(crate) const SIGNATURE: &str = "*Offline answer, from this page only; no model is set up.*";

/// Between two pieces of an answer, so that it reads like a model's.
const PACE: Duration = Duration::from_millis(18);
/// Words per piece.
const PIECE: usize = 3;

/// Answers from the page, without a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfflineProvider {
    pace: Duration,
}

impl OfflineProvider {
    /// Streams at a pace that is pleasant to read.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self::with_pace(PACE)
    }

    /// Streams with this pause between pieces; zero for none.
    #[must_use]
    pub(crate) fn with_pace(pace: Duration) -> Self {
        Self { pace }
    }
}

impl Default for OfflineProvider {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait::async_trait]
impl Provider for OfflineProvider {
    fn describe(&self) -> ModelInfo {
        ModelInfo {
            provider: "offline".into(),
            model: "offline".into(),
            label: "Offline".into(),
            offline: true,
            window: None,
        }
    }

    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ProviderError> {
        // A large page takes long enough to keep other conversations waiting.
        let text = tokio::task::spawn_blocking(move || reply(&request)).await;
        let pieces = pieces(&text.map_err(|_| ProviderError::BadResponse)?);
        let pace = self.pace;
        let events = pieces.into_iter().map(ModelEvent::Text);
        let events: VecDeque<ModelEvent> = events.chain([ModelEvent::Finished(FinishReason::Stop)]).collect();
        Ok(Box::pin(stream::unfold((events, pace), next)))
    }
}

/// The next event, after a pause.
async fn next(
    (mut events, pace): (VecDeque<ModelEvent>, Duration),
) -> Option<(
    Result<ModelEvent, ProviderError>,
    (VecDeque<ModelEvent>, Duration),
)> {
    let event = events.pop_front()?;
    if !pace.is_zero() && matches!(event, ModelEvent::Text(_)) {
        tokio::time::sleep(pace).await;
    }
    Some((Ok(event), (events, pace)))
}

/// The whole answer.
fn reply(request: &ModelRequest) -> String {
    let text = match (&request.page, request.mode) {
        (Some(page), mode) => {
            let mode = mode.unwrap_or_default();
            answer::answer(&facts::PageFacts::read(page), &request.question, mode)
        }
        (None, Some(_)) => answer::without_page(),
        (None, None) => return answer::in_an_editor(),
    };
    format!("{text}\n\n{SIGNATURE}")
}

/// Cuts an answer into groups of words; joined they are the answer again.
fn pieces(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    words.chunks(PIECE).map(<[&str]>::concat).collect()
}
