//! Takes a stream of PNG files apart; of what is in them it knows only where they end.

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::FfmpegError;

/// Most bytes of one still.
const STILL_BYTES: u64 = 25 * 1024 * 1024;
pub(super) const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
const CHECKSUM: u64 = 4;

/// The next file; none at the end of the stream.
pub(super) async fn read_png(output: &mut (impl AsyncRead + Unpin)) -> Result<Option<Vec<u8>>, FfmpegError> {
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
