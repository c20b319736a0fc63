//! What an HTTP request must look like before anything else is looked at: exact `Host`, then `Origin`.
//!
//! Neither is enough alone (a page on a rebound name sends no `Origin` on GET, an extension sends none either), and
//! neither proves who asks: that is the handshake's.

use axum::http::{HeaderMap, StatusCode, header};

/// What the headers say about the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// No `Origin`: a local process, or a browser's plain GET.
    NoOrigin,
    /// An allowed origin.
    Origin(String),
}

/// Checks a request's headers; the error is the status to refuse with.
pub(super) fn check(
    headers: &HeaderMap,
    authority: &str,
    is_allowed: impl Fn(&str) -> bool,
) -> Result<Caller, StatusCode> {
    let host = single(headers, &header::HOST)
        .map_err(|_| StatusCode::BAD_REQUEST)?
        .ok_or(StatusCode::BAD_REQUEST)?;
    if host != authority {
        return Err(StatusCode::FORBIDDEN);
    }
    match single(headers, &header::ORIGIN).map_err(|_| StatusCode::FORBIDDEN)? {
        None => Ok(Caller::NoOrigin),
        Some(origin) if is_allowed(origin) => Ok(Caller::Origin(origin.to_owned())),
        Some(_) => Err(StatusCode::FORBIDDEN),
    }
}

struct Ambiguous;

/// The one value of a header; several, or one that is not ASCII, are nobody's.
fn single<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Result<Option<&'a str>, Ambiguous> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| Ambiguous),
        (Some(_), Some(_)) => Err(Ambiguous),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "chrome-extension://afjloophkcfkbnbojjbmdlhibaikjmld";

    fn check_with(pairs: &[(&str, &str)]) -> Result<Caller, u16> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(
                header::HeaderName::try_from(*name).unwrap(),
                value.parse().unwrap(),
            );
        }
        check(&headers, "127.0.0.1:19222", |origin| origin == ID).map_err(|status| status.as_u16())
    }

    #[test]
    fn the_exact_host_is_required() {
        for host in [
            "evil.test:19222",
            "127.0.0.1.evil.test",
            "localhost.",
            "localhost:19222",
            "127.0.0.1:19223",
            "u@127.0.0.1:19222",
            "127.0.0.1",
        ] {
            assert_eq!(check_with(&[("host", host)]), Err(403), "{host}");
        }
        assert_eq!(check_with(&[]), Err(400));
        assert_eq!(
            check_with(&[("host", "127.0.0.1:19222"), ("host", "127.0.0.1:19222")]),
            Err(400)
        );
        assert_eq!(check_with(&[("host", "127.0.0.1:19222")]), Ok(Caller::NoOrigin));
    }

    #[test]
    fn the_exact_origin_is_required_when_there_is_one() {
        let host = ("host", "127.0.0.1:19222");
        let upper = ID.to_uppercase();
        let (slash, suffix) = (format!("{ID}/"), format!("{ID}.evil"));
        for origin in [
            "https://evil.example",
            "null",
            "",
            "file://",
            "http://127.0.0.1:19222",
            "http://localhost:19222",
            "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            &upper,
            &slash,
            &suffix,
        ] {
            assert_eq!(check_with(&[host, ("origin", origin)]), Err(403), "{origin}");
        }
        assert_eq!(check_with(&[host, ("origin", ID), ("origin", ID)]), Err(403));
        assert_eq!(
            check_with(&[host, ("origin", ID)]),
            Ok(Caller::Origin(ID.to_owned()))
        );
    }
}
