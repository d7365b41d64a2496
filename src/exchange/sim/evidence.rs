//! `GET /sim/orders/{order_id}/evidence`: what each fill of an order rests on (docs/engine.md 12.4).

use super::super::{
    api_error::{ApiError, ApiResult},
    auth::AuthenticatedUser,
    engine::{self, AccountIx, AfterGap, Engine, EvidenceLevel, FrameOrigin, OrderId, OrderRecord},
    state::ExchangeState,
    wire::{self, MarketUnits},
};
use crate::model;

/// An order of a generated market has no evidence.
pub(super) fn evidence(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::OrderId,
) -> ApiResult<model::OrderEvidence> {
    let (account, id): (AccountIx, OrderId) = state.owned(caller, id.raw())?;
    let row = state.engine.order(account, id);
    let row = row.ok_or_else(|| ApiError::not_found("order"))?;
    Ok(resource(&state.engine, account, row))
}

fn resource(engine: &Engine, account: AccountIx, row: &OrderRecord) -> model::OrderEvidence {
    let units = MarketUnits::of(engine, row.market);
    let Some(found) = engine.order_evidence(account, row.id) else {
        return model::OrderEvidence {
            order_id: row.id.to_string().into(),
            filled_size: units.lots(row.filled_size),
            optimistic_filled: None,
            fills: Vec::new(),
        };
    };
    let fills = found.fills.into_iter();
    model::OrderEvidence {
        order_id: found.order.to_string().into(),
        filled_size: units.lots(found.filled),
        optimistic_filled: Some(units.lots(found.optimistic_filled)),
        fills: fills.map(|fill| fill_resource(units, fill)).collect(),
    }
}

fn fill_resource(units: MarketUnits, fill: &engine::FillEvidence) -> model::FillEvidence {
    let engine::FillEvidence { frame, .. } = fill;
    let (recording, connection) = match &frame.source.origin {
        FrameOrigin::File(name) => (Some(name.as_str().into()), None),
        FrameOrigin::Connection(number) => (None, Some(*number)),
    };
    let level = |level: &EvidenceLevel| model::EvidenceLevel {
        price: units.px(level.px),
        shown: units.lots(level.shown),
        consumed: units.lots(level.consumed),
        taken: units.lots(level.taken),
    };
    model::FillEvidence {
        time: wire::at(fill.at),
        size: units.lots(fill.size),
        cause: fill.cause.into_str().into(),
        feed: frame.source.feed.as_str().into(),
        file: recording,
        connection,
        line: frame.source.line,
        received_at: wire::at(frame.received_at),
        venue_time: wire::at(frame.venue_time),
        levels: fill.levels.iter().map(level).collect(),
        trade_id: fill.trade_id,
        ahead: fill.ahead.map(|ahead| units.lots(ahead)),
        after_gap: fill.after_gap == AfterGap::Yes,
        optimistic_filled: units.lots(fill.optimistic_filled),
    }
}
