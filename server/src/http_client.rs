//! How we ask servers that a person configured, whatever they are: the rules that model servers and MCP servers share.

use url::{Host, Url};

/// A client for the server of this address: the proxies of the system, but none for this machine's loopback.
pub(crate) fn builder(url: &Url) -> reqwest::ClientBuilder {
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("sidewire/", env!("CARGO_PKG_VERSION")))
        .tcp_nodelay(true);
    if is_loopback(url) {
        // A proxy of the company cannot reach it.
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // Reading the platform's certificates takes longer than everything else.
        builder = builder.tls_certs_only([]);
    }
    builder
}

/// Whether an address is one of this machine, as far as it shows.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_the_loopback() {
        for (url, expected) in [
            ("http://localhost:1/v1", true),
            ("http://a.localhost", true),
            ("http://127.9.9.9", true),
            ("http://[::1]:80", true),
            ("http://localhost.example", false),
            ("http://127.0.0.1.example", false),
            ("http://10.0.0.1", false),
            ("file:///x", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
