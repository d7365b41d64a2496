//! The cursor during a flip: it was on the position that is closed, and goes to the one that is opened.
//!
//! Contract: only where a person has not moved it meanwhile. Between the two it lies on another row, on which keys that act
//! are held back for a moment, as on every row that came under the cursor by itself.

use super::model::Model;
use crate::{
    app::{account::row_id::RowId, tables::pane::Pane},
    model::{MarketId, Position, PositionId, Timestamp},
};
use std::time::Duration;

/// A flip ends within 10 s; its row may be read a little later.
const FOLLOW_WITHIN: Duration = Duration::from_secs(15);
const NOTICE_TIME: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FlipCursor {
    closed: PositionId,
    market_id: MarketId,
    since: Timestamp,
    /// Where the cursor lies in between.
    fell_to: Option<RowId>,
}

/// A flip of this position begins.
pub(crate) fn begin(model: &mut Model, position: &Position) {
    let row = RowId::Position(position.id.clone());
    let is_on_it = model.selected_in(Pane::Positions).map(|(_, row)| row) == Some(row);
    model.flip_cursor = is_on_it.then(|| FlipCursor {
        closed: position.id.clone(),
        market_id: position.market_id.clone(),
        since: model.now,
        fell_to: None,
    });
}

/// Follows the flip, after whatever has happened.
pub(crate) fn follow(model: &mut Model) {
    let Some(mut flip) = model.flip_cursor.take() else {
        return;
    };
    let row = model.selected_in(Pane::Positions).map(|(_, row)| row);
    let closed = RowId::Position(flip.closed.clone());
    let is_moved = match &flip.fell_to {
        Some(fell_to) => row.as_ref() != Some(fell_to),
        None => is_listed(model, &closed) && row.as_ref() != Some(&closed),
    };
    if is_moved || model.now.since(flip.since) > FOLLOW_WITHIN {
        return;
    }
    let mut open = model.store.positions.rows().iter();
    let opened = open.find(|one| one.market_id == flip.market_id && one.id != flip.closed);
    let opened = opened.map(|one| RowId::Position(one.id.clone()));
    match opened.filter(|row| is_listed(model, row)) {
        Some(row) => model.focus.select(Pane::Positions, row),
        None if is_listed(model, &closed) => model.flip_cursor = Some(flip),
        None => {
            if flip.fell_to.is_none() {
                let until = model.now.plus(NOTICE_TIME);
                model.focus.startle(Pane::Positions, until);
            }
            flip.fell_to = row;
            model.flip_cursor = Some(flip);
        }
    }
}

fn is_listed(model: &Model, row: &RowId) -> bool {
    model.rows(Pane::Positions).position(row).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{account::poll::Answer, testing::*},
        model::Page,
    };

    fn list(model: &mut Model, rows: &[(&str, &str, &str)]) {
        let row =
            |(id, coin, size): &(&str, &str, &str)| position(id, coin, size, r#""leverage":5"#);
        let rows = rows.iter().map(row).collect();
        arrive(model, Answer::Positions(Ok(Page::of(rows))));
    }

    const BTC: (&str, &str, &str) = ("pos-1", "BTC", "0.5");
    const SOL: (&str, &str, &str) = ("pos-2", "SOL", "-100");
    const FLIPPED: (&str, &str, &str) = ("pos-3", "BTC", "-0.5");

    fn flipping() -> Model {
        let mut model = desk();
        list(&mut model, &[BTC, SOL]);
        let position = position("pos-1", "BTC", "0.5", r#""leverage":5"#);
        begin(&mut model, &position);
        model
    }

    fn selected(model: &Model) -> Option<RowId> {
        model.selected()
    }

    #[test]
    fn the_cursor_goes_to_the_position_that_the_flip_has_opened() {
        let mut model = flipping();
        list(&mut model, &[SOL]);
        assert_eq!(selected(&model), Some(RowId::Position("pos-2".into())));
        press(&mut model, "c");
        assert_eq!(model.overlays, vec![], "no key acts on the row in between");
        list(&mut model, &[SOL, FLIPPED]);
        assert_eq!(selected(&model), Some(RowId::Position("pos-3".into())));
        press(&mut model, "c");
        assert_eq!(model.overlays.len(), 1);
    }

    #[test]
    fn it_stays_where_a_person_has_moved_it() {
        let mut model = flipping();
        press(&mut model, "j");
        list(&mut model, &[SOL]);
        list(&mut model, &[SOL, FLIPPED]);
        assert_eq!(selected(&model), Some(RowId::Position("pos-2".into())));
    }

    #[test]
    fn a_flip_that_opens_nothing_leaves_it_where_it_fell() {
        let mut model = flipping();
        list(&mut model, &[SOL]);
        wait(&mut model, 20_000);
        list(&mut model, &[SOL, FLIPPED]);
        assert_eq!(selected(&model), Some(RowId::Position("pos-2".into())));
    }
}
