//! Native messaging frames: a 32-bit length in the machine's byte order, then that many bytes of JSON.
//!
//! The limit is checked on the length alone, before anything is allocated.

use std::io::{self, Read, Write};

/// Bytes before the payload.
pub const HEADER_LEN: usize = 4;

/// Most that is reserved before bytes have come: a length is only a claim.
const INITIAL_CAPACITY: usize = 64 * 1024;

/// A payload above the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("frame of {len} bytes exceeds the limit of {limit}")]
pub struct TooLarge {
    /// Its length.
    pub len: usize,
    /// The limit.
    pub limit: usize,
}

/// Why no frame could be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The length is above the limit; the payload has not been read.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The stream ended within a frame.
    #[error("stream ended within a frame")]
    Truncated,
    /// The stream failed.
    #[error("stream failed")]
    Io(#[source] io::Error),
}

/// Why no frame could be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The payload is above the limit; nothing has been written.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The stream failed.
    #[error("stream failed")]
    Io(#[source] io::Error),
}

/// Puts header and payload into one buffer, so that one write sends both.
///
/// # Errors
/// When the payload is above the limit.
pub fn encode(payload: &[u8], limit: usize) -> Result<Vec<u8>, TooLarge> {
    let too_large = TooLarge {
        len: payload.len(),
        limit,
    };
    let len = u32::try_from(payload.len())
        .ok()
        .filter(|_| payload.len() <= limit)
        .ok_or(too_large)?;
    let mut frame = Vec::with_capacity(HEADER_LEN + payload.len());
    frame.extend_from_slice(&len.to_ne_bytes());
    frame.extend_from_slice(payload);
    Ok(frame)
}

/// Reads the length of the payload that follows.
///
/// # Errors
/// When it is above the limit.
pub fn decode_header(header: [u8; HEADER_LEN], limit: usize) -> Result<usize, TooLarge> {
    // A length that does not fit into a usize is above any limit.
    let len = usize::try_from(u32::from_ne_bytes(header)).unwrap_or(usize::MAX);
    if len > limit {
        Err(TooLarge { len, limit })
    } else {
        Ok(len)
    }
}

/// Reads a header; none at the end of the stream.
///
/// # Errors
/// When the length is above the limit, or the stream fails or ends within the header.
pub fn read_header(reader: &mut impl Read, limit: usize) -> Result<Option<usize>, ReadError> {
    let mut header = Vec::with_capacity(HEADER_LEN);
    reader
        .take(HEADER_LEN as u64)
        .read_to_end(&mut header)
        .map_err(ReadError::Io)?;
    if header.is_empty() {
        return Ok(None);
    }
    let header = header.try_into().map_err(|_| ReadError::Truncated)?;
    Ok(Some(decode_header(header, limit)?))
}

/// Reads a payload of known length.
///
/// # Errors
/// When the stream fails or ends too early.
pub fn read_payload(reader: &mut impl Read, len: usize) -> Result<Vec<u8>, ReadError> {
    let mut payload = Vec::with_capacity(len.min(INITIAL_CAPACITY));
    reader
        .take(as_u64(len))
        .read_to_end(&mut payload)
        .map_err(ReadError::Io)?;
    if payload.len() == len {
        Ok(payload)
    } else {
        Err(ReadError::Truncated)
    }
}

/// Reads past a payload of known length without keeping it.
///
/// # Errors
/// When the stream fails or ends too early.
pub fn skip_payload(reader: &mut impl Read, len: usize) -> Result<(), ReadError> {
    let skipped = io::copy(&mut reader.take(as_u64(len)), &mut io::sink()).map_err(ReadError::Io)?;
    if skipped == as_u64(len) {
        Ok(())
    } else {
        Err(ReadError::Truncated)
    }
}

/// Reads a whole frame; none at the end of the stream.
///
/// # Errors
/// When the length is above the limit, or the stream fails or ends within the frame.
pub fn read_frame(reader: &mut impl Read, limit: usize) -> Result<Option<Vec<u8>>, ReadError> {
    read_header(reader, limit)?
        .map(|len| read_payload(reader, len))
        .transpose()
}

/// Writes a whole frame and flushes it.
///
/// # Errors
/// When the payload is above the limit or the stream fails.
pub fn write_frame(writer: &mut impl Write, payload: &[u8], limit: usize) -> Result<(), WriteError> {
    let frame = encode(payload, limit)?;
    writer
        .write_all(&frame)
        .and_then(|()| writer.flush())
        .map_err(WriteError::Io)
}

fn as_u64(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_go_both_ways() {
        for len in [0, 1, 65_535, 65_536, 65_537, 1_048_576] {
            let payload = vec![b'x'; len];
            let mut stream = Vec::new();
            write_frame(&mut stream, &payload, 1_048_576).unwrap();
            write_frame(&mut stream, b"{}", 1_048_576).unwrap();
            let mut reader = stream.as_slice();
            assert_eq!(read_frame(&mut reader, 1_048_576).unwrap(), Some(payload));
            assert_eq!(read_frame(&mut reader, 1_048_576).unwrap(), Some(b"{}".to_vec()));
            assert_eq!(read_frame(&mut reader, 1_048_576).unwrap(), None);
        }
    }

    #[test]
    fn the_limit_is_the_longest_that_passes() {
        for limit in [crate::limits::NATIVE_OUT, crate::limits::NATIVE_IN] {
            let header = |len: usize| u32::try_from(len).unwrap().to_ne_bytes();
            assert_eq!(decode_header(header(limit - 1), limit), Ok(limit - 1));
            assert_eq!(decode_header(header(limit), limit), Ok(limit));
            assert_eq!(
                decode_header(header(limit + 1), limit),
                Err(TooLarge {
                    len: limit + 1,
                    limit
                })
            );
        }
        assert!(encode(&[0; 9], 10).is_ok() && encode(&[0; 10], 10).is_ok());
        assert_eq!(encode(&[0; 11], 10), Err(TooLarge { len: 11, limit: 10 }));
    }

    #[test]
    fn a_stream_that_ends_within_a_frame_is_truncated() {
        let frame = encode(b"{}", 10).unwrap();
        for end in 1..frame.len() {
            let result = read_frame(&mut &frame[..end], 10);
            assert!(matches!(result, Err(ReadError::Truncated)), "{end}: {result:?}");
        }
    }

    #[test]
    fn a_skipped_payload_leaves_the_stream_at_the_next_frame() {
        let mut stream = encode(&[b'x'; 100], 100).unwrap();
        stream.extend(encode(b"{}", 100).unwrap());
        let mut reader = stream.as_slice();
        let len = read_header(&mut reader, 100).unwrap().unwrap();
        skip_payload(&mut reader, len).unwrap();
        assert_eq!(read_frame(&mut reader, 100).unwrap(), Some(b"{}".to_vec()));
        assert!(matches!(skip_payload(&mut reader, 1), Err(ReadError::Truncated)));
    }

    #[test]
    fn a_claimed_length_allocates_nothing() {
        let header = u32::MAX.to_ne_bytes();
        assert!(matches!(
            read_frame(&mut header.as_slice(), crate::limits::NATIVE_IN),
            Err(ReadError::TooLarge(_))
        ));
        let claim = u32::try_from(crate::limits::NATIVE_IN).unwrap().to_ne_bytes();
        assert!(matches!(
            read_frame(&mut claim.as_slice(), crate::limits::NATIVE_IN),
            Err(ReadError::Truncated)
        ));
    }
}
