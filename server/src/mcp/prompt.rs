//! Prompts of servers as commands: what a person types after the name becomes the prompt's arguments.

use std::sync::Arc;

use rmcp::model::{JsonObject, PromptMessage, Role};

use super::error::CallError;
use super::offer::OfferedPrompt;
use super::result::{joined, line};
use super::server::Server;

/// A prompt as a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PromptEntry {
    /// `server:prompt`.
    pub(crate) name: String,
    /// What it does.
    pub(crate) description: String,
    /// It takes arguments.
    pub(crate) arguments: bool,
}

/// The command of a prompt.
pub(super) fn entry(server: &str, offered: &OfferedPrompt) -> PromptEntry {
    PromptEntry {
        name: format!("{server}:{}", offered.name),
        description: offered.description.clone(),
        arguments: !offered.arguments.is_empty(),
    }
}

/// The text of a prompt.
pub(super) async fn expand(
    server: &Arc<Server>,
    prompt: &OfferedPrompt,
    arguments: &str,
) -> Result<String, CallError> {
    let live = server.live().await.map_err(|error| CallError::Unavailable {
        server: server.name.clone(),
        error,
    })?;
    let arguments = named(&prompt.arguments, arguments);
    let result = live.prompt(&prompt.name, arguments, server.shared.timing.start);
    Ok(joined(result.await?.messages.iter().map(words)))
}

/// A message in words; who is to say it is named only where it is not the person.
fn words(message: &PromptMessage) -> String {
    let text = line(&message.content);
    match message.role {
        Role::Assistant => format!("(you said) {text}"),
        Role::User => text,
    }
}

/// What was typed, word by word to the arguments in their order; the last one takes the rest.
fn named(names: &[String], typed: &str) -> JsonObject {
    let (mut members, mut rest) = (JsonObject::new(), typed.trim());
    for (at, name) in names.iter().enumerate() {
        if rest.is_empty() {
            break;
        }
        let (word, left) = if at + 1 == names.len() {
            (unquoted(rest), "")
        } else {
            first_word(rest)
        };
        members.insert(name.clone(), word.into());
        rest = left.trim_start();
    }
    members
}

/// The first word of a text that does not begin with a space, and what follows; a word in quotes may hold spaces.
fn first_word(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        let quoted = text.strip_prefix(quote).and_then(|text| text.split_once(quote));
        if let Some((word, left)) =
            quoted.filter(|(_, left)| left.is_empty() || left.starts_with(char::is_whitespace))
        {
            return (word, left);
        }
    }
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

fn unquoted(text: &str) -> &str {
    match first_word(text) {
        (word, "") => word,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn words_become_arguments() {
        let names = ["a".to_owned(), "b".to_owned()];
        for (names, typed, expected) in [
            (
                &names[..],
                " one  two three ",
                json!({ "a": "one", "b": "two three" }),
            ),
            (
                &names[..],
                "\"one two\" 'three four'",
                json!({ "a": "one two", "b": "three four" }),
            ),
            (&names[..], "\"one two", json!({ "a": "\"one", "b": "two" })),
            (&names[..], "one", json!({ "a": "one" })),
            (&names[..], "", json!({})),
            (&names[..1], "all of it", json!({ "a": "all of it" })),
            (&names[..0], "nothing takes it", json!({})),
        ] {
            assert_eq!(Value::Object(super::named(names, typed)), expected, "{typed}");
        }
    }
}
