//! Stills of moving pictures, when FFmpeg is installed. It decodes in a process of its own, with bounds on number,
//! time, memory and size, reads nothing but its one input, and what it gives is checked like anything from outside.

mod pace;
mod png_stream;
mod probe;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use sidewire_contract::media::MimeType;
use tokio::io::AsyncReadExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::MEDIA_BYTES;
use super::timeline::FRAMES;
use crate::process::{Filter, INPUT_IS_FILE, start_filter};
use png_stream::read_png;
use probe::ProbeOutput;

pub(super) use pace::Pace;
pub(super) use probe::Probed;

/// What is said when there are no stills (chat-worker.md §6.3).
pub(super) const DEGRADATION: &str =
    "FFmpeg 6+ is unavailable or could not decode bounded animation frames; showing a static poster.";
/// What is said when there are stills of a part.
pub(super) const DEGRADATION_CUT: &str =
    "Only the beginning is shown as frames; the original file holds the rest.";

/// Decoders that run at a time, of all conversations; the others wait.
const DECODERS: usize = 2;
/// Most pixels of a picture that is decoded: those of an 8K film.
const PIXELS: &str = "36000000";
/// Most bytes that a decoder takes at once: such a picture in full colours takes less.
const BLOCK_BYTES: &str = "268435456";
const FRAMES_TIME: Duration = Duration::from_secs(30);
const POSTER_TIME: Duration = Duration::from_secs(15);
const PROBE_TIME: Duration = Duration::from_secs(10);
const PROBE_BYTES: u64 = 64 * 1024;

/// The programs, where they are installed.
#[derive(Clone, Debug)]
pub(super) struct Ffmpeg {
    decoder: PathBuf,
    probe: PathBuf,
    turns: Arc<Semaphore>,
}

/// What is decoded.
pub(super) struct Input {
    pub(super) mime: MimeType,
    pub(super) place: InputPlace,
}

/// Where it is.
pub(super) enum InputPlace {
    /// On the disk.
    File(PathBuf),
    /// In memory, where it has to stay.
    Memory(Bytes),
}

/// Why there are no stills.
#[derive(Debug, thiserror::Error)]
pub(super) enum FfmpegError {
    #[error("the decoder did not run")]
    Io(#[from] std::io::Error),
    #[error("the decoder took too long")]
    TooSlow,
    #[error("the decoder failed")]
    Failed,
    #[error("the decoder gave something else than pictures within bounds")]
    Garbage,
}

impl Ffmpeg {
    /// Looks for both programs on a search path.
    pub(super) fn find(search_path: Option<&OsStr>) -> Option<Self> {
        let folders: Vec<PathBuf> = std::env::split_paths(search_path?)
            .filter(|folder| folder.is_absolute())
            .collect();
        let find = |name: &str| {
            let candidates = folders.iter().map(|folder| folder.join(name));
            candidates.into_iter().find(|program| is_program(program))
        };
        Some(Self {
            decoder: find("ffmpeg")?,
            probe: find("ffprobe")?,
            turns: Arc::new(Semaphore::new(DECODERS)),
        })
    }

    /// Begins to take stills at this pace, up to [`FRAMES`].
    pub(super) async fn frames(&self, input: &Input, pace: &Pace) -> Result<Decoding, FfmpegError> {
        self.decode(input, &pace.filter(), (FRAMES, FRAMES_TIME)).await
    }

    /// The first still.
    pub(super) async fn poster(&self, input: &Input) -> Result<Bytes, FfmpegError> {
        let mut decoding = self.decode(input, &pace::single(), (1, POSTER_TIME)).await?;
        let still = decoding.next().await?;
        while decoding.next().await?.is_some() {}
        still.ok_or(FfmpegError::Garbage)
    }

    async fn decode(
        &self,
        input: &Input,
        filter: &str,
        (most, time): (usize, Duration),
    ) -> Result<Decoding, FfmpegError> {
        let turn = self.turn().await?;
        let mut args: Vec<OsString> = ["-nostdin", "-filter_threads", "1"].map(OsString::from).into();
        args.extend(quiet(input));
        let most_text = most.to_string();
        args.extend(
            [
                &["-map", "0:v:0", "-an", "-sn", "-dn", "-vf", filter][..],
                &["-frames:v", &most_text, "-threads", "1"],
                &["-c:v", "png", "-pred", "mixed", "-f", "image2pipe", "pipe:1"],
            ]
            .concat()
            .into_iter()
            .map(OsString::from),
        );
        Ok(Decoding {
            running: start_filter(self.decoder.as_os_str(), &args, input.bytes()).await?,
            deadline: Instant::now() + time,
            most,
            count: 0,
            bytes: 0,
            is_full: false,
            _turn: turn,
        })
    }

