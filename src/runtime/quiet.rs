//! Whether a message changes what is on the screen: what changes nothing draws no frame.

use super::{base::clock::Clock, terminal::frame::Cause};
use crate::{
    app::{Model, Msg, market::market_spot::Generation, redraw},
    model::Timestamp,
};

/// What reduced motion must not delay: the newest notice, and the end of a panel.
pub(super) fn seen_at_once(model: &Model) -> (u64, usize) {
    (model.account.activity.newest(), model.overlays.len())
}

/// When the market of the row under the cursor is shown, if it is not yet.
pub(super) fn rests_at(model: &Model) -> Option<Timestamp> {
    model.market_screen.follows_at()
}

/// What causes the frame after a message of this cause: the cursor has rested where that was awaited before.
pub(super) fn cause_of_frame(cause: Cause, awaited: Option<Timestamp>, shown: &Model) -> Cause {
    let rests = awaited.is_some() && rests_at(shown).is_none();
    if rests && cause == Cause::Background {
        Cause::Rest
    } else {
        cause
    }
}

/// What an answer about a market may change on the screen: what is known, where the rows of the ladder stand, and
/// whether they are about to move. The rows follow an unchanged book too.
pub(super) type MarketPicture = (u64, Generation, bool);

pub(super) fn market_picture(model: &Model) -> MarketPicture {
    let ladder = &model.price_ladder;
    (
        model.account.market_version(),
        ladder.generation(),
        ladder.is_leaving(),
    )
}

/// The picture before a message that is worth a frame only if it changes that: the answer to a request about a market,
/// and the time to send one. `None` where a frame is due in any case.
pub(super) fn quiet(cause: Cause, msg: &Msg, shown: &Model, clock: Clock) -> Option<MarketPicture> {
    let is_own_tick = *msg == Msg::Tick && cause == Cause::Background;
    let is_quiet = is_own_tick
        || matches!(msg, Msg::MarketData(..))
        || matches!(msg, Msg::Streamed(_, news) if news.is_quiet());
    let is_due = || redraw(shown).is_some_and(|at| at <= clock.now());
    (is_quiet && !is_due()).then(|| market_picture(shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{testing, update};
    use std::time::Duration;

    #[test]
    fn the_market_of_the_row_where_the_cursor_rests_is_drawn_for_the_person() {
        let rest = Duration::from_millis(80);
        let mut model = testing::desk();
        model.market_screen.wait_for_rest(rest);
        testing::press(&mut model, "j");
        let now = model.account.now;
        let mut ticked = |after| {
            let awaited = rests_at(&model);
            update(&mut model, now.plus(after), Msg::Tick);
            cause_of_frame(Cause::Background, awaited, &model)
        };
        assert_eq!(ticked(rest / 2), Cause::Background, "it moves on");
        assert_eq!(ticked(rest), Cause::Rest);
        assert_eq!(ticked(2 * rest), Cause::Background);
    }
}
