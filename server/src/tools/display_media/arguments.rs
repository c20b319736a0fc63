//! What the model writes: a closed object with either a source or frames.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use sidewire_contract::number::Positive;

use crate::media::Playing;

/// A frame and what it asks for.
#[derive(Debug, PartialEq)]
pub(super) enum FrameArguments {
    Text(String),
    Source(String),
}

/// What is to be shown.
#[derive(Debug, PartialEq)]
pub(super) enum Shown {
    Source(String),
    Frames(Vec<(FrameArguments, Positive)>),
}

/// The arguments of a call.
#[derive(Debug, PartialEq)]
pub(super) struct Arguments {
    pub(super) shown: Shown,
    pub(super) caption: Option<String>,
    pub(super) alt: Option<String>,
    pub(super) playing: Playing,
}

/// Why arguments are not taken; the model reads it.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArgumentsError {
    #[error("display_media accepts either source or frames, but not both.")]
    Either,
    #[error("frame {0} needs either text or source, and durationMs of at least 1")]
    Frame(usize),
    #[error("display_media cannot read its arguments: {0}")]
    Unreadable(String),
}

/// The schema that the model is told.
pub(super) fn schema() -> Value {
    let words = |what: &str| json!({ "type": "string", "description": what });
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "source": words("https address or blob:sha256: reference; not together with frames"),
            "frames": {
                "type": "array",
                "minItems": 1,
                "maxItems": 720,
                "description": "texts or pictures, not both, shown one after the other",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["durationMs"],
                    "properties": {
                        "text": words("what the frame says; not together with source"),
                        "source": words("https address or blob:sha256: reference of a picture"),
                        "durationMs": { "type": "integer", "minimum": 1 },
                    },
                },
            },
            "caption": words("a line below it"),
            "alt": words("what it shows, for people who do not see it"),
            "autoplay": { "type": "boolean", "default": true },
            "loop": { "type": "boolean", "default": false },
            "fpsCap": { "type": "number", "minimum": 1, "maximum": 60, "default": 12 },
        },
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Raw {
    source: Option<String>,
    frames: Option<Vec<RawFrame>>,
    caption: Option<String>,
    alt: Option<String>,
    autoplay: Option<bool>,
    r#loop: Option<bool>,
    fps_cap: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawFrame {
    text: Option<String>,
    source: Option<String>,
    duration_ms: Positive,
}

impl Arguments {
    /// Reads what the model wrote.
    pub(super) fn read(arguments: &Value) -> Result<Self, ArgumentsError> {
        let object = arguments.as_object().cloned().unwrap_or_default();
        let raw = Raw::deserialize(Value::Object(without_nulls(object)))
            .map_err(|error| ArgumentsError::Unreadable(error.to_string()))?;
        let usual = Playing::default();
        Ok(Self {
            shown: shown(raw.source, raw.frames)?,
            caption: raw.caption,
            alt: raw.alt,
            playing: Playing {
                autoplay: raw.autoplay.unwrap_or(usual.autoplay),
                repeat: raw.r#loop.unwrap_or(usual.repeat),
                fps_cap: raw.fps_cap.map_or(usual.fps_cap, whole_rate),
            },
        })
    }
}

fn shown(source: Option<String>, frames: Option<Vec<RawFrame>>) -> Result<Shown, ArgumentsError> {
    match (source, frames) {
        (Some(source), None) => Ok(Shown::Source(source)),
        (None, Some(frames)) => {
            let frames = frames.into_iter().enumerate().map(|(at, frame)| {
                let content = match (frame.text, frame.source) {
                    (Some(text), None) => FrameArguments::Text(text),
                    (None, Some(source)) => FrameArguments::Source(source),
                    (Some(_), Some(_)) | (None, None) => return Err(ArgumentsError::Frame(at + 1)),
                };
                Ok((content, frame.duration_ms))
            });
            Ok(Shown::Frames(frames.collect::<Result<_, _>>()?))
        }
        (Some(_), Some(_)) | (None, None) => Err(ArgumentsError::Either),
    }
}

/// Models write null for what they leave out.
fn without_nulls(object: Map<String, Value>) -> Map<String, Value> {
    object.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 1 to 60 before"
)]
fn whole_rate(rate: f64) -> u8 {
    rate.floor().clamp(1.0, 60.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(arguments: &Value) -> String {
        Arguments::read(arguments).unwrap_err().to_string()
    }

    #[test]
    fn what_is_left_out_has_its_usual_value() {
        let read = Arguments::read(&json!({ "source": "https://a.example/x.png", "alt": null })).unwrap();
        assert_eq!(read.shown, Shown::Source("https://a.example/x.png".into()));
        assert_eq!((read.caption, read.alt), (None, None));
        assert_eq!(read.playing, Playing::default());
        assert!(read.playing.autoplay && !read.playing.repeat);
    }

    #[test]
    fn rates_are_floored_and_kept_within_bounds() {
        for (asked, cap) in [
            (0.0, 1),
            (-5.0, 1),
            (1.9, 1),
            (24.99, 24),
            (60.0, 60),
            (1e300, 60),
        ] {
            let read = Arguments::read(&json!({ "source": "s", "fpsCap": asked })).unwrap();
            assert_eq!(read.playing.fps_cap, cap, "{asked}");
        }
    }

    #[test]
    fn exactly_one_of_source_and_frames() {
        let either = "display_media accepts either source or frames, but not both.";
        assert_eq!(error(&json!({})), either);
        assert_eq!(error(&json!({ "source": "s", "frames": [] })), either);
        assert_eq!(error(&json!("no object")), either);
    }

    #[test]
    fn a_frame_is_a_text_or_a_source_for_some_time() {
        let read = Arguments::read(&json!({ "frames": [
            { "text": "one", "durationMs": 500 }, { "source": "s", "durationMs": 1 },
        ] }))
        .unwrap();
        let ms = |value| Positive::new(value).unwrap();
        assert_eq!(
            read.shown,
            Shown::Frames(vec![
                (FrameArguments::Text("one".into()), ms(500)),
                (FrameArguments::Source("s".into()), ms(1)),
            ])
        );
        let second = "frame 2 needs either text or source, and durationMs of at least 1";
        let good = json!({ "text": "a", "durationMs": 1 });
        for bad in [
            json!({ "durationMs": 1 }),
            json!({ "text": "a", "source": "s", "durationMs": 1 }),
        ] {
            assert_eq!(error(&json!({ "frames": [good, bad] })), second);
        }
        for bad in [
            json!({ "text": "a" }),
            json!({ "text": "a", "durationMs": 0 }),
            json!({ "text": "a", "durationMs": 1.5 }),
        ] {
            assert!(error(&json!({ "frames": [bad] })).starts_with("display_media cannot read"));
        }
    }

    #[test]
    fn the_object_is_closed() {
        assert!(error(&json!({ "source": "s", "path": "/etc/passwd" })).contains("unknown field `path`"));
        assert!(
            error(&json!({ "frames": [{ "text": "a", "durationMs": 1, "x": 1 }] })).contains("unknown field")
        );
        assert_eq!(schema()["additionalProperties"], false);
        jsonschema_is_sound(&schema());
    }

    fn jsonschema_is_sound(schema: &Value) {
        for name in schema["properties"].as_object().unwrap().keys() {
            let alone = Arguments::read(&json!({ name: null }));
            assert!(
                matches!(alone, Err(ArgumentsError::Either)),
                "{name} is known to both"
            );
        }
    }
}