    /// Size and length, as far as the probe knows.
    pub(super) async fn probe(&self, input: &Input) -> Result<Probed, FfmpegError> {
        let _turn = self.turn().await?;
        let mut args = quiet(input);
        args.extend(
            [
                "-count_packets",
                "-select_streams",
                "v:0",
                "-show_entries",
                probe::ENTRIES,
                "-of",
                "json",
            ]
            .map(OsString::from),
        );
        within(PROBE_TIME, async {
            let mut running = start_filter(self.probe.as_os_str(), &args, input.bytes()).await?;
            let mut json = Vec::new();
            (&mut running.output)
                .take(PROBE_BYTES)
                .read_to_end(&mut json)
                .await?;
            if json.len() as u64 == PROBE_BYTES {
                return Err(FfmpegError::Garbage);
            }
            finish(&mut running).await?;
            let said: ProbeOutput = serde_json::from_slice(&json).map_err(|_| FfmpegError::Garbage)?;
            Ok(said.into())
        })
        .await
    }

    /// Waits until one more program may run.
    async fn turn(&self) -> Result<OwnedSemaphorePermit, FfmpegError> {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        turn.map_err(|_never_closed| FfmpegError::Failed)
    }
}

/// A decoder at work. Whoever gives up on it drops it, which kills it.
pub(super) struct Decoding {
    running: Filter,
    deadline: Instant,
    most: usize,
    count: usize,
    bytes: u64,
    is_full: bool,
    _turn: OwnedSemaphorePermit,
}

impl Decoding {
    /// The next still; none when all are there, or as many bytes as there may be.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, FfmpegError> {
        tokio::time::timeout_at(self.deadline, self.read())
            .await
            .unwrap_or(Err(FfmpegError::TooSlow))
    }

    async fn read(&mut self) -> Result<Option<Bytes>, FfmpegError> {
        let Some(still) = read_png(&mut self.running.output).await? else {
            finish(&mut self.running).await?;
            return if self.count == 0 {
                Err(FfmpegError::Garbage)
            } else {
                Ok(None)
            };
        };
        if self.count == self.most {
            return Err(FfmpegError::Garbage);
        }
        self.bytes = self.bytes.saturating_add(still.len() as u64);
        if self.bytes > MEDIA_BYTES {
            self.is_full = true;
            return Ok(None);
        }
        self.count += 1;
        Ok(Some(still.into()))
    }

    /// Whether it was ended because of the bytes it gave.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, FfmpegError>>,
) -> Result<T, FfmpegError> {
    tokio::time::timeout(limit, work)
        .await
        .unwrap_or(Err(FfmpegError::TooSlow))
}

async fn finish(running: &mut Filter) -> Result<(), FfmpegError> {
    if running.ended_well().await? {
        Ok(())
    } else {
        Err(FfmpegError::Failed)
    }
}

impl Input {
    fn bytes(&self) -> Option<Bytes> {
        match &self.place {
            InputPlace::File(_) => None,
            InputPlace::Memory(bytes) => Some(bytes.clone()),
        }
    }

    fn address(&self) -> OsString {
        match &self.place {
            // Its description may stand at its end, so it has to be read in any order where that can be.
            InputPlace::Memory(_) if INPUT_IS_FILE => "file:/dev/stdin".into(),
            InputPlace::Memory(_) => "pipe:0".into(),
            InputPlace::File(path) => {
                let mut address = OsString::from("file:");
                address.push(path);
                address
            }
        }
    }

    /// Named, so that no content is taken for a playlist or a script.
    fn format(&self) -> &'static str {
        match self.mime {
            MimeType::Mp4 => "mov",
            MimeType::Gif => "gif",
            MimeType::Webp => "webp_pipe",
            MimeType::Png => "apng",
            MimeType::Jpeg | MimeType::Text => "image2",
        }
    }
}

/// What both programs are told first: no chatter, no other file, no network, one thread, bounds, and what to read.
fn quiet(input: &Input) -> Vec<OsString> {
    let mut args: Vec<OsString> = [
        "-v",
        "error",
        "-protocol_whitelist",
        "file,pipe",
        "-max_alloc",
        BLOCK_BYTES,
        "-threads",
        "1",
        "-max_pixels",
        PIXELS,
        "-f",
        input.format(),
        "-i",
    ]
    .map(OsString::from)
    .into();
    args.push(input.address());
    args
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.with_extension("exe").is_file()
}

#[cfg(test)]
#[cfg(unix)]
pub(super) mod tests;
