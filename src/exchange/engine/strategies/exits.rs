//! Take-profit and stop-loss attached to an entry (docs/engine.md 2.7).
//!
//! Every filled lot is protected at once: the legs appear with the first fill and grow with each one. The legs are a pair:
//! a fill of one reduces the other by the same size. The stop is created first, so that it acts first if both are reached.

use crate::exchange::engine::{
    core::Engine,
    market::triggers::reached,
    matching::{orders::NewOrder, validate},
    state::{
        AccountIx, AttachedExits, CommandRefusal, CommandResult, EngineEvent, ExecutionType,
        ExitChange, ExitGroup, Lots, OrderId, OrderMode, OrderRecord, OrderStatus, OrderType, Px,
        Reason, SetAttachedExits, exit_direction, refuse,
    },
};

/// The stop is made first.
const GROUPS: [ExitGroup; 2] = [ExitGroup::Sl, ExitGroup::Tp];

fn other(group: ExitGroup) -> ExitGroup {
    match group {
        ExitGroup::Sl => ExitGroup::Tp,
        ExitGroup::Tp => ExitGroup::Sl,
    }
}

/// How an exit of a group executes.
pub(super) fn mode(group: ExitGroup, execution: ExecutionType) -> OrderMode {
    match (group, execution) {
        (ExitGroup::Sl, ExecutionType::Market) => OrderMode::StopMarket,
        (ExitGroup::Sl, ExecutionType::Limit) => OrderMode::StopLimit,
        (ExitGroup::Tp, ExecutionType::Market) => OrderMode::TakeProfit,
        (ExitGroup::Tp, ExecutionType::Limit) => OrderMode::TakeLimit,
    }
}

impl Engine {
    /// Protects `opened` more lots of an entry.
    pub(crate) fn grow_exits(&mut self, entry: OrderId, opened: Lots) {
        if opened.is_zero() || self.orders.at(entry).reduce_only {
            return;
        }
        for group in GROUPS {
            if let Some(px) = self.orders.at(entry).exits.at(group) {
                if let Some(child) = self.working_child(entry, group) {
                    self.grow_exit(child, opened);
                } else {
                    let size = opened + self.replace_exits(entry, group);
                    self.place_exit(entry, group, px, size);
                }
            }
        }
    }

    /// Cancels the position's exits that those of an entry replace, with the owner's consent; returns their size.
    fn replace_exits(&mut self, entry: OrderId, group: ExitGroup) -> Lots {
        let row = self.orders.at(entry);
        if !row.links.replaces_exits {
            return Lots::ZERO;
        }
        let exits = self.exits(row.account, row.market, row.side.opposite());
        let replaced: Vec<OrderId> = exits
            .filter(|exit| exit.exit_group() == Some(group) && exit.links.parent != Some(entry))
            .map(|exit| exit.id)
            .collect();
        let sizes = replaced.iter().map(|id| self.orders.at(*id).size);
        let size = sizes.sum();
        for id in replaced {
            self.finish(id, OrderStatus::Canceled, Some(Reason::Replaced));
        }
        size
    }

    fn working_child(&self, entry: OrderId, group: ExitGroup) -> Option<OrderId> {
        let child = self.orders.at(entry).links.exits.at(group);
        child.filter(|child| self.orders.at(*child).status.is_working())
    }

    fn grow_exit(&mut self, child: OrderId, lots: Lots) {
        let row = self.orders.at_mut(child);
        row.size += lots;
        row.initial_size += lots;
        let size = row.size;
        self.record(EngineEvent::Resized { order: child, size });
    }

    /// The size is at most that of the position.
    fn place_exit(&mut self, entry: OrderId, group: ExitGroup, px: Px, size: Lots) {
        let parent = self.orders.at(entry);
        let base = NewOrder {
            account: parent.account,
            market: parent.market,
            side: parent.side.opposite(),
            size,
            leverage: parent.leverage,
            margin_mode: parent.margin_mode,
            mode: mode(group, ExecutionType::Market),
        };
        let direction = exit_direction(group, parent.side);
        let mut row = self.new_row(base);
        row.reduce_only = true;
        row.trigger_price = Some(px);
        row.trigger_direction = Some(direction);
        row.target_position = self.held(base.account, base.market).map(|held| held.id);
        row.links.parent = Some(entry);
        self.clamp(&mut row);
        row.initial_size = row.size;
        let child = self.push_order(row);
        let links = &mut self.orders.at_mut(entry).links;
        links.exits.set(group, Some(child));
        self.arm(child);
        if let Some(sibling) = self.working_child(entry, other(group)) {
            self.pair(child, sibling);
        }
    }

