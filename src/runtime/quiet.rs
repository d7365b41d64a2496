//! Whether a message changes what is on the screen: what changes nothing draws no frame.

use super::{base::clock::Clock, terminal::frame::Cause};
use crate::app::{Model, Msg, market::ladder_spot::Generation, redraw};

/// What reduced motion must not delay: the newest notice, and the end of a panel.
pub(super) fn seen_at_once(model: &Model) -> (u64, usize) {
    (model.account.activity.newest(), model.overlays.len())
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
