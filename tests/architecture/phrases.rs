//! Finds forbidden phrases in a text. `tests/cli/words/forbidden.txt` lists them; the tests of the command line and of the
//! sources both look for them.

const FORBIDDEN: &str = include_str!("../cli/words/forbidden.txt");

fn forbidden() -> impl Iterator<Item = String> {
    let lines = FORBIDDEN.lines().filter(|line| !line.starts_with('#'));
    lines.filter(|line| !line.is_empty()).map(str::to_lowercase)
}

/// One line without signs of comments, so that a phrase may go over the end of a line.
fn flat(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.trim().trim_start_matches(['#', '/', '!', '>']));
    let words: Vec<_> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ").to_lowercase()
}

/// The phrases of a text; a word within another word is none.
pub(crate) fn found(name: &str, text: &str) -> Vec<String> {
    let text = flat(text);
    let is_whole = |at: usize, length: usize| {
        let (before, after) = (&text[..at], &text[at + length..]);
        let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
        !letter(before.chars().next_back()) && !letter(after.chars().next())
    };
    let hits = forbidden().filter(|phrase| {
        text.match_indices(phrase.as_str())
            .any(|(at, hit)| is_whole(at, hit.len()))
    });
    hits.map(|phrase| format!("{name}: {phrase:?}")).collect()
}
