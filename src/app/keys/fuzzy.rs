//! Search by letters in order, as the pickers of editors do: `clal` finds `close-all`. The best match comes first; a word
//! from its beginning is better than letters that lie apart.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{AtomKind, CaseMatching, Normalization, Pattern},
};

/// The items whose text has the letters of `search`, best first; equal ones keep their order. All for an empty search.
pub fn ranked<T>(
    items: impl IntoIterator<Item = T>,
    search: &str,
    text: impl Fn(&T) -> String,
) -> Vec<T> {
    let mut scored = scored(items, search, text);
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, item)| item).collect()
}

/// The items that `first` finds; where it finds none, those that `second` finds.
pub fn ranked_by<T: Clone>(
    items: &[T],
    search: &str,
    first: impl Fn(&T) -> String,
    second: impl Fn(&T) -> String,
) -> Vec<T> {
    let found = ranked(items.iter().cloned(), search, first);
    if found.is_empty() {
        ranked(items.iter().cloned(), search, second)
    } else {
        found
    }
}

/// The items that match, in their order, each with how well: more is better.
pub fn scored<T>(
    items: impl IntoIterator<Item = T>,
    search: &str,
    text: impl Fn(&T) -> String,
) -> Vec<(u32, T)> {
    let mut config = Config::DEFAULT;
    config.prefer_prefix = true;
    let mut matcher = Matcher::new(config);
    let pattern = Pattern::new(
        search,
        CaseMatching::Ignore,
        Normalization::Never,
        AtomKind::Fuzzy,
    );
    let mut buffer = vec![];
    let mut score = |text: &str| pattern.score(Utf32Str::new(text, &mut buffer), &mut matcher);
    let items = items.into_iter();
    items
        .filter_map(|item| Some((score(&text(&item))?, item)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(search: &str) -> Vec<&'static str> {
        let words = ["calls", "close", "close-all", "closed", "cancel all orders"];
        ranked(words, search, |word| (*word).to_owned())
    }

    #[test]
    fn letters_in_order_find_a_word_and_the_beginning_of_a_word_is_the_best_match() {
        assert_eq!(found("clal"), ["close-all", "cancel all orders"]);
        assert_eq!(found("close").first(), Some(&"close"));
        assert_eq!(found("ALL ord"), ["cancel all orders"]);
        assert_eq!(found("xyz"), [""; 0]);
        assert_eq!(found("").len(), 5);
    }

    #[test]
    fn any_text_can_be_searched_for_and_in() {
        for search in ["\\", "$", "^a", "!", "'", "  ", "ž", "▏", "\u{0}", "🦀"] {
            let texts = ["", "\u{0}", "ž", "🦀 crab", "a\\b", "!"];
            assert!(ranked(texts, search, |text| (*text).to_owned()).len() <= texts.len());
        }
        let long = "x".repeat(10_000);
        assert_eq!(ranked([&long], "xxx", |text| (*text).clone()), [&long]);
    }
}
