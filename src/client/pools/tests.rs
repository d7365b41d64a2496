use super::*;
use crate::client::testing::responder::{client, connection};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, PrivatePkcs8KeyDer},
};
use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    sync::Arc,
};
use tempfile::TempDir;

const ISSUER: &str = include_str!("../testing/tls/issuer.pem");

/// The address of a service on this machine whose certificate is of [`ISSUER`]; it says what it is, to each connection.
fn service() -> String {
    let certificate = CertificateDer::from(&include_bytes!("../testing/tls/server.der")[..]);
    let key = PrivatePkcs8KeyDer::from(&include_bytes!("../testing/tls/server.key.der")[..]);
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .unwrap();
    let (config, listener) = (Arc::new(config), TcpListener::bind("127.0.0.1:0").unwrap());
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let session = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(session, socket.unwrap());
            let mut request = [0; 4_096];
            // A client that does not trust it ends the connection here.
            if stream.read(&mut request).is_ok() {
                let body = r#"{"name":"far","environment":"test"}"#;
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                stream
                    .write_all(format!("{head}{body}").as_bytes())
                    .unwrap();
                stream.flush().unwrap();
            }
        }
    });
    format!("https://{address}")
}

async fn asked(ca_file: Option<PathBuf>) -> Result<String, String> {
    let connection = Connection {
        ca_file,
        ..connection(&service())
    };
    let (client, _calls) = client(connection);
    let about = client.about().await;
    about
        .map(|about| format!("{:?}", about.name))
        .map_err(|why| why.message.to_string())
}

#[tokio::test]
async fn a_certificate_of_ones_own_issuer_is_trusted_once_ca_file_names_it() {
    let why = asked(None).await.unwrap_err();
    let what = "this machine does not trust the issuer of the certificate";
    assert!(why.contains(what) && why.contains("set ca_file"), "{why}");
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("company.pem");
    fs::write(&file, ISSUER).unwrap();
    assert!(asked(Some(file)).await.unwrap().contains("far"));
}

#[tokio::test]
async fn a_ca_file_that_is_missing_or_holds_no_certificate_is_named() {
    let dir = TempDir::new().unwrap();
    let (missing, empty) = (dir.path().join("none.pem"), dir.path().join("empty.pem"));
    fs::write(&empty, "no certificate").unwrap();
    for (file, words) in [
        (missing, "No such file"),
        (empty, "it holds no certificate in PEM form"),
    ] {
        let why = asked(Some(file.clone())).await.unwrap_err();
        let named = format!("ca_file {}", file.display());
        assert!(why.contains(&named) && why.contains(words), "{why}");
    }
}
