//! The glossary as a page of the help.

use super::help::HelpSection;
use crate::app::{
    dialogs::glossary::{Glossary, terms},
    keys::fuzzy::ranked,
};

/// The terms that the search finds: by the term, best first, then by the meaning.
pub fn glossary(open: &Glossary) -> Vec<HelpSection> {
    let wanted = open.search.to_lowercase();
    let by_term = ranked(terms(), &open.search, |(term, _)| (*term).to_owned());
    let is_told = |(term, meaning): &(&str, &str)| {
        meaning.to_lowercase().contains(&wanted) && by_term.iter().all(|(known, _)| known != term)
    };
    let by_meaning = terms().filter(is_told);
    let lines = by_term.iter().copied().chain(by_meaning);
    let lines = lines.map(|(term, meaning)| (term.to_owned(), meaning));
    let section = HelpSection {
        title: "Terms",
        lines: lines.collect(),
    };
    let sections = [section].into_iter();
    sections
        .filter(|section| !section.lines.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(search: &str) -> Vec<String> {
        let sections = glossary(&Glossary::at(search.to_owned()));
        let lines = sections.into_iter().flat_map(|section| section.lines);
        lines.map(|(term, _)| term).collect()
    }

    #[test]
    fn a_term_comes_before_those_that_mention_it() {
        assert_eq!(found("drift"), ["drift"]);
        assert_eq!(found("trigger").first().unwrap(), "trigger price");
        assert!(found("trigger").contains(&"armed".to_owned()));
        assert_eq!(found("ro").first().unwrap(), "ROE");
        assert_eq!(found("no such term"), Vec::<String>::new());
        assert_eq!(found("").len(), terms().count());
    }
}
