//! The media of all conversations as one thing to hold: where its files are, reading them, clearing them away.
//! Taking media in and showing it is in [`super::ingest`].

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use sidewire_agent::ids::{ConversationId, Owner};
use sidewire_agent::provider::PICTURE_BYTES;
use sidewire_agent::store::Store;
use sidewire_contract::ids::BlobRef;

use super::blobs::BlobFolder;
use super::blocking;
use super::chunk::{Part, Unavailable, Wanted};
use super::ffmpeg::Ffmpeg;
use super::files::{Files, Shelves};
use super::network::{Internet, Outside};
use crate::private_file::PrivateFileError;

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
    pub(super) inner: Arc<Inner>,
}

/// What its clones share.
pub(super) struct Inner {
    shelves: Shelves,
    pub(super) ffmpeg: Option<Ffmpeg>,
    pub(super) outside: Box<dyn Outside>,
}

/// Where media is shown.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The store of the conversation.
    pub(crate) store: &'a Store,
    /// The conversation.
    pub(crate) conversation: ConversationId,
}

impl Library {
    /// Opens or creates the folder.
    pub(crate) fn open(config: LibraryConfig) -> Result<Self, PrivateFileError> {
        let ffmpeg = Ffmpeg::find(config.search_path.as_deref());
        Self::with(config, ffmpeg, Box::new(Internet::new()))
    }

    pub(super) fn with(
        config: LibraryConfig,
        ffmpeg: Option<Ffmpeg>,
        outside: Box<dyn Outside>,
    ) -> Result<Self, PrivateFileError> {
        Ok(Self {
            inner: Arc::new(Inner {
                shelves: Shelves::new(BlobFolder::open(config.folder)?, config.quota),
                ffmpeg,
                outside,
            }),
        })
    }

    pub(super) fn files(&self, store: &Store) -> Files {
        Files::of(store, &self.inner.shelves)
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
        blocking(move || files.read_whole(&name, PICTURE_BYTES as u64))
            .await?
            .ok()
    }

    /// Removes the files that no conversation shows any more, and forgets those that are gone. What fails is tried
    /// again with the next call.
    pub(crate) async fn collect(&self, store: &Store) {
        let files = self.files(store);
        let tidying = files.clone();
        let names = match blocking(move || tidying.tidy()).await {
            Some(Ok(names)) => names,
            Some(Err(error)) => return tracing::warn!(%error, "media files cannot be listed"),
            None => return,
        };
        let removing = files.clone();
        let swept = store.blobs_sweep(names.clone(), move |name| removing.remove(name));
        match swept.await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "removed media that no conversation shows"),
            Err(error) => tracing::warn!(%error, "media files cannot be swept"),
        }
        match store.blobs_forget(names, move |name| files.has(name)).await {
            Ok(0) => {}
            Ok(count) => tracing::warn!(count, "forgot media whose files are gone"),
            Err(error) => tracing::warn!(%error, "media files cannot be compared with what is shown"),
        }
    }
}
