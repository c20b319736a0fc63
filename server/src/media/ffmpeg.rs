//! Stills of moving pictures, when FFmpeg is installed. It decodes in a process of its own, with bounds on time, size
//! and number, reads nothing but its one input, and what it gives is checked like anything from outside.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use sidewire_contract::media::MimeType;
use sidewire_contract::number::Positive;
use tokio::io::{AsyncRead, AsyncReadExt as _, BufReader};

use super::MEDIA_BYTES;
use super::timeline::FRAMES;
use crate::process::{Filter, start_filter};

/// What is said when there are no stills (chat-worker.md §6.3).
pub(super) const DEGRADATION: &str =
    "FFmpeg 6+ is unavailable or could not decode bounded animation frames; showing a static poster.";

/// Most pixels of a still from left to right.
const WIDTH: u32 = 1920;
const FRAMES_TIME: Duration = Duration::from_secs(30);
const POSTER_TIME: Duration = Duration::from_secs(15);
const PROBE_TIME: Duration = Duration::from_secs(10);
/// Most bytes of one still.
const STILL_BYTES: u64 = 25 * 1024 * 1024;
const PROBE_BYTES: u64 = 64 * 1024;

/// The programs, where they are installed.
#[derive(Clone, Debug)]
pub(super) struct Ffmpeg {
    decoder: PathBuf,
    probe: PathBuf,
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

/// What a probe says of a moving picture.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Probed {
    pub(super) width: Option<Positive>,
    pub(super) height: Option<Positive>,
    pub(super) duration_ms: Option<Positive>,
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
        })
    }

    /// Up to [`FRAMES`] stills at this rate, in order.
    pub(super) async fn frames(&self, input: &Input, fps: u8) -> Result<Vec<Bytes>, FfmpegError> {
        let filter = format!("fps={fps},{}", scale());
        let stills = self.stills(input, &filter, FRAMES);
        within(FRAMES_TIME, stills).await
    }

    /// The first still.
    pub(super) async fn poster(&self, input: &Input) -> Result<Bytes, FfmpegError> {
        let filter = scale();
        let mut stills = within(POSTER_TIME, self.stills(input, &filter, 1)).await?;
        stills.pop().ok_or(FfmpegError::Garbage)
    }

    async fn stills(&self, input: &Input, filter: &str, most: usize) -> Result<Vec<Bytes>, FfmpegError> {
        let mut args = quiet(input);
        let most_text = most.to_string();
        args.extend(
            [
                "-map",
                "0:v:0",
                "-an",
                "-sn",
                "-dn",
                "-vf",
                filter,
                "-frames:v",
                &most_text,
                "-c:v",
                "png",
                "-f",
                "image2pipe",
                "pipe:1",
            ]
            .map(OsString::from),
        );
        let mut running = start_filter(self.decoder.as_os_str(), &args, input.bytes())?;
        let stills = read_pngs(&mut running.output, most).await?;
        finish(running).await?;
        Ok(stills)
    }

    /// Size and length, as far as the probe knows.
    pub(super) async fn probe(&self, input: &Input) -> Result<Probed, FfmpegError> {
        let mut args = quiet(input);
        args.extend(
            [
                "-select_streams",
                "v:0",
                "-show_entries",
                "stream=width,height:format=duration",
                "-of",
                "json",
            ]
            .map(OsString::from),
        );
        within(PROBE_TIME, async {
            let mut running = start_filter(self.probe.as_os_str(), &args, input.bytes())?;
            let mut json = Vec::new();
            (&mut running.output)
                .take(PROBE_BYTES)
                .read_to_end(&mut json)
                .await?;
            if json.len() as u64 == PROBE_BYTES {
                return Err(FfmpegError::Garbage);
            }
            finish(running).await?;
            let said: ProbeOutput = serde_json::from_slice(&json).map_err(|_| FfmpegError::Garbage)?;
            Ok(said.into())
        })
        .await
    }
}

