//! The cursor on a row that this desk replaces, by a flip or by the move of an order: it goes to the row that takes its
//! place.
//!
//! Contract: only where a person has not moved it meanwhile. Between the two it lies on another row, on which keys that act
//! are held back for a moment, as on every row that came under the cursor by itself.

use super::{
    model::Model,
    replaced_row::{NewRow, RowReplacement},
};
use crate::{
    app::{
        account::{pane::Pane, row_id::RowId},
        core::account::Account,
    },
    model::{OrderId, Position, Receipt, Ticket},
};
use std::time::Duration;

/// A replacement ends within 10 s; its row may be read a little later.
const FOLLOW_WITHIN: Duration = Duration::from_secs(15);
const NOTICE_TIME: Duration = Duration::from_secs(2);

/// A flip of this position begins.
pub(crate) fn flips(model: &mut Model, position: &Position) {
    let (row, market_id) = (
        RowId::Position(position.id.clone()),
        position.market_id.clone(),
    );
    begin(model, (Pane::Positions, row), NewRow::PositionIn(market_id));
}

/// This order will be replaced.
pub(crate) fn moves(model: &mut Model, old: &OrderId) {
    let row = RowId::Order(old.clone());
    begin(model, (Pane::Orders, row), NewRow::Unsent);
}

fn begin(model: &mut Model, (pane, old): (Pane, RowId), new: NewRow) {
    let is_on_it = model.selected_in(pane).map(|(_, row)| row).as_ref() == Some(&old);
    model.row_replacement = is_on_it.then_some(RowReplacement {
        pane,
        old,
        new,
        since: model.account.now,
        fell_to: None,
    });
}

/// The replacement of this order is sent.
pub(crate) fn sent(model: &mut Model, old: &OrderId, ticket: Ticket) {
    let row = RowId::Order(old.clone());
    if let Some(replacement) = &mut model.row_replacement
        && replacement.old == row
    {
        (replacement.new, replacement.since) = (NewRow::Sent(ticket), model.account.now);
    }
}

/// A command has succeeded.
pub(crate) fn settled(model: &mut Model, ticket: Ticket, receipt: &Receipt) {
    if let (Some(replacement), Receipt::Order { order, .. }) = (&mut model.row_replacement, receipt)
        && replacement.new == NewRow::Sent(ticket)
    {
        replacement.new = NewRow::Order(order.id.clone());
    }
}

/// Follows the replacement, after whatever has happened.
pub(crate) fn follow(model: &mut Model) {
    let Some(mut replacement) = model.row_replacement.take() else {
        return;
    };
    let RowReplacement { pane, old, .. } = &replacement;
    let (pane, is_old_listed) = (*pane, is_listed(model, *pane, old));
    let row = model.selected_in(pane).map(|(_, row)| row);
    let is_moved = match &replacement.fell_to {
        Some(fell_to) => row.as_ref() != Some(fell_to),
        None => is_old_listed && row.as_ref() != Some(old),
    };
    if is_moved || model.account.now.since(replacement.since) > FOLLOW_WITHIN {
        return;
    }
    match new_row(&model.account, &replacement).filter(|row| is_listed(model, pane, row)) {
        Some(row) => model.focus.select(pane, row),
        None if is_old_listed => model.row_replacement = Some(replacement),
        None => {
            if replacement.fell_to.is_none() {
                model
                    .focus
                    .startle(pane, model.account.now.plus(NOTICE_TIME));
            }
            replacement.fell_to = row;
            model.row_replacement = Some(replacement);
        }
    }
}

fn new_row(account: &Account, replacement: &RowReplacement) -> Option<RowId> {
    match &replacement.new {
        NewRow::PositionIn(market_id) => {
            let open = account.store.positions.rows().iter();
            let of_market = open.filter(|one| one.market_id == *market_id);
            let mut rows = of_market.map(|one| RowId::Position(one.id.clone()));
            rows.find(|row| *row != replacement.old)
        }
        NewRow::Unsent | NewRow::Sent(_) => None,
        NewRow::Order(id) => Some(RowId::Order(id.clone())),
    }
}

fn is_listed(model: &Model, pane: Pane, row: &RowId) -> bool {
    model.rows(pane).position(row).is_some()
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
        flips(&mut model, &position);
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
