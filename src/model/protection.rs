//! Whether an order is a stop or target that closes a position by itself.

use super::{
    Command, Num, Order, OrderType, Position, Side, TriggerDirection, TriggersOn, estimate,
};

/// What an armed order does for a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// Limits its loss.
    Stop,
    Target,
}

impl Order {
    /// Its role for `position`, if its trigger would close some of it.
    pub fn protects(&self, position: &Position) -> Option<Protection> {
        if !self.is_armed() || !self.closes(position) {
            return None;
        }
        match self.kind.known().map(OrderType::triggers_on) {
            Some(TriggersOn::Loss) => Some(Protection::Stop),
            Some(TriggersOn::Profit) => Some(Protection::Target),
            Some(TriggersOn::Nothing | TriggersOn::Chosen) | None => self.by_direction(position),
        }
    }

    /// Whether a fill of the one retires the other. The service links the exits of a pair; one that links none creates
    /// both legs of an entry in one step: one is the stop of `position`, the other its target, both requested at the same
    /// instant.
    pub fn is_paired(&self, other: &Self, position: &Position) -> bool {
        if let Some(sibling) = &self.oco_sibling_order_id {
            return *sibling == other.id;
        }
        let sides = self.protects(position).zip(other.protects(position));
        self.requested_at == other.requested_at && sides.is_some_and(|(one, two)| one != two)
    }

    /// Whether it can close a position, if there is one that it fits.
    pub fn may_close(&self) -> bool {
        self.reduce_only || self.target_position_id.is_some()
    }

    /// The command that cancels it. The cancel of a stop of an `open` position is marked: more can be lost afterwards,
    /// and it waits when new entries do.
    pub fn cancel(&self, open: &[Position]) -> Command {
        let stops = |position: &Position| self.protects(position) == Some(Protection::Stop);
        if open.iter().any(stops) {
            Command::Unprotect(self.id.clone())
        } else {
            Command::Cancel(self.id.clone())
        }
    }

    /// Whether this stop of `position` protects as much at `price` and with `size` as it does now.
    pub fn is_as_good_at(&self, price: Num, size: Num, position: &Position) -> bool {
        let prices = position.side().zip(self.trigger_price);
        let is_as_good = prices.is_some_and(|(side, from)| estimate::is_as_good(side, price, from));
        is_as_good && size >= self.requested_size().abs()
    }

    /// A trigger on the losing side of a position stops it; one on another market says nothing of either.
    fn by_direction(&self, position: &Position) -> Option<Protection> {
        let elsewhere = self.trigger_market_id.as_ref();
        if elsewhere.is_some_and(|id| *id != position.market_id) {
            return None;
        }
        let direction = self.trigger_direction.as_ref()?.known()?;
        Some(Protection::of(position.side()?, direction))
    }
}

impl Protection {
    pub fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Target => "target",
        }
    }

    /// Sorts orders of this role for `position`, the nearest to the mark first.
    pub fn nearest_first<T>(self, rows: &mut [T], position: &Position, price: impl Fn(&T) -> Num) {
        rows.sort_by_key(price);
        if (self == Self::Stop) == (position.side() == Some(Side::Buy)) {
            rows.reverse();
        }
    }

    /// The role of a close that waits for the mark to move in this direction, for a position on `side`.
    pub fn of(side: Side, direction: TriggerDirection) -> Self {
        if direction == TriggerDirection::losing(side) {
            Self::Stop
        } else {
            Self::Target
        }
    }
}

impl TriggerDirection {
    /// The direction in which a position on `side` loses.
    pub fn losing(side: Side) -> Self {
        match side {
            Side::Buy => Self::Below,
            Side::Sell => Self::Above,
        }
    }
}
impl Order {
    /// Whether it would close some of `position`: by its link, or because a reduce-only order of the other side on the
    /// same market can do nothing else.
    pub fn closes(&self, position: &Position) -> bool {
        if let Some(id) = &self.target_position_id {
            return *id == position.id;
        }
        let closing = position.side().map(Side::opposite);
        self.reduce_only
            && self.market_id == position.market_id
            && closing.is_some_and(|side| self.side.is(&side))
    }
}
