//! Model servers in `config.toml`: `[provider]`, which `sidewire setup` writes, and `[[providers]]` beside it.

mod raw;

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use url::Url;

use raw::RawProvider;

/// Most model servers, and most models of one.
const MOST: usize = 100;
/// Where Anthropic's own API begins.
const ANTHROPIC: &str = "https://api.anthropic.com";
/// They answer nobody without a key.
const VENDORS: [&str; 4] = ["anthropic.com", "deepseek.com", "openai.com", "openrouter.ai"];

/// Which model answers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawProvider")]
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub(crate) enum ProviderConfig {
    /// The built-in one, chosen on purpose.
    Offline,
    /// A model of a server.
    Server(ServerConfig),
}

/// How to reach a model of a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerConfig {
    /// What the server speaks.
    pub(crate) api: Api,
    /// Where its API begins.
    pub(crate) base_url: Url,
    /// Which of its models.
    pub(crate) model: String,
    /// Where its key stands.
    pub(crate) key: KeySource,
    /// When the key stops working (decision 22).
    pub(crate) expires_at: Option<Timestamp>,
    /// Context window in tokens, where it is known better than the server tells.
    pub(crate) window: Option<u64>,
    /// Most tokens of one answer, where the model gives fewer than it is asked for.
    pub(crate) max_output_tokens: Option<u64>,
    /// Whether the model sees pictures, where that is known.
    pub(crate) vision: Option<bool>,
    /// Efforts the model can be asked for, lowest first, where they are known better than from its name.
    pub(crate) efforts: Option<Vec<String>>,
    /// Sent with every request.
    pub(crate) headers: BTreeMap<String, String>,
    /// What was said of other models of the server, for when one of them is chosen again.
    pub(crate) remembered: BTreeMap<String, Facts>,
}

/// What a person said of one model; [`ServerConfig`] says what each means.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) window: Option<u64>,
    pub(crate) max_output_tokens: Option<u64>,
    pub(crate) vision: Option<bool>,
    pub(crate) efforts: Option<Vec<String>>,
}

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// Where the key of a server stands in `.env`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// Where `sidewire setup` puts it; a server that needs none has none there.
    Own,
    /// Under this name, which must be there.
    Named(String),
    /// Nowhere: it needs none.
    None,
}

/// A model server with a name of its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedProvider {
    /// Its name.
    pub(crate) name: String,
    /// Its models, the default one first.
    pub(crate) models: Vec<String>,
    /// How to reach the default one.
    server: ServerConfig,
}

impl Api {
    /// As it stands in `config.toml`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// Where it begins when nobody says.
    pub(crate) fn usual_base_url(self) -> Option<Url> {
        match self {
            Self::OpenAi => None,
            Self::Anthropic => Url::parse(ANTHROPIC).ok(),
        }
    }
}

impl ServerConfig {
    /// A server of which only the necessary is known; its key is the one of `sidewire setup`.
    #[must_use]
    pub(crate) fn new(api: Api, base_url: Url, model: impl Into<String>) -> Self {
        Self {
            api,
            base_url,
            model: model.into(),
            key: KeySource::Own,
            expires_at: None,
            window: None,
            max_output_tokens: None,
            vision: None,
            efforts: None,
            headers: BTreeMap::new(),
            remembered: BTreeMap::new(),
        }
    }

    /// Another model of the same server. What was said of this one does not hold for it, and is kept for later.
    #[must_use]
    pub(crate) fn with_model(&self, model: &str) -> Self {
        let mut remembered = self.remembered.clone();
        let facts = self.facts();
        if facts != Facts::default() {
            remembered.insert(self.model.clone(), facts);
        }
        let Facts {
            window,
            max_output_tokens,
            vision,
            efforts,
        } = remembered.remove(model).unwrap_or_default();
        Self {
            model: model.to_owned(),
            window,
            max_output_tokens,
            vision,
            efforts,
            remembered,
            ..self.clone()
        }
    }

    /// What was said of its model.
    pub(super) fn facts(&self) -> Facts {
        Facts {
            window: self.window,
            max_output_tokens: self.max_output_tokens,
            vision: self.vision,
            efforts: self.efforts.clone(),
        }
    }

    /// Whether it answers nobody without a key, as far as that can be told.
    pub(crate) fn needs_key(&self) -> bool {
        match self.key {
            KeySource::Named(_) => true,
            KeySource::None => false,
            KeySource::Own => VENDORS.iter().any(|vendor| self.is_below(vendor)),
        }
    }

    fn is_below(&self, domain: &str) -> bool {
        let rest = self
            .base_url
            .host_str()
            .and_then(|host| host.strip_suffix(domain));
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }
}

impl NamedProvider {
    /// How to reach one of its models.
    pub(crate) fn server(&self, model: &str) -> ServerConfig {
        ServerConfig {
            model: model.to_owned(),
            ..self.server.clone()
        }
    }

    /// Where its key stands.
    pub(crate) fn key(&self) -> &KeySource {
        &self.server.key
    }
}

/// Reads `[[providers]]`, whose names must differ.
pub(super) fn all<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<NamedProvider>, D::Error> {
    struct All;
    impl<'de> Visitor<'de> for All {
        type Value = Vec<NamedProvider>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("[[providers]], in double brackets and once for each server")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
            let mut read: Vec<NamedProvider> = Vec::new();
            while let Some(raw) = sequence.next_element::<RawProvider>()? {
                // The place of a whole table is not known here, so its number stands for it.
                let number = read.len() + 1;
                let provider = NamedProvider::try_from(raw).map_err(|error| {
                    A::Error::custom(format_args!("number {number} of [[providers]]: {error}"))
                })?;
                if read.iter().any(|earlier| earlier.name == provider.name) {
                    let name = provider.name;
                    return Err(A::Error::custom(format_args!("two providers are named {name:?}")));
                }
                if read.len() == MOST {
                    return Err(A::Error::custom("there are too many [[providers]]"));
                }
                read.push(provider);
            }
            Ok(read)
        }
    }
    deserializer.deserialize_seq(All)
}

/// Reads the address of an API as a person writes it, without its final slash.
pub(crate) fn parse_base_url(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text.trim().trim_end_matches('/'))
        .map_err(|_| "base_url is not an address; write it like http://127.0.0.1:11434/v1")?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("base_url must begin with http:// or https://");
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err("base_url names no host");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("base_url must not hold a user or password; keys belong in .env");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("base_url must end with its path, without ? or #");
    }
    Ok(url)
}

/// A window that leaves no room for a question is a slip of the keyboard.
pub(crate) fn check_window(tokens: u64) -> Result<u64, &'static str> {
    if (1_024..=100_000_000).contains(&tokens) {
        return Ok(tokens);
    }
    Err("window is a number of tokens, 1024 at least")
}
