//! One position: average entry, partial close, realized profit (docs/engine.md 6.7).
//!
//! The entry is kept as the exact cost of the open size, so that money is conserved to the micro-USD. A partial close
//! takes its share of the cost rounded down, which moves the average by less than 1e-6 USD per close.

use serde::{Deserialize, Serialize};

use super::{AccountIx, FillPart, Lots, MarginMode, MarketIx, Millis, PositionId, Px, Side, Usd};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PositionState {
    pub(crate) id: PositionId,
    pub(crate) account: AccountIx,
    pub(crate) market: MarketIx,
    /// Signed; 0 once closed.
    pub(crate) size: Lots,
    /// |size| × entry.
    pub(crate) cost: Usd,
    pub(crate) leverage: u32,
    pub(crate) margin_mode: MarginMode,
    /// Isolated only.
    pub(crate) extra: Usd,
    /// Isolated only: changes of its margin by funding and gradual liquidation.
    pub(crate) margin_funding: Usd,
    /// When a part of it was last liquidated.
    pub(crate) cut_at: Option<Millis>,
    pub(crate) opened_at: Millis,
    pub(crate) closed_at: Option<Millis>,
    pub(crate) closed: ClosedPart,
    pub(crate) realized: Usd,
    pub(crate) basis: Usd,
    pub(crate) fees: Usd,
    pub(crate) funding: Usd,
}

/// The part of a position that is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ClosedPart {
    /// Signed as the position.
    pub(crate) size: Lots,
    /// Its cost.
    pub(crate) cost: Usd,
    /// What it was sold or bought back for.
    pub(crate) exit: Usd,
}

/// How and when a position opens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewPosition {
    pub(crate) id: PositionId,
    pub(crate) account: AccountIx,
    pub(crate) market: MarketIx,
    pub(crate) leverage: u32,
    pub(crate) margin_mode: MarginMode,
    pub(crate) at: Millis,
}

impl PositionState {
    /// An empty position.
    pub(crate) fn open(opening: NewPosition) -> Self {
        Self {
            id: opening.id,
            account: opening.account,
            market: opening.market,
            size: Lots::ZERO,
            cost: Usd::ZERO,
            leverage: opening.leverage,
            margin_mode: opening.margin_mode,
            extra: Usd::ZERO,
            margin_funding: Usd::ZERO,
            cut_at: None,
            opened_at: opening.at,
            closed_at: None,
            closed: ClosedPart::default(),
            realized: Usd::ZERO,
            basis: Usd::ZERO,
            fees: Usd::ZERO,
            funding: Usd::ZERO,
        }
    }

    /// +1 long, -1 short, 0 flat.
    pub(crate) fn sign(&self) -> i64 {
        self.size.0.signum()
    }

    /// The side that would close it.
    pub(crate) fn closing_side(&self) -> Side {
        if self.size.0 < 0 {
            Side::Buy
        } else {
            Side::Sell
        }
    }

    /// How much of an order of `side` would close this position.
    pub(crate) fn reducible(&self, side: Side) -> Lots {
        if self.closing_side() == side {
            self.size.abs()
        } else {
            Lots::ZERO
        }
    }

    pub(crate) fn increase(&mut self, side: Side, part: FillPart) {
        self.size += Lots(side.sign() * part.lots.0);
        self.cost += part.money;
    }

    /// Closes `lots` (at most all) for `exit` in total, and returns the profit.
    pub(crate) fn reduce(&mut self, lots: Lots, exit: Usd) -> Usd {
        let (sign, held) = (self.sign(), self.size.abs());
        let cost = self.cost.mul_floor(lots.0, held.0);
        let left = held - lots;
        let realized = Usd((exit.0 - cost.0) * i128::from(sign));
        self.size = Lots(sign * left.0);
        self.cost -= cost;
        self.keep_share_of_margin(left, held);
        self.realized += realized;
        self.basis += cost.mul_floor(1, i64::from(self.leverage));
        self.closed.size += Lots(sign * lots.0);
        self.closed.cost += cost;
        self.closed.exit += exit;
        realized
    }

    /// What is beyond the entry margin shrinks in proportion. Funding stays whole and the extra makes up for it, so that
    /// the margin is what the row adds up to: it shows the funding of the whole position (docs/engine.md 6.7).
    fn keep_share_of_margin(&mut self, left: Lots, held: Lots) {
        let share = (self.extra + self.margin_funding).mul_floor(left.0, held.0);
        if left.is_zero() {
            self.margin_funding = Usd::ZERO;
        }
        self.extra = (share - self.margin_funding).max(Usd::ZERO);
    }

    pub(crate) fn unrealized(&self, mark: Px) -> Usd {
        mark * self.size - Usd(self.cost.0 * i128::from(self.sign()))
    }

    /// |size| × mark.
    pub(crate) fn notional(&self, mark: Px) -> Usd {
        mark * self.size.abs()
    }

    /// The margin of an isolated position: |q|·E / leverage + extra + funding. Rounding of partial closes could make it
    /// slightly negative.
    pub(crate) fn isolated_margin(&self) -> Usd {
        let allocated = self.cost.mul_floor(1, i64::from(self.leverage)) + self.extra;
        (allocated + self.margin_funding).max(Usd::ZERO)
    }

    /// The margin that its losses are paid from, if isolated.
    pub(crate) fn own_margin(&self) -> Option<Usd> {
        (self.margin_mode == MarginMode::Isolated).then(|| self.isolated_margin())
    }
}
