//! A journal's log of any bytes: it opens, or is refused in words, and every row that it still has can be read.
#![no_main]

use perpdeck::journal::Journal;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let folder = harness::folder_with("journal.jsonl", data);
    if let Ok(journal) = Journal::open(folder.path()) {
        let _rows = journal.recent(100);
        let _open = journal.open_intents();
    }
});
