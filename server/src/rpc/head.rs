//! What the beginning of a line that is too long still says: which request it is, or which of ours it answers.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::message::RequestId;

/// Whose line it was.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// A request of the peer.
    Request(RequestId),
    /// An answer to a request of ours.
    Answer(RequestId),
    /// Nobody can tell.
    Unknown,
}

/// The members that were read before the text broke off.
#[derive(Default)]
struct Members {
    id: Option<RequestId>,
    asks: bool,
    answers: bool,
}

impl Head {
    /// Reads the beginning of a message. Its id must stand before what makes it long, as it does where clients write
    /// members in the order of the specification.
    pub(super) fn read(beginning: &[u8]) -> Self {
        let mut members = Members::default();
        let mut json = serde_json::Deserializer::from_slice(beginning);
        // It ends in the middle, so this fails; what came before is kept.
        let _broken_off = (&mut members).deserialize(&mut json);
        match members.id {
            Some(id) if members.answers && !members.asks => Self::Answer(id),
            Some(id) if members.asks => Self::Request(id),
            Some(_) | None => Self::Unknown,
        }
    }
}

impl<'de> DeserializeSeed<'de> for &mut Members {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Members {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            self.asks |= matches!(name.as_str(), "method" | "params");
            self.answers |= matches!(name.as_str(), "result" | "error");
            if name == "id" {
                self.id = RequestId::read(map.next_value::<&RawValue>()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_known_by_what_stands_before_its_length() {
        let id = |text: &str| match Head::read(format!(r#"{{"id":{text},"params":["#).as_bytes()) {
            Head::Request(id) => id.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!((id("7"), id("\"a\"")), ("7".to_owned(), "\"a\"".to_owned()));
        for (beginning, kind) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"xx"#,
                "request",
            ),
            (r#"{"method":"m","id":7,"params":{"a":"xx"#, "request"),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"content":"xx"#, "answer"),
            (r#"{"id":7,"error":{"message":"xx"#, "answer"),
            (r#"{"method":"m","params":{"id":7,"a":"xx"#, "unknown"),
            (r#"{"id":{},"method":"m","params":{"#, "unknown"),
            (r#"{"id":7"#, "unknown"),
            ("xxxx", "unknown"),
            ("[7,", "unknown"),
            ("", "unknown"),
        ] {
            let found = match Head::read(beginning.as_bytes()) {
                Head::Request(_) => "request",
                Head::Answer(_) => "answer",
                Head::Unknown => "unknown",
            };
            assert_eq!(found, kind, "{beginning}");
        }
    }
}
