//! No help text, document, changelog, description of the API or comment of a setting has a phrase that sounds translated, or a private word for a thing that
//! has a name. `tests/cli/words/forbidden.txt` lists them.

#[path = "../architecture/phrases.rs"]
mod phrases;

use super::{perpdeck, ran};
use phrases::found;
use std::{fs, path::Path};
use tempfile::TempDir;

const TOP: &str = env!("CARGO_MANIFEST_DIR");

fn pages(dir: &Path, out: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            let name = path.strip_prefix(TOP).unwrap().display().to_string();
            out.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The help of a command and of every command below it.
fn helps(path: &[&str], out: &mut Vec<(String, String)>) {
    let home = TempDir::new().unwrap();
    let (code, help, err) = ran(perpdeck(home.path()).args(path).arg("--help"));
    assert_eq!(code, 0, "{path:?}: {err}");
    let list = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<_> = names
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    for name in names {
        helps(&[path, &[name]].concat(), out);
    }
    out.push((format!("perpdeck {} --help", path.join(" ")), help.clone()));
}

#[test]
fn no_text_for_a_person_has_a_forbidden_phrase() {
    let top = Path::new(TOP);
    let file = |name: &str| (name.to_owned(), fs::read_to_string(top.join(name)).unwrap());
    let names = [
        "README.md",
        "CHANGELOG.md",
        "fuzz/README.md",
        "assets/default.toml",
        "assets/keys.toml",
        "assets/openapi.yaml",
        "assets/scenario-rough.toml",
    ];
    let mut texts: Vec<_> = names.map(file).into();
    pages(&top.join("docs"), &mut texts);
    helps(&[], &mut texts);
    assert!(texts.len() > 60, "{}", texts.len());
    let hits: Vec<_> = texts
        .iter()
        .flat_map(|(name, text)| found(name, text))
        .collect();
    assert_eq!(hits, Vec::<String>::new());
}

#[test]
fn a_phrase_is_found_over_the_end_of_a_line_and_a_word_only_whole() {
    assert_eq!(
        found("x", "/// The name of this\n/// deed: it"),
        ["x: \"deed\""]
    );
    assert_eq!(found("x", "# which way\n# out"), ["x: \"way out\""]);
    assert_eq!(
        found("x", "indeed, she wished for chaotic ways"),
        Vec::<String>::new()
    );
}
