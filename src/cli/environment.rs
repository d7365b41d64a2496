//! Removes keys from the process's environment.
//!
//! Contract: on Linux, `/proc/PID/environ` shows the initial environment as long as a program runs, whatever it unsets.
//! So when a variable holds a key, the program first executes itself again, with the same arguments and files and
//! without that variable. The value goes through a socket that only this process has: the socket becomes standard input
//! and carries the real one beside the value. The process id, and with it signals and the exit code, stay the same.
//!
//! Known limits: the key is visible until the program has restarted, a millisecond or two. The shell that exported it
//! keeps it in its own environment. If the system refuses any step, the program runs on unchanged, and `perpdeck
//! doctor` reports it. On other systems nothing is done.

use crate::config::is_secret_variable;
use secrecy::zeroize::Zeroizing;
use std::{env, ffi::OsString, os::unix::ffi::OsStringExt as _};

/// The variables that settings are read from.
#[derive(Debug, Default)]
pub struct Environment {
    handed_over: Vec<Variable>,
}

/// `Debug` hides the value.
struct Variable {
    name: OsString,
    value: Zeroizing<Vec<u8>>,
}

impl std::fmt::Debug for Variable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.name)
    }
}

impl Environment {
    /// Call it first: it may restart the program and not return.
    pub fn take() -> Self {
        #[cfg(target_os = "linux")]
        {
            if let Some(handed_over) = again::receive() {
                return Self { handed_over };
            }
            let keys: Vec<_> = keys().collect();
            if !keys.is_empty() {
                // Only a failure returns.
                let _why = again::start_without(&keys);
            }
        }
        Self::default()
    }

    /// All variables, including the keys.
    pub(super) fn variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        let keys = self.handed_over.iter().map(|variable| {
            let value = OsString::from_vec(variable.value.to_vec());
            (variable.name.clone(), value)
        });
        env::vars_os().chain(keys)
    }
}

/// The variables with a key or a proxy's password that anyone who can read this process's environment sees.
pub(super) fn readable() -> Vec<OsString> {
    keys().map(|variable| variable.name).collect()
}

fn keys() -> impl Iterator<Item = Variable> {
    let secret =
        env::vars_os().filter(|(name, value)| is_secret_variable(name) && !value.is_empty());
    secret.map(|(name, value)| Variable {
        name,
        value: Zeroizing::new(value.into_vec()),
    })
}

#[cfg(target_os = "linux")]
mod again {
    use super::{Variable, Zeroizing, env};
    use rustix::{
        net::{
            AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
            SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg,
            sendmsg, socketpair, sockopt::socket_peercred,
        },
        process::getpid,
        stdio::dup2_stdin,
    };
    use std::{
        ffi::{CString, OsString},
        io::{self, IoSlice, IoSliceMut},
        mem::MaybeUninit,
        os::{
            fd::{AsFd as _, OwnedFd},
            unix::{
                ffi::{OsStrExt as _, OsStringExt as _},
                process::CommandExt as _,
            },
        },
        path::Path,
        process::{Command, Stdio},
    };

    /// This executable, even if its file was replaced since.
    const THIS_PROGRAM: &str = "/proc/self/exe";
    /// The start of the message, which no other program's socket sends.
    const MARK: &[u8] = b"perpdeck: the keys of the environment\0";
    /// The socket has room for a few keys.
    const LONGEST: usize = 64 * 1024;

    /// Returns only on failure.
    pub(super) fn start_without(keys: &[Variable]) -> io::Error {
        match prepare(keys) {
            Ok(mut command) => command.exec(),
            Err(why) => why,
        }
    }

