//! Which pictures the model of a turn is shown. Each is sent again with every model call, so they are few: those of the
//! question stay to its end, and beside them the newest ones from elsewhere.

use crate::message::{Part, Role};
use crate::provider::{PICTURE_BYTES, Picture};
use crate::store::StoredTurn;
use crate::workspace::Workspace;

/// Most pictures of a question.
const ASKED: usize = 16;
/// Most pictures beside them.
const RECENT: usize = 4;

/// The pictures that a model is shown, in the order they came.
#[derive(Default)]
pub(crate) struct Album {
    /// What the person asks about.
    asked: Vec<Picture>,
    /// What tools gave, and what was asked about earlier.
    recent: Vec<Picture>,
}

impl Album {
    /// With the pictures of the question; what is too much is left out.
    pub(crate) fn of(question: Vec<Picture>) -> Self {
        let mut album = Self::default();
        for picture in question {
            if album.asked.len() < ASKED && size(&album.asked) + picture.bytes.len() <= PICTURE_BYTES {
                album.asked.push(picture);
            }
        }
        album
    }

    /// Adds the newest pictures of earlier questions, as far as they are still there.
    pub(crate) async fn recall(&mut self, history: &[StoredTurn], workspace: &dyn Workspace) {
        let mut found = Vec::new();
        for name in newest(history) {
            found.extend(workspace.picture(name).await);
        }
        found.reverse();
        self.add(found);
    }

    /// Adds pictures and lets the oldest go that nobody asked about; one that comes again counts as new, one that is too
    /// large is left out.
    pub(super) fn add(&mut self, more: Vec<Picture>) {
        let room = PICTURE_BYTES.saturating_sub(size(&self.asked));
        for picture in more {
            let is_asked = self.asked.iter().any(|asked| asked.blob == picture.blob);
            if is_asked || picture.bytes.len() > room {
                continue;
            }
            self.recent.retain(|older| older.blob != picture.blob);
            self.recent.push(picture);
        }
        while self.recent.len() > RECENT || size(&self.recent) > room {
            self.recent.remove(0);
        }
    }

    /// All of them; copying one copies no bytes.
    pub(super) fn shown(&self) -> Vec<Picture> {
        self.recent.iter().chain(&self.asked).cloned().collect()
    }
}

fn size(pictures: &[Picture]) -> usize {
    pictures.iter().map(|picture| picture.bytes.len()).sum()
}

/// Names of the newest pictures that people asked about, the newest first.
fn newest(history: &[StoredTurn]) -> Vec<&str> {
    let questions = history.iter().rev().flat_map(|turn| turn.messages.iter().rev());
    let parts = questions
        .filter(|message| message.role == Role::User)
        .flat_map(|message| message.parts.iter().rev());
    let names = parts.filter_map(|part| match part {
        Part::Image { blob, .. } => Some(blob.as_str()),
        _ => None,
    });
    names.take(RECENT).collect()
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

    fn names(album: &Album) -> Vec<String> {
        album.shown().into_iter().map(|picture| picture.blob).collect()
    }

    #[test]
    fn the_newest_pictures_stay() {
        let mut album = Album::default();
        for name in ["a", "b", "c", "d", "a", "e"] {
            album.add(vec![picture(name, 1)]);
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
            let mut album = Album::default();
            album.add(vec![picture("a", size), picture("b", size)]);
            assert_eq!(names(&album).len(), left, "{size}");
        }
    }

    #[test]
    fn one_that_is_too_large_takes_no_other_away() {
        let mut album = Album::default();
        album.add(vec![picture("a", 1), picture("b", PICTURE_BYTES + 1)]);
        assert_eq!(names(&album), ["a"]);
    }

    #[test]
    fn what_the_person_asks_about_stays_whatever_tools_give() {
        let question = ["1", "2", "3", "4", "5", "6"].map(|name| picture(name, 1));
        let mut album = Album::of(question.into());
        album.add(Vec::new());
        assert_eq!(names(&album), ["1", "2", "3", "4", "5", "6"]);
        for name in ["a", "2", "b", "c", "d", "e"] {
            album.add(vec![picture(name, 1)]);
        }
        assert_eq!(names(&album), ["b", "c", "d", "e", "1", "2", "3", "4", "5", "6"]);
    }

    #[test]
    fn a_question_takes_no_more_than_there_is() {
        let many = (0..20).map(|at| picture(&at.to_string(), 1)).collect();
        assert_eq!(names(&Album::of(many)).len(), ASKED);
        let mut album = Album::of(vec![picture("a", PICTURE_BYTES), picture("b", 1)]);
        album.add(vec![picture("c", 1)]);
        assert_eq!(names(&album), ["a"]);
    }
}
