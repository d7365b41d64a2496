//! Reads a key from the system's keyring.
//!
//! Contract: runs `secret-tool` (libsecret: GNOME Keyring, `KWallet`, `KeePassXC`), or `security` on macOS, without a
//! shell. The entry's name is an argument of its own; the key comes on standard output and is never an argument. A
//! locked keyring gets a minute to be unlocked.

use crate::config::secrets::child_env::keyless;
use secrecy::zeroize::Zeroizing;
use std::{
    env,
    io::{self, Read as _},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::channel,
    thread,
    time::Duration,
};

/// A person may first have to type the keyring's password.
pub(super) const UNLOCK_TIMEOUT: Duration = Duration::from_mins(1);
/// A program's error message is one line.
const LONGEST_COMPLAINT: u64 = 1024;

const OTHERWISE: &str = "or set api_key_file or api_key_command";

#[cfg(target_os = "macos")]
const PROGRAM: &str = "security";
#[cfg(not(target_os = "macos"))]
const PROGRAM: &str = "secret-tool";

/// The command that finds the entry, and the one a person types to create it.
fn lookup(name: &str) -> [String; 2] {
    if cfg!(target_os = "macos") {
        let entry = format!("-s perpdeck -a {name} -w");
        let store = format!("security add-generic-password {entry}");
        return [format!("find-generic-password {entry}"), store];
    }
    let entry = format!("service perpdeck account {name}");
    let store = format!("secret-tool store --label='perpdeck {name}' {entry}");
    [format!("lookup {entry}"), store]
}

/// Whether this is a valid entry name: one word that is no flag, so that the commands above cannot be misread.
pub(in crate::config) fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_.@:/+".contains(c);
    !name.is_empty() && name.len() <= 128 && !name.starts_with('-') && name.chars().all(plain)
}

/// The secret of the entry `name` of the service "perpdeck".
pub(in crate::config) fn read(name: &str, longest: usize) -> Result<Zeroizing<String>, String> {
    let [found, store] = lookup(name);
    let mut program = Command::new(PROGRAM);
    let program = program.args(found.split(' ')).stderr(Stdio::piped());
    let printed = ask(program, longest, UNLOCK_TIMEOUT).map_err(|why| not_run(&why))?;
    let Some(printed) = printed else {
        return Err(format!(
            "asks for {name:?}, and the keyring did not answer within a minute: unlock it, {OTHERWISE}"
        ));
    };
    if printed.status.success() {
        return Ok(printed.output);
    }
    let complaint = printed.complaint.lines().next().unwrap_or_default().trim();
    // The exit code of `security` for a missing entry.
    let is_missing = complaint.is_empty() || printed.status.code() == Some(44);
    Err(if is_missing {
        format!("names {name:?}, and the keyring has no such entry: make it by \"{store}\"")
    } else {
        let shown: String = complaint.chars().filter(|c| !c.is_control()).collect();
        format!(
            "asks for {name:?}, and no keyring answers ({PROGRAM}: {shown}): start and unlock one in this session, \
             {OTHERWISE}"
        )
    })
}

fn not_run(why: &io::Error) -> String {
    if why.kind() == io::ErrorKind::NotFound {
        return format!(
            "is read by the program {PROGRAM}, which is not installed: install it (Debian, Ubuntu: libsecret-tools; \
             Fedora, Arch: libsecret), {OTHERWISE}"
        );
    }
    format!("is read by the program {PROGRAM}, which cannot be run: {why}")
}

pub(super) struct ProgramAnswer {
    pub(super) status: ExitStatus,
    pub(super) output: Zeroizing<String>,
    complaint: String,
}

/// What a program prints, up to `longest` bytes; `None` if it does not end in time.
pub(super) fn ask(
    program: &mut Command,
    longest: usize,
    patience: Duration,
) -> io::Result<Option<ProgramAnswer>> {
    let mut child = keyless(program, env::vars_os().map(|(name, _)| name))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let (tell, receiver) = channel();
    let (output, complaint) = (child.stdout.take(), child.stderr.take());
    thread::spawn(move || {
        // Room for all of it: a buffer that grows leaves copies of the key behind.
        let mut printed = Zeroizing::new(Vec::with_capacity(longest));
        let mut complained = String::new();
        let longest = u64::try_from(longest).unwrap_or(u64::MAX);
        // An unreadable key is reported below.
        let _cut = output.map(|from| from.take(longest).read_to_end(&mut printed));
        let limit = LONGEST_COMPLAINT;
        let _cut = complaint.map(|from| from.take(limit).read_to_string(&mut complained));
        let output = Zeroizing::new(String::from_utf8_lossy(&printed).into_owned());
        let _late = tell.send((output, complained));
    });
    let Ok((output, complaint)) = receiver.recv_timeout(patience) else {
        end(&mut child);
        return Ok(None);
    };
    Ok(Some(ProgramAnswer {
        status: child.wait()?,
        output,
        complaint,
    }))
}

fn end(child: &mut Child) {
    // It may have ended already.
    let _gone = child.kill();
    let _reaped = child.wait();
}

#[cfg(test)]
mod tests {
    use crate::config::secrets::keyring::*;

    #[test]
    fn the_name_of_an_entry_is_one_word_that_no_program_takes_for_a_flag() {
        assert!(
            ["main", "swing-2", "me@example.com", "a/b"]
                .into_iter()
                .all(is_name)
        );
        let long = "x".repeat(129);
        let none = ["", "--help", "two words", "a;b", "a'b", "a\nb", &long];
        assert!(!none.into_iter().any(is_name));
    }
}
