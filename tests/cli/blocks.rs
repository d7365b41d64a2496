//! Every fenced block of the documents, run or at least checked against what it names.
//!
//! `docs/command-line.md` and `docs/paper-exchange.md` have tests of their own, which run all of theirs in order.

use super::{curl::path, ran, served::Served};
use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Run by `documents.rs` and `curl.rs`.
const RUN_ELSEWHERE: [&str; 2] = ["docs/command-line.md", "docs/paper-exchange.md"];
/// What no test machine has; the page says so, or what it is for.
const NOT_OURS: [&str; 2] = ["podman", "tmux"];

struct Block {
    page: String,
    language: String,
    /// What stands above it.
    above: String,
    text: String,
}

fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(Path::new(ROOT).join("docs")).unwrap();
    let docs = docs.map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = docs
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    pages.push(Path::new(ROOT).join("README.md"));
    pages.sort();
    pages
}

/// The blocks that name a language; what names none is a drawing or an example of a body.
fn blocks() -> Vec<Block> {
    let mut found: Vec<Block> = vec![];
    for path in pages() {
        let page = path.strip_prefix(ROOT).unwrap().display().to_string();
        let text = fs::read_to_string(&path).unwrap();
        let (mut open, mut above) = (false, "");
        for line in text.lines() {
            match (open, line.strip_prefix("```")) {
                (false, Some(language)) => {
                    open = true;
                    found.push(Block {
                        page: page.clone(),
                        language: language.to_owned(),
                        above: above.to_owned(),
                        text: String::new(),
                    });
                }
                (true, Some(_)) => open = false,
                (true, None) => {
                    let block = found.last_mut().unwrap();
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                (false, None) => {}
            }
            above = line;
        }
    }
    found.retain(|block| !block.language.is_empty());
    found
}

fn of(language: &str) -> Vec<Block> {
    let mut all = blocks();
    all.retain(|block| block.language == language && !RUN_ELSEWHERE.contains(&block.page.as_str()));
    all
}

#[test]
fn no_block_of_the_documents_is_of_a_kind_that_nothing_runs() {
    for block in blocks() {
        let known = ["console", "bash", "python", "toml", "ini", "cron", "json"];
        assert!(
            known.contains(&block.language.as_str()),
            "{}: a block of {}",
            block.page,
            block.language
        );
        // `curl.rs` runs those that are marked.
        let is_marked = block.above == format!("<!-- run {} -->", block.language);
        assert!(
            block.language != "python" || is_marked,
            "{}: {}",
            block.page,
            block.text
        );
    }
}

/// The command of a line, without what is set before it and said behind it.
fn command(line: &str) -> Vec<&str> {
    let (line, _) = line.split_once("  #").unwrap_or((line, ""));
    let words = line.split_whitespace();
    let is_set = |word: &&str| word.contains('=') && !word.starts_with('-');
    words.skip_while(is_set).collect()
}

#[test]
fn every_command_of_the_documents_works() {
    let served = Served::bare();
    let mut seen = 0;
    for block in of("console") {
        for line in block.text.lines() {
            let told = format!("{}: {line}", block.page);
            let line = line.strip_prefix("$ ").unwrap_or_else(|| panic!("{told}"));
            seen += 1;
            match command(line)[..] {
                ["perpdeck", "serve", ..] => serves(&served, line, &told),
                ["perpdeck"] | ["perpdeck", "demo"] => needs_a_terminal(&served, line, &told),
                ["perpdeck", ..] => works(&served, line, &told),
                ["export", setting] => is_known(&served, setting, &told),
                ["cargo", ref words @ ..] => names_what_is_there(words, &told),
                [script, ..] if script.starts_with(".ci/") => is_a_script(script, &told),
                [program, ..] if NOT_OURS.contains(&program) => {}
                _ => panic!("nothing runs {told}"),
            }
        }
    }
    assert!(seen > 15, "only {seen} commands");
}

fn bash(served: &Served, line: &str) -> Command {
    let mut bash = Command::new("bash");
    bash.args(["-c", line]).env_clear();
    bash.envs(served.environment()).env("PATH", path());
    bash.env("HOME", served.home.path());
    bash.current_dir(served.home.path());
    bash
}

fn works(served: &Served, line: &str, told: &str) {
    let (code, out, err) = ran(&mut bash(served, line));
    assert_eq!(code, 0, "{told}\n{out}\n{err}");
}

fn needs_a_terminal(served: &Served, line: &str, told: &str) {
    let (code, _, err) = ran(&mut bash(served, line));
    assert!(
        code == 2 && err.contains("needs a terminal"),
        "{told}\n{err}"
    );
}

/// At another port: the one of the page may be taken.
fn serves(served: &Served, line: &str, told: &str) {
    let line = line.replace(":8080", ":0");
    let mut child = bash(served, &format!("exec {line}"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let out = child.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut first).unwrap();
    let _ = Command::new("kill").arg(child.id().to_string()).status();
    let status = child.wait().unwrap();
    assert!(first.contains("127.0.0.1"), "{told}\n{first}");
    assert_eq!(status.code(), Some(0), "{told}: after SIGTERM");
}

fn is_known(served: &Served, setting: &str, told: &str) {
    let (name, _) = setting.split_once('=').unwrap();
    let known = served.environment().iter().any(|(known, _)| *known == name);
    assert!(known, "{told}");
}

#[test]
fn every_test_and_bench_that_a_page_names_in_its_text_exists() {
    let mut seen = 0;
    for path in pages() {
        let text = fs::read_to_string(&path).unwrap();
        let outside = text.split("```").step_by(2);
        for part in outside {
            let quoted = part.split('`').skip(1).step_by(2);
            for words in quoted.map(command) {
                if let ["cargo", ref words @ ..] = words[..] {
                    seen += 1;
                    names_what_is_there(words, &format!("{}: {words:?}", path.display()));
                }
            }
        }
    }
    assert!(seen > 25, "only {seen} commands");
}

/// The test or bench that the words name exists; running it takes minutes.
fn names_what_is_there(words: &[&str], told: &str) {
    let after = |flag| words.iter().skip_while(move |word| **word != flag).nth(1);
    if let Some(bench) = after("--bench") {
        let files = [
            format!("benches/{bench}.rs"),
            format!("benches/{bench}/main.rs"),
        ];
        let exists = files.iter().any(|file| Path::new(ROOT).join(file).exists());
        assert!(exists, "{told}");
    }
    let names: Vec<_> = words
        .iter()
        .take_while(|word| **word != "--")
        .filter(|word| !word.starts_with('-'))
        .collect();
    let (sources, filter) = match after("--test") {
        Some(test) => (format!("tests/{test}"), names.get(2)),
        None if words.contains(&"--lib") => ("src".to_owned(), names.get(1)),
        None => return,
    };
    let Some(filter) = filter else { return };
    let mut text = String::new();
    read_all(&Path::new(ROOT).join(&sources), &mut text);
    let is_named = text
        .lines()
        .filter_map(|line| line.trim().split_once("fn ").map(|(_, name)| name))
        .any(|name| name.contains(**filter));
    let is_module = text.contains(&format!("mod {filter}"));
    assert!(
        is_named || is_module,
        "{told}: no test of {sources} is called {filter}"
    );
}

fn read_all(dir: &Path, text: &mut String) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, text);
        } else if path.extension().is_some_and(|end| end == "rs") {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

fn is_a_script(script: &str, told: &str) {
    let mode = fs::metadata(Path::new(ROOT).join(script));
    let mode = mode
        .unwrap_or_else(|_| panic!("{told}"))
        .permissions()
        .mode();
    assert_eq!(mode & 0o111, 0o111, "{told}");
}

#[test]
fn every_variable_that_the_documents_export_is_a_setting() {
    let served = Served::bare();
    for block in of("bash") {
        let (_, settings) = block.text.trim().split_once("export ").unwrap();
        for setting in settings.split(' ') {
            is_known(&served, setting, &block.page);
        }
    }
}

#[test]
fn every_settings_file_of_the_documents_is_valid() {
    let served = Served::bare();
    let keys = served.home.path().join(".config/perpdeck");
    fs::create_dir_all(&keys).unwrap();
    for block in of("toml") {
        let file = served.home.path().join("page.toml");
        fs::write(&file, &block.text).unwrap();
        for key in ["main.key", "swing.key"] {
            fs::write(keys.join(key), "key\n").unwrap();
            fs::set_permissions(keys.join(key), fs::Permissions::from_mode(0o600)).unwrap();
        }
        let mut check = super::perpdeck(served.home.path());
        let (code, out, err) = ran(check.args(["config", "check", "--config", "page.toml"]));
        assert_eq!(code, 0, "{}: {out}{err}", block.page);
    }
}

#[test]
fn every_unit_and_crontab_of_the_documents_runs_what_works() {
    let served = Served::bare();
    let home = served.home.path().display().to_string();
    let mut seen = 0;
    for block in of("ini") {
        let lines = block.text.lines();
        for line in lines.filter_map(|line| line.strip_prefix("ExecStart=")) {
            seen += 1;
            let line = line.replace("%h/.cargo/bin/", "").replace("%h", &home);
            match command(&line)[..] {
                ["perpdeck", "serve", ..] => serves(&served, &line, &block.page),
                _ => works(&served, &line, &block.page),
            }
        }
    }
    for block in of("cron") {
        seen += 1;
        let words: Vec<_> = block.text.split_whitespace().collect();
        let line = words[5..].join(" ").replace("/home/me", &home);
        works(&served, &line, &block.page);
        let written = fs::read_to_string(served.home.path().join("flatten.log")).unwrap();
        assert!(written.contains("\"flat\":true"), "{written}");
    }
    assert!(seen >= 3, "only {seen} lines");
}
