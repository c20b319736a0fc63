//! Parameters that several methods have.

use serde::Deserialize;

use crate::rpc::Error;

/// The session that parameters name.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionParams {
    #[serde(default)]
    session_id: String,
}

impl SessionParams {
    /// The id, when it has the shape of one.
    pub(super) fn id(self, method: &str) -> Result<String, Error> {
        checked_id(method, self.session_id)
    }
}

/// An id of a session has a shape, whether there is such a session or not.
pub(super) fn checked_id(method: &str, id: String) -> Result<String, Error> {
    if id.trim().is_empty() {
        return Err(Error::invalid_params(format!("{method}: missing sessionId")));
    }
    let letters = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if !id.chars().all(letters) || id == "." || id == ".." {
        return Err(Error::invalid_params(format!("{method}: invalid sessionId")));
    }
    Ok(id)
}
