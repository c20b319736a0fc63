//! Arguments of earlier calls, as they go back to a model server.

use std::borrow::Cow;

use serde_json::{Value, json};

/// Always an object: servers read the arguments of every earlier call, and refuse the whole conversation when one of
/// them is none. What the model wrote in its place stays readable for it.
pub(crate) fn proper_arguments(arguments: &Value) -> Cow<'_, Value> {
    if arguments.is_object() {
        return Cow::Borrowed(arguments);
    }
    Cow::Owned(json!({ "not_an_object": arguments }))
}
