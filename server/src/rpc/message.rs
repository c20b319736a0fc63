//! Messages as they stand in a line: what came in is sorted, what goes out is written.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::Error;

/// Gives up a request that is in flight.
pub(super) const CANCEL: &str = "$/cancel_request";

/// Names a request among those in flight: its JSON, so that `1` and `"1"` are two.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RequestId(String);

impl RequestId {
    /// What an answer carries when nobody can tell which request it is for.
    pub(super) fn null() -> Self {
        Self("null".to_owned())
    }

    /// Strings, whole numbers and null name a request.
    pub(super) fn read(raw: &RawValue) -> Option<Self> {
        let value: Value = serde_json::from_str(raw.get()).ok()?;
        let named = match &value {
            Value::Null | Value::String(_) => true,
            Value::Number(number) => !number.is_f64(),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
        };
        named.then(|| Self(value.to_string()))
    }

    /// The number of one of our requests.
    pub(super) fn number(&self) -> Option<u64> {
        self.0.parse().ok()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Parameters, not looked at yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params(Option<Box<RawValue>>);

impl Params {
    /// The parameters as `T`. The error says where they are wrong and repeats nothing of them.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let text = self.0.as_deref().map_or("{}", RawValue::get);
        serde_json::from_str(text)
            .map_err(|error| Error::invalid_params(format!("invalid params (at byte {})", error.column())))
    }
}

/// What a line says.
pub(super) enum Incoming {
    Request {
        id: RequestId,
        method: String,
        params: Params,
    },
    Notification {
        method: String,
        params: Params,
    },
    /// An answer to one of our requests.
    Response {
        id: RequestId,
        result: Result<Box<RawValue>, Error>,
    },
    /// Neither a request nor an answer, although it has an id.
    Shapeless(RequestId),
    /// Gives up a request of the peer.
    Cancel(RequestId),
}

/// A line that is no message, and whom to tell.
#[derive(Debug)]
pub(super) struct Junk {
    pub(super) id: RequestId,
    pub(super) error: Error,
}

#[derive(Deserialize)]
struct Envelope<'line> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'line RawValue>,
    #[serde(borrow)]
    method: Option<&'line RawValue>,
    #[serde(borrow)]
    params: Option<&'line RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'line RawValue>,
    #[serde(borrow)]
    error: Option<&'line RawValue>,
}

/// An id or result may be null and still be there.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelParams<'line> {
    #[serde(borrow)]
    request_id: &'line RawValue,
}

/// Sorts a line. The `jsonrpc` member is not asked for: some clients leave it out.
pub(super) fn read(line: &[u8]) -> Result<Option<Incoming>, Box<Junk>> {
    let text = std::str::from_utf8(line).map_err(|_| junk(Error::PARSE, "parse error: not UTF-8"))?;
    let envelope: Envelope<'_> = serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Data => junk(Error::INVALID_REQUEST, "invalid request"),
        Category::Syntax | Category::Eof | Category::Io => junk(Error::PARSE, "parse error"),
    })?;
    let id = envelope.id.map(known_id).transpose()?;
    match (envelope.method, id) {
        (Some(method), id) => with_method(method, id, envelope.params),
        (None, Some(id)) => Ok(Some(response(id, envelope.result, envelope.error))),
        (None, None) => Err(junk(
            Error::INVALID_REQUEST,
            "invalid request: neither method nor id",
        )),
    }
}

fn junk(code: i64, message: &str) -> Box<Junk> {
    Box::new(Junk {
        id: RequestId::null(),
        error: Error::new(code, message),
    })
}

fn known_id(raw: &RawValue) -> Result<RequestId, Box<Junk>> {
    RequestId::read(raw).ok_or_else(|| {
        junk(
            Error::INVALID_REQUEST,
            "invalid request: the id is neither a string nor a whole number",
        )
    })
}

fn with_method(
    method: &RawValue,
    id: Option<RequestId>,
    params: Option<&RawValue>,
) -> Result<Option<Incoming>, Box<Junk>> {
    let Ok(method) = serde_json::from_str::<String>(method.get()) else {
        return Err(Box::new(Junk {
            id: id.unwrap_or_else(RequestId::null),
            error: Error::invalid_request("invalid request: the method is not a string"),
        }));
    };
    if method == CANCEL && id.is_none() {
        // Unknown or malformed: ignored, as the protocol asks.
        return Ok(params.and_then(cancelled_id).map(Incoming::Cancel));
    }
    let params = Params(params.map(ToOwned::to_owned));
    Ok(Some(match id {
        Some(id) => Incoming::Request { id, method, params },
        None => Incoming::Notification { method, params },
    }))
}

fn cancelled_id(params: &RawValue) -> Option<RequestId> {
    let params: CancelParams<'_> = serde_json::from_str(params.get()).ok()?;
    RequestId::read(params.request_id)
}

fn response(id: RequestId, result: Option<&RawValue>, error: Option<&RawValue>) -> Incoming {
    let result = match (result, error) {
        (_, Some(error)) => Err(serde_json::from_str(error.get())
            .unwrap_or_else(|_| Error::internal("the peer sent an error that cannot be read"))),
        (Some(result), None) => Ok(result.to_owned()),
        (None, None) => return Incoming::Shapeless(id),
    };
    Incoming::Response { id, result }
}

