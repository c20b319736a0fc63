//! Media files of conversations: kept by their hash, described for clients, read in parts.
//!
//! Reading order: bytes come in ([`incoming`]) and lie in a folder ([`blobs`]) or in memory ([`files`]), their type is read from
//! them ([`sniff`]), moving pictures get stills when FFmpeg is there ([`ffmpeg`]), a descriptor says what there is
//! ([`describe`]), and the [`Library`] does all of it for one conversation. [`network`] fetches what a model wants to
//! show. Fronts and adapters use it; it knows neither.

mod blobs;
mod chunk;
mod describe;
mod ffmpeg;
mod files;
mod incoming;
mod ingest;
mod intake;
mod library;
mod mp4;
pub(crate) mod network;
mod results;
mod sniff;
mod stills;
mod timeline;

pub(crate) use chunk::{Part, Unavailable, Wanted};
pub(crate) use describe::{About, Playing};
pub(crate) use ingest::{Address, ImageBlock, IngestError, Source};
pub(crate) use library::{Library, LibraryConfig, Place};
pub(crate) use timeline::{Content, Frame, FramesError, check_count};

/// Most bytes of one file, and of all files of one timeline.
pub(crate) const MEDIA_BYTES: u64 = 100 * 1024 * 1024;

/// Runs what waits for the disk beside the connections' own threads; `None` when the worker is ending.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
