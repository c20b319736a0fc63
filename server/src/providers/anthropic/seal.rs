//! Seals over thinking, as the transcript keeps them: what the server gave, and which server that was.
//!
//! A seal is worth something only where it was made, and a server refuses one that it cannot read. In the transcript it
//! stands as `kind@server:seal`; the seal itself is never touched.

use url::Url;

/// Sealed thinking as the server gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seal<'a> {
    /// The signature over thinking that can be read.
    Signature(&'a str),
    /// Thinking that cannot be read at all.
    Redacted(&'a str),
}

const SIGNATURE: &str = "thinking";
const REDACTED: &str = "redacted";

/// Writes and reads the seals of one server.
#[derive(Clone, Debug)]
pub(super) struct Sealer {
    server: String,
}

impl Sealer {
    /// For the server at this address.
    pub(super) fn of(base: &Url) -> Self {
        Self {
            server: base.authority().to_owned(),
        }
    }

    /// A seal as the transcript keeps it.
    pub(super) fn keep(&self, seal: Seal<'_>) -> String {
        let (kind, text) = match seal {
            Seal::Signature(text) => (SIGNATURE, text),
            Seal::Redacted(text) => (REDACTED, text),
        };
        format!("{kind}@{}:{text}", self.server)
    }

    /// The seal of a transcript, if it was made by this server.
    pub(super) fn read<'a>(&self, kept: &'a str) -> Option<Seal<'a>> {
        let (kind, rest) = kept.split_once('@')?;
        let text = rest.strip_prefix(&self.server)?.strip_prefix(':')?;
        match kind {
            SIGNATURE => Some(Seal::Signature(text)),
            REDACTED => Some(Seal::Redacted(text)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealer(base: &str) -> Sealer {
        Sealer::of(&base.parse().unwrap())
    }

    #[test]
    fn a_seal_comes_back_unchanged_at_its_server_only() {
        let one = sealer("https://api.example.com/v1");
        for seal in [
            Seal::Signature("Eq:@/=="),
            Seal::Redacted("x"),
            Seal::Signature(""),
        ] {
            let kept = one.keep(seal);
            assert_eq!(one.read(&kept), Some(seal));
            for other in ["https://example.com/v1", "https://api.example.com:8443/v1"] {
                assert_eq!(sealer(other).read(&kept), None, "{other}");
            }
        }
        for odd in [
            "",
            "Eq==",
            "thinking@",
            "other@api.example.com:x",
            "@api.example.com:x",
        ] {
            assert_eq!(one.read(odd), None, "{odd}");
        }
    }
}
