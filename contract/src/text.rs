//! Strings with a length: never empty, never longer than the schema says, counted in code points as the schema counts.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A text that is not what its type asks for; it names the expectation, never the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}")]
pub struct TextError {
    expected: &'static str,
}

impl TextError {
    pub(crate) const fn new(expected: &'static str) -> Self {
        Self { expected }
    }
}

/// A string of 1 to `MAX` code points.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text<const MAX: usize>(String);

/// A string of at least one code point.
pub type NonEmpty = Text<{ usize::MAX }>;

impl<const MAX: usize> Text<MAX> {
    /// Checks the length.
    ///
    /// # Errors
    /// When the text is empty or longer than `MAX` code points.
    pub fn new(text: impl Into<String>) -> Result<Self, TextError> {
        let text = text.into();
        if text.is_empty() {
            return Err(TextError::new("a string that is not empty"));
        }
        // Bytes are never fewer than code points, so most texts are accepted without counting.
        if text.len() > MAX && text.chars().count() > MAX {
            return Err(TextError::new("a shorter string"));
        }
        Ok(Self(text))
    }

    /// Cuts a text to `MAX` code points; a dash stands for an empty one.
    #[must_use]
    pub fn clipped(text: &str) -> Self {
        let end = text
            .char_indices()
            .nth(MAX)
            .map_or(text.len(), |(index, _)| index);
        match text.get(..end) {
            Some(clipped) if !clipped.is_empty() => Self(clipped.to_owned()),
            _ => Self("-".to_owned()),
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, without a copy.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl<const MAX: usize> FromStr for Text<MAX> {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        Self::new(text)
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Text<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::read_text(deserializer, str::parse)
    }
}

impl<const MAX: usize> Serialize for Text<MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_counted_in_code_points() {
        assert!(Text::<3>::new("").is_err());
        assert!(Text::<3>::new("äöü").is_ok());
        assert!(Text::<3>::new("äöü!").is_err());
    }

    #[test]
    fn clipping_always_gives_a_valid_text() {
        assert_eq!(Text::<3>::clipped("äöüß").as_str(), "äöü");
        assert_eq!(Text::<3>::clipped("").as_str(), "-");
        assert_eq!(NonEmpty::clipped("whole").as_str(), "whole");
    }
}
