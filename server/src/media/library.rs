//! Everything about media for one conversation: take it in, show it, read it, clear it away.
//!
//! What [`Library::show`] returns may be announced: its files are in their place and durably referenced.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use sidewire_agent::ids::{ConversationId, Owner};
use sidewire_agent::session::now_ms;
use sidewire_agent::store::{AddBlobsError, MEMORY_FILE_BYTES, Store, StoreError};
use sidewire_contract::ids::BlobRef;
use sidewire_contract::media::{Asset, Media, MediaKind, MimeType, Timeline};
use sidewire_contract::number::Positive;

use super::blobs::{BlobError, BlobFolder};
use super::chunk::{Part, Unavailable, Wanted};
use super::describe::{self, About};
use super::ffmpeg::{DEGRADATION, Ffmpeg, Input, Probed};
use super::files::Files;
use super::incoming::{IncomingError, Staged};
use super::network::{self, FetchError, Internet, Outside};
use super::sniff::{Found, Picture, SniffError, sniff};
use super::timeline::{self, Content, Frame, FramesError, Shown};
use super::{MEDIA_BYTES, blocking};
use crate::private_file::PrivateFileError;

/// Most bytes of a picture that is given to a model.
const MODEL_PICTURE_BYTES: u64 = 20 * 1024 * 1024;

/// What a library is made of; `app.rs` fills it.
pub(crate) struct LibraryConfig {
    /// Where files lie.
    pub(crate) folder: PathBuf,
    /// Most bytes of all files together.
    pub(crate) quota: u64,
    /// Where FFmpeg is looked for.
    pub(crate) search_path: Option<OsString>,
}

/// The media of all conversations. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Library {
    inner: Arc<Inner>,
}

struct Inner {
    folder: Arc<BlobFolder>,
    quota: u64,
    ffmpeg: Option<Ffmpeg>,
    outside: Box<dyn Outside>,
}

/// Where media is shown.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The store of the conversation.
    pub(crate) store: &'a Store,
    /// The conversation.
    pub(crate) conversation: ConversationId,
}

/// A file that can be shown.
pub(crate) enum Source {
    /// One that is new here.
    New(Staged),
    /// One that this conversation shows already.
    Kept(Asset),
}

/// A picture in the result of a tool.
pub(crate) struct ImageBlock<'a> {
    /// Its bytes in base64.
    pub(crate) data: &'a str,
    /// What the tool says it is.
    pub(crate) mime_type: &'a str,
    /// Name of the tool.
    pub(crate) tool: &'a str,
}

