//! Either table as it is written, and what must fit together in it.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use serde::Deserialize;
use url::Url;

use super::{
    Api, Facts, KeySource, MOST, NamedProvider, ProviderConfig, ServerConfig, check_window, parse_base_url,
};

/// Names that mean something else.
const TAKEN: [&str; 2] = ["default", "offline"];
/// Headers that carry keys, or that the HTTP client sets.
const RESERVED_HEADERS: [&str; 10] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "api-key",
    "cookie",
    "host",
    "accept",
    "content-type",
    "content-length",
    "transfer-encoding",
];

/// Either table as it is written; what belongs together is checked on the way to its type.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawProvider {
    kind: RawKind,
    name: Option<String>,
    base_url: Option<String>,
    model: Option<String>,
    models: Option<Vec<String>>,
    default: Option<String>,
    api_key_env: Option<String>,
    expires_at: Option<toml::value::Datetime>,
    window: Option<u64>,
    max_output_tokens: Option<u64>,
    vision: Option<bool>,
    efforts: Option<Vec<String>>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    remembered: BTreeMap<String, RawFacts>,
}

/// What is said of one model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFacts {
    window: Option<u64>,
    max_output_tokens: Option<u64>,
    vision: Option<bool>,
    efforts: Option<Vec<String>>,
}

impl TryFrom<RawFacts> for Facts {
    type Error = &'static str;

