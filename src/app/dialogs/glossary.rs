//! The glossary: the terms of `docs/glossary.md`, its only source.

use crate::app::keys::fuzzy::ranked;

/// A term and its meaning.
type Term = (&'static str, &'static str);

const PAGE: &str = include_str!("../../../docs/glossary.md");

/// What is shown of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Glossary {
    /// The first visible line.
    pub offset: usize,
    pub search: String,
}

impl Glossary {
    /// The terms that a text finds.
    pub(crate) fn at(search: String) -> Self {
        Self { offset: 0, search }
    }

    /// The terms that the search finds: by the term, best first, then by the meaning.
    pub fn found(&self) -> Vec<Term> {
        let wanted = self.search.to_lowercase();
        let mut found = ranked(terms(), &self.search, |(term, _)| (*term).to_owned());
        let by_meaning = terms().filter(|(_, meaning)| meaning.to_lowercase().contains(&wanted));
        let others: Vec<_> = by_meaning.filter(|term| !found.contains(term)).collect();
        found.extend(others);
        found
    }
}

/// Terms and their meanings: the points of the page.
pub fn terms() -> impl Iterator<Item = Term> {
    let points = PAGE.lines().filter_map(|line| line.strip_prefix("- **"));
    points.filter_map(|point| point.split_once("**: "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{desk::model::Model, dialogs::overlay::Overlay, testing::*};

    fn search(model: &Model) -> Option<String> {
        let open = model.overlays.last()?.try_as_glossary_ref()?;
        Some(open.search.clone())
    }

    #[test]
    fn every_point_of_the_page_is_a_term() {
        let points = PAGE.lines().filter(|line| line.starts_with('-')).count();
        assert_eq!(terms().count(), points);
        assert!(terms().any(|(term, _)| term == "TWAP, VWAP"));
        assert_eq!(terms().next().unwrap().0, "account");
    }

    #[test]
    fn question_mark_and_g_open_the_glossary_and_esc_goes_back_to_the_help() {
        let mut model = desk();
        press(&mut model, "? g");
        assert_eq!(search(&model).as_deref(), Some(""));
        press(&mut model, "g t d");
        assert_eq!(search(&model).as_deref(), Some("gtd"), "letters search");
        press(&mut model, "esc");
        assert!(matches!(model.overlays.last(), Some(Overlay::Help { .. })));
        press(&mut model, "esc");
        assert_eq!(model.overlays, []);
    }

    #[test]
    fn the_help_still_finds_words_with_a_g() {
        let searched = |keys| {
            let mut model = desk();
            press(&mut model, keys);
            match model.overlays.last() {
                Some(Overlay::Help { search, .. }) => search.clone(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(searched("? m a r g i n"), "margin");
        assert_eq!(searched("? / g i v e"), "give");
        assert_eq!(searched("? /"), "/", "the key itself");
    }

    #[test]
    fn the_command_opens_it_at_a_word_and_tab_completes_the_words() {
        let mut model = desk();
        press(&mut model, ": glossary space reduce tab");
        let line = model.overlays.last().unwrap().try_as_prompt_ref().unwrap();
        assert_eq!(line.text(), "glossary reduce-only");
        press(&mut model, "enter");
        assert_eq!(search(&model).as_deref(), Some("reduce-only"));
        press(&mut model, "esc");
        assert_eq!(model.overlays, []);
        press(&mut model, ": glossary space close space all enter");
        assert_eq!(search(&model).as_deref(), Some("close all"));
        press(&mut model, "esc : glossary space q q q q enter");
        let line = model.overlays.last().unwrap().try_as_prompt_ref().unwrap();
        let fault = line.fault.as_ref().unwrap();
        assert_eq!(fault.what, "no term has that; Tab lists the terms");
        press(&mut model, "esc : glossary enter");
        assert_eq!(search(&model).as_deref(), Some(""));
    }
}
