//! The body of a service's answer, through the client's decoding and the desk, to a drawn frame.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| harness::show(data));
