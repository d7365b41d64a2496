//! Standard output and standard error, written whole.

use std::io::{self, Write};

/// Writes to standard output.
pub(super) fn say(text: &str) -> io::Result<()> {
    say_bytes(text.as_bytes())
}

/// A reader who went away (`| head -1`) has what it wanted: that is no failure, and changes nothing of how a run ends.
pub(super) fn say_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes each line to standard error under the program's name.
pub(super) fn complain(text: &str) {
    let mut err = io::stderr().lock();
    for line in text.lines() {
        // Nobody is left to tell when standard error is gone.
        let _gone = writeln!(err, "perpdeck: {line}");
    }
}

/// Writes one line to standard error as it is.
pub(super) fn aside(line: &str) {
    // Nobody is left to tell when standard error is gone.
    let _gone = writeln!(io::stderr().lock(), "{line}");
}