/// A notification as a line.
pub(super) fn notification(method: &str, params: &impl Serialize) -> serde_json::Result<String> {
    line(&Outgoing {
        method: Some(method),
        params: Some(params),
        ..Outgoing::default()
    })
}

/// A request as a line.
pub(super) fn request(id: u64, method: &str, params: &impl Serialize) -> serde_json::Result<String> {
    line(&Outgoing {
        id: Some(&RawValue::from_string(id.to_string())?),
        method: Some(method),
        params: Some(params),
        ..Outgoing::default()
    })
}

/// An answer as a line.
pub(super) fn answer(id: &RequestId, answer: Result<&RawValue, &Error>) -> serde_json::Result<String> {
    line(&Outgoing::<()> {
        id: Some(&RawValue::from_string(id.0.clone())?),
        result: answer.ok(),
        error: answer.err(),
        ..Outgoing::default()
    })
}

#[derive(Serialize)]
struct Outgoing<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Error>,
}

impl<P> Default for Outgoing<'_, P> {
    fn default() -> Self {
        Self {
            jsonrpc: "2.0",
            id: None,
            method: None,
            params: None,
            result: None,
            error: None,
        }
    }
}

/// JSON and a line break. Two characters that JSON leaves alone end a line for some readers, so they are escaped.
fn line(message: &impl Serialize) -> serde_json::Result<String> {
    let mut line = serde_json::to_string(message)?;
    for (separator, escaped) in [("\u{2028}", "\\u2028"), ("\u{2029}", "\\u2029")] {
        if line.contains(separator) {
            line = line.replace(separator, escaped);
        }
    }
    line.push('\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(line: &str) -> (String, i64) {
        let junk = read(line.as_bytes()).err().unwrap();
        (junk.id.to_string(), junk.error.code)
    }

    #[test]
    fn junk_is_told_apart_and_named_where_it_can_be() {
        let rows = [
            ("hello", "null", Error::PARSE),
            (r#"{"id":1"#, "null", Error::PARSE),
            ("[]", "null", Error::INVALID_REQUEST),
            ("[1]", "null", Error::INVALID_REQUEST),
            ("7", "null", Error::INVALID_REQUEST),
            ("{}", "null", Error::INVALID_REQUEST),
            (r#"{"id":{},"method":"m"}"#, "null", Error::INVALID_REQUEST),
            (r#"{"id":1.5,"method":"m"}"#, "null", Error::INVALID_REQUEST),
            (r#"{"id":4,"method":7}"#, "4", Error::INVALID_REQUEST),
            (r#"{"id":1,"id":2,"method":"m"}"#, "null", Error::INVALID_REQUEST),
        ];
        for (line, id, code) in rows {
            assert_eq!(refused(line), (id.to_owned(), code), "{line}");
        }
        assert_eq!(read(b"\xff{}").err().unwrap().error.code, Error::PARSE);
    }

    #[test]
    fn messages_are_sorted() {
        let read = |line: &str| read(line.as_bytes()).unwrap();
        for id in ["1", r#""a""#, "null", "-3"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m","params":{{"a":1}}}}"#);
            let Some(Incoming::Request {
                id: read_id,
                method,
                params,
            }) = read(&line)
            else {
                panic!("{line}")
            };
            assert_eq!((read_id.to_string().as_str(), method.as_str()), (id, "m"));
            assert_eq!(params.read::<Value>().unwrap(), json!({"a": 1}));
        }
        assert!(matches!(read(r#"{"id":"x"}"#), Some(Incoming::Shapeless(_))));
        assert!(matches!(
            read(r#"{"method":"m"}"#),
            Some(Incoming::Notification { .. })
        ));
        assert!(matches!(
            read(r#"{"id":1,"result":null}"#),
            Some(Incoming::Response { result: Ok(_), .. })
        ));
        let Some(Incoming::Response {
            result: Err(error), ..
        }) = read(r#"{"id":1,"error":{"code":-1,"message":"no"}}"#)
        else {
            panic!("no error")
        };
        assert_eq!(error, Error::new(-1, "no"));
    }

    #[test]
    fn a_cancellation_names_a_request_or_is_nothing() {
        let read =
            |params: &str| read(format!(r#"{{"method":"$/cancel_request","params":{params}}}"#).as_bytes());
        let Ok(Some(Incoming::Cancel(id))) = read(r#"{"requestId":"\u0061"}"#) else {
            panic!("not a cancellation")
        };
        assert_eq!(id.to_string(), r#""a""#);
        for params in ["{}", "[]", r#"{"requestId":[]}"#] {
            assert!(read(params).unwrap().is_none(), "{params}");
        }
    }

    #[test]
    fn what_is_wrong_with_params_is_said_without_repeating_them() {
        let params = Params(Some(
            RawValue::from_string(r#"{"secret":"of mine"}"#.to_owned()).unwrap(),
        ));
        let error = params.read::<Vec<u8>>().unwrap_err();
        assert_eq!(error.code, Error::INVALID_PARAMS);
        assert!(!error.message.contains("secret"), "{error}");
    }

    #[test]
    fn a_message_is_one_line_for_every_reader() {
        let line = notification("m", &json!({"text": "a\nb\u{2028}c\u{2029}d\u{85}"})).unwrap();
        assert_eq!(line.matches('\n').count(), 1);
        assert!(line.is_char_boundary(line.len()) && !line.contains(['\u{2028}', '\u{2029}']));
        let back: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(back["params"]["text"], "a\nb\u{2028}c\u{2029}d\u{85}");
    }
}
