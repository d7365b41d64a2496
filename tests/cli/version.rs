//! `--version`, and the build script that finds the commit.

use super::*;
use std::path::{Path, PathBuf};

#[test]
fn the_version_is_short_for_v_and_says_what_is_known_of_the_build() {
    let home = TempDir::new().unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let (code, short, _) = ran(perpdeck(home.path()).arg("-V"));
    assert_eq!((code, short), (0, format!("perpdeck {version}\n")));
    let (code, long, _) = ran(perpdeck(home.path()).arg("--version"));
    assert_eq!(code, 0);
    // A test is a debug build: nobody asked git.
    assert_eq!(long, format!("perpdeck {version} (debug build)\n"));
}

/// The build script as a program of its own.
fn build_script(dir: &Path) -> PathBuf {
    let program = dir.join("build-script");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/build.rs");
    let output = Command::new(rustc)
        .args(["--edition", "2024", "-o"])
        .args([program.as_os_str(), source.as_ref()])
        .output()
        .unwrap();
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{why}");
    program
}

/// What it says of the commit, for a package in this directory.
fn said_of(script: &Path, top: &Path, profile: &str) -> Vec<String> {
    let mut command = Command::new(script);
    command
        .env("CARGO_MANIFEST_DIR", top)
        .env("PROFILE", profile);
    command
        .env_remove("PERPDECK_COMMIT")
        .env_remove("PERPDECK_COMMIT_DATE");
    let (code, out, err) = ran(&mut command);
    assert_eq!(code, 0, "{err}");
    let lines = out
        .lines()
        .filter_map(|line| line.strip_prefix("cargo::rustc-env="));
    lines.map(str::to_owned).collect()
}

fn git(dir: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command
        .current_dir(dir)
        .args(["-c", "user.name=t", "-c", "user.email=t@example"]);
    let dates = [("GIT_COMMITTER_DATE", "2026-01-05T12:00:00Z")];
    let (code, out, err) = ran(command.args(arguments).envs(dates));
    assert_eq!(code, 0, "{arguments:?}: {err}");
    out.trim().to_owned()
}

#[test]
fn the_commit_is_that_of_the_package_and_of_nothing_around_it() {
    let home = TempDir::new().unwrap();
    let script = build_script(home.path());
    let said = |top: &Path| said_of(&script, top, "release");
    let clone = home.path().join("clone");
    fs::create_dir_all(clone.join("inside")).unwrap();
    assert_eq!(said(&clone), Vec::<String>::new(), "a source tarball");

    git(&clone, &["init", "-q"]);
    git(&clone, &["commit", "-q", "--allow-empty", "-m", "one"]);
    let id = git(&clone, &["rev-parse", "HEAD"]);
    let commit = format!("PERPDECK_COMMIT={}", &id[..9]);
    assert_eq!(
        said(&clone),
        [commit.as_str(), "PERPDECK_COMMIT_DATE=2026-01-05"]
    );
    assert_eq!(said_of(&script, &clone, "debug"), Vec::<String>::new());
    assert_eq!(
        said(&clone.join("inside")),
        Vec::<String>::new(),
        "unpacked in another repository"
    );

    git(&clone, &["worktree", "add", "-q", "../tree"]);
    assert_eq!(said(&home.path().join("tree"))[0], commit);

    let packed = format!("{{\"git\": {{\"sha1\": \"{id}\"}}, \"path_in_vcs\": \"\"}}");
    fs::write(clone.join("inside/.cargo_vcs_info.json"), packed).unwrap();
    assert_eq!(said(&clone.join("inside")), [commit], "a package of cargo");
}

/// Cargo runs a build script again at each build if a file that it names is missing.
#[test]
fn the_build_script_names_only_files_that_exist() {
    let home = TempDir::new().unwrap();
    let script = build_script(home.path());
    let top = env!("CARGO_MANIFEST_DIR");
    let (_, out, _) = ran(Command::new(script)
        .env("CARGO_MANIFEST_DIR", top)
        .env("PROFILE", "release"));
    let files = out
        .lines()
        .filter_map(|line| line.strip_prefix("cargo::rerun-if-changed="));
    for file in files {
        assert!(Path::new(top).join(file).exists(), "{file}");
    }
}
