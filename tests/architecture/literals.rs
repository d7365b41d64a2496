//! Every sentence and title that the program can show, in one file, so that a new one is read in review:
//! `tests/architecture/words.txt`. How they are written: `docs/contributing.md 4.3`.

use super::{
    phrases,
    source::{Source, sources},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
};

const REVIEWED: &str = "tests/architecture/words.txt";
const KEYS: &str = "assets/keys.toml";

const HEAD: &str = "\
# Every string literal of the program that a person can read: sentences and titles, by module, sorted.
# `UPDATE_DOCS=1 cargo test --locked --test architecture -- every_sentence` rewrites this file.
# Review a new line as a newcomer would: docs/contributing.md 4.3.
";

/// Texts for a machine begin so.
const FOR_MACHINES: &[&str] = &["M{", "<"];

#[test]
fn every_sentence_on_the_screen_has_been_reviewed() {
    let written = page(&by_module());
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(REVIEWED, &written).unwrap();
    }
    let reviewed = fs::read_to_string(REVIEWED).unwrap_or_default();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let (now, then) = (lines(&written), lines(&reviewed));
    assert!(
        written == reviewed,
        "the words of the program differ from {REVIEWED}.\nnew: {:#?}\ngone: {:#?}\nRead each new line as somebody who \
         never saw perpdeck, then run `UPDATE_DOCS=1 cargo test --locked --test architecture -- every_sentence` and \
         commit the file.",
        now.difference(&then),
        then.difference(&now),
    );
}

#[test]
fn no_sentence_on_the_screen_has_a_forbidden_phrase() {
    let modules = by_module();
    let all = modules.iter().flat_map(|(module, texts)| {
        let named = move |text| (format!("{module}: {text:?}"), text);
        texts.iter().map(named)
    });
    let hits: Vec<_> = all
        .flat_map(|(name, text)| phrases::found(&name, text))
        .collect();
    assert_eq!(hits, Vec::<String>::new());
}

#[test]
fn sentences_are_found_in_code_and_in_messages_and_not_in_tests_or_attributes() {
    let code = r##"
        #[expect(clippy::x, reason = "a lint is wrong")]
        #[error("the file is {0}")]
        fn title() -> &'static str { "Order history" }
        const LONG: &str = "one line \
            that goes on\nand \"ends\"";
        const RAW: &str = r#"raw "words" here"#; // "a comment is none"
        const CHAR: char = '"';
        const FIELD: &str = "reduce_only";
        const PATH: &str = "M{x} {y}H{right}";
        const FORMAT: &str = "{} {:>5}";
        #[cfg(test)]
        mod tests { const T: &str = "in a test"; }
    "##;
    let source = Source::read("src/view/x.rs", code);
    let found: Vec<_> = source.literals.iter().filter(|t| is_shown(t)).collect();
    let expected = [
        "the file is {0}",
        "Order history",
        "one line that goes on\\nand \"ends\"",
        "raw \"words\" here",
    ];
    assert_eq!(found, expected);
}

fn by_module() -> BTreeMap<String, BTreeSet<String>> {
    let mut modules = BTreeMap::<_, BTreeSet<_>>::new();
    for source in sources(Path::new("src")) {
        let shown = source.literals.iter().filter(|text| is_shown(text));
        let module = modules.entry(source.module[0].clone()).or_default();
        module.extend(shown.map(|text| text.replace('\n', "\\n")));
    }
    modules.insert("keys.toml".to_owned(), words_of_keys());
    modules
}

/// What the columns of the key table show.
fn words_of_keys() -> BTreeSet<String> {
    let table: toml::Table = fs::read_to_string(KEYS).unwrap().parse().unwrap();
    let sections = table.values().filter_map(toml::Value::as_table);
    let rows = sections.flat_map(|section| section.values());
    let cells = rows.filter_map(toml::Value::as_table).flatten();
    let texts = cells.filter(|(column, _)| *column != "keys" && *column != "pair");
    let texts = texts.filter_map(|(_, text)| text.as_str());
    texts
        .filter(|text| is_shown(text))
        .map(str::to_owned)
        .collect()
}

fn page(modules: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut page = HEAD.to_owned();
    for (module, texts) in modules.iter().filter(|(_, texts)| !texts.is_empty()) {
        page.extend(["\n## ", module, "\n"]);
        for text in texts {
            // Quotes show the blanks at its ends.
            page.extend(["\"", text, "\"\n"]);
        }
    }
    page
}

/// Whether a person reads it: words with a blank between them, or a title.
fn is_shown(text: &str) -> bool {
    let bare = without_placeholders(text);
    let words: Vec<_> = bare
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphabetic))
        .collect();
    let is_sentence = !words.is_empty() && text.trim().contains(' ');
    (is_sentence || is_title(text)) && !is_for_machines(text)
}

fn is_for_machines(text: &str) -> bool {
    let text = text.trim_start_matches("\\n").trim_start();
    FOR_MACHINES.iter().any(|begin| text.starts_with(begin))
}

/// One word as a title has it: `Markets`, not `reduce_only`, `BTC` or `paper|BTC`.
fn is_title(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(char::is_uppercase)
        && chars.clone().next().is_some()
        && chars.all(|c| c.is_lowercase() || c == '-')
}

/// Without `{}` and what is in them.
fn without_placeholders(text: &str) -> String {
    let mut depth = 0_usize;
    let keeps = |c: &char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    };
    text.chars().filter(keeps).collect()
}
