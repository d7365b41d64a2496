//! The sandbox: the kernel restricts what the desk can write, so that a compromised desk can plant no program and
//! change no settings.
//!
//! Contract: it is entered before the first thread of the runtime, which inherits it. It restricts writes only: reads
//! and connections stay free, so that name servers, certificates, time zones and files named while the desk runs stay
//! reachable, and closes never depend on it. The settings' directory is not writable: no desk writes there. If anything
//! fails, the desk runs without the sandbox and says so. Testing for Landlock is one system call; without Landlock
//! nothing else happens.
//!
//! Known limits: tested with Landlock ABI 7, with older ones only by their documentation. A program that is run for the
//! key would be restricted too, and may have to write (a password manager's lock), so with one configured the sandbox
//! is off. Without `export_dir`, exports go to the directory where perpdeck was started, and everything below it is
//! writable.

use crate::cli::paths::state_dir;
use crate::config::{self, Loaded, Settings, Sources, load};
use std::{
    env, fmt,
    path::{Path, PathBuf},
};

/// The state of the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sandbox {
    Active {
        abi: u8,
        writable: Vec<PathBuf>,
    },
    NotAvailable,
    /// Disabled by the setting.
    Off,
    /// Something configured would not work in it.
    NotApplied(String),
    /// It failed; the text says why.
    Failed(String),
}

impl fmt::Display for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Active { abi, writable } => {
                let places: Vec<_> = writable
                    .iter()
                    .map(|path| path.display().to_string())
                    .collect();
                let places = places.join(", ");
                write!(
                    f,
                    "active (Landlock ABI {abi}): the desk can write only to {places}"
                )
            }
            Self::NotAvailable => f.write_str("not available: this kernel has no Landlock"),
            Self::Off => f.write_str("off: sandbox = \"off\" is set"),
            Self::NotApplied(why) => write!(f, "not applied: {why}"),
            Self::Failed(why) => write!(f, "not applied, it failed: {why}"),
        }
    }
}

impl Sandbox {
    /// The warning for the trader, if there is one.
    pub(super) fn failure(&self) -> Option<String> {
        matches!(self, Self::Failed(_)).then(|| format!("the sandbox is {self}"))
    }
}

/// Like [`enter`], with the settings of these sources.
pub(super) fn enter_by(sources: &Sources) -> Sandbox {
    // The next step reports errors in the settings and ends.
    match load(sources) {
        Ok(loaded) => enter(&loaded, None),
        Err(_) => Sandbox::NotApplied("the settings cannot be read".to_owned()),
    }
}

/// Restricts this process from now on, if the kernel and the settings allow it.
pub(super) fn enter(loaded: &Loaded, data_dir: Option<&Path>) -> Sandbox {
    if !landlock::is_available() {
        return Sandbox::NotAvailable;
    }
    if let Some(not_wanted) = refusal(loaded) {
        return not_wanted;
    }
    let dir = state_dir(&loaded.settings);
    landlock::hold(writable(&loaded.settings, dir, data_dir))
}

/// Why the sandbox is off with these settings; `None` if it is on.
fn refusal(loaded: &Loaded) -> Option<Sandbox> {
    if loaded.settings.sandbox == config::Sandbox::Off {
        return Some(Sandbox::Off);
    }
    let program = loaded.accounts().find_map(Settings::key_program)?;
    let why = format!("{program} runs a program for the key, which the sandbox would restrict too");
    Some(Sandbox::NotApplied(why))
}

/// A path that a desk writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum WritablePath {
    /// A directory of its own with everything below it; created if missing.
    Own(PathBuf),
    /// A directory that must exist.
    Directory(PathBuf),
    /// A directory or device that not every system has.
    IfThere(PathBuf),
}

/// Every path that a desk writes to.
fn writable(settings: &Settings, state_dir: PathBuf, data_dir: Option<&Path>) -> Vec<WritablePath> {
    let here = || PathBuf::from(".");
    let exports = settings.export_dir.clone().unwrap_or_else(here);
    let data_dir = data_dir.map(|dir| WritablePath::Own(dir.to_owned()));
    // The journal of a paper desk, and SQLite's temporary files in the directories it uses.
    let scratch = [env::temp_dir(), PathBuf::from("/var/tmp")];
    let terminal = ["/dev/tty", "/dev/null", "/dev/pts"].map(PathBuf::from);
    [
        WritablePath::Own(state_dir),
        WritablePath::Directory(exports),
    ]
    .into_iter()
    .chain(data_dir)
    .chain(
        scratch
            .into_iter()
            .chain(terminal)
            .map(WritablePath::IfThere),
    )
    .collect()
}

#[cfg(not(target_os = "linux"))]
mod landlock {
    use crate::cli::sandbox::{Sandbox, WritablePath};

    pub(super) fn is_available() -> bool {
        false
    }

    pub(super) fn hold(_writable: Vec<WritablePath>) -> Sandbox {
        Sandbox::NotAvailable
    }
}

