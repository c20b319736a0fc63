//! What a client is told about a piece of media. Nothing here can name a place on this machine.

use sidewire_contract::ids::{BlobRef, MediaId};
use sidewire_contract::media::{
    Asset, FileName, FpsCap, Media, MediaKind, MimeType, Muted, Playback, Provenance, Timeline, ToolSource,
    UrlSource,
};
use sidewire_contract::number::{Number, One, Positive};
use url::Url;

use super::sniff::Picture;

/// Most characters of a caption or of what stands for a picture.
const WORDS: usize = 2000;
/// Most characters of a file name; some systems take no more bytes than that.
const NAME: usize = 100;

/// What is said about media beside what is in it.
#[derive(Clone, Debug)]
pub(crate) struct About {
    /// Where it comes from.
    pub(crate) provenance: Provenance,
    /// Text below it.
    pub(crate) caption: Option<String>,
    /// Text instead of it.
    pub(crate) alt: Option<String>,
    /// A name for saving it, from anybody.
    pub(crate) filename_hint: Option<String>,
    /// How it may be played.
    pub(crate) playing: Playing,
}

/// How media may be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Playing {
    /// Whether it may start by itself.
    pub(crate) autoplay: bool,
    /// Whether it repeats.
    pub(crate) repeat: bool,
    /// Most frames per second, 1 to 60.
    pub(crate) fps_cap: u8,
}

impl Default for Playing {
    fn default() -> Self {
        Self {
            autoplay: true,
            repeat: false,
            fps_cap: 12,
        }
    }
}

impl About {
    /// Media that a tool made.
    pub(crate) fn of_tool(name: &str) -> Self {
        Self {
            provenance: Provenance::Tool(ToolSource::of_tool(name)),
            caption: None,
            alt: None,
            filename_hint: None,
            playing: Playing::default(),
        }
    }

    /// Media from an address, of which only host and path are told; else of the tool that fetched it.
    pub(crate) fn of_url(url: &Url, tool: &str) -> Self {
        let hint = url
            .path_segments()
            .and_then(|mut segments| segments.next_back())
            .map(str::to_owned);
        Self {
            provenance: plain_url(url).map_or_else(|| Self::of_tool(tool).provenance, Provenance::Url),
            filename_hint: hint,
            ..Self::of_tool(tool)
        }
    }

    /// A descriptor that says this and names no file yet.
    fn frame(self, id: MediaId, kind: MediaKind) -> Media {
        Media {
            version: One,
            id,
            kind,
            width: None,
            height: None,
            duration_ms: None,
            caption: words(self.caption),
            alt: words(self.alt),
            original: None,
            poster: None,
            timeline: None,
            provenance: self.provenance,
            playback: self.playing.into(),
            degradation: None,
            filename_hint: None,
            metadata: None,
        }
    }
}

impl From<Playing> for Playback {
    fn from(playing: Playing) -> Self {
        Self {
            autoplay: playing.autoplay,
            repeat: playing.repeat,
            muted: Muted,
            fps_cap: FpsCap::clamped(&Number::from(u64::from(playing.fps_cap))),
        }
    }
}

/// A file with a picture in it; moving ones get their stills later.
pub(super) fn picture(asset: &Asset, found: &Picture, about: About) -> Option<Media> {
    let file_name = about.filename_hint.clone();
    let is_still = found.kind == MediaKind::Image;
    Some(Media {
        width: found.width,
        height: found.height,
        duration_ms: found.duration_ms,
        poster: is_still.then(|| asset.clone()),
        filename_hint: file_name.and_then(|name| file_name_of(&name, asset.mime_type)),
        original: Some(asset.clone()),
        ..about.frame(id_of_file(&asset.reference)?, found.kind)
    })
}

/// Frames without a file of their own; raster ones show the first one while they are still.
pub(super) fn timeline(timeline: Timeline, poster: Option<Asset>, about: About) -> Option<Media> {
    let kind = if poster.is_some() {
        MediaKind::RasterTimeline
    } else {
        MediaKind::TextTimeline
    };
    let id = id_of_timeline(&timeline)?;
    Some(Media {
        duration_ms: super::timeline::duration(&timeline),
        poster,
        timeline: Some(timeline),
        ..about.frame(id, kind)
    })
}

/// The same file has the same id, whatever is said about it.
fn id_of_file(reference: &BlobRef) -> Option<MediaId> {
    id_of_hash(reference.hash())
}

/// Likewise the same frames.
fn id_of_timeline(timeline: &Timeline) -> Option<MediaId> {
    use sha2::{Digest as _, Sha256};
    let json = serde_json::to_vec(timeline).ok()?;
    id_of_hash(&hex::encode(Sha256::digest(json)))
}

fn id_of_hash(hex: &str) -> Option<MediaId> {
    MediaId::new(format!("media_{}", hex.get(..24)?)).ok()
}

fn words(text: Option<String>) -> Option<String> {
    let text = text?;
    let clipped: String = text.trim().chars().take(WORDS).collect();
    (!clipped.is_empty()).then_some(clipped)
}

fn plain_url(url: &Url) -> Option<UrlSource> {
    let mut plain = url.clone();
    plain.set_username("").ok()?;
    plain.set_password(None).ok()?;
    plain.set_query(None);
    plain.set_fragment(None);
    UrlSource::new(plain.as_str()).ok()
}

