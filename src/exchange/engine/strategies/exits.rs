//! Take-profit and stop-loss attached to an entry (docs/engine.md 2.7).
//!
//! Every filled lot is protected at once: the legs appear with the first fill and grow with each one. A fill of one leg
//! reduces the other by the same size. The stop is created first, so that it acts first if both are reached.

use crate::exchange::engine::core::Engine;
use crate::exchange::engine::{
    market::triggers::reached,
    matching::{orders::NewOrder, validate},
    state::{
        command::{ExitChange, SetAttachedExits},
        ids::{AccountIx, OrderId},
        log::EngineEvent,
        records::OrderRecord,
        refusal::{CommandRefusal, Reason},
        units::{Lots, Px},
        words::{OrderMode, OrderStatus, OrderType, Side, TriggerDirection},
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExitKind {
    StopLoss,
    TakeProfit,
}

const EXIT_KINDS: [ExitKind; 2] = [ExitKind::StopLoss, ExitKind::TakeProfit];

impl ExitKind {
    fn price(self, entry: &OrderRecord) -> Option<Px> {
        match self {
            Self::StopLoss => entry.stop_loss,
            Self::TakeProfit => entry.take_profit,
        }
    }

    fn child(self, entry: &OrderRecord) -> Option<OrderId> {
        match self {
            Self::StopLoss => entry.links.stop_loss,
            Self::TakeProfit => entry.links.take_profit,
        }
    }

    fn link(self, entry: &mut OrderRecord, child: OrderId) {
        match self {
            Self::StopLoss => entry.links.stop_loss = Some(child),
            Self::TakeProfit => entry.links.take_profit = Some(child),
        }
    }

    fn mode(self) -> OrderMode {
        match self {
            Self::StopLoss => OrderMode::StopMarket,
            Self::TakeProfit => OrderMode::TakeProfit,
        }
    }

    /// In which direction the mark must move for an exit of an entry of `side`.
    fn direction(self, side: Side) -> TriggerDirection {
        match (self, side) {
            (Self::StopLoss, Side::Sell) | (Self::TakeProfit, Side::Buy) => TriggerDirection::Above,
            (Self::StopLoss, Side::Buy) | (Self::TakeProfit, Side::Sell) => TriggerDirection::Below,
        }
    }
}

impl Engine {
    /// Protects `opened` more lots of an entry.
    pub(crate) fn grow_exits(&mut self, entry: OrderId, opened: Lots) {
        if opened.is_zero() || self.orders.at(entry).reduce_only {
            return;
        }
        for kind in EXIT_KINDS {
            if let Some(px) = kind.price(self.orders.at(entry)) {
                match self.working_child(entry, kind) {
                    Some(child) => self.grow_exit(child, opened),
                    None => self.place_exit(entry, kind, px, opened),
                }
            }
        }
    }

    fn working_child(&self, entry: OrderId, kind: ExitKind) -> Option<OrderId> {
        kind.child(self.orders.at(entry))
            .filter(|child| self.orders.at(*child).status.is_working())
    }

    fn grow_exit(&mut self, child: OrderId, lots: Lots) {
        let row = self.orders.at_mut(child);
        row.size += lots;
        row.initial_size += lots;
        let size = row.size;
        self.record(EngineEvent::Resized { order: child, size });
    }

    fn place_exit(&mut self, entry: OrderId, kind: ExitKind, px: Px, size: Lots) {
        let parent = self.orders.at(entry);
        let base = NewOrder {
            account: parent.account,
            market: parent.market,
            side: parent.side.opposite(),
            size,
            leverage: parent.leverage,
            margin_mode: parent.margin_mode,
            mode: kind.mode(),
        };
        let direction = kind.direction(parent.side);
        let mut row = self.new_row(base);
        row.reduce_only = true;
        row.trigger_price = Some(px);
        row.trigger_direction = Some(direction);
        row.target_position = self.held(base.account, base.market).map(|held| held.id);
        row.links.parent = Some(entry);
        let child = self.push_order(row);
        kind.link(self.orders.at_mut(entry), child);
        self.arm(child);
    }

    /// One exit filled `lots`: the other shrinks by as much.
    pub(crate) fn reduce_sibling(&mut self, id: OrderId, lots: Lots) {
        let Some(parent) = self.orders.at(id).links.parent else {
            return;
        };
        let links = self.orders.at(parent).links;
        let sibling = if links.stop_loss == Some(id) {
            links.take_profit
        } else {
            links.stop_loss
        };
        let working = sibling.filter(|other| self.orders.at(*other).status.is_working());
        if let Some(sibling) = working {
            let left = self.orders.at(sibling).size - lots;
            self.resize(sibling, left, Reason::SiblingFilled);
        }
    }

    /// `PUT /v1/orders/{id}/attached-exits`: only while the entry rests.
    pub(crate) fn set_exits(
        &mut self,
        account: AccountIx,
        set: SetAttachedExits,
    ) -> Result<OrderId, CommandRefusal> {
        let row = self
            .order(account, set.order)
            .ok_or_else(|| CommandRefusal::not_found("order"))?;
        let entry = row.status == OrderStatus::Resting
            && row.order_type == OrderType::Limit
            && !row.reduce_only;
        let Some(limit) = row.limit_price.filter(|_| entry) else {
            return Err(CommandRefusal::conflict(
                Reason::OrderNotResting,
                format!(
                    "exits can be set only on a resting limit entry; {} is not",
                    row.id
                ),
            ));
        };
        let wanted = [
            (ExitKind::StopLoss, set.stop_loss),
            (ExitKind::TakeProfit, set.take_profit),
        ];
        let [stop_loss, take_profit] = wanted.map(|(kind, leg)| match leg {
            ExitChange::Keep => kind.price(row),
            ExitChange::Remove => None,
            ExitChange::Set(px) => Some(px),
        });
        let decimals = self.size_decimals(row.market);
        let exits = crate::exchange::engine::state::command::AttachedExits {
            take_profit,
            stop_loss,
        };
        validate::exits(
            ["take_profit_price", "stop_loss_price"],
            exits,
            row.side,
            limit,
            decimals,
        )?;
        self.check_reached(row, exits)?;
        let row = self.orders.at_mut(set.order);
        row.stop_loss = stop_loss;
        row.take_profit = take_profit;
        for kind in EXIT_KINDS {
            self.apply_exit(set.order, kind);
        }
        self.record(EngineEvent::ExitsSet {
            order: set.order,
            take_profit,
            stop_loss,
        });
        Ok(set.order)
    }

    /// An exit of an already filled part must not fire at once.
    fn check_reached(
        &self,
        row: &OrderRecord,
        exits: crate::exchange::engine::state::command::AttachedExits,
    ) -> Result<(), CommandRefusal> {
        let mark = self.markets.at(row.market).mark;
        let legs = [
            (ExitKind::StopLoss, exits.stop_loss),
            (ExitKind::TakeProfit, exits.take_profit),
        ];
        let fires = legs
            .into_iter()
            .filter_map(|(kind, px)| Some((kind.direction(row.side), px?)))
            .any(|(direction, px)| reached(direction, mark, px));
        if fires && row.filled_size > Lots::ZERO {
            Err(CommandRefusal::conflict(
                Reason::TriggerWouldFire,
                "the mark has already reached this exit, and part of the entry is filled",
            ))
        } else {
            Ok(())
        }
    }

    /// Updates the leg of the filled part to the entry's new price.
    fn apply_exit(&mut self, entry: OrderId, kind: ExitKind) {
        let price = kind.price(self.orders.at(entry));
        match (self.working_child(entry, kind), price) {
            (Some(child), Some(px)) => {
                self.detach(child);
                self.orders.at_mut(child).trigger_price = Some(px);
                self.arm(child);
            }
            (Some(child), None) => {
                self.finish(child, OrderStatus::Canceled, Some(Reason::User));
            }
            (None, Some(px)) => {
                let row = self.orders.at(entry);
                let closing = row.side.opposite();
                let reducible = self
                    .held(row.account, row.market)
                    .map_or(Lots::ZERO, |held| held.reducible(closing));
                let size = row.filled_size.min(reducible);
                if size > Lots::ZERO {
                    self.place_exit(entry, kind, px, size);
                }
            }
            (None, None) => {}
        }
    }
}
