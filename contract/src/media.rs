//! Pictures, films and animated text that belong to an answer.

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use std::collections::BTreeMap;

use crate::ids::{BlobRef, MediaId};
use crate::number::{Number, One, Positive};
use crate::text::TextError;
use crate::wire::present;

/// One piece of media; it has a file, a still picture or a timeline, or several of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
pub struct Media {
    /// Version of this shape.
    pub version: One,
    /// Names the piece.
    pub id: MediaId,
    /// What it is.
    pub kind: MediaKind,
    /// Width in pixels.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub width: Option<Positive>,
    /// Height in pixels.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub height: Option<Positive>,
    /// How long it plays.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub duration_ms: Option<Positive>,
    /// Text below it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub caption: Option<String>,
    /// Text instead of it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub alt: Option<String>,
    /// The file itself.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub original: Option<Asset>,
    /// A still picture of it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub poster: Option<Asset>,
    /// Its frames.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub timeline: Option<Timeline>,
    /// Where it comes from.
    pub provenance: Provenance,
    /// How it may be played.
    pub playback: Playback,
    /// What was lost on the way.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub degradation: Option<String>,
    /// A name for saving it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub filename_hint: Option<FileName>,
    /// Anything else about it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub metadata: Option<Metadata>,
}

impl Media {
    fn has_content(&self) -> Result<(), TextError> {
        if self.original.is_some() || self.poster.is_some() || self.timeline.is_some() {
            Ok(())
        } else {
            Err(TextError::new("original, poster or timeline"))
        }
    }
}

objects!(Media where Media::has_content, Asset, Playback);
read_objects!(TimelineFrameObject, ProvenanceObject);

/// What a piece of media is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MediaKind {
    /// A still picture.
    Image,
    /// A film.
    Video,
    /// A short film that repeats.
    Animation,
    /// Pictures shown one after the other.
    RasterTimeline,
    /// Texts shown one after the other.
    TextTimeline,
}

words!(MediaKind {
    Image = "image",
    Video = "video",
    Animation = "animation",
    RasterTimeline = "raster-timeline",
    TextTimeline = "text-timeline",
});

/// A file of the worker that a client may read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
pub struct Asset {
    /// Names the file by its hash.
    #[serde(rename = "ref")]
    pub reference: BlobRef,
    /// What is in it.
    pub mime_type: MimeType,
    /// How long it is.
    pub bytes: Positive,
}

/// What a media file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MimeType {
    /// PNG picture.
    Png,
    /// JPEG picture.
    Jpeg,
    /// GIF picture.
    Gif,
    /// WebP picture.
    Webp,
    /// MP4 film.
    Mp4,
    /// Plain text.
    Text,
}

words!(MimeType {
    Png = "image/png",
    Jpeg = "image/jpeg",
    Gif = "image/gif",
    Webp = "image/webp",
    Mp4 = "video/mp4",
    Text = "text/plain",
});

/// Frames that are shown one after the other; never empty.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Timeline(Vec<TimelineFrame>);

impl Timeline {
    /// The frames, unless there are none.
    #[must_use]
    pub fn new(frames: Vec<TimelineFrame>) -> Option<Self> {
        if frames.is_empty() {
            None
        } else {
            Some(Self(frames))
        }
    }

    /// The frames.
    #[must_use]
    pub fn frames(&self) -> &[TimelineFrame] {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Timeline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Vec::deserialize(deserializer)?)
            .ok_or_else(|| D::Error::custom("expected at least one frame"))
    }
}

/// One frame of a timeline.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum TimelineFrame {
    /// A text.
    Text {
        /// What it says.
        text: String,
        /// How long it stays.
        duration_ms: Positive,
    },
    /// A file.
    Asset {
        /// The file.
        asset: Asset,
        /// How long it stays.
        duration_ms: Positive,
    },
}

#[derive(Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct TimelineFrameObject {
    #[serde(default, deserialize_with = "present")]
    text: Option<String>,
    #[serde(default, deserialize_with = "present")]
    asset: Option<Asset>,
    duration_ms: Positive,
}

impl<'de> Deserialize<'de> for TimelineFrame {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let TimelineFrameObject {
            text,
            asset,
            duration_ms,
        } = Deserialize::deserialize(deserializer)?;
        match (text, asset) {
            (Some(text), None) => Ok(Self::Text { text, duration_ms }),
            (None, Some(asset)) => Ok(Self::Asset { asset, duration_ms }),
            (Some(_), Some(_)) | (None, None) => Err(D::Error::custom("expected either text or asset")),
        }
    }
}

