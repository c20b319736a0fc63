//! Still pictures of moving ones, added to what is said about them.

use bytes::Bytes;
use sidewire_agent::store::Store;
use sidewire_contract::media::{Asset, Media, MimeType, Timeline};
use sidewire_contract::number::Positive;

use super::ffmpeg::{DEGRADATION, DEGRADATION_CUT, Decoding, Ffmpeg, FfmpegError, Input, Pace, Probed};
use super::files::Files;
use super::incoming::Staged;
use super::ingest::{Item, mime_of};
use super::library::Library;
use super::sniff::sniff;
use super::timeline::{self, Shown};
use super::{MEDIA_BYTES, blocking, describe};

/// What FFmpeg made of a moving picture.
struct Stills {
    probed: Probed,
    files: Vec<(Asset, Staged)>,
    timeline: Option<Timeline>,
    /// Whether the timeline ends before it does.
    is_cut: bool,
}

/// Stills as far as they came.
struct Taken {
    files: Vec<(Asset, Staged)>,
    /// Whether a bound ended them, or what went wrong.
    end: Result<bool, FfmpegError>,
}

impl Library {
    /// Adds what FFmpeg makes of a moving picture, or says that there is nothing.
    pub(super) async fn add_stills(
        &self,
        store: &Store,
        item: &Item,
        fps: u8,
        media: &mut Media,
    ) -> Vec<(Asset, Option<Staged>)> {
        let Some(stills) = self.stills(store, item, (fps, media.duration_ms)).await else {
            media.degradation = Some(DEGRADATION.to_owned());
            return Vec::new();
        };
        media.width = stills.probed.width.or(media.width);
        media.height = stills.probed.height.or(media.height);
        media.poster = stills.files.first().map(|(asset, _)| asset.clone());
        media.timeline = stills.timeline;
        let played = media.timeline.as_ref().and_then(timeline::duration);
        let known = stills.probed.duration_ms.or(media.duration_ms);
        media.duration_ms = if stills.is_cut { played } else { known.or(played) };
        let lacks = match (&media.timeline, stills.is_cut) {
            (None, _) => Some(DEGRADATION),
            (Some(_), true) => Some(DEGRADATION_CUT),
            (Some(_), false) => None,
        };
        media.degradation = lacks.map(str::to_owned);
        let files = stills.files.into_iter();
        files.map(|(asset, staged)| (asset, Some(staged))).collect()
    }

    async fn stills(
        &self,
        store: &Store,
        item: &Item,
        (fps, said_ms): (u8, Option<Positive>),
    ) -> Option<Stills> {
        let ffmpeg = self.inner.ffmpeg.as_ref()?;
        let files = self.files(store);
        let place = match &item.staged {
            Some(staged) => staged.decoder_input(),
            None => files.decoder_input(&item.asset.reference)?,
        };
        let input = Input {
            mime: item.asset.mime_type,
            place,
        };
        let probed = ffmpeg.probe(&input).await.unwrap_or_default();
        let length = probed.duration_ms.or(said_ms);
        let pace = Pace::new(fps, length);
        let taken = take(ffmpeg.frames(&input, &pace).await.ok()?, &files).await;
        let (files, timeline, is_cut) = match taken.end {
            Ok(is_full) => {
                let is_whole = !is_full && pace.is_whole(taken.files.len(), length);
                let timeline = still_timeline(&taken.files, &pace);
                (taken.files, timeline, !is_whole)
            }
            Err(error) => {
                tracing::debug!(%error, "no stills of a moving picture");
                (one_still(ffmpeg, &input, &files, taken.files).await?, None, false)
            }
        };
        Some(Stills {
            probed,
            files,
            timeline,
            is_cut,
        })
    }
}

/// Puts each still on the disk as it comes, so that only one is in memory.
async fn take(mut decoding: Decoding, files: &Files) -> Taken {
    let mut taken = Vec::new();
    let end = loop {
        match decoding.next().await {
            Ok(Some(still)) => match stage_png(files, still).await {
                Some(staged) => taken.push(staged),
                None => break Err(FfmpegError::Garbage),
            },
            Ok(None) => break Ok(decoding.is_full()),
            Err(error) => break Err(error),
        }
    };
    Taken { files: taken, end }
}

/// The first of those that came, else one that is asked for alone.
async fn one_still(
    ffmpeg: &Ffmpeg,
    input: &Input,
    files: &Files,
    taken: Vec<(Asset, Staged)>,
) -> Option<Vec<(Asset, Staged)>> {
    if let Some(first) = taken.into_iter().next() {
        return Some(vec![first]);
    }
    let still = ffmpeg.poster(input).await.ok()?;
    Some(vec![stage_png(files, still).await?])
}

/// What a decoder gives is looked at like any other file.
async fn stage_png(files: &Files, bytes: Bytes) -> Option<(Asset, Staged)> {
    let files = files.clone();
    let staging = blocking(move || {
        let staged = files.stage(&bytes, MEDIA_BYTES).ok()?;
        let found = sniff(staged.reader().ok()?).ok()?;
        let is_png = mime_of(&found) == MimeType::Png;
        let asset = describe::asset(staged.name.clone(), MimeType::Png, staged.len)?;
        is_png.then_some((asset, staged))
    });
    staging.await?
}

fn still_timeline(stills: &[(Asset, Staged)], pace: &Pace) -> Option<Timeline> {
    let duration_ms = Positive::new(pace.period_ms)?;
    let shown = stills
        .iter()
        .map(|(asset, _)| (Shown::Picture(asset.clone()), duration_ms));
    timeline::put_together(shown.collect())
        .ok()
        .map(|(timeline, _)| timeline)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
