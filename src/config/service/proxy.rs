//! The proxy for requests to other machines, if the settings name one.

use crate::config::Secret;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{fmt, str::FromStr};
use url::Url;

/// Its address. A user name and password in it go only to the proxy.
#[derive(Clone, derive_more::Display)]
#[display("{place}")]
pub struct Proxy {
    url: Secret,
    place: String,
}

impl Proxy {
    /// The full URL, for the code that connects.
    pub fn url(&self) -> &str {
        self.url.expose_secret()
    }
}

impl FromStr for Proxy {
    type Err = &'static str;

    /// Errors never quote the text: it may hold a password.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text)
            .map_err(|_| "is not the address of a proxy: write \"http://host:port\"")?;
        let host = url.host_str().unwrap_or_default();
        let bare =
            matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
        if !matches!(url.scheme(), "http" | "https") || host.is_empty() {
            return Err(
                "is not a supported proxy: write \"http://host:port\" or \"https://host:port\"",
            );
        }
        if !bare {
            return Err("must be scheme, host and port only, as in \"http://host:port\"");
        }
        let port = url.port().map(|port| format!(":{port}"));
        Ok(Self {
            place: format!("{}://{host}{}", url.scheme(), port.unwrap_or_default()),
            url: text.into(),
        })
    }
}

/// Without the password.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Proxy").field(&self.place).finish()
    }
}

impl Serialize for Proxy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// An empty text means no proxy: a profile can remove the inherited one.
pub(in crate::config) fn read<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Proxy>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    let text = text.filter(|text| !text.is_empty());
    text.map(|text| text.parse().map_err(D::Error::custom))
        .transpose()
}

#[cfg(test)]
mod tests {
    use crate::config::service::proxy::*;

    #[test]
    fn a_proxy_is_shown_without_its_password_and_a_mistake_in_it_is_told_without_it() {
        let proxy: Proxy = "http://desk:hunter2@proxy.test:3128/".parse().unwrap();
        assert_eq!(proxy.to_string(), "http://proxy.test:3128");
        assert_eq!(format!("{proxy:?}"), r#"Proxy("http://proxy.test:3128")"#);
        assert!(proxy.url().contains("hunter2"));
        for text in [
            "desk:hunter2@proxy.test:3128",
            "socks5://desk:hunter2@proxy.test",
            "http://desk:hunter2@proxy.test/hunter2",
            "http://desk:hunter2@proxy.test?hunter2",
        ] {
            assert!(!text.parse::<Proxy>().unwrap_err().contains("hunter2"));
        }
    }
}
