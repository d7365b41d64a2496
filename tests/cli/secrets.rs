//! Where a key is read, and where it must not stand.

use super::*;
use std::{
    fs::File,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    os::unix::{fs::chown, process::ExitStatusExt as _},
    path::Path,
    process::{Child, Stdio},
};

const KEY: &str = "pp_live_4711";

/// What a service sees first of a request: its head, line by line. Nothing is answered.
fn request(service: &TcpListener) -> (TcpStream, String) {
    let (stream, _) = service.accept().unwrap();
    let lines = BufReader::new(&stream).lines().map(Result::unwrap);
    let head: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
    (stream, head.join("\n"))
}

fn service() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (listener, url)
}

fn of_the_process(child: &Child, what: &str) -> Vec<u8> {
    fs::read(format!("/proc/{}/{what}", child.id())).unwrap_or_default()
}

/// A verb that has sent its first request to a service, which does not answer.
fn waiting(home: &Path, url: &str, input: File) -> Child {
    perpdeck(home)
        .args(["positions", "--output", "json"])
        .env("PERPDECK_BASE_URL", url)
        .env("PERPDECK_ACCOUNT_ID", "chal-1")
        .env("PERPDECK_API_KEY", KEY)
        .env("PERPDECK_PROFILES__SWING__API_KEY", "pp_live_4712")
        .env("PERPDECK_PROFILES__SWING__ACCOUNT_ID", "chal-2")
        .env("PERPDECK_PROXY", "http://me:pp_live_4713@127.0.0.1:9")
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_key_of_the_environment_is_sent_and_stands_in_no_argument_and_no_output() {
    let home = TempDir::new().unwrap();
    let (service, url) = service();
    let input = home.path().join("input");
    fs::write(&input, "typed").unwrap();
    let mut child = waiting(home.path(), &url, File::open(&input).unwrap());
    let (stream, head) = request(&service);
    let bearer = format!("authorization: bearer {KEY}");
    assert!(head.to_lowercase().contains(&bearer), "{head}");

    let arguments = of_the_process(&child, "cmdline");
    let arguments = String::from_utf8_lossy(&arguments).into_owned();
    assert!(!arguments.contains("pp_live"), "{arguments}");
    // A program whose connection is dropped may end by itself before it is killed.
    child.kill().unwrap();
    drop((stream, service));
    let left = child.wait_with_output().unwrap();
    assert_eq!(left.status.signal(), Some(9));
    for said in [left.stdout, left.stderr] {
        assert!(!String::from_utf8_lossy(&said).contains("pp_live"));
    }
}

#[test]
fn a_key_in_the_environment_changes_nothing_that_a_program_says_or_ends_with() {
    let home = TempDir::new().unwrap();
    for args in [
        &["config", "check"][..],
        &["orders", "--histroy"],
        &["schema"],
        &["--version"],
    ] {
        let bare = ran(perpdeck(home.path()).args(args));
        let keyed = ran(perpdeck(home.path())
            .args(args)
            .env("PERPDECK_PROXY", "http://me:secret@127.0.0.1:9"));
        assert_eq!(bare, keyed, "{args:?}");
    }
    let shown = |key: &str| {
        let mut verb = perpdeck(home.path());
        verb.args(["config", "show"])
            .env("PERPDECK_ACCOUNT_ID", "a");
        ran(verb
            .env("PERPDECK_BASE_URL", "http://127.0.0.1:9")
            .env("PERPDECK_API_KEY", key))
    };
    let (code, out, err) = shown(KEY);
    assert_eq!((code, err.as_str()), (0, ""));
    let line = out
        .lines()
        .find(|line| line.starts_with("api_key "))
        .unwrap_or_default();
    assert!(
        line.contains("PERPDECK_API_KEY") && !out.contains(KEY),
        "{out}"
    );
}

/// A home in which `secret-tool` is a script.
fn keyring(script: &str) -> TempDir {
    let home = TempDir::new().unwrap();
    let program = home.path().join("secret-tool");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    home
}

fn asks_the_keyring(home: &Path, url: &str) -> Command {
    let path = format!("{}:/usr/bin:/bin", home.display());
    let mut verb = perpdeck(home);
    verb.env("PATH", path)
        .env("PERPDECK_BASE_URL", url)
        .env("PERPDECK_ACCOUNT_ID", "chal-1")
        .env("PERPDECK_API_KEY_KEYRING", "main");
    verb
}

/// The keyring is asked by its own program, and the key is only what that prints.
#[test]
#[cfg(not(target_os = "macos"))]
fn a_key_from_the_keyring_is_sent() {
    let home = keyring("echo \"$*\" > \"$HOME/asked\"; env > \"$HOME/saw\"; echo pp_live_4711");
    let (service, url) = service();
    let mut verb = asks_the_keyring(home.path(), &url);
    let mut child = verb
        .args(["positions", "--output", "json"])
        .env("PERPDECK_PROFILES__SWING__ACCOUNT_ID", "chal-2")
        .env("PERPDECK_PROFILES__SWING__API_KEY", "pp_live_4712")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (stream, head) = request(&service);
    let bearer = format!("authorization: bearer {KEY}");
    assert!(head.to_lowercase().contains(&bearer), "{head}");
    let asked = fs::read_to_string(home.path().join("asked")).unwrap();
    assert_eq!(asked, "lookup service perpdeck account main\n");
    let saw = fs::read_to_string(home.path().join("saw")).unwrap();
    assert!(!saw.contains("pp_live"), "{saw}");
    drop(stream);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Each way in which a keyring has no key says what happened and what to do.
#[test]
#[cfg(not(target_os = "macos"))]
fn a_keyring_without_the_key_says_what_to_do() {
    let refusal = |home: &TempDir| {
        let mut verb = asks_the_keyring(home.path(), "https://x.example");
        let (code, _, err) = ran(verb.args(["config", "check"]));
        assert_eq!(code, 2, "{err}");
        said(&err)
    };
    assert_eq!(
        refusal(&keyring("exit 1")),
        "api_key_keyring: names \"main\", and the keyring has no such entry: make it by \"secret-tool store \
         --label='perpdeck main' service perpdeck account main\"\n"
    );
    assert_eq!(
        refusal(&keyring(
            "echo 'secret-tool: no such service org.freedesktop.secrets' >&2; exit 1"
        )),
        "api_key_keyring: asks for \"main\", and no keyring answers (secret-tool: secret-tool: no such service \
         org.freedesktop.secrets): start and unlock one in this session, or set api_key_file or api_key_command\n"
    );
    assert_eq!(
        refusal(&keyring("echo")),
        "api_key_keyring: holds no key on its first line\n"
    );
    let home = keyring("");
    let mut verb = asks_the_keyring(home.path(), "https://x.example");
    verb.args(["config", "check"])
        .env("PATH", home.path().join("nowhere"));
    let (code, _, err) = ran(&mut verb);
    assert_eq!(code, 2);
    assert!(
        said(&err).starts_with(
            "api_key_keyring: is read by the program secret-tool, which is not installed: install it"
        ),
        "{err}"
    );
    let mut verb = asks_the_keyring(home.path(), "https://x.example");
    let (code, _, err) = ran(verb
        .args(["config", "check"])
        .env("PERPDECK_API_KEY_KEYRING", "--help"));
    assert!(
        code == 2 && err.contains("is not a valid entry name"),
        "{err}"
    );
}

/// The drill of a key file: a refusal in words, and at once.
struct KeyFile {
    home: TempDir,
    config: &'static str,
}

impl KeyFile {
    fn with(make: impl FnOnce(&Path)) -> Self {
        let home = TempDir::new().unwrap();
        let config =
            "base_url = 'https://x.example'\naccount_id = 'a'\napi_key_file = '~/keys/key'\n";
        fs::write(home.path().join("desk.toml"), config).unwrap();
        fs::create_dir(home.path().join("keys")).unwrap();
        make(&home.path().join("keys/key"));
        Self {
            home,
            config: "desk.toml",
        }
    }

    /// What is said. Opening a FIFO that nobody writes to waits for ever, so that an answer shows that it was not opened.
    fn refusal(&self) -> String {
        let mut verb = perpdeck(self.home.path());
        let (code, _, err) = ran(verb.args(["--config", self.config, "config", "check"]));
        assert_eq!(code, 2, "{err}");
        assert!(!err.contains(KEY), "{err}");
        said(&err)
    }
}

fn private(path: &Path, mode: u32) {
    let mut file = File::create(path).unwrap();
    writeln!(file, "{KEY}").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A key file that is a FIFO, another's, readable by others, or in a directory that
/// others may write to is refused, and nothing waits for it.
#[test]
fn a_key_file_that_is_not_ours_alone_is_refused_and_nothing_waits_for_it() {
    let fifo = KeyFile::with(|key| {
        let made = Command::new("mkfifo").arg(key).status().unwrap();
        assert!(made.success());
    });
    let readable = KeyFile::with(|key| private(key, 0o644));
    let open_place = KeyFile::with(|key| {
        private(key, 0o600);
        let place = key.parent().unwrap();
        fs::set_permissions(place, fs::Permissions::from_mode(0o777)).unwrap();
    });
    for (file, words) in [
        (&fifo, "key is a FIFO, not a regular file: run rm"),
        (&readable, "(mode 644): run chmod 600"),
        (
            &open_place,
            "other users of this machine may write to the directory",
        ),
    ] {
        let told = file.refusal();
        assert!(told.contains(words), "{told}");
    }
    let others = KeyFile::with(|key| private(key, 0o600));
    // Only root gives files away; elsewhere there is nobody to give them to.
    if chown(others.home.path().join("keys/key"), Some(54_321), None).is_ok() {
        let told = others.refusal();
        assert!(
            told.contains("key belongs to user 54321, and you are user 0"),
            "{told}"
        );
    }
}
