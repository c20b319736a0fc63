//! Which pictures of a turn its model is shown: the newest ones, since each is sent again with every model call.

use crate::provider::{PICTURE_BYTES, Picture};

/// Most pictures of a request.
const PICTURES: usize = 4;

/// Adds pictures and lets the oldest go; one that comes again counts as new, one that is too large is left out.
pub(super) fn add(album: &mut Vec<Picture>, more: Vec<Picture>) {
    for picture in more
        .into_iter()
        .filter(|picture| picture.bytes.len() <= PICTURE_BYTES)
    {
        album.retain(|older| older.blob != picture.blob);
        album.push(picture);
    }
    while album.len() > PICTURES
        || album.iter().map(|picture| picture.bytes.len()).sum::<usize>() > PICTURE_BYTES
    {
        album.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(name: &str, bytes: usize) -> Picture {
        Picture {
            blob: name.into(),
            mime_type: "image/png".into(),
            bytes: vec![0; bytes].into(),
        }
    }

    fn names(album: &[Picture]) -> Vec<&str> {
        album.iter().map(|picture| picture.blob.as_str()).collect()
    }

    #[test]
    fn the_newest_pictures_stay() {
        let mut album = Vec::new();
        for name in ["a", "b", "c", "d", "a", "e"] {
            add(&mut album, vec![picture(name, 1)]);
        }
        assert_eq!(names(&album), ["c", "d", "a", "e"]);
    }

    #[test]
    fn together_they_stay_within_their_bytes() {
        for (size, left) in [
            (PICTURE_BYTES / 2, 2),
            (PICTURE_BYTES / 2 + 1, 1),
            (PICTURE_BYTES, 1),
        ] {
            let mut album = Vec::new();
            add(&mut album, vec![picture("a", size), picture("b", size)]);
            assert_eq!(album.len(), left, "{size}");
        }
    }

    #[test]
    fn one_that_is_too_large_takes_no_other_away() {
        let mut album = Vec::new();
        add(&mut album, vec![picture("a", 1), picture("b", PICTURE_BYTES + 1)]);
        assert_eq!(names(&album), ["a"]);
    }
}
