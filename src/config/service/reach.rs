//! Whether a service is on this machine.

use url::{Host, Url};

pub(in crate::config) fn loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The location of a service, for decisions about trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::config) enum ServiceReach {
    ThisMachine,
    Elsewhere,
}

pub(in crate::config) fn reach(base_url: &str) -> ServiceReach {
    if Url::parse(base_url).is_ok_and(|url| loopback(&url)) {
        ServiceReach::ThisMachine
    } else {
        ServiceReach::Elsewhere
    }
}
