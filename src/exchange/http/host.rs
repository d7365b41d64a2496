//! Which hosts a request may name: protects against pages that rebind their own name to our address.
//!
//! One parser reads the header `Host` and the absolute form of the target (`GET http://host/path`). It accepts only
//! what RFC 3986, 3.2 allows: no user, no zone, nothing after a bracket but a port.

use super::super::api_error::{ApiError, ServiceCode};
use hyper::{
    HeaderMap, Uri,
    header::{HOST, HeaderName},
    http::uri::Authority,
};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Loopback names and addresses, and the bound address. An exchange bound to every address accepts any literal
/// address: DNS rebinding needs a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AllowedHosts {
    bound: IpAddr,
}

impl AllowedHosts {
    pub(crate) fn new(bound: IpAddr) -> Self {
        Self { bound }
    }

    /// 400 unless there is exactly one `Host`, 421 if it or the target names another host.
    pub(crate) fn check(self, target: &Uri, headers: &HeaderMap) -> Result<(), ApiError> {
        let mut given = headers.get_all(HOST).iter();
        let host = given
            .next()
            .filter(|_| given.next().is_none())
            .and_then(|value| value.to_str().ok())
            .ok_or_else(|| header_fault(&HOST, "the header Host is required, once"))?;
        if !self.is_ours(host) {
            return Err(misdirected("the header Host"));
        }
        let plain = target.scheme_str().is_none_or(|scheme| scheme == "http");
        let named = target.authority().map(Authority::as_str);
        if !plain || named.is_some_and(|named| !self.is_ours(named)) {
            return Err(misdirected("the request target"));
        }
        Ok(())
    }

    fn is_ours(self, authority: &str) -> bool {
        match RequestHost::parse(authority) {
            Some(RequestHost::Address(address)) => {
                address.is_loopback() || address == self.bound || self.bound.is_unspecified()
            }
            Some(RequestHost::Name(name)) => name.eq_ignore_ascii_case("localhost"),
            None => false,
        }
    }
}

fn header_fault(name: &HeaderName, message: &str) -> ApiError {
    ApiError::invalid(name.as_str(), message)
}

fn misdirected(what: &str) -> ApiError {
    ApiError::service(
        ServiceCode::HostNotServed,
        format!("{what} names another host than this exchange"),
    )
}

/// The host of an authority; a port must be numeric.
#[derive(Debug, PartialEq, Eq)]
enum RequestHost<'a> {
    Address(IpAddr),
    Name(&'a str),
}

impl<'a> RequestHost<'a> {
    /// `host`, `host:port`, `[v6]` or `[v6]:port`, and nothing else.
    fn parse(authority: &'a str) -> Option<Self> {
        let (host, port) = if let Some(bracketed) = authority.strip_prefix('[') {
            let (address, behind) = bracketed.split_once(']')?;
            let address = address.parse::<Ipv6Addr>().ok()?;
            (Self::Address(address.into()), behind)
        } else {
            let end = authority.find(':').unwrap_or(authority.len());
            let (name, behind) = authority.split_at_checked(end)?;
            let address = name.parse::<Ipv4Addr>();
            let host = address.map_or(Self::Name(name), |address| Self::Address(address.into()));
            (host, behind)
        };
        is_port(port).then_some(host)
    }
}

/// Empty, or a colon and digits.
fn is_port(text: &str) -> bool {
    let Some(digits) = text.strip_prefix(':') else {
        return text.is_empty();
    };
    digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn ours(bound: &str, host: &str) -> bool {
        AllowedHosts::new(bound.parse().unwrap()).is_ours(host)
    }

    #[test]
    fn a_page_with_a_name_of_its_own_cannot_reach_us() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "[::1]:8080"] {
            assert!(ours("127.0.0.1", host), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "192.168.0.7", ""] {
            assert!(!ours("127.0.0.1", host), "{host}");
        }
        assert!(ours("192.168.0.7", "192.168.0.7:8080"));
        assert!(ours("0.0.0.0", "192.168.0.7:8080"));
        assert!(!ours("0.0.0.0", "evil.example"));
    }

    #[test]
    fn an_odd_shape_is_no_host_of_ours_wherever_we_are_bound() {
        for bound in ["127.0.0.1", "0.0.0.0", "::"] {
            for host in [
                "[::1].evil.com",
                "[::1]evil.example",
                "[::1]:80.evil.example",
                "[::1]@evil.example",
                "[::1",
                "[::1]]",
                "[[::1]]",
                "[]",
                "[127.0.0.1]",
                "[::1%25lo]",
                "[localhost]",
                "::1",
                "::1:80",
                "localhost.evil.example",
                "localhost@evil.example",
                "evil.example@localhost",
                "user:word@localhost:80",
                "localhost:80@evil.example",
                "localhost:80:80",
                "localhost:",
                "localhost:+80",
                "localhost:99999",
                "localhost:80 ",
                " localhost",
                "localhost/evil.example",
                "localhost,evil.example",
                "localhost#evil.example",
                "http://localhost",
                "127.0.0.1:",
                "127.0.0.1:80x",
                "127.0.0.1.",
                "127.1",
                "0x7f.0.0.1",
                "2130706433",
                "127.0.0.01",
                ":80",
                ":",
            ] {
                assert!(!ours(bound, host), "{host:?} for {bound}");
            }
        }
    }

    #[test]
    fn a_target_in_absolute_form_is_held_to_the_same_names() {
        let hosts = AllowedHosts::new(Ipv4Addr::LOCALHOST.into());
        let headers = |host: &str| {
            let host = HeaderValue::from_str(host).unwrap();
            HeaderMap::from_iter([(HOST, host)])
        };
        let status = |target: &str, host: &str| {
            let checked = hosts.check(&target.parse().unwrap(), &headers(host));
            checked.map_err(|fault| fault.status.as_u16())
        };
        for target in [
            "/v1/orders",
            "http://localhost/v1/orders",
            "http://127.0.0.1:8080/v1/orders",
            "http://[::1]:8080/v1/orders",
        ] {
            assert_eq!(status(target, "localhost:8080"), Ok(()), "{target}");
            assert_eq!(status(target, "evil.example"), Err(421), "{target}");
        }
        for target in [
            "http://evil.example/v1/orders",
            "http://localhost@evil.example/v1/orders",
            "http://me@localhost/v1/orders",
            "https://localhost/v1/orders",
            "evil.example:80",
        ] {
            assert_eq!(status(target, "localhost"), Err(421), "{target}");
        }
        let none = hosts.check(&"/".parse().unwrap(), &HeaderMap::new());
        assert_eq!(none.unwrap_err().status.as_u16(), 400);
    }
}
