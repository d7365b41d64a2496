//! Which addresses a request may go to: `https`, or plain `http` to this machine only, and never with a secret in the
//! URL.

use crate::model::{Failure, Fallible};
use reqwest::Url;
use std::net::IpAddr;

/// The service's own address in normal form: no trailing slash, no default port.
///
/// A user name, a query or a fragment is refused, because each may leak a key into a log.
pub(super) fn base(text: &str) -> Fallible<Url> {
    let url = checked(text, "base URL")?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(Failure::local(
            "the base URL must end after host and port: no `?` and no `#`",
        ));
    }
    Ok(url)
}

/// The address of a stream, as one of the request that opens it.
pub(super) fn stream(text: &str) -> Fallible<Url> {
    checked(&text.replacen("ws", "http", 1), "address of the stream")
}

/// The URL of `target` (path and query) below `base`.
///
/// A URL parser resolves `.` and `..` segments, so an id made of dots would name another endpoint; such a target is
/// refused.
pub(super) fn endpoint(base: &Url, target: &str) -> Fallible<Url> {
    let text = format!("{}{target}", prefix(base));
    match Url::parse(&text) {
        Ok(url) if url.as_str() == text => Ok(url),
        _ => Err(Failure::local(format!(
            "`{target}` cannot be requested: a URL cannot hold its id"
        ))),
    }
}

/// `localhost` and the loopback addresses, the only hosts allowed over plain `http`.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Host and port, for a message.
pub(super) fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or("the service");
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn prefix(base: &Url) -> &str {
    base.as_str().trim_end_matches('/')
}

/// An address that may be requested; `what` names it in words.
pub(super) fn checked(text: &str, what: &str) -> Fallible<Url> {
    let url = Url::parse(text).map_err(|why| {
        Failure::local(format!(
            "the {what} cannot be read ({why}): write it like https://host or http://127.0.0.1:8080"
        ))
    })?;
    // Before any message that repeats the address: a user name or password is never shown.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Failure::local(format!(
            "the {what} must not contain a user name or password"
        )));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => Err(Failure::local(format!(
            "the {what} is plain http to {}: the API key would be sent unencrypted, use https",
            url.host_str().unwrap_or("another machine")
        ))),
        other => Err(Failure::local(format!(
            "the {what} starts with `{other}:`; use https (or http to this machine)"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        base(text).unwrap_err().to_string()
    }

    #[test]
    fn plain_http_reaches_this_machine_only() {
        for text in [
            "http://127.0.0.1:8080",
            "http://[::1]:8080",
            "http://localhost:1",
        ] {
            assert!(base(text).is_ok(), "{text}");
        }
        assert!(refusal("http://10.0.0.7:8080").contains("use https"));
        assert!(refusal("http://127.0.0.1.example.com").contains("use https"));
    }

    #[test]
    fn a_base_url_carries_nothing_but_the_place() {
        assert!(refusal("https://u:hunter2@x.test").contains("user name"));
        assert!(!refusal("https://u:hunter2@x.test").contains("hunter2"));
        assert!(refusal("https://x.test?key=1").contains('?'));
        assert!(refusal("https://x.test#a").contains('#'));
        assert!(refusal("ftp://x.test").contains("ftp:"));
        assert!(refusal("x.test").contains("cannot be read"));
    }

    #[test]
    fn an_id_of_dots_cannot_turn_one_endpoint_into_another() {
        let base = base("https://x.test/").unwrap();
        assert_eq!(
            endpoint(&base, "/v1/orders/a%7Cb").unwrap().as_str(),
            "https://x.test/v1/orders/a%7Cb"
        );
        for target in ["/v1/orders/..", "/v1/orders/../positions", "/v1/orders/."] {
            assert!(endpoint(&base, target).is_err(), "{target}");
        }
    }
}
