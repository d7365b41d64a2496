//! Errors in the command line: as text for a person, as JSON for a program.

use super::{Exit, voice::Output};
use clap::Error;

pub(super) fn report(why: &Error, voice: Output) -> Exit {
    let is_help = !why.use_stderr();
    if is_help || voice.speaks_words() {
        // The stream may be closed.
        let _gone = why.print();
        return if is_help { Exit::Ok } else { Exit::Usage };
    }
    voice.misused(message(why))
}

/// The error, without the usage text.
pub(super) fn message(why: &Error) -> String {
    let text = why.to_string();
    let text = text.split("\n\nUsage:").next().unwrap_or_default();
    text.trim_start_matches("error: ").trim_end().to_owned()
}
