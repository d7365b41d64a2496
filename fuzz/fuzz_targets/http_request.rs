//! The bytes of a connection to the paper exchange; `@key@` in them stands for the header that authorizes.
#![no_main]

use harness::Exchange;
use std::sync::LazyLock;

static EXCHANGE: LazyLock<Exchange> = LazyLock::new(Exchange::start);
const KEY: &[u8] = b"@key@\r\n";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut request = vec![];
    let mut rest = data;
    while let Some(at) = rest.windows(KEY.len()).position(|window| window == KEY) {
        request.extend_from_slice(&rest[..at]);
        request.extend_from_slice(EXCHANGE.authorization().as_bytes());
        rest = &rest[at + KEY.len()..];
    }
    request.extend_from_slice(rest);
    EXCHANGE.ask(&request);
});
