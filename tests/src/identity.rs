//! Who a client says it is, and with which key.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use sidewire_contract::bridge::handshake::{ClientName, Proof, Role, Version};
use sidewire_contract::identity::EXTENSION_ID;
use sidewire_contract::ids::{BrowserRun, Hex256, InstanceId, KeyId};
use sidewire_contract::text::Text;

/// A secret and its name.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its name.
    pub id: KeyId,
    /// The secret.
    pub secret: Hex256,
}

/// A client before it connects.
#[derive(Clone, Debug)]
pub struct Identity {
    /// What it proves.
    pub key: Key,
    /// What its `Origin` header says.
    pub origin: Option<String>,
    /// What it is.
    pub role: Role,
    /// The installation.
    pub instance: InstanceId,
    /// The run of its browser.
    pub browser_run: Option<BrowserRun>,
    /// Whether nothing may be kept.
    pub ephemeral: bool,
    /// The chat contract it speaks.
    pub contract_version: Version,
}

impl Identity {
    /// A local program.
    #[must_use]
    pub fn local(secret: Hex256) -> Self {
        Self {
            key: Key {
                id: KeyId::local(),
                secret,
            },
            origin: None,
            role: Role::Cli,
            instance: InstanceId::from_bytes(random()),
            browser_run: None,
            ephemeral: false,
            contract_version: Version::contract(),
        }
    }

    /// An extension in a browser profile.
    #[must_use]
    pub fn browser(key: Key) -> Self {
        Self {
            key,
            origin: Some(format!("chrome-extension://{EXTENSION_ID}")),
            role: Role::Browser,
            browser_run: Some(BrowserRun::from_bytes(random())),
            ..Self::local(Hex256::from_bytes([0; 32]))
        }
    }

    /// The same client in a private window.
    #[must_use]
    pub fn private(self) -> Self {
        Self {
            ephemeral: true,
            ..self
        }
    }

    /// Its own word about itself.
    #[must_use]
    pub fn proof(&self, mac_c: Hex256) -> Proof {
        Proof {
            mac_c,
            client: ClientName {
                name: Text::clipped("sidewire-tests"),
                version: Text::clipped("0.1.0"),
            },
            instance: self.instance.clone(),
            contract_version: self.contract_version.clone(),
            role: self.role,
            browser_run: self.browser_run.clone(),
            ephemeral: self.ephemeral.then_some(true),
        }
    }
}

/// What `sidewire pair` prints.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Where the worker listens, or is to listen.
    pub port: u16,
    key: Key,
}

impl Offer {
    pub(crate) fn parse(line: &str) -> Self {
        let parts: Vec<&str> = line.trim().split(':').collect();
        let ["sidewire", port, key_id, secret] = parts.as_slice() else {
            panic!("not an offer: {line:?}")
        };
        let key = Key {
            id: key_id.parse().unwrap(),
            secret: secret.parse().unwrap(),
        };
        Self {
            port: port.parse().unwrap(),
            key,
        }
    }

    /// The key it offers.
    #[must_use]
    pub fn key(&self) -> Key {
        self.key.clone()
    }
}

/// HMAC-SHA-256.
pub(crate) fn mac(secret: &Hex256, transcript: &[u8]) -> Hex256 {
    let mut mac =
        <Hmac<Sha256> as KeyInit>::new_from_slice(secret.bytes()).expect("HMAC takes a key of any length");
    mac.update(transcript);
    Hex256::from_bytes(mac.finalize().into_bytes().into())
}

pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}