/// The last part of a name, without anything that could surprise a file system or hide an ending, and with the
/// ending that its content has.
pub(super) fn file_name_of(hint: &str, mime: MimeType) -> Option<FileName> {
    let base = hint.rsplit(['/', '\\']).next().unwrap_or_default();
    let safe: String = base.chars().filter_map(safe_character).collect();
    let endings = endings(mime);
    let lower = safe.to_ascii_lowercase();
    let stem = endings
        .iter()
        .find_map(|ending| lower.strip_suffix(&format!(".{ending}")))
        .map_or(safe.as_str(), |stem| safe.get(..stem.len()).unwrap_or_default());
    let stem = stem.trim_matches(['.', ' ']);
    if stem.is_empty() {
        return None;
    }
    let stem: String = stem.chars().take(NAME).collect();
    let guard = if is_device(&stem) { "_" } else { "" };
    FileName::new(format!("{guard}{stem}.{}", endings.first()?)).ok()
}

/// Whether Windows takes a name for a device, which it does whatever the ending.
fn is_device(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default().trim_end();
    let first = first.to_ascii_uppercase();
    let port = first.strip_prefix("COM").or_else(|| first.strip_prefix("LPT"));
    // The raised digits are those of its old code page.
    let numbered = |number: &str| {
        let mut digits = number.chars();
        matches!(digits.next(), Some('0'..='9' | '¹' | '²' | '³')) && digits.next().is_none()
    };
    matches!(
        first.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
    ) || port.is_some_and(numbered)
}

fn safe_character(c: char) -> Option<char> {
    match c {
        '<' | '>' | ':' | '"' | '|' | '?' | '*' => Some('_'),
        // Marks of writing direction can make one ending look like another.
        '\u{061c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => None,
        c if c.is_control() => None,
        c => Some(c),
    }
}

/// The endings of a type, the usual one first.
fn endings(mime: MimeType) -> &'static [&'static str] {
    match mime {
        MimeType::Png => &["png"],
        MimeType::Jpeg => &["jpg", "jpeg"],
        MimeType::Gif => &["gif"],
        MimeType::Webp => &["webp"],
        MimeType::Mp4 => &["mp4", "m4v"],
        MimeType::Text => &["txt"],
    }
}

/// An asset of so many bytes; `None` for an empty one.
pub(super) fn asset(reference: BlobRef, mime_type: MimeType, bytes: u64) -> Option<Asset> {
    Some(Asset {
        reference,
        mime_type,
        bytes: Positive::new(bytes)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(hint: &str) -> Option<String> {
        file_name_of(hint, MimeType::Png).map(|name| name.as_str().to_owned())
    }

    #[test]
    fn a_file_name_is_a_base_name_with_the_ending_of_its_content() {
        for (hint, name) in [
            ("/home/ann/secret/shot.png", "shot.png"),
            ("C:\\Users\\ann\\shot.PNG", "shot.png"),
            ("report.exe", "report.exe.png"),
            ("gpj\u{202e}.scr", "gpj.scr.png"),
            ("a<b>:c?.png", "a_b__c_.png"),
            ("gpj\u{061c}.scr", "gpj.scr.png"),
            ("nul.png", "_nul.png"),
            ("com9", "_com9.png"),
            ("LPT9.tar.png", "_LPT9.tar.png"),
            ("lpt3 .png", "_lpt3.png"),
            ("com².txt", "_com².txt.png"),
            ("com10.png", "com10.png"),
            ("command.png", "command.png"),
            ("Zähler 1", "Zähler 1.png"),
        ] {
            assert_eq!(named(hint).as_deref(), Some(name), "{hint:?}");
        }
        for hint in ["", ".", "..", "/", "a/", ".png", "\u{202e}", " . "] {
            assert_eq!(named(hint), None, "{hint:?}");
        }
        assert_eq!(named(&"x".repeat(1000)).unwrap().len(), NAME + 4);
    }

    #[test]
    fn an_address_is_told_without_user_query_and_fragment() {
        let url = Url::parse("https://ann:pw@host.example:8443/a/b%20c.png?token=t#x").unwrap();
        let about = About::of_url(&url, "display_media");
        let Provenance::Url(source) = &about.provenance else {
            panic!("{about:?}")
        };
        assert_eq!(source.as_str(), "https://host.example:8443/a/b%20c.png");
        let file = Url::parse("file:///home/ann/x.png").unwrap();
        let about = About::of_url(&file, "display_media");
        assert_eq!(
            about.provenance,
            Provenance::Tool(ToolSource::of_tool("display_media"))
        );
    }

    #[test]
    fn playing_is_always_without_sound_and_within_bounds() {
        for (asked, cap) in [(0, 1), (1, 1), (12, 12), (60, 60), (255, 60)] {
            let playback = Playback::from(Playing {
                fps_cap: asked,
                ..Playing::default()
            });
            assert_eq!(playback.fps_cap.get().as_i64(), Some(cap));
        }
    }

    #[test]
    fn words_are_clipped_and_nothing_is_nothing() {
        assert_eq!(words(Some("  ".into())), None);
        assert_eq!(words(Some(" a ".into())).as_deref(), Some("a"));
        assert_eq!(words(Some("ä".repeat(WORDS + 1))).unwrap().chars().count(), WORDS);
    }
}
