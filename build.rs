//! Puts the commit and its date into a release build, for `perpdeck --version`.
//!
//! Contract: only a release build asks, so that a commit never causes a debug build. The commit is that of git if this
//! is the top of a work tree, of `.cargo_vcs_info.json` in a source package, or of the environment
//! (`PERPDECK_COMMIT`, `PERPDECK_COMMIT_DATE`). Where nobody knows it, it is left out.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Digits of a commit that are shown.
const DIGITS: usize = 9;

struct Commit {
    id: String,
    /// `2026-01-05`.
    date: Option<String>,
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for variable in ["PERPDECK_COMMIT", "PERPDECK_COMMIT_DATE"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    if env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    let top = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let commit = named()
        .or_else(|| of_git(&top))
        .or_else(|| of_package(&top));
    if let Some(Commit { id, date }) = commit {
        let id: String = id.chars().take(DIGITS).collect();
        println!("cargo::rustc-env=PERPDECK_COMMIT={id}");
        if let Some(date) = date {
            println!("cargo::rustc-env=PERPDECK_COMMIT_DATE={date}");
        }
    }
}

/// As whoever builds says.
fn named() -> Option<Commit> {
    let id = env::var("PERPDECK_COMMIT")
        .ok()
        .filter(|id| !id.is_empty())?;
    let date = env::var("PERPDECK_COMMIT_DATE").ok();
    Some(Commit {
        id,
        date: date.filter(|date| !date.is_empty()),
    })
}

/// Of the work tree whose top this is: a package unpacked in another repository has no commit of it.
fn of_git(top: &Path) -> Option<Commit> {
    let work_tree = git(top, &["rev-parse", "--show-toplevel"])?;
    if fs::canonicalize(work_tree).ok()? != fs::canonicalize(top).ok()? {
        return None;
    }
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(top, &["rev-parse", "--git-path", file]) {
            let path = top.join(path);
            // A missing file would cause a rebuild at each build.
            if path.exists() {
                println!("cargo::rerun-if-changed={}", path.display());
            }
        }
    }
    Some(Commit {
        id: git(top, &["rev-parse", "HEAD"])?,
        date: git(top, &["show", "-s", "--format=%cs", "HEAD"]),
    })
}

fn git(top: &Path, arguments: &[&str]) -> Option<String> {
    let run = Command::new("git")
        .current_dir(top)
        .args(arguments)
        .output();
    let output = run.ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// `cargo package` writes the commit into a file: `{"git": {"sha1": "…"}}`.
fn of_package(top: &Path) -> Option<Commit> {
    let text = fs::read_to_string(top.join(".cargo_vcs_info.json")).ok()?;
    let (_, after) = text.split_once("\"sha1\"")?;
    let id = after.split('"').nth(1)?.to_owned();
    let is_id = id.len() >= DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(Commit { id, date: None })
}
