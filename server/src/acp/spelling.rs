//! How a client writes the folders of a session. Inside, every path is the real one; what the client is asked for or
//! told is named through the folder as it wrote it, for by another path it may not know its own buffers.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    SessionUpdate, ToolCallContent, ToolCallLocation, ToolCallUpdateFields,
};

/// The folders of a session that a client writes in another way than they really are. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Spelling(Arc<[Folder]>);

#[derive(Clone, Debug)]
struct Folder {
    real: PathBuf,
    written: PathBuf,
}

impl Spelling {
    /// What is written how: pairs of a real folder and the client's word for it. None lies in another.
    pub(super) fn new(folders: impl IntoIterator<Item = (PathBuf, PathBuf)>) -> Self {
        let folders = folders.into_iter();
        let other = folders.filter(|(real, written)| real != written);
        Self(other.map(|(real, written)| Folder { real, written }).collect())
    }

    /// A real path as the client writes it.
    pub(super) fn of<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        let written = self.0.iter().find_map(|folder| folder.spell(path));
        written.map_or(Cow::Borrowed(path), Cow::Owned)
    }

    /// The same for what is to be read or written there, or run. By a link that leads elsewhere now, which a command can
    /// bring about, the client would be sent out of the workspace: then the path is named as it is.
    pub(super) async fn led_to(&self, path: &Path) -> PathBuf {
        let folder = self.0.iter().find(|folder| path.starts_with(&folder.real));
        let Some(folder) = folder else {
            return path.to_owned();
        };
        let leads = tokio::fs::canonicalize(&folder.written).await;
        let leads_there = leads.is_ok_and(|place| place == folder.real);
        let spelled = folder.spell(path).filter(|_| leads_there);
        spelled.unwrap_or_else(|| path.to_owned())
    }

    /// An update with every path in it as the client writes it.
    pub(super) fn update<'a>(&self, update: &'a SessionUpdate) -> Cow<'a, SessionUpdate> {
        if self.0.is_empty() {
            return Cow::Borrowed(update);
        }
        match update {
            SessionUpdate::ToolCall(call) => {
                let mut call = call.clone();
                self.places(&mut call.locations);
                self.content(&mut call.content);
                Cow::Owned(SessionUpdate::ToolCall(call))
            }
            SessionUpdate::ToolCallUpdate(update) => {
                let mut update = update.clone();
                self.fields(&mut update.fields);
                Cow::Owned(SessionUpdate::ToolCallUpdate(update))
            }
            _ => Cow::Borrowed(update),
        }
    }

    /// The same for what is told of a call, in an update or a card.
    pub(super) fn fields(&self, fields: &mut ToolCallUpdateFields) {
        self.places(fields.locations.as_deref_mut().unwrap_or_default());
        self.content(fields.content.as_deref_mut().unwrap_or_default());
    }

    fn places(&self, places: &mut [ToolCallLocation]) {
        for place in places {
            place.path = self.of(&place.path).into_owned();
        }
    }

    fn content(&self, blocks: &mut [ToolCallContent]) {
        for block in blocks {
            if let ToolCallContent::Diff(diff) = block {
                diff.path = self.of(&diff.path).into_owned();
            }
        }
    }
}

impl Folder {
    fn spell(&self, path: &Path) -> Option<PathBuf> {
        let inside = path.strip_prefix(&self.real).ok()?;
        // Joining nothing would add a separator.
        let is_itself = inside.as_os_str().is_empty();
        Some(if is_itself {
            self.written.clone()
        } else {
            self.written.join(inside)
        })
    }
}

#[cfg(test)]
mod tests {
    use agent_client_protocol_schema::v1::{Diff, ToolCall, ToolCallUpdate};

    use super::*;

    fn spelling() -> Spelling {
        Spelling::new([
            ("/data/project".into(), "/home/ann/project".into()),
            ("/lib".into(), "/lib/".into()),
        ])
    }

    #[test]
    fn only_what_is_written_in_another_way_is_renamed() {
        for (real, written) in [
            ("/data/project", "/home/ann/project"),
            ("/data/project/src/a.rs", "/home/ann/project/src/a.rs"),
            ("/data/projects/a.rs", "/data/projects/a.rs"),
            ("/lib/a.rs", "/lib/a.rs"),
        ] {
            assert_eq!(spelling().of(Path::new(real)).to_str(), Some(written));
        }
    }

    #[tokio::test]
    async fn a_link_that_was_turned_leads_nobody_away() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        let (project, outside, link) = (real.join("project"), real.join("outside"), real.join("link"));
        for folder in [&project, &outside] {
            std::fs::create_dir(folder).unwrap();
        }
        std::os::unix::fs::symlink(&project, &link).unwrap();
        let spelling = Spelling::new([(project.clone(), link.clone())]);
        let (file, other) = (project.join("a.rs"), outside.join("b.rs"));
        assert_eq!(spelling.led_to(&file).await, link.join("a.rs"));
        assert_eq!(spelling.led_to(&other).await, other);
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        assert_eq!(spelling.led_to(&file).await, file);
    }

    #[test]
    fn places_and_changes_of_a_call_are_renamed_wherever_they_stand() {
        let places = vec![ToolCallLocation::new("/data/project/a")];
        let diffs = vec![ToolCallContent::Diff(Diff::new("/data/project/a", "new"))];
        let call = ToolCall::new("c", "Edit")
            .locations(places.clone())
            .content(diffs.clone());
        let fields = ToolCallUpdateFields::new().locations(places).content(diffs);
        for update in [
            SessionUpdate::ToolCall(call),
            SessionUpdate::ToolCallUpdate(ToolCallUpdate::new("c", fields)),
        ] {
            let told = serde_json::to_value(&*spelling().update(&update)).unwrap();
            assert_eq!(told["locations"][0]["path"], "/home/ann/project/a");
            assert_eq!(told["content"][0]["path"], "/home/ann/project/a");
        }
    }
}
