//! The choice of a pane's columns. Nothing takes effect before it is kept.

use super::next::Next;
use crate::app::{account::pane::Pane, keys::keymap::Action};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    pub pane: Pane,
    /// Every column by its number, in the new order.
    pub list: Vec<(usize, ColumnVisibility)>,
    /// The list line that the keys act on.
    pub at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnVisibility {
    Shown,
    Hidden,
}

impl ColumnVisibility {
    fn other(self) -> Self {
        match self {
            Self::Shown => Self::Hidden,
            Self::Hidden => Self::Shown,
        }
    }
}

impl Columns {
    /// For a pane with `count` columns of which these are `chosen`; hidden ones come last.
    pub fn of(pane: Pane, count: usize, chosen: Option<&[usize]>) -> Self {
        let own: Vec<_> = (0..count).collect();
        let shown = chosen.unwrap_or(&own);
        let hidden = own.iter().filter(|column| !shown.contains(column));
        let hidden = hidden.map(|column| (*column, ColumnVisibility::Hidden));
        let shown = shown
            .iter()
            .map(|column| (*column, ColumnVisibility::Shown));
        Self {
            pane,
            list: shown.chain(hidden).collect(),
            at: 0,
        }
    }

    pub(crate) fn act(&mut self, action: Action) -> Next {
        let last = self.list.len().saturating_sub(1);
        match (action, (self.at + 1).min(last), self.at.saturating_sub(1)) {
            (Action::Down, below, _) => self.at = below,
            (Action::Up, _, above) => self.at = above,
            (Action::MoveDown, below, _) => self.swap(below),
            (Action::MoveUp, _, above) => self.swap(above),
            (Action::ShowColumn, ..) => return self.toggle_visibility(),
            (Action::Reset, ..) => self.reset(),
            (Action::Keep, ..) => return Next::ChooseColumns(self.pane, self.chosen()),
            (Action::Dismiss, ..) => return Next::Close,
            _ => {}
        }
        Next::Stay
    }

    /// The keys stay on the moved column.
    fn swap(&mut self, to: usize) {
        if self.at.max(to) < self.list.len() {
            self.list.swap(self.at, to);
            self.at = to;
        }
    }

    /// At least one column stays visible.
    fn toggle_visibility(&mut self) -> Next {
        let is_only = self.shown().count() == 1;
        match self.list.get_mut(self.at) {
            Some((_, ColumnVisibility::Shown)) if is_only => {
                return Next::Refuse("at least one column must stay".to_owned());
            }
            Some((_, sight)) => *sight = sight.other(),
            None => {}
        }
        Next::Stay
    }

    /// The keys stay on their column.
    fn reset(&mut self) {
        let chosen = self.list.get(self.at).map(|(column, _)| *column);
        *self = Self::of(self.pane, self.list.len(), None);
        self.at = chosen.unwrap_or(0);
    }

    fn shown(&self) -> impl Iterator<Item = usize> {
        let shown = self
            .list
            .iter()
            .filter(|(_, sight)| *sight == ColumnVisibility::Shown);
        shown.map(|(column, _)| *column)
    }

    /// `None` for the default order.
    fn chosen(&self) -> Option<Vec<usize>> {
        let is_own = self.shown().eq(0..self.list.len());
        (!is_own).then(|| self.shown().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{
        activity::notice::Event,
        core::effect::{Effect, SettingsRequest},
        desk::model::Model,
        dialogs::overlay::Overlay,
        tables::table_view::TableView,
        testing::{desk, press},
    };

    fn shown(model: &Model) -> Option<Vec<usize>> {
        let table_view = model.table_views.of(Pane::Orders);
        table_view.and_then(|table_view: &TableView| table_view.columns.clone())
    }

    fn said(model: &Model) -> String {
        match model.account.activity.lines.back().map(|line| &line.event) {
            Some(Event::Message(_, words)) => words.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_column_is_moved_and_another_hidden_and_that_is_kept() {
        let mut model = desk();
        let count = (model.reading.columns)(Pane::Orders).len();
        // The third moves down two places, the one after it is hidden.
        let kept = press(&mut model, "2 C j j J J j space enter");
        let mut expected = vec![0, 1, 3, 4, 2];
        expected.extend(6..count);
        assert_eq!(
            kept,
            [Effect::Settings(SettingsRequest::Keep(
                Pane::Orders,
                Some(expected.clone())
            ))]
        );
        assert_eq!((shown(&model), model.overlays.len()), (Some(expected), 0));
        let reset = press(&mut model, "C r enter");
        assert_eq!(
            reset,
            [Effect::Settings(SettingsRequest::Keep(Pane::Orders, None))]
        );
        assert_eq!(shown(&model), None);
    }

    #[test]
    fn what_is_not_kept_never_was() {
        let mut model = desk();
        for keys in ["2 C J space esc", "C j K q", "C space C"] {
            assert_eq!(press(&mut model, keys), []);
            assert_eq!((shown(&model), model.overlays.len()), (None, 0), "{keys}");
        }
    }

    #[test]
    fn hidden_columns_come_last_and_can_be_shown_again() {
        let mut model = desk();
        press(&mut model, "2 C space enter C");
        let list = match model.overlays.last() {
            Some(Overlay::Columns(columns)) => &columns.list,
            other => panic!("{other:?}"),
        };
        assert_eq!(list.last(), Some(&(0, ColumnVisibility::Hidden)));
        let keys = "down ".repeat(list.len());
        press(&mut model, &keys);
        press(&mut model, "space K enter");
        let columns = shown(&model).unwrap();
        assert_eq!(columns[columns.len() - 2..], [0, columns.len() - 1]);
    }

    #[test]
    fn hiding_what_tells_risk_is_said_and_the_last_column_stays() {
        let mut model = desk();
        press(&mut model, "2 C space enter");
        assert_eq!(
            said(&model),
            "hidden risk columns: market; C shows them again"
        );
        let mut model = desk();
        press(&mut model, "7 C space j space j space j space");
        assert_eq!(said(&model), "at least one column must stay");
    }
}
