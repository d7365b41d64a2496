//! The connections of a client, over its proxy and with the issuers that it trusts.

use super::{Timeouts, base, send::cause};
use crate::{
    config::{Connection, Proxy},
    model::Failure,
};
use reqwest::{Certificate, ClientBuilder, Url};
use std::{
    fmt, fs,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::sync::OnceCell;

/// Below the 30 s after which the paper exchange (and most proxies) drop an idle connection. A request written into a
/// closing connection has an unknown outcome for no reason.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);

/// Connections, opened on first use: loading the certificate store reads files, and the first frame must not wait for
/// it.
#[derive(Default)]
pub(super) struct ConnectionPools {
    options: ConnectionOptions,
    plain: OnceCell<reqwest::Client>,
    tls: OnceCell<reqwest::Client>,
}

/// How other machines are reached.
#[derive(Debug, Clone, Default)]
struct ConnectionOptions {
    timeouts: Timeouts,
    proxy: Option<Proxy>,
    ca_file: Option<PathBuf>,
}

/// The clients of the library have too much to print.
impl fmt::Debug for ConnectionPools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pools")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

type Build = fn(&ConnectionOptions) -> Result<reqwest::Client, String>;

impl ConnectionPools {
    pub(super) fn of(connection: &Connection, timeouts: Timeouts) -> Self {
        Self {
            options: ConnectionOptions {
                timeouts,
                proxy: connection.proxy.clone(),
                ca_file: connection.ca_file.clone(),
            },
            ..Self::default()
        }
    }

    pub(super) async fn to(&self, url: &Url) -> Result<&reqwest::Client, Failure> {
        let options = self.options.clone();
        let (cell, build): (_, Build) = if url.scheme() == "https" {
            (&self.tls, tls)
        } else {
            (&self.plain, plain)
        };
        cell.get_or_try_init(|| async {
            let pool = tokio::task::spawn_blocking(move || build(&options)).await;
            let pool = pool.map_err(|_| Failure::local("the HTTP client did not start"))?;
            pool.map_err(|why| Failure::local(format!("the HTTP client did not start: {why}")))
        })
        .await
    }

    /// The proxy for a request to `url`.
    pub(super) fn proxy_to(&self, url: &Url) -> Option<&Proxy> {
        let is_far = url.scheme() == "https" && !base::is_loopback(url);
        self.options.proxy.as_ref().filter(|_| is_far)
    }
}

/// `http` goes to loopback only (`base`): without the proxy, which would see the key, and without a certificate store,
/// which a minimal machine lacks.
fn plain(options: &ConnectionOptions) -> Result<reqwest::Client, String> {
    built(builder(options.timeouts).tls_certs_only([]))
}

fn tls(options: &ConnectionOptions) -> Result<reqwest::Client, String> {
    let mut builder = builder(options.timeouts).https_only(true);
    if let Some(file) = &options.ca_file {
        builder = builder.tls_certs_merge(issuers(file)?);
    }
    if let Some(proxy) = &options.proxy {
        let proxy = reqwest::Proxy::all(proxy.url()).map_err(|why| cause(&why.without_url()))?;
        // This machine is reached without the proxy.
        let here = reqwest::NoProxy::from_string("localhost,127.0.0.0/8,::1");
        builder = builder.proxy(proxy.no_proxy(here));
    }
    built(builder)
}

fn built(builder: ClientBuilder) -> Result<reqwest::Client, String> {
    builder.build().map_err(|why| cause(&why))
}

/// The certificates of `ca_file`; a file without one would be a mistake that nobody notices.
fn issuers(file: &Path) -> Result<Vec<Certificate>, String> {
    let of_file = |why: &str| format!("ca_file {}: {why}", file.display());
    let pem = fs::read(file).map_err(|why| of_file(&why.to_string()))?;
    let found = Certificate::from_pem_bundle(&pem);
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) | Err(_) => Err(of_file("it holds no certificate in PEM form")),
    }
}

fn builder(timeouts: Timeouts) -> ClientBuilder {
    // reqwest asks rustls for the process default and panics without one. A second installation returns an error, which
    // only means that the first one is in place.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .user_agent(concat!("perpdeck/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        // Only the configured proxy: orders must not follow somebody's HTTPS_PROXY.
        .no_proxy()
        .connect_timeout(timeouts.connect())
        .pool_idle_timeout(IDLE_TIMEOUT)
}

#[cfg(test)]
mod tests;