#[cfg(target_os = "linux")]
mod landlock {
    use crate::cli::disk_wait::{AT_ONCE, Work};
    use crate::cli::sandbox::{Sandbox, WritablePath};
    use ::landlock::{
        ABI, AccessFs, BitFlags, CompatLevel, Compatible as _, LandlockStatus, PathBeneath, PathFd,
        RestrictionStatus, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus,
    };
    use color_eyre::{Result, eyre::Context as _};
    use std::{fs::DirBuilder, os::unix::fs::DirBuilderExt as _, path::PathBuf};

    /// Up to truncation (Linux 6.2). Later restrictions, such as device ioctls, are not used: the terminal needs them.
    const KNOWN: ABI = ABI::V3;

    /// Requests the smallest possible restriction.
    pub(super) fn is_available() -> bool {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_write(ABI::V1))
            .is_ok()
    }

    /// An open path, and the allowed accesses.
    struct Open {
        path: PathBuf,
        file: PathFd,
        access: BitFlags<AccessFs>,
    }

    pub(super) fn hold(writable: Vec<WritablePath>) -> Sandbox {
        // A disk that hangs must not block the desk.
        let opening = Work::begin(move || open_all(writable));
        let opened = match opening.within(AT_ONCE) {
            Some(Ok(opened)) => opened,
            Some(Err(why)) => return Sandbox::Failed(format!("{why:#}")),
            None => return Sandbox::Failed("a disk does not answer".to_owned()),
        };
        let places = opened.iter().map(|open| open.path.clone()).collect();
        match restrict(opened) {
            Ok(status) => from_status(&status, places),
            Err(why) => Sandbox::Failed(format!("{why:#}")),
        }
    }

    fn open_all(writable: Vec<WritablePath>) -> Result<Vec<Open>> {
        let opened = writable
            .into_iter()
            .filter_map(|place| open(place).transpose());
        opened.collect()
    }

    fn open(place: WritablePath) -> Result<Option<Open>> {
        let (path, is_needed) = match place {
            WritablePath::Own(path) => {
                let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
                made.wrap_err_with(|| format!("{} cannot be made", path.display()))?;
                (path, true)
            }
            WritablePath::Directory(path) => (path, true),
            WritablePath::IfThere(path) => (path, false),
        };
        match (PathFd::new(&path), is_needed) {
            (Ok(file), _) => {
                let path = path.canonicalize().unwrap_or(path);
                let access = AccessFs::from_write(KNOWN);
                let access = if path.is_dir() {
                    access
                } else {
                    access & AccessFs::from_file(KNOWN)
                };
                Ok(Some(Open { path, file, access }))
            }
            (Err(why), true) => {
                Err(why).wrap_err_with(|| format!("{} cannot be opened", path.display()))
            }
            (Err(_), false) => Ok(None),
        }
    }

    fn restrict(opened: Vec<Open>) -> Result<RestrictionStatus> {
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_write(KNOWN))?
            .create()?;
        for open in opened {
            rules = rules.add_rule(PathBeneath::new(open.file, open.access))?;
        }
        Ok(rules.restrict_self()?)
    }

    fn from_status(status: &RestrictionStatus, writable: Vec<PathBuf>) -> Sandbox {
        match (&status.ruleset, status.landlock) {
            (RulesetStatus::NotEnforced, _) => Sandbox::NotAvailable,
            (_, LandlockStatus::Available { effective_abi, .. }) => Sandbox::Active {
                abi: effective_abi as u8,
                writable,
            },
            (_, LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) => {
                Sandbox::NotAvailable
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(environment: &[(&str, &str)]) -> Loaded {
        let environment = environment
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).into()))
            .collect();
        let sources = Sources {
            environment,
            ..Sources::default()
        };
        load(&sources).unwrap()
    }

    const SERVICE: [(&str, &str); 2] = [
        ("PERPDECK_BASE_URL", "http://127.0.0.1:9"),
        ("PERPDECK_ACCOUNT_ID", "a"),
    ];

    /// Issue 14, landlock: the state and the exports, the terminal and temporary files, and no settings.
    #[test]
    fn a_desk_may_write_its_state_its_exports_and_to_the_terminal() {
        let loaded = loaded(&[("PERPDECK_EXPORT_DIR", "/exports")]);
        let dirs = (PathBuf::from("/state"), Path::new("/data"));
        let places = writable(&loaded.settings, dirs.0, Some(dirs.1));
        let temporary = env::temp_dir();
        let own = ["/state", "/data"].map(|path| WritablePath::Own(path.into()));
        let [state, data] = own;
        let mut expected = vec![state, WritablePath::Directory("/exports".into()), data];
        let more = [
            temporary.to_str().unwrap(),
            "/var/tmp",
            "/dev/tty",
            "/dev/null",
            "/dev/pts",
        ];
        expected.extend(more.map(|path| WritablePath::IfThere(path.into())));
        assert_eq!(places, expected);
    }

    /// Issue 14, landlock.
    #[test]
    fn exports_go_where_the_desk_was_started_unless_a_directory_is_set() {
        let places = writable(&loaded(&[]).settings, PathBuf::from("/state"), None);
        assert!(
            places.contains(&WritablePath::Directory(".".into())),
            "{places:?}"
        );
    }

    /// Issue 14, landlock: a password manager must be able to write its own files.
    #[test]
    fn it_is_not_applied_where_a_program_is_run_for_the_key_or_the_setting_says_off() {
        let with =
            |more: (&'static str, &'static str)| refusal(&loaded(&[SERVICE[0], SERVICE[1], more]));
        assert_eq!(with(("PERPDECK_API_KEY", "k")), None);
        for (variable, setting) in [
            ("PERPDECK_API_KEY_COMMAND", "api_key_command"),
            ("PERPDECK_API_KEY_KEYRING", "api_key_keyring"),
        ] {
            let why = format!(
                "{setting} runs a program for the key, which the sandbox would restrict too"
            );
            assert_eq!(with((variable, "name")), Some(Sandbox::NotApplied(why)));
        }
        assert_eq!(
            refusal(&loaded(&[("PERPDECK_SANDBOX", "off")])),
            Some(Sandbox::Off)
        );
        assert_eq!(refusal(&loaded(&[])), None);
    }

    /// Issue 14, landlock: the kernel restricts the calling thread, so the test uses one that ends.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_held_thread_writes_in_its_places_and_nowhere_else_and_reads_and_connects_as_before() {
        use std::{
            fs,
            io::Write as _,
            net::{TcpListener, TcpStream},
            os::unix::net::UnixListener,
            thread,
        };

        if !landlock::is_available() {
            let _said = writeln!(std::io::stderr(), "skipped: this kernel has no Landlock");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let [state, outside] = ["state", "outside"].map(|name| dir.path().join(name));
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("there"), "as it was").unwrap();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let held = thread::spawn(move || {
            let device = WritablePath::IfThere("/dev/null".into());
            let none = WritablePath::IfThere("/nowhere/at/all".into());
            let sandbox = landlock::hold(vec![WritablePath::Own(state.clone()), device, none]);
            let Sandbox::Active { writable, .. } = &sandbox else {
                panic!("{sandbox}");
            };
            assert_eq!(writable.len(), 2, "{sandbox}");
            fs::write(state.join("journal"), "row").unwrap();
            fs::rename(state.join("journal"), state.join("kept")).unwrap();
            fs::remove_file(state.join("kept")).unwrap();
            UnixListener::bind(state.join("desk.sock")).unwrap();
            fs::write("/dev/null", "gone").unwrap();
            TcpStream::connect(address).unwrap();
            let there = outside.join("there");
            assert_eq!(fs::read_to_string(&there).unwrap(), "as it was");
            let tries = [
                fs::write(&there, "changed"),
                fs::write(outside.join("new"), "x"),
                fs::remove_file(&there),
                fs::rename(&there, state.join("taken")),
                fs::create_dir(outside.join("dir")),
            ];
            tries.map(|tried| tried.map_err(|why| why.kind()))
        });
        for tried in held.join().unwrap() {
            let why = tried.unwrap_err();
            let kinds = [
                std::io::ErrorKind::PermissionDenied,
                std::io::ErrorKind::CrossesDevices,
            ];
            assert!(kinds.contains(&why), "{why}");
        }
        assert_eq!(fs::read_dir(dir.path().join("outside")).unwrap().count(), 1);
        fs::write(dir.path().join("after"), "x").unwrap();
    }

    /// Issue 14, landlock: a missing path is reported, and nothing is restricted.
    #[test]
    #[cfg(target_os = "linux")]
    fn where_a_place_cannot_be_opened_nothing_is_held_and_it_is_said() {
        let sandbox = landlock::hold(vec![WritablePath::Directory("/nowhere/at/all".into())]);
        let why = sandbox.failure().unwrap();
        assert!(why.contains("/nowhere/at/all cannot be opened"), "{why}");
        std::fs::write(tempfile::tempdir().unwrap().path().join("x"), "x").unwrap();
    }

    #[test]
    fn how_it_stands_is_said_in_words() {
        let active = Sandbox::Active {
            abi: 6,
            writable: vec!["/state".into(), ".".into()],
        };
        assert_eq!(
            [active, Sandbox::NotAvailable, Sandbox::Off].map(|sandbox| sandbox.to_string()),
            [
                "active (Landlock ABI 6): the desk can write only to /state, .",
                "not available: this kernel has no Landlock",
                "off: sandbox = \"off\" is set",
            ]
        );
        let failed = Sandbox::Failed("/exports cannot be opened".to_owned());
        assert_eq!(
            failed.failure().unwrap(),
            "the sandbox is not applied, it failed: /exports cannot be opened"
        );
        assert_eq!(Sandbox::NotAvailable.failure(), None);
    }
}
