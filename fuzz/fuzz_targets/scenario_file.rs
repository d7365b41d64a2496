//! A scenario of any text: it becomes the configuration of an exchange, or is refused with its reason.
#![no_main]

use perpdeck::exchange::Scenario;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Err(why) = Scenario::parse(text).and_then(|scenario| scenario.check()) {
        assert!(!why.to_string().is_empty(), "refused without a word");
    }
});
