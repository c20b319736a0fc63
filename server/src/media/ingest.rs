//! Taking media in and showing it in a conversation.
//!
//! What [`Library::show`] returns may be announced: its files are in their place and durably referenced.

use bytes::Bytes;
use sidewire_agent::session::now_ms;
use sidewire_agent::store::{AddBlobsError, Store, StoreError};
use sidewire_contract::ids::BlobRef;
use sidewire_contract::media::{Asset, Media, MediaKind, MimeType};

use super::blobs::BlobError;
use super::describe::{self, About};
use super::files::Files;
use super::incoming::{Incoming, IncomingError, Staged};
use super::library::{Library, Place};
use super::network::{self, FetchError};
use super::sniff::{Found, Picture, SniffError, sniff};
use super::timeline::{self, Content, Frame, FramesError, Shown};
use super::{MEDIA_BYTES, blocking};

/// A file that can be shown.
pub(crate) enum Source {
    /// One that is new here.
    New(Looked),
    /// One that this conversation shows already.
    Kept(Asset),
}

impl Source {
    /// How long it is.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::New(looked) => looked.staged.len,
            Self::Kept(asset) => asset.bytes.get(),
        }
    }
}

/// A staged file and what it was found to be, so that nothing is looked at twice.
pub(crate) struct Looked {
    pub(super) staged: Staged,
    found: Found,
}

/// What is fetched.
#[derive(Clone, Copy)]
pub(crate) struct Address<'a> {
    /// Where it is.
    pub(crate) url: &'a str,
    /// Name of the tool that wants it.
    pub(crate) tool: &'a str,
    /// Most bytes it may have.
    pub(crate) limit: u64,
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
    /// The store failed.
    #[error("the conversations could not be read")]
    Store(#[from] StoreError),
    /// The worker is ending.
    #[error("the worker is ending")]
    Ending,
}

/// A file, looked at, on its way to be shown.
pub(super) struct Item {
    pub(super) asset: Asset,
    pub(super) staged: Option<Staged>,
    found: Found,
}

impl Library {
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

    /// Fetches a public file; gives what can be said about it too.
    pub(crate) async fn fetch(
        &self,
        store: &Store,
        wanted: Address<'_>,
    ) -> Result<(Source, About), IngestError> {
        let files = self.make_room(store, (1, wanted.limit)).await?;
        let fetching = async {
            let mut fetched = network::open(self.inner.outside.as_ref(), wanted.url).await?;
            let incoming = files.incoming(wanted.limit)?;
            let staged = receive(incoming, &mut fetched).await?;
            Ok((staged, fetched.url, fetched.said))
        };
        let (staged, url, said) = network::in_time(fetching).await?;
        let looked = look(staged).await?;
        network::check_type(said.as_deref(), mime_of(&looked.found))?;
        Ok((Source::New(looked), About::of_url(&url, wanted.tool)))
    }

    /// Shows an image block of a tool's result.
    pub(crate) async fn ingest_image_block(
        &self,
        place: Place<'_>,
        block: ImageBlock<'_>,
    ) -> Result<Media, IngestError> {
        // Before there is a second copy of it.
        let len = block.data.len() as u64 / 4 * 3;
        let files = self.make_room(place.store, (len, len)).await?;
        let decoded = base64_simd::STANDARD.decode_to_vec(block.data);
        let bytes = decoded.map_err(|_| IngestError::NoPicture)?;
        let source = stage_in(files, bytes.into()).await?;
        let item = self.item(place.store, source).await?;
        network::check_type(Some(block.mime_type), mime_of(&item.found))?;
        match &item.found {
            Found::Picture(picture) if picture.kind != MediaKind::Video => {
                self.show_item(place, item, About::of_tool(block.tool)).await
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
        let media = describe::picture(&item.asset, &picture, about);
        let mut media = media.ok_or(SniffError::Unsupported)?;
        let mut shown = Vec::new();
        if picture.kind != MediaKind::Image {
            self.make_room(place.store, (0, MEDIA_BYTES)).await?;
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
            Source::New(Looked { staged, found }) => {
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

    /// References and places come together (see `store/blobs.rs`), whether or not anybody still waits for it.
    async fn publish(
        &self,
        place: Place<'_>,
        files: Vec<(Asset, Option<Staged>)>,
    ) -> Result<(), IngestError> {
        let (mut assets, staged): (Vec<Asset>, Vec<Option<Staged>>) = files.into_iter().unzip();
        assets.sort_by(|one, other| one.reference.cmp(&other.reference));
        assets.dedup();
        let staged: Vec<Staged> = staged.into_iter().flatten().collect();
        let target = self.files(place.store);
        let preparing = target.clone();
        let prepared = blocking(move || preparing.prepare(&staged).map(|()| staged)).await;
        let staged = prepared
            .ok_or(IngestError::Ending)?
            .map_err(IncomingError::from)?;
        let (quota, placing) = (target.quota(), target.clone());
        let Place { store, conversation } = place;
        let added = store.blobs_add(conversation, assets, quota, move || placing.place(staged));
        match added.await {
            Ok(used) => {
                target.note_shown(used);
                Ok(())
            }
            Err(error) => {
                // Those that got a place before it failed.
                self.collect(store).await;
                Err(error.into())
            }
        }
    }

    /// Clears away what nobody shows when there is no room for the `most` that may come in; fails when the `least` does
    /// not fit even then. Gives where it may go.
    async fn make_room(&self, store: &Store, (least, most): (u64, u64)) -> Result<Files, IngestError> {
        let files = self.files(store);
        files.note_shown(store.blob_bytes().await?);
        if files.room() < most {
            // Deleted conversations whose time has run out may be what is in the way.
            store.purge(now_ms()).await?;
            self.collect(store).await;
            files.note_shown(store.blob_bytes().await?);
        }
        if files.room() < least {
            return Err(IncomingError::NoRoom { quota: files.quota() }.into());
        }
        Ok(files)
    }
}

async fn receive(mut incoming: Incoming, fetched: &mut network::Fetched) -> Result<Staged, FetchError> {
    while let Some(bytes) = fetched.next().await? {
        // Not worth a thread: a piece of the network is small and goes to the page cache.
        incoming.write(&bytes)?;
    }
    let finished = blocking(move || incoming.finish()).await;
    Ok(finished.ok_or(FetchError::TooSlow)??)
}

/// Takes bytes in where there is room for them.
async fn stage_in(files: Files, bytes: Bytes) -> Result<Source, IngestError> {
    let staged = blocking(move || files.stage(&bytes, MEDIA_BYTES)).await;
    let staged = staged.ok_or(IngestError::Ending)??;
    Ok(Source::New(look(staged).await?))
}

async fn look(staged: Staged) -> Result<Looked, IngestError> {
    let looking = blocking(move || -> Result<_, IngestError> {
        let found = sniff(staged.reader().map_err(SniffError::from)?)?;
        Ok(Looked { staged, found })
    });
    looking.await.ok_or(IngestError::Ending)?
}

pub(super) fn mime_of(found: &Found) -> MimeType {
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

#[cfg(test)]
pub(super) mod tests;
