//! Engine rows as the documented resources.

use super::super::engine::{
    AccountIx, Engine, MarketIx, Millis, OrderRecord, PositionRecord, ScaledRecord, ScaledRung,
    TwapRecord,
};
use super::units::{MarketUnits, nano, usd};
use crate::model::{
    AccountId, MarketId, Num, Order, OrderStatus, Position, PositionSide, PositionStatus, Rung,
    Scaled, Side, Text, Timestamp, Twap,
};

/// Encodes rows of this engine with the names of their markets and accounts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResourceEncoder<'a>(pub(crate) &'a Engine);

/// The fields that every resource starts with.
struct CommonFields {
    account_id: AccountId,
    market_id: MarketId,
    provider: Text,
    symbol: Text,
    coin: Text,
    units: MarketUnits,
}

impl ResourceEncoder<'_> {
    pub(crate) fn order(self, row: &OrderRecord) -> Order {
        let names = self.names(row.account, row.market);
        let units = names.units;
        let px = |px| units.px(px);
        // A conditional order's trigger has the units of the market it watches.
        let watched = row.trigger_market.unwrap_or(row.market);
        let trigger_units = MarketUnits::of(self.0, watched);
        let filled = (!row.notional.is_zero()).then_some(());
        Order {
            id: row.id.to_string().into(),
            account_id: names.account_id,
            market_id: names.market_id,
            provider: names.provider,
            symbol: names.symbol,
            coin: names.coin,
            kind: row.order_type.into(),
            mode: row.mode.into(),
            side: row.side.into(),
            size: units.lots(row.size),
            initial_size: Some(units.lots(row.initial_size)),
            filled_size: Some(units.lots(row.filled_size)),
            expected_price: nano(row.expected_price),
            fill_price: row.fill_price.map(nano),
            trigger_price: row.trigger_price.map(|px| trigger_units.px(px)),
            limit_price: row.limit_price.map(px),
            notional: filled.map(|()| usd(row.notional)),
            fee: filled.map(|()| usd(row.fee)),
            realized_pnl: row.realized_pnl.map(usd),
            leverage: row.leverage.into(),
            margin_mode: row.margin_mode.into(),
            reduce_only: row.reduce_only,
            time_in_force: Some(row.time_in_force.into()),
            gtd_expires_at: row.gtd_expires_at.map(at),
            attached_take_profit_price: row.exits.take_profit.map(px),
            attached_stop_loss_price: row.exits.stop_loss.map(px),
            chase_offset: row.chase_offset.map(px),
            chase_cap_price: row.chase_cap.map(px),
            trigger_market_id: row.trigger_market.map(|ix| self.market_id(ix)),
            trigger_direction: row.trigger_direction.map(Into::into),
            target_position_id: row.target_position.map(|id| id.to_string().into()),
            liquidity_role: row.liquidity_role.map(Into::into),
            partial_of_order_id: row.partial_of.map(|id| id.to_string().into()),
            partial_fill_root_order_id: row.root.map(|id| id.to_string().into()),
            twap_order_id: row.twap.map(|id| id.to_string().into()),
            scaled_order_id: row.scaled.map(|id| id.to_string().into()),
            status: shown_status(row.status).into(),
            reject_reason: row.reason.map(|reason| reason.into_str().into()),
            reject_rule_id: row.rule.map(|rule| rule.into_str().into()),
            requested_at: at(row.requested_at),
            settled_at: row.settled_at.map(at),
            canceled_at: row.canceled_at.map(at),
            client_order_id: row.client_order_id.clone(),
            oco_sibling_order_id: row.links.oco.map(|id| id.to_string().into()),
            triggered_at: row.triggered_at.map(at),
            stop_triggered_at: row.stop_triggered_at().map(at),
            cancel_requested_at: row.cancel_requested_at.map(at),
        }
    }

    pub(crate) fn position(self, row: &PositionRecord) -> Position {
        let names = self.names(row.account, row.market);
        let side = if row.size.0 < 0 {
            Side::Sell
        } else {
            Side::Buy
        };
        let status = match row.closed_at {
            Some(_) => PositionStatus::Closed,
            None => PositionStatus::Open,
        };
        Position {
            id: row.id.to_string().into(),
            account_id: names.account_id,
            market_id: names.market_id,
            provider: names.provider,
            symbol: names.symbol,
            coin: names.coin,
            size: names.units.lots(row.size).abs(),
            side: Some(PositionSide::from(side).into()),
            margin_mode: Some(row.margin_mode.into()),
            status: Some(status.into()),
            entry_price: Some(nano(row.entry_price)),
            leverage: Some(row.leverage.into()),
            // The service reports it on every position.
            isolated_margin_extra: Some(row.isolated_margin_extra.map_or(Num::ZERO, usd)),
            opened_at: Some(at(row.opened_at)),
            liquidation_price: row.liquidation_price.map(nano),
            closed_at: row.closed_at.map(at),
            size_decimals: Some(names.units.size_decimals),
            exit_price: row.exit_price.map(nano),
            realized_pnl: Some(usd(row.realized_pnl)),
            realized_margin_basis: Some(usd(row.realized_margin_basis)),
            fees: Some(usd(row.fees)),
            funding: Some(usd(row.funding)),
        }
    }

    pub(crate) fn twap(self, row: &TwapRecord) -> Twap {
        let names = self.names(row.account, row.market);
        let units = names.units;
        let px = |px| units.px(px);
        Twap {
            id: row.id.to_string().into(),
            account_id: names.account_id,
            market_id: names.market_id,
            provider: names.provider,
            symbol: names.symbol,
            coin: names.coin,
            strategy: Some(row.kind.into()),
            side: Some(row.side.into()),
            margin_mode: Some(row.margin_mode.into()),
            total_size: Some(units.lots(row.total_size).abs()),
            filled_size: Some(units.lots(row.filled_size).abs()),
            leverage: Some(row.leverage.into()),
            average_price: row.average_price.map(nano),
            trigger_price: row.trigger_price.map(px),
            max_price: row.max_price.map(px),
            min_price: row.min_price.map(px),
            reduce_only: Some(row.reduce_only),
            randomize: Some(row.randomize),
            duration_minutes: Some(row.duration_minutes.into()),
            slice_interval_seconds: Some(row.slice_interval_seconds.into()),
            slice_count: Some(row.slice_count.into()),
            slices_attempted: Some(row.slices_attempted.into()),
            size_decimals: Some(units.size_decimals.into()),
            status: Some(row.status.into_str().into()),
            completion_reason: row.completion_reason.map(|why| why.into_str().into()),
            current_child_order_id: row.current_child_order.map(|id| id.to_string().into()),
            started_at: Some(at(row.started_at)),
            end_at: row.end_at.map(at),
            activated_at: row.activated_at.map(at),
            next_run_at: row.next_run_at.map(at),
            canceled_at: row.canceled_at.map(at),
            completed_at: row.completed_at.map(at),
        }
    }

    pub(crate) fn scaled(self, row: &ScaledRecord) -> Scaled {
        let names = self.names(row.account, row.market);
        let units = names.units;
        Scaled {
            id: row.id.to_string().into(),
            account_id: names.account_id,
            market_id: names.market_id,
            provider: names.provider,
            symbol: names.symbol,
            coin: names.coin,
            side: Some(row.side.into()),
            margin_mode: Some(row.margin_mode.into()),
            distribution: Some(row.distribution.into()),
            total_size: Some(units.lots(row.total_size).abs()),
            leverage: Some(row.leverage.into()),
            start_price: Some(units.px(row.start_price)),
            end_price: Some(units.px(row.end_price)),
            rung_count: Some(row.rung_count.into()),
            placed_count: Some(row.placed_count.into()),
            rejected_count: Some(row.rejected_count.into()),
            size_decimals: Some(units.size_decimals.into()),
            reduce_only: Some(row.reduce_only),
            status: Some(row.status.into_str().into()),
            started_at: Some(at(row.started_at)),
            completed_at: row.completed_at.map(at),
            canceled_at: row.canceled_at.map(at),
            rungs: row
                .rungs
                .iter()
                .map(|rung| self.rung(row, units, rung))
                .collect(),
        }
    }

    fn rung(self, scaled: &ScaledRecord, units: MarketUnits, rung: &ScaledRung) -> Rung {
        let order = rung.order.and_then(|id| self.0.order(scaled.account, id));
        let role = order.and_then(|order| order.liquidity_role);
        Rung {
            price: units.px(rung.price),
            size: units.lots(rung.size).abs(),
            liquidity_role: role.map(Into::into),
            order_id: rung.order.map(|id| id.to_string().into()),
            reject_reason: rung.reject_reason.map(|why| why.into_str().into()),
        }
    }

    pub(crate) fn market_id(self, market: MarketIx) -> MarketId {
        self.0.market_spec(market).market_id().into()
    }

    fn names(self, account: AccountIx, market: MarketIx) -> CommonFields {
        let spec = self.0.market_spec(market);
        CommonFields {
            account_id: self.0.account_spec(account).id.as_str().into(),
            market_id: spec.market_id().into(),
            provider: spec.provider.as_str().into(),
            symbol: spec.symbol.as_str().into(),
            coin: spec.coin.as_str().into(),
            units: spec.into(),
        }
    }
}

/// An order that waits for its trigger rests: only `triggered_at` tells them apart (docs/engine.md 2.2).
fn shown_status(status: OrderStatus) -> OrderStatus {
    match status {
        OrderStatus::Pending | OrderStatus::Resting => OrderStatus::Resting,
        OrderStatus::Filled
        | OrderStatus::Rejected
        | OrderStatus::Expired
        | OrderStatus::Canceled => status,
    }
}

pub(crate) fn at(time: Millis) -> Timestamp {
    Timestamp(time.0)
}
