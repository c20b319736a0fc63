//! What FFmpeg's probe prints about a moving picture.

use std::time::Duration;

use serde::Deserialize;
use sidewire_contract::number::Positive;

/// What it is asked for. Some formats do not say how long they play; counting tells.
pub(super) const ENTRIES: &str = "stream=width,height,nb_read_packets,avg_frame_rate:format=duration";

/// What a probe says of a moving picture.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Probed {
    pub(in super::super) width: Option<Positive>,
    pub(in super::super) height: Option<Positive>,
    pub(in super::super) duration_ms: Option<Positive>,
}

/// Its JSON.
#[derive(Deserialize)]
pub(super) struct ProbeOutput {
    #[serde(default)]
    streams: Vec<ProbeStream>,
    format: Option<ProbeFormat>,
}

#[derive(Deserialize)]
struct ProbeStream {
    width: Option<u32>,
    height: Option<u32>,
    nb_read_packets: Option<String>,
    avg_frame_rate: Option<String>,
}

#[derive(Deserialize)]
struct ProbeFormat {
    duration: Option<String>,
}

impl From<ProbeOutput> for Probed {
    fn from(said: ProbeOutput) -> Self {
        let stream = said.streams.first();
        let side = |pixels: Option<u32>| pixels.and_then(|pixels| Positive::new(pixels.into()));
        let duration = said.format.and_then(|format| milliseconds(&format.duration?));
        Self {
            width: side(stream.and_then(|stream| stream.width)),
            height: side(stream.and_then(|stream| stream.height)),
            duration_ms: duration.or_else(|| counted(stream?)),
        }
    }
}

/// Seconds with a fraction, as milliseconds.
fn milliseconds(text: &str) -> Option<Positive> {
    let seconds: f64 = text.parse().ok()?;
    let duration = Duration::try_from_secs_f64(seconds).ok()?;
    Positive::new(u64::try_from(duration.as_millis()).ok()?)
}

/// How long that many pictures stay at their usual rate.
fn counted(stream: &ProbeStream) -> Option<Positive> {
    let count: u64 = stream.nb_read_packets.as_ref()?.parse().ok()?;
    let (pictures, seconds) = stream.avg_frame_rate.as_ref()?.split_once('/')?;
    let (pictures, seconds): (u64, u64) = (pictures.parse().ok()?, seconds.parse().ok()?);
    let duration = count.checked_mul(1000)?.checked_mul(seconds)?;
    Positive::new(duration.checked_div(pictures)?)
}
