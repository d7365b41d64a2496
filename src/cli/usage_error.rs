//! A command line that cannot be read: told in words to a person, in JSON to a program, as the verb would tell it.

use super::{Exit, voice::Output};
use clap::Error;

pub(super) fn tell(why: &Error, voice: Output) -> Exit {
    let is_help = !why.use_stderr();
    if is_help || voice.speaks_words() {
        // Nobody is left to tell when the stream is gone.
        let _gone = why.print();
        return if is_help { Exit::Ok } else { Exit::Usage };
    }
    voice.misused(message(why))
}

/// What is wrong, without the usage that follows it.
fn message(why: &Error) -> String {
    let text = why.to_string();
    let text = text.split("\n\nUsage:").next().unwrap_or_default();
    text.trim_start_matches("error: ").trim_end().to_owned()
}
