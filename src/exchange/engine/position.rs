//! One position: average entry, partial close, realised profit (exchange.md 4.6).
//!
//! The entry is kept as the exact cost of what is open, so that money is conserved to the micro-USD; a partial close
//! takes its share of the cost rounded down, which moves the average by less than 1e-6 USD per close.

use serde::{Deserialize, Serialize};

use super::ids::{AccountIx, MarketIx, PositionId};
use super::trade::Piece;
use super::units::{Lots, Millis, Px, Usd};
use super::words::{MarginMode, Side};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    pub(super) id: PositionId,
    pub(super) account: AccountIx,
    pub(super) market: MarketIx,
    /// Signed; 0 once closed.
    pub(super) size: Lots,
    /// |size| × entry.
    pub(super) cost: Usd,
    pub(super) leverage: u32,
    pub(super) margin_mode: MarginMode,
    /// Isolated only.
    pub(super) extra: Usd,
    /// Isolated only: what funding and a gradual liquidation moved of its own margin.
    pub(super) margin_funding: Usd,
    /// When a part of it was liquidated last.
    pub(super) cut_at: Option<Millis>,
    pub(super) opened_at: Millis,
    pub(super) closed_at: Option<Millis>,
    pub(super) closed: Closed,
    pub(super) realized: Usd,
    pub(super) basis: Usd,
    pub(super) fees: Usd,
    pub(super) funding: Usd,
}

/// The part of a position that is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Closed {
    /// Signed like the position was.
    pub(super) size: Lots,
    /// What it had cost.
    pub(super) cost: Usd,
    /// What it was traded back for.
    pub(super) exit: Usd,
}

/// How and when a position begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opening {
    pub(super) id: PositionId,
    pub(super) account: AccountIx,
    pub(super) market: MarketIx,
    pub(super) leverage: u32,
    pub(super) margin_mode: MarginMode,
    pub(super) at: Millis,
}

impl Position {
    /// A position of nothing yet.
    pub(super) fn open(opening: Opening) -> Self {
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
            closed: Closed::default(),
            realized: Usd::ZERO,
            basis: Usd::ZERO,
            fees: Usd::ZERO,
            funding: Usd::ZERO,
        }
    }

    /// +1 long, -1 short, 0 flat.
    pub(super) fn sign(&self) -> i64 {
        self.size.0.signum()
    }

    /// The side that would close it.
    pub(super) fn closing_side(&self) -> Side {
        if self.size.0 < 0 {
            Side::Buy
        } else {
            Side::Sell
        }
    }

    /// How much of an order of `side` would close this position.
    pub(super) fn reducible(&self, side: Side) -> Lots {
        if self.closing_side() == side {
            self.size.abs()
        } else {
            Lots::ZERO
        }
    }

    pub(super) fn increase(&mut self, side: Side, piece: Piece) {
        self.size += Lots(side.sign() * piece.lots.0);
        self.cost += piece.money;
    }

    /// Closes `lots` (at most all) for `exit` in all, and tells the profit.
    pub(super) fn reduce(&mut self, lots: Lots, exit: Usd) -> Usd {
        let (sign, held) = (self.sign(), self.size.abs());
        let cost = self.cost.mul_floor(lots.0, held.0);
        let left = held - lots;
        let realized = Usd((exit.0 - cost.0) * i128::from(sign));
        self.size = Lots(sign * left.0);
        self.cost -= cost;
        self.extra = self.extra.mul_floor(left.0, held.0);
        self.margin_funding = self.margin_funding.mul_floor(left.0, held.0);
        self.realized += realized;
        self.basis += cost.mul_floor(1, i64::from(self.leverage));
        self.closed.size += Lots(sign * lots.0);
        self.closed.cost += cost;
        self.closed.exit += exit;
        realized
    }

    pub(super) fn unrealized(&self, mark: Px) -> Usd {
        mark * self.size - Usd(self.cost.0 * i128::from(self.sign()))
    }

    /// |size| × mark.
    pub(super) fn notional(&self, mark: Px) -> Usd {
        mark * self.size.abs()
    }

    /// Margin allocated to an isolated position: |q|·E / leverage + extra + funding. Rounding the parts of a close could
    /// leave it a micro-USD below 0.
    pub(super) fn isolated_margin(&self) -> Usd {
        let allocated = self.cost.mul_floor(1, i64::from(self.leverage)) + self.extra;
        (allocated + self.margin_funding).max(Usd::ZERO)
    }

    /// What its losses are paid from, if that is its own margin.
    pub(super) fn own_margin(&self) -> Option<Usd> {
        (self.margin_mode == MarginMode::Isolated).then(|| self.isolated_margin())
    }
}
