//! A settings file of any bytes: it loads, or every problem is named.
#![no_main]

use perpdeck::config::{self, Sources};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let folder = harness::folder_with("config.toml", data);
    let sources = Sources {
        user_file: Some(folder.path().join("config.toml")),
        ..Sources::default()
    };
    if let Err(problems) = config::load(&sources) {
        assert!(!problems.to_string().is_empty(), "refused without a word");
    }
});