    /// Makes two exits a pair.
    pub(super) fn pair(&mut self, order: OrderId, sibling: OrderId) {
        self.orders.at_mut(order).links.oco = Some(sibling);
        self.orders.at_mut(sibling).links.oco = Some(order);
        self.record(EngineEvent::Paired { order, sibling });
    }

    /// The other of a pair goes on alone.
    pub(crate) fn unpair(&mut self, id: OrderId) {
        if let Some(sibling) = self.working_sibling(id) {
            self.orders.at_mut(sibling).links.oco = None;
        }
    }

    pub(crate) fn working_sibling(&self, id: OrderId) -> Option<OrderId> {
        let sibling = self.orders.at(id).links.oco;
        sibling.filter(|other| self.orders.at(*other).status.is_working())
    }

    /// One exit filled `lots`: the other shrinks by as much, and is alone once the one has ended.
    pub(crate) fn reduce_sibling(&mut self, id: OrderId, lots: Lots) {
        let Some(sibling) = self.working_sibling(id) else {
            return;
        };
        let left = self.orders.at(sibling).size - lots;
        self.resize(sibling, left, Reason::SiblingFilled);
        if !self.orders.at(id).status.is_working() {
            self.unpair(id);
        }
    }

    /// An exit that an entry brought was moved: what the entry fills later is protected there too.
    pub(crate) fn follow_exit(&mut self, exit: OrderId) {
        let row = self.orders.at(exit);
        let (px, group) = (row.trigger_price, row.exit_group());
        let (Some(entry), Some(group)) = (row.links.parent, group) else {
            return;
        };
        let entry = self.orders.at_mut(entry);
        if entry.status.is_working() && entry.links.exits.at(group) == Some(exit) {
            entry.exits.set(group, px);
        }
    }

    /// `PUT /v1/orders/{id}/attached-exits`: only while the entry rests.
    pub(crate) fn set_exits(
        &mut self,
        account: AccountIx,
        set: SetAttachedExits,
    ) -> CommandResult<OrderId> {
        let row = self
            .order(account, set.order)
            .ok_or_else(|| CommandRefusal::not_found("order"))?;
        let entry = row.status == OrderStatus::Resting
            && row.order_type == OrderType::Limit
            && !row.reduce_only;
        let Some(limit) = row.limit_price.filter(|_| entry) else {
            return refuse(
                Reason::OrderNotResting,
                format!(
                    "exits can be set only on a resting limit entry; {} is not",
                    row.id
                ),
            );
        };
        let changed = |before, change| match change {
            ExitChange::Keep => before,
            ExitChange::Remove => None,
            ExitChange::Set(px) => Some(px),
        };
        let exits = AttachedExits {
            take_profit: changed(row.exits.take_profit, set.take_profit),
            stop_loss: changed(row.exits.stop_loss, set.stop_loss),
        };
        validate::exits(exits, row.side, limit, self.size_decimals(row.market))?;
        self.check_reached(row, exits)?;
        self.orders.at_mut(set.order).exits = exits;
        for group in GROUPS {
            self.apply_exit(set.order, group);
        }
        self.record(EngineEvent::ExitsSet {
            order: set.order,
            take_profit: exits.take_profit,
            stop_loss: exits.stop_loss,
        });
        Ok(set.order)
    }

    /// An exit of an already filled part must not fire at once.
    fn check_reached(&self, row: &OrderRecord, exits: AttachedExits) -> CommandResult<()> {
        let mark = self.markets.at(row.market).mark;
        let is_met = |group, px| reached(exit_direction(group, row.side), mark, px);
        let mut groups = GROUPS.into_iter();
        let fires = groups.any(|group| exits.at(group).is_some_and(|px| is_met(group, px)));
        if fires && row.filled_size > Lots::ZERO {
            refuse(
                Reason::TriggerWouldFire,
                "the mark has already reached this exit, and part of the entry is filled",
            )
        } else {
            Ok(())
        }
    }

    /// Updates the leg of the filled part to the entry's new price.
    fn apply_exit(&mut self, entry: OrderId, group: ExitGroup) {
        let px = self.orders.at(entry).exits.at(group);
        match (self.working_child(entry, group), px) {
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
                    self.place_exit(entry, group, px, size);
                }
            }
            (None, None) => {}
        }
    }
}
