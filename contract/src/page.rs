//! The page a question is about: as it crosses the wire, and as the agent uses it.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_json::value::RawValue;

use crate::ax_tree::AxNode;
use crate::number::{Number, One};
use crate::wire::nullable;

/// A captured page on the wire; tree and API body stay unread text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct PageSnapshot {
    /// Version of this shape.
    pub v: One,
    /// When it was captured, in milliseconds since 1970.
    pub captured_at: Number,
    /// The tab it was captured in.
    pub tab_id: Number,
    /// Address of the page.
    pub url: String,
    /// Path of the address.
    pub path: String,
    /// Title of the page.
    pub title: String,
    /// The accessibility tree.
    #[serde(deserialize_with = "nullable")]
    pub ax: Option<RawTree>,
    /// The resource the page shows, as its API returned it.
    #[serde(deserialize_with = "nullable")]
    pub api: Option<ApiSnapshot>,
    /// Whether something was left out.
    pub truncated: bool,
}

/// An API response on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase")]
pub struct ApiSnapshot {
    /// Address of the resource.
    pub url: String,
    /// HTTP status.
    pub status: Number,
    /// What kind of resource it is.
    #[serde(deserialize_with = "nullable")]
    pub resource_type: Option<String>,
    /// The body, any JSON.
    pub body: RawJson,
    /// Whether something was left out.
    pub truncated: bool,
}

objects!(PageSnapshot, ApiSnapshot);
read_objects!(TreeRoot);

/// Any JSON, kept as the text that came.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// The JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl TryFrom<&serde_json::Value> for RawJson {
    type Error = serde_json::Error;

    fn try_from(value: &serde_json::Value) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }
}

/// An accessibility tree, kept as text: an object with a string `role`, everything else unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct RawTree(RawJson);

impl RawTree {
    /// The JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl TryFrom<RawJson> for RawTree {
    type Error = serde_json::Error;

    fn try_from(json: RawJson) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<TreeRoot>(json.as_str())?;
        Ok(Self(json))
    }
}

impl<'de> Deserialize<'de> for RawTree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(RawJson::deserialize(deserializer)?)
            .map_err(|_| D::Error::custom("expected an object with a string role"))
    }
}

impl Serialize for RawTree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The one member of a tree that the schema checks.
#[derive(Deserialize)]
#[serde(remote = "Self")]
struct TreeRoot {
    role: String,
}

/// A captured page as the agent uses it: read, bounded and owned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageContext {
    /// When it was captured, in milliseconds since 1970; between 1970 and 9999 whatever the wire said.
    pub captured_at_ms: i64,
    /// The tab it was captured in.
    pub tab_id: i64,
    /// Address of the page.
    pub url: String,
    /// Path of the address.
    pub path: String,
    /// Title of the page.
    pub title: String,
    /// The accessibility tree, when there was a readable one.
    pub tree: Option<AxNode>,
    /// The resource the page shows.
    pub api: Option<ApiResource>,
    /// Whether something was left out, by the panel or by our own bounds.
    pub truncated: bool,
}

/// An API response as the agent uses it.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiResource {
    /// Address of the resource.
    pub url: String,
    /// HTTP status.
    pub status: i64,
    /// What kind of resource it is.
    pub resource_type: Option<String>,
    /// The body; null when it is not readable.
    pub body: serde_json::Value,
    /// Whether something was left out.
    pub truncated: bool,
}

/// The last millisecond of the year 9999.
const LATEST_MS: i64 = 253_402_300_799_999;

impl From<PageSnapshot> for PageContext {
    fn from(snapshot: PageSnapshot) -> Self {
        let tree = snapshot.ax.as_ref().and_then(|raw| AxNode::read(raw.as_str()));
        let lost_tree = snapshot.ax.is_some() && tree.is_none();
        Self {
            captured_at_ms: snapshot.captured_at.clamp_i64(0, LATEST_MS),
            tab_id: snapshot.tab_id.clamp_i64(i64::MIN, i64::MAX),
            url: snapshot.url,
            path: snapshot.path,
            title: snapshot.title,
            tree,
            api: snapshot.api.map(ApiResource::from),
            truncated: snapshot.truncated || lost_tree,
        }
    }
}

impl From<ApiSnapshot> for ApiResource {
    fn from(snapshot: ApiSnapshot) -> Self {
        let body = serde_json::from_str(snapshot.body.as_str());
        Self {
            url: snapshot.url,
            status: snapshot.status.clamp_i64(0, 999),
            resource_type: snapshot.resource_type,
            truncated: snapshot.truncated || body.is_err(),
            body: body.unwrap_or(serde_json::Value::Null),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn context(changes: &Value) -> PageContext {
        let mut page = json!({
            "v": 1, "capturedAt": 1_719_000_000_000_i64, "tabId": 7, "url": "https://x/lb1", "path": "/lb1",
            "title": "lb1", "ax": { "role": "WebArea", "children": [{ "role": "button", "name": "Edit" }] },
            "api": { "url": "/api", "status": 200, "resourceType": null, "body": { "a": [1] }, "truncated": false },
            "truncated": false,
        });
        for (key, value) in changes.as_object().unwrap() {
            page[key] = value.clone();
        }
        serde_json::from_str::<PageSnapshot>(&page.to_string())
            .unwrap()
            .into()
    }

    #[test]
    fn a_snapshot_becomes_what_the_agent_uses() {
        let page = context(&json!({}));
        assert_eq!(
            (page.captured_at_ms, page.tab_id, page.truncated),
            (1_719_000_000_000, 7, false)
        );
        let tree = page.tree.unwrap();
        assert_eq!(
            tree.children.first().and_then(|child| child.name.as_deref()),
            Some("Edit")
        );
        let api = page.api.unwrap();
        assert_eq!(
            (api.status, api.resource_type, api.body),
            (200, None, json!({ "a": [1] }))
        );
    }

    #[test]
    fn numbers_out_of_range_are_forced_into_it() {
        let page = context(&json!({ "capturedAt": 1e20, "tabId": -1e300 }));
        assert_eq!((page.captured_at_ms, page.tab_id), (LATEST_MS, i64::MIN));
        let page = context(&json!({ "capturedAt": -5, "tabId": 7.9 }));
        assert_eq!((page.captured_at_ms, page.tab_id), (0, 7));
    }

    #[test]
    fn what_cannot_be_read_is_left_out_and_said() {
        let text = r#"{"v":1,"capturedAt":0,"tabId":0,"url":"","path":"","title":"","truncated":false,
            "ax":{"role":"r","name":"\ud800"},
            "api":{"url":"","status":0,"resourceType":null,"body":"\ud800","truncated":false}}"#;
        let page = PageContext::from(serde_json::from_str::<PageSnapshot>(text).unwrap());
        assert_eq!((page.tree, page.truncated), (None, true));
        let api = page.api.unwrap();
        assert_eq!((api.body, api.truncated), (Value::Null, true));
    }

    #[test]
    fn a_tree_is_an_object_with_a_string_role() {
        let tree = |json: &str| serde_json::from_str::<RawTree>(json).is_ok();
        assert!(tree(r#"{"role":"x","children":"anything"}"#));
        for json in [r#"["x"]"#, r#"{"role":1}"#, "{}", "null", r#""x""#] {
            assert!(!tree(json), "{json}");
        }
    }
}