/// Where a piece of media comes from; never a path of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "sourceType", content = "source", rename_all = "lowercase")]
pub enum Provenance {
    /// A tool made it.
    Tool(ToolSource),
    /// It was fetched.
    Url(UrlSource),
}

#[derive(Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
struct ProvenanceObject {
    source_type: String,
    source: String,
}

impl<'de> Deserialize<'de> for Provenance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ProvenanceObject { source_type, source } = Deserialize::deserialize(deserializer)?;
        match source_type.as_str() {
            "tool" => ToolSource::new(source).map(Self::Tool),
            "url" => UrlSource::new(source).map(Self::Url),
            _ => Err(TextError::new("tool or url")),
        }
        .map_err(D::Error::custom)
    }
}

/// Name of a tool in the form that a provenance may hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ToolSource(String);
checked_text!(
    ToolSource,
    "a tool name of lower-case letters, digits and underscores",
    |text| {
        text.len() <= 64
            && text.starts_with(|first: char| first.is_ascii_lowercase())
            && text
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
    }
);

impl ToolSource {
    /// Makes the nearest allowed name of any tool name.
    #[must_use]
    pub fn of_tool(name: &str) -> Self {
        let mut source: String = name.chars().map(allowed_in_tool_source).take(64).collect();
        if !source.starts_with(|first: char| first.is_ascii_lowercase()) {
            source = format!("t_{source}").chars().take(64).collect();
        }
        Self(source)
    }
}

fn allowed_in_tool_source(character: char) -> char {
    let lower = character.to_ascii_lowercase();
    if lower.is_ascii_lowercase() || lower.is_ascii_digit() {
        lower
    } else {
        '_'
    }
}

/// Address of a file, without query and fragment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UrlSource(String);
checked_text!(UrlSource, "an https address without query and fragment", |text| {
    text.strip_prefix("https://")
        .is_some_and(|rest| !rest.is_empty() && !rest.contains(['?', '#']))
});

/// How a piece of media may be played; always without sound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
pub struct Playback {
    /// Whether it may start by itself.
    pub autoplay: bool,
    /// Whether it repeats.
    #[serde(rename = "loop")]
    pub repeat: bool,
    /// Without sound.
    pub muted: Muted,
    /// Most frames per second.
    pub fps_cap: FpsCap,
}

/// The constant true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(into = "bool")]
pub struct Muted;

impl From<Muted> for bool {
    fn from(Muted: Muted) -> Self {
        true
    }
}

impl<'de> Deserialize<'de> for Muted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if bool::deserialize(deserializer)? {
            Ok(Self)
        } else {
            Err(D::Error::custom("expected true"))
        }
    }
}

/// Frames per second, 1 to 60.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct FpsCap(Number);

impl FpsCap {
    /// The value, when it is within bounds.
    #[must_use]
    pub fn new(value: Number) -> Option<Self> {
        (1.0..=60.0).contains(&value.as_f64()).then_some(Self(value))
    }

    /// The whole value nearest to one that may be out of bounds.
    #[must_use]
    pub fn clamped(value: &Number) -> Self {
        Self(Number::from(value.clamp_i64(1, 60)))
    }

    /// The value.
    #[must_use]
    pub const fn get(&self) -> &Number {
        &self.0
    }
}

impl<'de> Deserialize<'de> for FpsCap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Number::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("expected 1 to 60"))
    }
}

/// A file name without a folder, of at most 255 characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileName(String);
checked_text!(FileName, "a file name", |text| {
    !text.is_empty() && text.chars().count() <= 255 && !text.contains(['/', '\\'])
});

/// At most 16 named texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Metadata(BTreeMap<MetadataKey, MetadataText>);

impl Metadata {
    /// The entries, unless there are more than 16.
    #[must_use]
    pub fn new(entries: BTreeMap<MetadataKey, MetadataText>) -> Option<Self> {
        if entries.len() <= 16 {
            Some(Self(entries))
        } else {
            None
        }
    }

    /// The entries.
    #[must_use]
    pub const fn entries(&self) -> &BTreeMap<MetadataKey, MetadataText> {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(BTreeMap::deserialize(deserializer)?)
            .ok_or_else(|| D::Error::custom("expected at most 16 entries"))
    }
}

/// Name of an entry: 1 to 64 letters, digits, dots, dashes and underscores.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MetadataKey(String);
checked_text!(MetadataKey, "a metadata key", |text| {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
});

/// Text of an entry, of at most 512 characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MetadataText(String);
checked_text!(MetadataText, "at most 512 characters", |text| text
    .chars()
    .count()
    <= 512);
