//! The bytes of a terminal, in bursts, through the framer and the queue to a desk, to a drawn frame.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| harness::press(data));
