//! Which pictures of a turn its model is shown: the newest ones, since each is sent again with every model call.

use crate::provider::Picture;

/// Most pictures of a request.
const PICTURES: usize = 4;
/// Most bytes of its pictures together.
const BYTES: usize = 6 * 1024 * 1024;

/// Adds pictures and lets the oldest go; one that comes again counts as new.
pub(super) fn add(album: &mut Vec<Picture>, more: Vec<Picture>) {
    for picture in more {
        album.retain(|older| older.blob != picture.blob);
        album.push(picture);
    }
    while album.len() > PICTURES || album.iter().map(|picture| picture.bytes.len()).sum::<usize>() > BYTES {
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
        for (size, left) in [(BYTES / 2, 2), (BYTES / 2 + 1, 1), (BYTES, 1), (BYTES + 1, 0)] {
            let mut album = Vec::new();
            add(&mut album, vec![picture("a", size), picture("b", size)]);
            assert_eq!(album.len(), left, "{size}");
        }
    }
}
