//! Still pictures of moving ones, added to what is said about them.

use bytes::Bytes;
use sidewire_agent::store::Store;
use sidewire_contract::media::{Asset, Media, MimeType, Timeline};
use sidewire_contract::number::Positive;

use super::ffmpeg::{DEGRADATION, Input, Probed};
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
        let Some(stills) = self.stills(store, item, fps).await else {
            media.degradation = Some(DEGRADATION.to_owned());
            return Vec::new();
        };
        media.width = stills.probed.width.or(media.width);
        media.height = stills.probed.height.or(media.height);
        let first = stills.files.first().map(|(asset, _)| asset.clone());
        media.poster = first;
        media.timeline = stills.timeline;
        let played = media.timeline.as_ref().and_then(timeline::duration);
        media.duration_ms = stills.probed.duration_ms.or(media.duration_ms).or(played);
        if media.timeline.is_none() {
            media.degradation = Some(DEGRADATION.to_owned());
        }
        stills
            .files
            .into_iter()
            .map(|(asset, staged)| (asset, Some(staged)))
            .collect()
    }

    async fn stills(&self, store: &Store, item: &Item, fps: u8) -> Option<Stills> {
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
        let (stills, moves) = match ffmpeg.frames(&input, fps).await {
            Ok(frames) => (frames, true),
            Err(error) => {
                tracing::debug!(%error, "no stills of a moving picture");
                (vec![ffmpeg.poster(&input).await.ok()?], false)
            }
        };
        let files = blocking(move || stage_pngs(&files, stills)).await??;
        let assets = files.iter().map(|(asset, _)| asset.clone());
        let timeline = if moves {
            still_timeline(assets.collect(), fps)
        } else {
            None
        };
        Some(Stills {
            probed,
            files,
            timeline,
        })
    }
}

/// What a decoder gives is looked at like any other file.
fn stage_pngs(files: &Files, stills: Vec<Bytes>) -> Option<Vec<(Asset, Staged)>> {
    let stage = |bytes: Bytes| {
        let staged = files.stage(&bytes, MEDIA_BYTES).ok()?;
        let found = sniff(staged.reader().ok()?).ok()?;
        let is_png = mime_of(&found) == MimeType::Png;
        let asset = describe::asset(staged.name.clone(), MimeType::Png, staged.len)?;
        is_png.then_some((asset, staged))
    };
    stills.into_iter().map(stage).collect()
}

fn still_timeline(stills: Vec<Asset>, fps: u8) -> Option<Timeline> {
    let duration_ms = Positive::new(1000_u64.div_ceil(u64::from(fps.max(1))))?;
    let shown = stills
        .into_iter()
        .map(|asset| (Shown::Picture(asset), duration_ms));
    timeline::put_together(shown.collect())
        .ok()
        .map(|(timeline, _)| timeline)
}
