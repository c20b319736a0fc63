//! Size and length of an MP4 film, from the two boxes that say them. No other box is read, whatever it claims.

use std::io::{BufReader, Read, Seek, SeekFrom};

use mp4_atom::{FourCC, Header, Mvhd, ReadAtom as _, ReadFrom as _, Tkhd};
use sidewire_contract::number::Positive;

/// Boxes of one level that are looked at.
const BOXES: usize = 4096;
/// No box that is read is longer.
const BOX_BYTES: usize = 1024;
/// A length that nobody knows yet, in the two widths it is written.
const UNKNOWN: [u64; 2] = [u32::MAX as u64, u64::MAX];

/// What is known of a film.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Film {
    pub(super) width: Option<Positive>,
    pub(super) height: Option<Positive>,
    pub(super) duration_ms: Option<Positive>,
}

/// Not the structure of a film.
#[derive(Debug)]
pub(super) struct Broken;

/// Looks at a film from its beginning.
pub(super) fn look(file: &mut BufReader<impl Read + Seek>) -> Result<Film, Broken> {
    let mut film = Film::default();
    let end = file.seek(SeekFrom::End(0)).map_err(broken)?;
    if look_within(file, 0..end, &mut film)? {
        Ok(film)
    } else {
        Err(Broken)
    }
}

/// Visits the boxes of a level; true when the description of the film was among them.
fn look_within(
    file: &mut BufReader<impl Read + Seek>,
    range: std::ops::Range<u64>,
    film: &mut Film,
) -> Result<bool, Broken> {
    let mut described = false;
    let mut at = range.start;
    for _ in 0..BOXES {
        if at >= range.end {
            return Ok(described);
        }
        file.seek(SeekFrom::Start(at)).map_err(broken)?;
        let header = Header::read_from(file).map_err(broken)?;
        let begin = file.stream_position().map_err(broken)?;
        let next = match header.size {
            Some(size) => begin.saturating_add(size as u64),
            None => range.end,
        };
        if next > range.end {
            return Err(Broken);
        }
        described |= visit(file, &header, begin..next, film)?;
        at = next;
    }
    Err(Broken)
}

fn visit(
    file: &mut BufReader<impl Read + Seek>,
    header: &Header,
    body: std::ops::Range<u64>,
    film: &mut Film,
) -> Result<bool, Broken> {
    let is = |name: &[u8; 4]| header.kind == FourCC::new(name);
    let is_short = header.size.is_some_and(|size| size <= BOX_BYTES);
    if is(b"moov") {
        look_within(file, body, film)?;
        return Ok(true);
    }
    if is(b"trak") {
        look_within(file, body, film)?;
    } else if is(b"mvhd") && is_short {
        film.time(&Mvhd::read_atom(header, file).map_err(broken)?);
    } else if is(b"tkhd") && is_short {
        film.widen(&Tkhd::read_atom(header, file).map_err(broken)?);
    }
    Ok(false)
}

impl Film {
    fn time(&mut self, header: &Mvhd) {
        let known = Some(header.duration).filter(|duration| !UNKNOWN.contains(duration));
        self.duration_ms = known
            .and_then(|duration| duration.checked_mul(1000)?.checked_div(header.timescale.into()))
            .and_then(Positive::new);
    }

    /// The largest track is what is seen; sound has no size.
    fn widen(&mut self, track: &Tkhd) {
        let (width, height) = (track.width.integer(), track.height.integer());
        let area = |width: Option<Positive>, height: Option<Positive>| {
            width.map_or(0, Positive::get) * height.map_or(0, Positive::get)
        };
        if u64::from(width) * u64::from(height) > area(self.width, self.height) {
            self.width = Positive::new(width.into());
            self.height = Positive::new(height.into());
        }
    }
}

fn broken<E>(_error: E) -> Broken {
    Broken
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Cursor;

    use mp4_atom::FixedPoint;

    use super::*;

    fn boxed(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
        let size = u32::try_from(body.len() + 8).unwrap();
        [&size.to_be_bytes(), name.as_slice(), body].concat()
    }

    fn encoded(atom: &impl mp4_atom::Encode) -> Vec<u8> {
        let mut bytes = Vec::new();
        atom.encode(&mut bytes).unwrap();
        bytes
    }

    /// A film of that size and length, without pictures.
    pub(in super::super) fn film(width: u16, height: u16, duration_ms: u64) -> Vec<u8> {
        let time = Mvhd {
            timescale: 1000,
            duration: duration_ms,
            ..Mvhd::default()
        };
        let track = |width: u16, height: u16| {
            boxed(
                b"trak",
                &encoded(&Tkhd {
                    width: FixedPoint::from(width),
                    height: FixedPoint::from(height),
                    ..Tkhd::default()
                }),
            )
        };
        let moov = [encoded(&time), track(0, 0), track(width, height)].concat();
        [
            boxed(b"ftyp", b"isom\0\0\x02\0isomiso2avc1mp41"),
            boxed(b"mdat", &[7; 100]),
            boxed(b"moov", &moov),
        ]
        .concat()
    }

    fn looked(bytes: &[u8]) -> Result<Film, Broken> {
        look(&mut BufReader::new(Cursor::new(bytes)))
    }

    #[test]
    fn size_and_length_are_found_wherever_their_box_is() {
        assert_eq!(
            looked(&film(640, 360, 2500)).unwrap(),
            Film {
                width: Positive::new(640),
                height: Positive::new(360),
                duration_ms: Positive::new(2500),
            }
        );
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let film = looked(&film(0, 0, u64::MAX)).unwrap();
        assert_eq!(film, Film::default());
    }

    #[test]
    fn broken_structures_are_refused() {
        let good = film(640, 360, 2500);
        for end in 0..good.len() - 1 {
            assert!(looked(&good[..end]).is_err(), "cut at {end}");
        }
        let liar = [boxed(b"ftyp", b"isom"), b"\xff\xff\xff\xffmoov".to_vec()].concat();
        assert!(looked(&liar).is_err());
        let many = boxed(b"free", b"").repeat(BOXES + 1);
        assert!(looked(&many).is_err());
        let long = boxed(b"moov", &boxed(b"mvhd", &vec![0; BOX_BYTES + 1]));
        assert_eq!(looked(&long).unwrap(), Film::default());
    }
}
