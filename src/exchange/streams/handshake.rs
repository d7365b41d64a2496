//! The answer that makes a request a WebSocket (RFC 6455, 4.2).

use super::super::api_error::{ApiError, ApiResult, ServiceCode};
use crate::api::WebSocketKey;
use hyper::{
    HeaderMap,
    header::{
        CONNECTION, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
        SEC_WEBSOCKET_VERSION, UPGRADE,
    },
};

/// The headers of the 101.
pub(in crate::exchange) type SwitchHeaders = [(HeaderName, HeaderValue); 3];

/// The headers of the 101; 426 if the request is for no WebSocket of version 13.
pub(in crate::exchange) fn switch(headers: &HeaderMap) -> ApiResult<SwitchHeaders> {
    let has = |name: HeaderName, token: &str| {
        let mut values = headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok());
        values.any(|value| {
            let mut tokens = value.split(',');
            tokens.any(|given| given.trim().eq_ignore_ascii_case(token))
        })
    };
    let asks = has(UPGRADE, "websocket") && has(CONNECTION, "upgrade");
    let key = headers.get(SEC_WEBSOCKET_KEY);
    let (true, true, Some(key)) = (asks, has(SEC_WEBSOCKET_VERSION, "13"), key) else {
        return Err(ApiError::service(
            ServiceCode::UpgradeRequired,
            "this is a stream: open it as a WebSocket (Upgrade: websocket, Sec-WebSocket-Version: 13)",
        ));
    };
    let accept = WebSocketKey::from_header(key.as_bytes()).accept();
    let accept = HeaderValue::from_str(&accept)
        .map_err(|_| ApiError::broken("a handshake that is no header"))?;
    Ok([
        (UPGRADE, HeaderValue::from_static("websocket")),
        (CONNECTION, HeaderValue::from_static("Upgrade")),
        (SEC_WEBSOCKET_ACCEPT, accept),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::StatusCode;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    /// The example of RFC 6455, 1.3.
    #[test]
    fn the_key_of_the_standard_has_the_answer_of_the_standard() {
        let asked = headers(&[
            ("upgrade", "WebSocket"),
            ("connection", "keep-alive, Upgrade"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]);
        let [_, _, (_, accept)] = switch(&asked).unwrap();
        assert_eq!(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn a_request_that_asks_for_no_websocket_is_426() {
        let plain = headers(&[("connection", "keep-alive")]);
        assert_eq!(
            switch(&plain).unwrap_err().status,
            StatusCode::UPGRADE_REQUIRED
        );
        let old = headers(&[
            ("upgrade", "websocket"),
            ("connection", "upgrade"),
            ("sec-websocket-version", "8"),
            ("sec-websocket-key", "k"),
        ]);
        assert_eq!(
            switch(&old).unwrap_err().status,
            StatusCode::UPGRADE_REQUIRED
        );
    }
}