/// Why media is not shown. The texts are for a model and name no place on this machine.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IngestError {
    /// Its bytes were not taken.
    #[error(transparent)]
    Incoming(#[from] IncomingError),
    /// It is of no known kind.
    #[error(transparent)]
    Kind(#[from] SniffError),
    /// It says to be something else.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A text is no piece of media by itself.
    #[error("a text is shown as a frame, not as a picture")]
    TextAlone,
    /// It was to be a picture.
    #[error("an image in a result has to be a picture in base64")]
    NoPicture,
    /// Its frames do not go together.
    #[error(transparent)]
    Frames(#[from] FramesError),
    /// Its reference was not stored, for want of room or another reason.
    #[error(transparent)]
    Reference(#[from] AddBlobsError),
    /// Its file could not be put in place or read.
    #[error(transparent)]
    File(#[from] BlobError),
    /// The worker is ending.
    #[error("the worker is ending")]
    Ending,
}

/// A file, looked at, on its way to be shown.
struct Item {
    asset: Asset,
    staged: Option<Staged>,
    found: Found,
}

impl Library {
    /// Opens or creates the folder.
    pub(crate) fn open(config: LibraryConfig) -> Result<Self, PrivateFileError> {
        let ffmpeg = Ffmpeg::find(config.search_path.as_deref());
        Self::with(config, ffmpeg, Box::new(Internet))
    }

    fn with(
        config: LibraryConfig,
        ffmpeg: Option<Ffmpeg>,
        outside: Box<dyn Outside>,
    ) -> Result<Self, PrivateFileError> {
        Ok(Self {
            inner: Arc::new(Inner {
                folder: Arc::new(BlobFolder::open(config.folder)?),
                quota: config.quota,
                ffmpeg,
                outside,
            }),
        })
    }

    fn files(&self, store: &Store) -> Files {
        Files::of(store, &self.inner.folder)
    }

    /// Takes bytes in; nothing is shown yet.
    pub(crate) async fn stage(&self, store: &Store, bytes: Bytes) -> Result<Source, IngestError> {
        let files = self.files(store);
        let staged = blocking(move || files.stage(&bytes, MEDIA_BYTES)).await;
        Ok(Source::New(staged.ok_or(IngestError::Ending)??))
    }

    /// A file that this conversation shows already, by its reference.
    pub(crate) async fn kept(
        &self,
        place: Place<'_>,
        reference: &BlobRef,
    ) -> Result<Option<Source>, StoreError> {
        let found = place
            .store
            .blob_of_conversation(place.conversation, reference)
            .await?;
        Ok(found.map(Source::Kept))
    }

    /// Fetches a public file; gives what it is said to be beside it.
    pub(crate) async fn fetch(
        &self,
        store: &Store,
        url: &str,
        tool: &str,
    ) -> Result<(Source, About), IngestError> {
        let fetching = async {
            let mut fetched = network::open(self.inner.outside.as_ref(), url).await?;
            let staged = self.receive(store, &mut fetched).await?;
            Ok((staged, fetched.url, fetched.said))
        };
        let (staged, url, said) = network::in_time(fetching).await?;
        let (staged, found) = look(staged).await?;
        network::check_type(said.as_deref(), mime_of(&found))?;
        Ok((Source::New(staged), About::of_url(&url, tool)))
    }

    async fn receive(&self, store: &Store, fetched: &mut network::Fetched) -> Result<Staged, FetchError> {
        let mut incoming = self.files(store).incoming(MEDIA_BYTES)?;
        while let Some(bytes) = fetched.next().await? {
            // A few milliseconds at most: a network piece is small, and it goes to the page cache.
            incoming.write(&bytes)?;
        }
        let finished = blocking(move || incoming.finish()).await;
        Ok(finished.ok_or(FetchError::TooSlow)??)
    }

    /// Shows an image block of a tool's result.
    pub(crate) async fn ingest_image_block(
        &self,
        place: Place<'_>,
        block: ImageBlock<'_>,
    ) -> Result<Media, IngestError> {
        let decoded = base64_simd::STANDARD.decode_to_vec(block.data);
        let bytes = decoded.map_err(|_| IngestError::NoPicture)?;
        let (len, began) = (bytes.len(), Instant::now());
        let source = self.stage(place.store, bytes.into()).await?;
        let item = self.item(place.store, source).await?;
        network::check_type(Some(block.mime_type), mime_of(&item.found))?;
        match &item.found {
            Found::Picture(picture) if picture.kind != MediaKind::Video => {
                let shown = self.show_item(place, item, About::of_tool(block.tool)).await;
                tracing::debug!(len, micros = began.elapsed().as_micros(), "an image was taken in");
                shown
            }
            Found::Picture(_) | Found::Text(_) => Err(IngestError::NoPicture),
        }
    }

    /// Shows a file in a conversation.
    pub(crate) async fn show(
        &self,
        place: Place<'_>,
        source: Source,
        about: About,
    ) -> Result<Media, IngestError> {
        let item = self.item(place.store, source).await?;
        self.show_item(place, item, about).await
    }

    async fn show_item(&self, place: Place<'_>, item: Item, about: About) -> Result<Media, IngestError> {
        let Found::Picture(picture) = item.found else {
            return Err(IngestError::TextAlone);
        };
        let fps = about.playing.fps_cap;
        let media = describe::picture(item.asset.clone(), &picture, about);
        let mut media = media.ok_or(SniffError::Unsupported)?;
        let mut shown = Vec::new();
        if picture.kind != MediaKind::Image {
            shown = self.add_stills(place.store, &item, fps, &mut media).await;
        }
        shown.push((item.asset, item.staged));
        self.publish(place, shown).await?;
        Ok(media)
    }

    /// Shows frames one after the other.
    pub(crate) async fn show_frames(
        &self,
        place: Place<'_>,
        frames: Vec<Frame>,
        about: About,
    ) -> Result<Media, IngestError> {
        timeline::check_count(frames.len())?;
        let (mut shown, mut files, mut total) = (Vec::new(), Vec::new(), 0_u64);
        for frame in frames {
            let content = match frame.content {
                Content::Text(text) => Shown::Text(text),
                Content::Source(source) => {
                    let item = self.item(place.store, source).await?;
                    total = total.saturating_add(item.asset.bytes.get());
                    if total > MEDIA_BYTES {
                        return Err(FramesError::TooLarge.into());
                    }
                    let content = frame_of(&item)?;
                    if matches!(content, Shown::Picture(_)) {
                        files.push((item.asset, item.staged));
                    }
                    content
                }
            };
            shown.push((content, frame.duration_ms));
        }
        let (timeline, poster) = timeline::put_together(shown)?;
        let media = describe::timeline(timeline, poster, about).ok_or(FramesError::None)?;
        self.publish(place, files).await?;
        Ok(media)
    }

    async fn item(&self, store: &Store, source: Source) -> Result<Item, IngestError> {
        match source {
            Source::New(staged) => {
                let (staged, found) = look(staged).await?;
                let asset = describe::asset(staged.name.clone(), mime_of(&found), staged.len);
                Ok(Item {
                    asset: asset.ok_or(IncomingError::Empty)?,
                    staged: Some(staged),
                    found,
                })
            }
            Source::Kept(asset) => {
                let files = self.files(store);
                let looking = blocking(move || -> Result<_, IngestError> {
                    let found = sniff(files.reader(&asset)?)?;
                    Ok((asset, found))
                });
                let (asset, found) = looking.await.ok_or(IngestError::Ending)??;
                Ok(Item {
                    asset,
                    staged: None,
                    found,
                })
            }
        }
    }

    /// Adds what FFmpeg makes of a moving picture, or says that there is nothing.
    async fn add_stills(
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

    /// References first, places second: no sweep can come in between (see `store/blobs.rs`).
    async fn publish(
        &self,
        place: Place<'_>,
        files: Vec<(Asset, Option<Staged>)>,
    ) -> Result<(), IngestError> {
        self.refer(place, files.iter().map(|(asset, _)| asset.clone()).collect())
            .await?;
        let target = self.files(place.store);
        let placing = blocking(move || {
            files
                .into_iter()
                .filter_map(|(_, staged)| staged)
                .try_for_each(|staged| target.place(staged))
        });
        Ok(placing.await.ok_or(IngestError::Ending)??)
    }

    async fn refer(&self, place: Place<'_>, mut assets: Vec<Asset>) -> Result<(), AddBlobsError> {
        assets.sort_by(|one, other| one.reference.cmp(&other.reference));
        assets.dedup();
        let Place { store, conversation } = place;
        let quota = match store.memory_files() {
            Some(_) => MEMORY_FILE_BYTES as u64,
            None => self.inner.quota,
        };
        match store.blobs_add(conversation, assets.clone(), quota).await {
            Err(AddBlobsError::Full { .. }) => {
                // Deleted conversations whose time has run out may be what is in the way.
                store.purge(now_ms()).await?;
                store.blobs_add(conversation, assets, quota).await
            }
            added => added,
        }
    }

    /// Reads a part of a file that some conversation of this owner shows, and makes something of it beside the
    /// connections' own threads.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        (store, owner): (&Store, &Owner),
        wanted: Wanted,
        finish: impl FnOnce(Part) -> T + Send + 'static,
    ) -> Result<T, Unavailable> {
        let asset = store.blob_of_owner(owner, &wanted.reference).await?;
        let asset = asset.ok_or(Unavailable::NotAnnounced)?;
        let (offset, len) = wanted.range(asset.bytes.get())?;
        let files = self.files(store);
        let reading = blocking(move || {
            let bytes = files.read(&asset, (offset, len))?;
            Ok(finish(Part { asset, offset, bytes }))
        });
        reading.await.ok_or(Unavailable::Ending)?
    }

    /// The bytes of a picture that this store shows somewhere, for a model.
    pub(super) async fn image_bytes(&self, store: &Store, name: &BlobRef) -> Option<Bytes> {
        let (files, name) = (self.files(store), name.clone());
        blocking(move || files.read_whole(&name, MODEL_PICTURE_BYTES))
            .await?
            .ok()
    }

    /// Removes the files that no conversation shows any more. What fails is tried again with the next call.
    pub(crate) async fn collect(&self, store: &Store) {
        let files = self.files(store);
        let tidying = files.clone();
        let names = match blocking(move || tidying.tidy()).await {
            Some(Ok(names)) => names,
            Some(Err(error)) => return tracing::warn!(%error, "media files cannot be listed"),
            None => return,
        };
        match store.blobs_sweep(names, move |name| files.remove(name)).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "removed media that no conversation shows"),
            Err(error) => tracing::warn!(%error, "media files cannot be swept"),
        }
    }
}

/// What FFmpeg made of a moving picture.
struct Stills {
    probed: Probed,
    files: Vec<(Asset, Staged)>,
    timeline: Option<Timeline>,
}

async fn look(staged: Staged) -> Result<(Staged, Found), IngestError> {
    let looking = blocking(move || -> Result<_, IngestError> {
        let found = sniff(staged.reader().map_err(SniffError::from)?)?;
        Ok((staged, found))
    });
    looking.await.ok_or(IngestError::Ending)?
}

fn mime_of(found: &Found) -> MimeType {
    match found {
        Found::Picture(picture) => picture.mime,
        Found::Text(_) => MimeType::Text,
    }
}

fn frame_of(item: &Item) -> Result<Shown, FramesError> {
    match &item.found {
        Found::Text(text) => Ok(Shown::Text(text.clone())),
        Found::Picture(Picture {
            kind: MediaKind::Video,
            ..
        }) => Err(FramesError::Film),
        Found::Picture(_) => Ok(Shown::Picture(item.asset.clone())),
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

#[cfg(test)]
mod tests;
