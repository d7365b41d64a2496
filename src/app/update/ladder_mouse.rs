//! The mouse on the price ladder.
//!
//! Contract: a click acts at the price that was drawn. On a row that has another price by now, or is of another market or
//! account, it sends nothing and says so.

use super::price_ladder::{JUST_MOVED, drop_carried, is_new_press, mode, point};
use crate::{
    app::{
        desk::model::Model,
        dialogs::next::Next,
        keys::keymap::Action,
        market::{
            market_spot::{LadderColumn, LadderSpot, WHEEL_HOME},
            screen::MarketPanel,
        },
        orders::{
            at_price::{self, PricePoint, SendMode},
            of_row,
        },
    },
    model::{OrderId, Side, Tick},
};

pub(super) const ROW_MOVED: &str = "row moved: nothing was sent";

const EITHER: &[Side] = &[Side::Buy, Side::Sell];

const RELEASED_OUTSIDE: &str = "released off the ladder: the order stays where it was";

/// A press of the left button on a cell as it was drawn.
pub(crate) fn click(model: &mut Model, spot: &LadderSpot) -> Next {
    let now = model.account.now;
    model.price_ladder.one_key.touch(now);
    model.price_ladder.point(now);
    if let Some(why) = moved_since(model, spot) {
        return Next::Refuse(why.to_owned());
    }
    model.price_ladder.choose(spot.price);
    let Some((at, spacing)) = point(model) else {
        return Next::Stay;
    };
    match spot.column {
        LadderColumn::Bids => click_size(model, (Side::Buy, Action::Buy), (&at, spacing)),
        LadderColumn::Asks => click_size(model, (Side::Sell, Action::Sell), (&at, spacing)),
        LadderColumn::MyBids => grab(model, (&at, spacing), &[Side::Buy]),
        LadderColumn::MyAsks => grab(model, (&at, spacing), &[Side::Sell]),
        LadderColumn::Mine | LadderColumn::Price => grab(model, (&at, spacing), EITHER),
    }
}

/// Where one key sends, so does a click. Otherwise it takes the own order of the row: its own column may be one cell
/// wide.
fn click_size(
    model: &mut Model,
    (side, action): (Side, Action),
    (at, spacing): (&PricePoint, Tick),
) -> Next {
    let mode = mode(model);
    if mode != SendMode::AtOnce {
        return grab(model, (at, spacing), EITHER);
    }
    if is_new_press(model, action, at.price) {
        return at_price::limit(model, side, at, mode).into();
    }
    Next::Stay
}

fn moved_since(model: &Model, spot: &LadderSpot) -> Option<&'static str> {
    let ladder = &model.price_ladder;
    let is_same = ladder.market() == Some(&spot.market_id)
        && ladder.generation() == spot.generation
        && model.account.account_id() == Some(&spot.account_id);
    if !is_same {
        return Some(ROW_MOVED);
    }
    ladder
        .is_deaf_to_clicks(model.account.now)
        .then_some(JUST_MOVED)
}

/// The button went down on an own order: moved with the button down, it goes along.
fn grab(model: &mut Model, (at, spacing): (&PricePoint, Tick), sides: &[Side]) -> Next {
    let own = at_price::at_row(model, at, spacing).filter(|own| sides.contains(&own.side));
    let newest = own.max_by_key(|own| own.order.requested_at);
    let grabbed = newest.map(|own| own.order.id.clone());
    model.price_ladder.grab(grabbed);
    Next::Stay
}

/// The mouse moved to another row with the left button down.
pub(crate) fn drag(model: &mut Model, spot: &LadderSpot) -> Next {
    let now = model.account.now;
    model.price_ladder.point(now);
    let is_elsewhere = model.focus.panel != Some(MarketPanel::Ladder);
    if is_elsewhere || !model.overlays.is_empty() {
        return Next::Stay;
    }
    let has_moved = moved_since(model, spot) == Some(ROW_MOVED);
    let may_follow = |id| {
        if has_moved {
            Err(ROW_MOVED.to_owned())
        } else {
            may_be_carried(model, id)
        }
    };
    if let Some(Err(why)) = model.price_ladder.grabbed().map(may_follow) {
        model.price_ladder.grab(None);
        return Next::Refuse(why);
    }
    if has_moved {
        return Next::Stay;
    }
    model.price_ladder.drag(spot.price);
    Next::Stay
}

/// Whether this order can be moved; or why not.
pub(super) fn may_be_carried(model: &Model, id: &OrderId) -> Result<(), String> {
    let order = model.account.store.order(id);
    let order = order.ok_or_else(|| "that order is not known any more".to_owned())?;
    of_row::moved(&model.account, order).map(drop)
}

/// The left button went up after a drag: on a row the order is dropped, elsewhere it goes back.
pub(crate) fn release(model: &mut Model, spot: Option<&LadderSpot>) -> Next {
    if !model.price_ladder.ends_drag() {
        return Next::Stay;
    }
    let objection = match spot {
        Some(spot) => moved_since(model, spot),
        None => Some(RELEASED_OUTSIDE),
    };
    match (objection, point(model)) {
        (None, Some((at, _))) => {
            let mode = mode(model);
            drop_carried(model, &at, mode).into()
        }
        (why, _) => {
            model.price_ladder.put_back();
            Next::Refuse(why.unwrap_or(RELEASED_OUTSIDE).to_owned())
        }
    }
}

/// The wheel moves the view, which stays there until the market is centred. `first` counts from [`WHEEL_HOME`].
pub(crate) fn turn(model: &mut Model, first: usize) {
    let now = model.account.now;
    let up = i64::try_from(WHEEL_HOME).unwrap_or(0) - i64::try_from(first).unwrap_or(0);
    model.price_ladder.point(now);
    model.price_ladder.scroll(up);
}
