//! An open session of an editor, and the prompts in it.

use serde_json::{Value, json};

use super::editor::Editor;
use super::turn::PromptTurn;
use super::wire::{Refusal, Waiting};

/// A text block of a prompt.
#[must_use]
pub fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// A session that is open.
pub struct Session<'a> {
    /// Its editor.
    pub editor: &'a Editor,
    /// Its id.
    pub id: String,
    /// What opening it answered.
    pub opened: Value,
}

impl<'a> Session<'a> {
    pub(super) fn new(editor: &'a Editor, id: String, opened: Value) -> Self {
        Self { editor, id, opened }
    }

    /// Asks something and follows the turn to its end.
    pub async fn prompt(&self, text: &str) -> PromptTurn {
        self.begin(text).await.ended().await
    }

    /// Asks with these blocks and follows the turn to its end.
    pub async fn prompt_blocks(&self, blocks: Value) -> PromptTurn {
        self.begin_blocks(blocks).await.ended().await
    }

    /// Asks something.
    pub async fn begin(&self, text: &str) -> Prompting<'_> {
        self.begin_blocks(json!([text_block(text)])).await
    }

    /// Asks with these blocks.
    pub async fn begin_blocks(&self, blocks: Value) -> Prompting<'_> {
        let from = self.editor.count();
        let params = json!({ "sessionId": self.id, "prompt": blocks });
        let waiting = self.editor.begin("session/prompt", params).await;
        Prompting {
            session: self,
            from,
            waiting,
        }
    }

    /// Stops the turn that runs.
    pub async fn cancel(&self) {
        self.editor
            .notify("session/cancel", json!({ "sessionId": self.id }))
            .await;
    }

    /// Chooses a mode.
    ///
    /// # Errors
    /// The agent's refusal.
    pub async fn set_mode(&self, mode: &str) -> Result<Value, Refusal> {
        let params = json!({ "sessionId": self.id, "modeId": mode });
        self.editor.request("session/set_mode", params).await
    }

    /// Chooses a value of an option; gives all options.
    ///
    /// # Errors
    /// The agent's refusal.
    pub async fn set(&self, option: &str, value: &str) -> Result<Value, Refusal> {
        let params = json!({ "sessionId": self.id, "configId": option, "value": value });
        let answer = self.editor.request("session/set_config_option", params).await?;
        Ok(answer["configOptions"].clone())
    }

    /// Chooses a model in the old way.
    ///
    /// # Errors
    /// The agent's refusal.
    pub async fn set_model(&self, model: &str) -> Result<Value, Refusal> {
        let params = json!({ "sessionId": self.id, "modelId": model });
        self.editor.request("session/set_model", params).await
    }

    /// Updates of this session from a frame on, as far as they came.
    #[must_use]
    pub fn updates_since(&self, from: usize) -> Vec<Value> {
        let frames = self.editor.since(from);
        frames
            .iter()
            .filter_map(|frame| frame.update_of(&self.id).cloned())
            .collect()
    }

    /// The first update of this kind from a frame on.
    pub async fn update(&self, kind: &'static str, from: usize) -> Value {
        self.editor
            .until(kind, from, |frame| {
                frame
                    .update_of(&self.id)
                    .filter(|update| update["sessionUpdate"] == kind)
                    .cloned()
            })
            .await
    }
}

/// The value of an option among all of them.
///
/// # Panics
/// When there is no such option.
#[must_use]
pub fn value_of(options: &Value, id: &str) -> String {
    let options = options.as_array().expect("a list of options");
    let option = options.iter().find(|option| option["id"] == id);
    let option = option.unwrap_or_else(|| panic!("no option {id} in {options:?}"));
    option["currentValue"].as_str().expect("a value").to_owned()
}

/// A prompt that was sent.
pub struct Prompting<'a> {
    session: &'a Session<'a>,
    /// The number of the first frame after it.
    pub from: usize,
    waiting: Waiting,
}

impl Prompting<'_> {
    /// Its request id.
    #[must_use]
    pub fn id(&self) -> &Value {
        &self.waiting.id
    }

    /// Whether it has not been answered.
    pub fn is_open(&mut self) -> bool {
        self.waiting.is_open()
    }

    /// The first update of this kind.
    pub async fn update(&self, kind: &'static str) -> Value {
        self.session.update(kind, self.from).await
    }

    /// The first update with something to see.
    pub async fn until<T>(&self, what: &'static str, look: impl Fn(&Value) -> Option<T>) -> T {
        let id = &self.session.id;
        self.session
            .editor
            .until(what, self.from, |frame| frame.update_of(id).and_then(&look))
            .await
    }

    /// Follows it to its end, and makes sure that nothing of it follows.
    pub async fn ended(self) -> PromptTurn {
        let (at, end) = self.waiting.numbered().await;
        let mut frames = self.session.editor.since(self.from);
        frames.retain(|frame| frame.at < at);
        self.session.editor.quiet(at).await;
        PromptTurn::new(&self.session.id, &frames, end)
    }
}