    fn prepare(keys: &[Variable]) -> io::Result<Command> {
        let (ours, theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        send(&ours, &message(keys)?)?;
        let mut args = env::args_os();
        let mut command = Command::new(THIS_PROGRAM);
        if let Some(name) = args.next() {
            command.arg0(name);
        }
        command.args(args).stdin(Stdio::from(theirs));
        for key in keys {
            command.env_remove(&key.name);
        }
        Ok(command)
    }

    /// The mark, then each variable as `NAME=value` and a zero byte, which neither can contain.
    fn message(keys: &[Variable]) -> io::Result<Zeroizing<Vec<u8>>> {
        // Allocated once: growing would leave copies in memory.
        let mut text = Zeroizing::new(Vec::with_capacity(LONGEST));
        let parts = keys
            .iter()
            .flat_map(|key| [key.name.as_bytes(), b"=", key.value.as_slice(), b"\0"]);
        for part in std::iter::once(MARK).chain(parts) {
            if text.len().saturating_add(part.len()) > LONGEST {
                return Err(io::ErrorKind::ArgumentListTooLong.into());
            }
            text.extend_from_slice(part);
        }
        Ok(text)
    }

    fn send(to: &OwnedFd, text: &[u8]) -> io::Result<()> {
        let stdin = io::stdin();
        let files = [stdin.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut beside = SendAncillaryBuffer::new(&mut space);
        beside.push(SendAncillaryMessage::ScmRights(&files));
        // Nobody reads yet: a full socket must not block.
        sendmsg(to, &[IoSlice::new(text)], &mut beside, SendFlags::DONTWAIT)?;
        Ok(())
    }

    /// The variables that this program passed to itself, with standard input restored; `None` if somebody else started
    /// it.
    pub(super) fn receive() -> Option<Vec<Variable>> {
        let stdin = io::stdin();
        // This process created both ends of the socket before it executed itself.
        if socket_peercred(&stdin).ok()?.pid != getpid() {
            return None;
        }
        let mut text = Zeroizing::new(vec![0; LONGEST]);
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
        let read = recvmsg(
            &stdin,
            &mut [IoSliceMut::new(&mut text)],
            &mut beside,
            flags,
        )
        .ok()?;
        let whole = text.get(..read.bytes)?.strip_prefix(MARK)?;
        let files = beside.drain().filter_map(|message| {
            let RecvAncillaryMessage::ScmRights(files) = message else {
                return None;
            };
            Some(files)
        });
        let input = files.flatten().next()?;
        dup2_stdin(input).ok()?;
        name_as_typed();
        (!read.flags.contains(ReturnFlags::TRUNC)).then(|| variables(whole))
    }

    fn variables(text: &[u8]) -> Vec<Variable> {
        let lines = text.split(|byte| *byte == 0);
        let pairs = lines.filter_map(|line| {
            let end = line.iter().position(|byte| *byte == b'=')?;
            Some((line.get(..end)?, line.get(end.checked_add(1)?..)?))
        });
        let variable = |(name, value): (&[u8], &[u8])| Variable {
            name: OsString::from_vec(name.to_vec()),
            value: Zeroizing::new(value.to_vec()),
        };
        pairs.map(variable).collect()
    }

    /// Restores the process name for `ps` and `pkill`; the system now calls it "exe".
    fn name_as_typed() {
        let typed = env::args_os().next().unwrap_or_default();
        let name = Path::new(&typed).file_name().unwrap_or_default();
        if let Ok(name) = CString::new(name.as_bytes()) {
            let _unnamed = rustix::thread::set_name(&name);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn key(name: &str, value: &str) -> Variable {
            Variable {
                name: name.into(),
                value: Zeroizing::new(value.as_bytes().to_vec()),
            }
        }

        #[test]
        fn what_is_handed_over_arrives_as_it_was() {
            let keys = [
                key("PERPDECK_API_KEY", "sk=4711="),
                key("PERPDECK_PROXY", "http://a:b@c"),
            ];
            let text = message(&keys).unwrap();
            let read = variables(text.strip_prefix(MARK).unwrap());
            let read: Vec<_> = read.iter().map(|v| (&v.name, &*v.value)).collect();
            let sent: Vec<_> = keys.iter().map(|v| (&v.name, &*v.value)).collect();
            assert_eq!(read, sent);
            assert_eq!(text.capacity(), LONGEST);
        }

        #[test]
        fn what_is_too_long_for_the_socket_is_not_handed_over() {
            assert!(message(&[key("PERPDECK_API_KEY", &"x".repeat(LONGEST))]).is_err());
        }

        #[test]
        fn the_standard_input_of_another_program_is_left_alone() {
            assert!(receive().is_none());
        }

        #[test]
        fn a_variable_is_never_shown() {
            let shown = format!("{:?}", key("PERPDECK_API_KEY", "sk-4711"));
            assert!(!shown.contains("4711"), "{shown}");
        }
    }
}