    fn try_from(raw: RawFacts) -> Result<Self, Self::Error> {
        Ok(Self {
            window: raw.window.map(check_window).transpose()?,
            max_output_tokens: raw.max_output_tokens.map(check_output).transpose()?,
            vision: raw.vision,
            efforts: raw.efforts.map(check_efforts).transpose()?,
        })
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawKind {
    #[serde(rename = "openai")]
    OpenAi,
    Anthropic,
    Offline,
}

impl TryFrom<RawProvider> for ProviderConfig {
    type Error = String;

    fn try_from(raw: RawProvider) -> Result<Self, Self::Error> {
        let misplaced = [
            ("name", raw.name.is_some()),
            ("models", raw.models.is_some()),
            ("default", raw.default.is_some()),
            ("api_key_env", raw.api_key_env.is_some()),
        ];
        if let Some((name, _)) = misplaced.iter().find(|(_, given)| *given) {
            return Err(format!("{name} belongs in one of [[providers]]"));
        }
        let Some(api) = raw.kind.api() else {
            return Ok(Self::Offline);
        };
        let model = raw.model.clone().filter(|model| !model.trim().is_empty());
        let model = model.ok_or_else(|| format!("kind = \"{}\" needs model", api.as_str()));
        // The address comes first, because without it a model means nothing.
        let base_url = raw.base_url(api)?;
        raw.server(ServerConfig::new(api, base_url, model?))
            .map(Self::Server)
    }
}

impl TryFrom<RawProvider> for NamedProvider {
    type Error = String;

    fn try_from(raw: RawProvider) -> Result<Self, Self::Error> {
        let name = check_name(raw.name.as_deref().ok_or("each of [[providers]] needs a name")?)?;
        let api = raw
            .kind
            .api()
            .ok_or("kind = \"offline\" is for [provider] only")?;
        let models = raw.all_models()?;
        let model = models.first().ok_or("models names no model")?;
        if !raw.remembered.is_empty() {
            return Err("remembered belongs in [provider]".to_owned());
        }
        let key = match raw.api_key_env.as_deref() {
            Some(name) => KeySource::Named(check_key_name(name)?),
            None => KeySource::None,
        };
        let server = ServerConfig {
            key,
            ..ServerConfig::new(api, raw.base_url(api)?, model)
        };
        Ok(Self {
            name,
            server: raw.server(server)?,
            models,
        })
    }
}

impl RawKind {
    fn api(self) -> Option<Api> {
        match self {
            Self::OpenAi => Some(Api::OpenAi),
            Self::Anthropic => Some(Api::Anthropic),
            Self::Offline => None,
        }
    }
}

impl RawProvider {
    fn base_url(&self, api: Api) -> Result<Url, String> {
        let Some(text) = &self.base_url else {
            let usual = api.usual_base_url();
            return usual.ok_or_else(|| format!("kind = \"{}\" needs base_url", api.as_str()));
        };
        Ok(parse_base_url(text)?)
    }

    /// The names of `models` and `model`, the default one first.
    fn all_models(&self) -> Result<Vec<String>, String> {
        let mut models = self.models.clone().unwrap_or_default();
        models.extend(self.model.clone());
        if models.is_empty() || models.len() > MOST || models.iter().any(|model| model.trim().is_empty()) {
            return Err(format!(
                "models names 1 to {MOST} models, like [\"small\", \"large\"]"
            ));
        }
        if let Some(default) = &self.default {
            let at = models.iter().position(|model| model == default);
            let at = at.ok_or_else(|| format!("default = {default:?} is none of models"))?;
            models.get_mut(..=at).unwrap_or_default().rotate_right(1);
        }
        let mut seen = HashSet::new();
        models.retain(|model| seen.insert(model.clone()));
        Ok(models)
    }

    /// Adds what may stand in either table.
    fn server(self, server: ServerConfig) -> Result<ServerConfig, String> {
        for name in self.headers.keys() {
            check_header(name)?;
        }
        let Facts {
            window,
            max_output_tokens,
            vision,
            efforts,
        } = Facts::try_from(RawFacts {
            window: self.window,
            max_output_tokens: self.max_output_tokens,
            vision: self.vision,
            efforts: self.efforts,
        })?;
        let remembered = self.remembered.into_iter();
        let remembered = remembered.map(|(model, raw)| Ok((model, Facts::try_from(raw)?)));
        Ok(ServerConfig {
            expires_at: self.expires_at.map(parse_expiry).transpose()?,
            window,
            max_output_tokens,
            vision,
            efforts,
            headers: self.headers,
            remembered: remembered.collect::<Result<_, &'static str>>()?,
            ..server
        })
    }
}

fn check_name(name: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_plain) {
        return Err("the name of a provider has 1 to 64 letters, digits, dots, - or _".to_owned());
    }
    if TAKEN.contains(&name) {
        return Err(format!("{name:?} cannot be the name of a provider"));
    }
    Ok(name.to_owned())
}

/// A key written here by mistake must not be shown, so the text is not repeated.
fn check_key_name(name: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if name.starts_with(|c: char| c.is_ascii_uppercase()) && name.len() <= 64 && name.chars().all(is_plain) {
        return Ok(name.to_owned());
    }
    Err("api_key_env is not a key but the name it has in .env, like DEEPSEEK_API_KEY".to_owned())
}

fn check_header(name: &str) -> Result<(), String> {
    if RESERVED_HEADERS
        .iter()
        .any(|reserved| name.eq_ignore_ascii_case(reserved))
    {
        return Err(format!(
            "the header {name:?} cannot be set here; keys belong in .env, see api_key_env"
        ));
    }
    Ok(())
}

fn check_output(tokens: u64) -> Result<u64, &'static str> {
    if (256..=100_000_000).contains(&tokens) {
        return Ok(tokens);
    }
    Err("max_output_tokens is a number of tokens, 256 at least")
}

fn check_efforts(efforts: Vec<String>) -> Result<Vec<String>, &'static str> {
    let is_word = |effort: &String| {
        (1..=32).contains(&effort.len()) && effort.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    if efforts.len() > 16 || !efforts.iter().all(is_word) || efforts.iter().any(|effort| effort == "auto") {
        return Err("efforts are words like [\"low\", \"high\"]; auto is always there");
    }
    Ok(efforts)
}

fn parse_expiry(written: toml::value::Datetime) -> Result<Timestamp, &'static str> {
    written
        .to_string()
        .parse()
        .map_err(|_| "expires_at needs date, time and offset, like 2027-01-31T12:00:00Z")
}
