//! A line on the control socket of a desk: it is a request that the desk understands, or nothing happens.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _understood = perpdeck::runtime::understands(data);
});
