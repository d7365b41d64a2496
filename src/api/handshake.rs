//! The handshake that makes an HTTP request a `WebSocket` (RFC 6455, 4), for both ends.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

/// What the protocol puts behind the client's key.
const PROTOCOL_ID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The client's key, as its header has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSocketKey(Vec<u8>);

impl WebSocketKey {
    /// From sixteen random bytes.
    pub fn new(random: [u8; 16]) -> Self {
        Self(STANDARD.encode(random).into_bytes())
    }

    /// From a request's header.
    pub fn from_header(bytes: &[u8]) -> Self {
        Self(bytes.to_owned())
    }

    pub fn header(&self) -> &[u8] {
        &self.0
    }

    /// The answer to it: whoever gives it has read the request as one for a `WebSocket`.
    pub fn accept(&self) -> String {
        let proof = [&*self.0, PROTOCOL_ID.as_bytes()].concat();
        STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, &proof))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_the_standard_has_the_answer_of_the_standard() {
        let key = WebSocketKey::from_header(b"dGhlIHNhbXBsZSBub25jZQ==");
        assert_eq!(key.accept(), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        assert_eq!(WebSocketKey::new(*b"the sample nonce"), key);
    }
}
