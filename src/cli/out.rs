//! Standard output and standard error, without panics.

use std::io::{self, Write};

/// Writes to standard output.
pub(super) fn say(text: &str) -> io::Result<()> {
    say_bytes(text.as_bytes())
}

/// A reader that closed its pipe (`| head -1`) has what it wanted: no failure, and the exit code is unchanged.
pub(super) fn say_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes each line to standard error, after the program's name.
pub(super) fn complain(text: &str) {
    let mut err = io::stderr().lock();
    for line in text.lines() {
        // Standard error may be closed.
        let _gone = writeln!(err, "perpdeck: {line}");
    }
}

/// Writes one line to standard error unchanged.
pub(super) fn stderr_line(line: &str) {
    // Standard error may be closed.
    let _gone = writeln!(io::stderr().lock(), "{line}");
}
