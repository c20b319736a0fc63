//! A prompt that is one line `!command` (acp-agent.md §2.1): the person's own command, run as a call of `bash` that no
//! model asked for. It is a turn like any other, so it streams, can be stopped and is remembered.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use serde_json::json;
use sidewire_agent::error::ProviderError;
use sidewire_agent::message::Role;
use sidewire_agent::person::{Answer, Choice, ChoiceKind, Person, Question};
use sidewire_agent::provider::{FinishReason, ModelEvent, ModelInfo, ModelRequest, ModelStream, Provider};
use sidewire_agent::setting::Setting;
use tokio_util::sync::CancellationToken;

use super::content::Prompt;

/// The tool that runs commands.
const TOOL: &str = "bash";
/// What it is given at most: whoever wants to end their command stops the turn.
const SECONDS: u64 = 600;
/// No history is too long for what reads none.
const WINDOW: u64 = 1 << 32;

/// The command of a prompt that is nothing else.
pub(super) fn command(prompt: &Prompt) -> Option<&str> {
    let is_alone = prompt.parts.is_empty() && prompt.shown.is_none();
    let command = prompt.text.strip_prefix('!').filter(|_| is_alone)?.trim();
    (!command.is_empty() && !command.contains('\n')).then_some(command)
}

/// A setting in which the command runs: asked for by the person, so that nobody needs to be asked again. What posture,
/// plan mode and rules refuse without asking is refused all the same.
pub(super) fn setting(setting: Setting, command: &str) -> Setting {
    let answers = setting.provider.as_ref().map(|provider| provider.describe());
    let runs: Arc<dyn Provider> = Arc::new(OwnCommand {
        command: command.to_owned(),
        model: answers.map_or_else(String::new, |model| model.model),
    });
    Setting {
        provider: Some(runs),
        person: Arc::new(AskedForIt),
        ..setting
    }
}

/// The person, who allows the command by having asked for it, this once.
struct AskedForIt;

#[async_trait::async_trait]
impl Person for AskedForIt {
    async fn ask(&self, question: Question, _cancel: CancellationToken) -> Answer {
        let yes = |choice: &Choice| choice.kind == ChoiceKind::AllowOnce;
        let chosen = question.options.into_iter().find(yes);
        chosen.map_or(Answer::None, |choice| Answer::Chosen(choice.id))
    }
}

/// Asks for one call, and is done once it has its result.
struct OwnCommand {
    command: String,
    /// The model of the session, which reads the result with its next question.
    model: String,
}

#[async_trait::async_trait]
impl Provider for OwnCommand {
    fn describe(&self) -> ModelInfo {
        ModelInfo {
            provider: "person".to_owned(),
            model: self.model.clone(),
            label: "Your command".to_owned(),
            offline: true,
            window: Some(WINDOW),
        }
    }

    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ProviderError> {
        let is_done = request
            .messages
            .last()
            .is_some_and(|last| last.role == Role::Tool);
        let events = if is_done {
            vec![ModelEvent::Finished(FinishReason::Stop)]
        } else {
            let call = ModelEvent::ToolCall {
                call_id: "own-command".to_owned(),
                name: TOOL.to_owned(),
                arguments: json!({ "command": self.command, "timeout_seconds": SECONDS }),
            };
            vec![call, ModelEvent::Finished(FinishReason::ToolCalls)]
        };
        Ok(stream::iter(events.into_iter().map(Ok)).boxed())
    }
}

#[cfg(test)]
mod tests {
    use sidewire_agent::message::{Message, Part};
    use sidewire_contract::mode::Mode;

    use super::*;

    fn prompt(text: &str) -> Prompt {
        Prompt {
            text: text.to_owned(),
            ..Prompt::default()
        }
    }

    #[test]
    fn only_one_line_of_its_own_is_a_command() {
        for (text, expected) in [
            ("!ls -la", Some("ls -la")),
            ("! make test ", Some("make test")),
            ("!", None),
            ("!  ", None),
            ("!ls\nand tell me", None),
            ("run !ls", None),
        ] {
            assert_eq!(command(&prompt(text)), expected, "{text:?}");
        }
        let with_picture = Prompt {
            parts: vec![Part::Text { text: "x".to_owned() }],
            ..prompt("!ls")
        };
        assert_eq!(command(&with_picture), None);
    }

    #[tokio::test]
    async fn it_is_called_once() {
        let setting = setting(Setting::panel(Mode::Educational), "ls");
        let provider = setting.provider.unwrap();
        let mut request = ModelRequest {
            system: String::new(),
            messages: vec![Message::text(Role::User, "!ls")],
            question: "!ls".to_owned(),
            page: None,
            mode: Some(Mode::Educational),
            tools: Vec::new(),
            pictures: Vec::new(),
            input_tokens: 0,
            max_output_tokens: Some(1),
        };
        let asked: Vec<_> = provider.stream(request.clone()).await.unwrap().collect().await;
        let call = ModelEvent::ToolCall {
            call_id: "own-command".to_owned(),
            name: "bash".to_owned(),
            arguments: json!({ "command": "ls", "timeout_seconds": 600 }),
        };
        assert_eq!(
            asked,
            [Ok(call), Ok(ModelEvent::Finished(FinishReason::ToolCalls))]
        );
        request.messages.push(Message::text(Role::Tool, "main.rs"));
        let done: Vec<_> = provider.stream(request).await.unwrap().collect().await;
        assert_eq!(done, [Ok(ModelEvent::Finished(FinishReason::Stop))]);
    }
}
