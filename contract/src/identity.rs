//! The names under which the parts of the product find each other; `identity.json` holds the same for other languages.

/// Name of the native messaging host, in the manifest and in `connectNative`.
pub const NATIVE_HOST: &str = "dev.sidewire.host";

/// Id of the extension in Chromium browsers, fixed by its key.
pub const EXTENSION_ID: &str = "afjloophkcfkbnbojjbmdlhibaikjmld";

/// Id of the extension in Firefox.
pub const FIREFOX_ADDON_ID: &str = "extension@sidewire.dev";

/// First port the worker tries.
pub const PORT_FIRST: u16 = 19222;

/// Last port the worker tries.
pub const PORT_LAST: u16 = 19241;

/// Path of the WebSocket on the worker.
pub const BRIDGE_PATH: &str = "/bridge";

/// Version of our own frames.
pub const BRIDGE_VERSION: u32 = 1;

/// Version of the chat contract.
pub const CONTRACT_VERSION: &str = "2.1.0";
