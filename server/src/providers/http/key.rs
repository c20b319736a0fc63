//! The key: as a header, and when it expires (decision 22: from facts only).

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use sidewire_agent::error::ProviderError;

use super::SetupError;

/// A key with less than this left would break in the middle of a turn.
const LEAST_LEFT: Duration = Duration::from_secs(30);

/// The value of the header that carries the key, behind this scheme; marked so that nothing prints it.
pub(crate) fn secret_header(scheme: &str, key: &SecretString) -> Result<HeaderValue, SetupError> {
    let mut value =
        HeaderValue::try_from(format!("{scheme}{}", key.expose_secret())).map_err(|_| SetupError::Key)?;
    value.set_sensitive(true);
    Ok(value)
}

/// When a key shaped like a JWT says it expires.
pub(super) fn expiry(key: &SecretString) -> Option<SystemTime> {
    #[derive(serde::Deserialize)]
    struct Claims {
        exp: f64,
    }
    let mut segments = key.expose_secret().split('.');
    let (_, claims, _) = (segments.next()?, segments.next()?, segments.next()?);
    let claims = URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?;
    let claims: Claims = serde_json::from_slice(&claims).ok()?;
    let since_epoch = Duration::try_from_secs_f64(claims.exp).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(since_epoch)
}

/// Refuses a turn whose key is over, or would be before the turn is.
pub(super) fn check(expires: Option<SystemTime>, now: SystemTime) -> Result<(), ProviderError> {
    match expires.map(|expires| expires.duration_since(now)) {
        None => Ok(()),
        Some(Err(_)) => Err(ProviderError::KeyExpired),
        Some(Ok(left)) if left.is_zero() => Err(ProviderError::KeyExpired),
        Some(Ok(left)) if left < LEAST_LEFT => Err(ProviderError::KeyExpiring),
        Some(Ok(_)) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jwt(claims: &str) -> SecretString {
        format!("e30.{}.sig", URL_SAFE_NO_PAD.encode(claims)).into()
    }

    #[test]
    fn a_jwt_tells_its_expiry() {
        let expires = expiry(&jwt(r#"{"sub":"x","exp":1000}"#)).unwrap();
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(expires, at(1000));
        assert_eq!(check(Some(expires), at(1000)), Err(ProviderError::KeyExpired));
        assert_eq!(check(Some(expires), at(999)), Err(ProviderError::KeyExpiring));
        assert_eq!(check(Some(expires), at(971)), Err(ProviderError::KeyExpiring));
        assert_eq!(check(Some(expires), at(970)), Ok(()));
    }

    #[test]
    fn other_keys_tell_nothing() {
        for key in ["sk-abc", "a.b.c", "..", "", "e30.e30.e30"] {
            assert_eq!(expiry(&key.into()), None);
        }
        for claims in [r#"{"exp":"soon"}"#, r#"{"exp":-1}"#, r#"{"exp":1e300}"#, "[]"] {
            assert_eq!(expiry(&jwt(claims)), None);
        }
    }
}
