//! The effect of a fill on a position, computed without applying it: the margin check before an order and the ledger
//! after it use the same sums.

use crate::exchange::engine::{
    risk::cash::excess,
    state::{FillPart, Lots, NewPosition, PositionState, Side, Usd},
};

/// The position before and after a fill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PositionChange {
    /// The existing position after the fill: smaller, flat, or (same direction) larger.
    pub(crate) held: Option<PositionState>,
    /// The position that a fill opens, from flat or by a reversal.
    pub(crate) fresh: Option<PositionState>,
    pub(crate) realized: Usd,
    /// The closed part's share of an isolated margin.
    pub(crate) margin: Option<Usd>,
    pub(crate) closed: Lots,
    pub(crate) opened: Lots,
}

impl PositionChange {
    /// What is open afterwards; size 0 if nothing is.
    pub(crate) fn after(&self) -> Option<&PositionState> {
        self.fresh.as_ref().or(self.held.as_ref())
    }

    /// The closed part's share of a fee.
    pub(crate) fn closing_fee(&self, fee: Usd) -> Usd {
        fee.mul_floor(self.closed.0, (self.closed + self.opened).0)
    }

    /// The part of the loss that the margin does not cover.
    pub(crate) fn excess(&self, fee: Usd) -> Usd {
        excess(self.realized - self.closing_fee(fee), self.margin)
    }
}

/// Closes what `side` closes, in the order of the pieces, and opens the rest under `opening`. An increase sets the
/// opening's leverage for the whole position.
pub(crate) fn trade(
    held: Option<&PositionState>,
    opening: NewPosition,
    side: Side,
    parts: &[FillPart],
) -> PositionChange {
    let mut traded = PositionChange {
        held: held.cloned(),
        fresh: None,
        realized: Usd::ZERO,
        margin: None,
        closed: Lots::ZERO,
        opened: Lots::ZERO,
    };
    for part in parts {
        let reducible = traded
            .held
            .as_ref()
            .map_or(Lots::ZERO, |held| held.reducible(side));
        let closing = part.lots.min(reducible);
        let exit = part.money.mul_floor(closing.0, part.lots.0);
        traded.close(closing, exit);
        let rest = FillPart {
            lots: part.lots - closing,
            money: part.money - exit,
        };
        traded.open(opening, side, rest);
    }
    traded
}

impl PositionChange {
    fn close(&mut self, lots: Lots, exit: Usd) {
        if let Some(held) = self.held.as_mut().filter(|_| lots > Lots::ZERO) {
            let before = held.own_margin();
            self.realized += held.reduce(lots, exit);
            let share = before.map(|before| before - held.isolated_margin());
            self.margin = share.map(|share| self.margin.unwrap_or_default() + share);
            self.closed += lots;
        }
    }

    fn open(&mut self, opening: NewPosition, side: Side, part: FillPart) {
        if part.lots.is_zero() {
            return;
        }
        self.opened += part.lots;
        let same_way = self.held.as_mut().filter(|held| !held.size.is_zero());
        let target = match same_way {
            Some(held) => held,
            None => self
                .fresh
                .get_or_insert_with(|| PositionState::open(opening)),
        };
        target.leverage = opening.leverage;
        target.increase(side, part);
    }
}
