//! The glossary as a page of the help.

use super::help::HelpSection;
use crate::app::dialogs::glossary::Glossary;

/// The terms that its search finds.
pub fn glossary(open: &Glossary) -> Vec<HelpSection> {
    let found = open.found().into_iter();
    let terms = HelpSection::new("Terms", found.map(|(term, does)| (term.to_owned(), does)));
    Some(terms)
        .filter(|terms| !terms.lines.is_empty())
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::dialogs::glossary::terms;

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
