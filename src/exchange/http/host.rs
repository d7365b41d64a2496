//! Which `Host` a request may name: against pages that rebind their own name to our address.

use super::super::fault::Fault;
use hyper::{HeaderMap, StatusCode, header::HOST};
use std::net::IpAddr;

/// Loopback names and addresses, and the address we are bound to. Bound to every address, any literal address is
/// let in: rebinding needs a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hosts {
    bound: IpAddr,
}

impl Hosts {
    pub(crate) fn new(bound: IpAddr) -> Self {
        Self { bound }
    }

    /// 400 unless there is exactly one `Host`, 421 with someone else's.
    pub(crate) fn check(self, headers: &HeaderMap) -> Result<(), Fault> {
        let mut given = headers.get_all(HOST).iter();
        let host = given
            .next()
            .filter(|_| given.next().is_none())
            .and_then(|value| value.to_str().ok())
            .ok_or_else(|| Fault::invalid("the header Host is required, once"))?;
        if self.is_ours(host) {
            return Ok(());
        }
        Err(Fault::new(
            StatusCode::MISDIRECTED_REQUEST,
            "host_not_served",
            "the header Host names another host than this exchange",
        ))
    }

    fn is_ours(self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
            None => host.rsplit_once(':').map_or(host, |(name, _port)| name),
        };
        match name.parse::<IpAddr>() {
            Ok(address) => {
                address.is_loopback() || address == self.bound || self.bound.is_unspecified()
            }
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_with_a_name_of_its_own_cannot_reach_us() {
        let ours = |bound: &str, host| Hosts::new(bound.parse().unwrap()).is_ours(host);
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
}
