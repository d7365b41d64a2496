//! A cursor as a client sends it back, for both lists that have one.
#![no_main]

use harness::Exchange;
use std::{fmt::Write as _, sync::LazyLock};

static EXCHANGE: LazyLock<Exchange> = LazyLock::new(Exchange::start);

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut cursor = String::new();
    for byte in data {
        write!(cursor, "%{byte:02x}").expect("a string grows");
    }
    for list in ["orders", "positions?status=closed"] {
        let joint = if list.contains('?') { '&' } else { '?' };
        EXCHANGE.ask(
            format!(
                "GET /v1/{list}{joint}account_id=fuzz-1&cursor={cursor} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{}\r\n",
                EXCHANGE.authorization()
            )
            .as_bytes(),
        );
    }
});
