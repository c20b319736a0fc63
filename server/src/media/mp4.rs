//! Size and length of an MP4 film, from the two boxes that say them. No other box is read, whatever it claims.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

use mp4_atom::{FourCC, Header, Mvhd, ReadAtom as _, ReadFrom as _, Tkhd};
use sidewire_contract::number::Positive;

/// Boxes of a whole file that are looked at; a film in pieces of two seconds has some thousands.
const BOXES: usize = 16_384;
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
    let end = file.seek(SeekFrom::End(0)).map_err(broken)?;
    file.rewind().map_err(broken)?;
    let mut look = Look {
        file,
        boxes_left: BOXES,
        film: None,
    };
    look.within(Level::File, 0..end)?;
    look.film.ok_or(Broken)
}

/// What a box stands in. A box is entered only where it belongs, so boxes within boxes have no depth of their own.
#[derive(Clone, Copy)]
enum Level {
    File,
    Film,
    Track,
}

struct Look<'a, F> {
    file: &'a mut BufReader<F>,
    boxes_left: usize,
    /// None before its description was seen.
    film: Option<Film>,
}

impl<F: Read + Seek> Look<'_, F> {
    fn within(&mut self, level: Level, range: Range<u64>) -> Result<(), Broken> {
        let mut at = range.start;
        while at < range.end {
            self.boxes_left = self.boxes_left.checked_sub(1).ok_or(Broken)?;
            self.go_to(at)?;
            let header = Header::read_from(self.file).map_err(broken)?;
            let begin = self.file.stream_position().map_err(broken)?;
            let next = match header.size {
                Some(size) => begin.saturating_add(size as u64),
                None => range.end,
            };
            if next > range.end {
                return Err(Broken);
            }
            self.visit(level, &header, begin..next)?;
            at = next;
        }
        Ok(())
    }

    /// Keeps what was read ahead, so that many small boxes are not many reads.
    fn go_to(&mut self, at: u64) -> Result<(), Broken> {
        let here = self.file.stream_position().map_err(broken)?;
        let way = i64::try_from(i128::from(at) - i128::from(here)).map_err(broken)?;
        self.file.seek_relative(way).map_err(broken)
    }

    fn visit(&mut self, level: Level, header: &Header, body: Range<u64>) -> Result<(), Broken> {
        let is = |name: &[u8; 4]| header.kind == FourCC::new(name);
        let is_short = header.size.is_some_and(|size| size <= BOX_BYTES);
        match level {
            Level::File if is(b"moov") => {
                self.film.get_or_insert_default();
                self.within(Level::Film, body)
            }
            Level::Film if is(b"trak") => self.within(Level::Track, body),
            Level::Film if is(b"mvhd") && is_short => {
                let time = Mvhd::read_atom(header, self.file).map_err(broken)?;
                self.film.get_or_insert_default().time(&time);
                Ok(())
            }
            Level::Track if is(b"tkhd") && is_short => {
                let track = Tkhd::read_atom(header, self.file).map_err(broken)?;
                self.film.get_or_insert_default().widen(&track);
                Ok(())
            }
            Level::File | Level::Film | Level::Track => Ok(()),
        }
    }
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
        let long = boxed(b"moov", &boxed(b"mvhd", &vec![0; BOX_BYTES + 1]));
        assert_eq!(looked(&long).unwrap(), Film::default());
    }

    /// A file that says how often it was read.
    struct Counted<'a> {
        file: Cursor<&'a [u8]>,
        reads: usize,
    }

    impl Read for Counted<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.reads += 1;
            self.file.read(buffer)
        }
    }

    impl Seek for Counted<'_> {
        fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
            self.file.seek(to)
        }
    }

    /// Says too how often the file was read.
    fn counted(bytes: &[u8]) -> (Result<Film, Broken>, usize) {
        let file = Cursor::new(bytes);
        let mut file = BufReader::new(Counted { file, reads: 0 });
        let found = look(&mut file);
        (found, file.into_inner().reads)
    }

    /// As many boxes in each other as that, each claiming all that is left of the file or nothing in particular.
    fn nested(name: &[u8; 4], count: u32, is_sized: bool) -> Vec<u8> {
        let boxes = (0..count).rev().map(|inner| {
            let size = if is_sized { (inner + 1) * 8 } else { 0 };
            [size.to_be_bytes(), *name].concat()
        });
        boxes.flatten().collect()
    }

    #[test]
    fn boxes_in_each_other_are_entered_only_where_they_belong() {
        const DEEP: u32 = 100_000;
        for is_sized in [true, false] {
            for name in [b"moov", b"trak"] {
                let film = [boxed(b"ftyp", b"isom"), nested(name, DEEP, is_sized)].concat();
                let (found, reads) = counted(&film);
                assert_eq!(found.is_ok(), name == b"moov");
                assert!(reads < 10, "{reads}");
                let film = boxed(b"moov", &nested(name, DEEP, is_sized));
                assert_eq!(looked(&film).unwrap(), Film::default());
            }
        }
    }

    #[test]
    fn the_boxes_of_a_whole_file_are_counted_and_small_ones_are_read_together() {
        let tracks = boxed(
            b"moov",
            &boxed(b"trak", &boxed(b"free", b"")).repeat(BOXES / 2 - 1),
        );
        assert!(looked(&tracks).is_ok(), "one box is left");
        let (found, reads) = counted(&[tracks, boxed(b"free", b"").repeat(2)].concat());
        assert!(found.is_err());
        assert!(reads < 100, "{reads}");
    }
}