/// Whoever gives up on a decoder drops it, which kills it.
async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, FfmpegError>>,
) -> Result<T, FfmpegError> {
    tokio::time::timeout(limit, work)
        .await
        .unwrap_or(Err(FfmpegError::TooSlow))
}

async fn finish(mut running: Filter) -> Result<(), FfmpegError> {
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

/// What both programs are told first: no chatter, no other file, no network, one thread, and what to read.
fn quiet(input: &Input) -> Vec<OsString> {
    let mut args: Vec<OsString> = [
        "-v",
        "error",
        "-protocol_whitelist",
        "file,pipe",
        "-threads",
        "1",
        "-f",
        input.format(),
        "-i",
    ]
    .map(OsString::from)
    .into();
    args.push(input.address());
    args
}

fn scale() -> String {
    format!("scale='min({WIDTH},iw)':-1")
}

#[derive(Deserialize)]
struct ProbeOutput {
    #[serde(default)]
    streams: Vec<ProbeStream>,
    format: Option<ProbeFormat>,
}

#[derive(Deserialize)]
struct ProbeStream {
    width: Option<u32>,
    height: Option<u32>,
}

#[derive(Deserialize)]
struct ProbeFormat {
    duration: Option<String>,
}

impl From<ProbeOutput> for Probed {
    fn from(said: ProbeOutput) -> Self {
        let stream = said.streams.first();
        let side = |pixels: Option<u32>| pixels.and_then(|pixels| Positive::new(pixels.into()));
        let duration = said.format.and_then(|format| format.duration);
        Self {
            width: side(stream.and_then(|stream| stream.width)),
            height: side(stream.and_then(|stream| stream.height)),
            duration_ms: duration.and_then(|text| milliseconds(&text)),
        }
    }
}

/// Seconds with a fraction, as milliseconds.
fn milliseconds(text: &str) -> Option<Positive> {
    let seconds: f64 = text.parse().ok()?;
    let duration = Duration::try_from_secs_f64(seconds).ok()?;
    Positive::new(u64::try_from(duration.as_millis()).ok()?)
}

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
const CHECKSUM: u64 = 4;

/// Takes a stream of PNG files apart, up to its end.
async fn read_pngs(output: &mut (impl AsyncRead + Unpin), most: usize) -> Result<Vec<Bytes>, FfmpegError> {
    let mut output = BufReader::with_capacity(64 * 1024, output);
    let (mut stills, mut total) = (Vec::new(), 0);
    while let Some(still) = read_png(&mut output).await? {
        total += still.len() as u64;
        if stills.len() == most || total > MEDIA_BYTES {
            return Err(FfmpegError::Garbage);
        }
        stills.push(Bytes::from(still));
    }
    if stills.is_empty() {
        return Err(FfmpegError::Garbage);
    }
    Ok(stills)
}

async fn read_png(output: &mut (impl AsyncRead + Unpin)) -> Result<Option<Vec<u8>>, FfmpegError> {
    let mut still = Vec::new();
    output
        .take(SIGNATURE.len() as u64)
        .read_to_end(&mut still)
        .await?;
    if still.is_empty() {
        return Ok(None);
    }
    if still != SIGNATURE {
        return Err(FfmpegError::Garbage);
    }
    loop {
        let mut header = [0; 8];
        output
            .read_exact(&mut header)
            .await
            .map_err(|_short| FfmpegError::Garbage)?;
        let [a, b, c, d, kind @ ..] = header;
        let body = u64::from(u32::from_be_bytes([a, b, c, d])) + CHECKSUM;
        if still.len() as u64 + body > STILL_BYTES {
            return Err(FfmpegError::Garbage);
        }
        still.extend_from_slice(&header);
        let read = output.take(body).read_to_end(&mut still).await?;
        if read as u64 != body {
            return Err(FfmpegError::Garbage);
        }
        if &kind == b"IEND" {
            return Ok(Some(still));
        }
    }
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
mod tests;
