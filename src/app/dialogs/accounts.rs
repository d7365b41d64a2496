//! The list of accounts, one line each.

use super::{next::Next, search::ListSearch};
use crate::app::{
    account::labels::{AccountLabel, AccountLabels, Switch},
    keys::{
        fuzzy::ranked_by,
        keymap::{Action, Chord},
    },
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accounts {
    /// The chosen line, by the account's index.
    pub chosen: usize,
    /// Only accounts that this finds.
    pub search: ListSearch,
}

impl Accounts {
    pub(crate) fn at(chosen: usize) -> Self {
        Self {
            chosen,
            search: ListSearch::default(),
        }
    }

    /// The indices of the accounts that the search finds by name, otherwise by id, best first; all of them without a search.
    pub fn rows(&self, labels: &AccountLabels) -> Vec<usize> {
        // A desk has an account before its label is known.
        let all: Vec<_> = (0..labels.seats.len().max(1)).collect();
        let by = |text: fn(&AccountLabel) -> String| {
            move |at: &usize| labels.seats.get(*at).map(text).unwrap_or_default()
        };
        ranked_by(
            &all,
            &self.search.text,
            by(AccountLabel::label),
            by(AccountLabel::id),
        )
    }

    /// The place of the chosen one in `rows`; the first if it is not among them.
    pub fn place(&self, rows: &[usize]) -> usize {
        let mut rows = rows.iter();
        rows.position(|at| *at == self.chosen).unwrap_or(0)
    }

    /// A key while letters search.
    pub(crate) fn look_for(
        &mut self,
        chord: Chord,
        action: Option<Action>,
        labels: &AccountLabels,
    ) -> Next {
        if let Some(action) = self.search.press(chord, action) {
            self.travel(action, &self.rows(labels));
        }
        Next::Stay
    }

    pub(crate) fn act(&mut self, action: Action, labels: &AccountLabels) -> Next {
        let rows = self.rows(labels);
        match (action, rows.get(self.place(&rows))) {
            (Action::ShowAccount, Some(at)) => return Next::Switch(Switch::To(*at)),
            (Action::Filter, _) => self.search.begin(),
            (Action::Dismiss, _) if self.search.is_cleared() => {}
            (Action::Dismiss, _) => return Next::Close,
            (action, _) => self.travel(action, &rows),
        }
        Next::Stay
    }

    fn travel(&mut self, action: Action, rows: &[usize]) {
        let at = self.place(rows);
        let there = action.moves(at, rows.len().saturating_sub(1));
        if let Some(there) = rows.get(there.unwrap_or(at)) {
            self.chosen = *there;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::app::{
        account::labels::{AccountLabel, AccountLabels, Switch},
        core::effect::Effect,
        desk::model::Model,
        testing::*,
    };

    /// A desk of four accounts, with the list of them open.
    fn listed() -> Model {
        let mut model = desk();
        let names = ["chal-1", "chal-2", "swing", "scalp"];
        let labels = names
            .into_iter()
            .enumerate()
            .map(|(at, name)| AccountLabel {
                name: Some(name.to_owned()),
                account_id: Some(format!("acc-{at}7").as_str().into()),
                ..AccountLabel::of(None, at)
            });
        model.roster = AccountLabels {
            seats: labels.collect(),
            at: 0,
        };
        press(&mut model, "A");
        model
    }

    fn shown(model: &Model) -> Vec<usize> {
        let list = model.overlays.last().unwrap().try_as_accounts_ref();
        list.unwrap().rows(&model.roster)
    }

    fn to(at: usize) -> [Effect; 1] {
        [Effect::SwitchAccount(Switch::To(at))]
    }

    #[test]
    fn letters_find_an_account_by_its_name_and_enter_shows_it() {
        let mut model = listed();
        press(&mut model, "/ s w g");
        assert_eq!(shown(&model), [2]);
        press(&mut model, "enter");
        assert_eq!(press(&mut model, "enter"), to(2));
        assert_eq!(model.overlays, []);
    }

    #[test]
    fn the_arrows_choose_among_what_is_found_and_the_id_finds_where_no_name_does() {
        let mut model = listed();
        press(&mut model, "/ c h 1");
        assert_eq!(shown(&model), [0]);
        press(&mut model, "backspace down enter");
        assert_eq!(press(&mut model, "enter"), to(1));
        let mut model = listed();
        press(&mut model, "/ 3 7 enter");
        assert_eq!(shown(&model), [3]);
        assert_eq!(press(&mut model, "enter"), to(3));
    }

    #[test]
    fn keys_are_letters_while_searching_and_esc_goes_back_step_by_step() {
        let mut model = listed();
        assert_eq!(press(&mut model, "/ X F q"), Vec::<Effect>::new());
        assert_eq!(shown(&model), [0; 0]);
        press(&mut model, "enter");
        assert_eq!(press(&mut model, "enter"), [], "there is nothing to show");
        press(&mut model, "esc");
        assert_eq!(shown(&model), [0, 1, 2, 3]);
        press(&mut model, "G");
        assert_eq!(model.overlays.len(), 1);
        press(&mut model, "esc");
        assert_eq!(model.overlays, []);
    }
}
