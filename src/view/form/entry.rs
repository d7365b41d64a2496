//! What would come of a new order.

use super::{
    estimated, known,
    preview::{Line, Trade, change, dollars, execution, fires, sized},
};
use crate::{
    app::Model,
    model::{
        MarginMode, Num, PlaceKind,
        draft::{EntryDraft, Field, Seen},
        estimate,
    },
    view::{Span, format},
};

pub(super) fn entry(draft: &EntryDraft, model: &Model, seen: &Seen) -> Vec<Line> {
    let size = draft.resolved_size(seen).ok();
    let entry = draft.entry(seen);
    let notional = size.zip(entry).and_then(|(s, p)| s.times(p));
    let leverage = draft.leverage().ok();
    let margin = notional.zip(leverage).and_then(|(n, l)| n.over(l));
    let mut lines = vec![
        ("size", sized(size, seen)),
        ("notional", dollars(notional)),
        ("initial margin", dollars(margin)),
        (
            "liquidation",
            estimated(liquidation(draft, model, seen), seen.market),
        ),
    ];
    if draft.has(Field::StopLoss) {
        let trade = Trade {
            side: draft.side,
            quantity: size,
            entry,
            target: draft.known(Field::TakeProfit),
            stop: draft.known(Field::StopLoss),
        };
        lines.extend(trade.reward());
    }
    if draft.has(Field::TriggerPrice) {
        let price = draft.known(Field::TriggerPrice);
        lines.push(("fires", fires(price, draft.direction(), seen)));
    }
    if let Some(executes) = executes(draft, entry, seen) {
        lines.push(("execution", executes));
    }
    if draft.has(Field::Expires) {
        lines.push(("expires", expires(draft, seen)));
    }
    lines.push(("position", position_after(draft, size, seen)));
    lines
}

/// What becomes of it at once; nothing is said of what waits for a trigger.
fn executes(draft: &EntryDraft, entry: Option<Num>, seen: &Seen) -> Option<Span> {
    match draft.kind {
        PlaceKind::Limit => Some(execution(draft.side, entry, seen)),
        PlaceKind::Chase => Some(Span::plain("rests (maker), and follows the best price")),
        PlaceKind::Market
        | PlaceKind::StopMarket
        | PlaceKind::StopLimit
        | PlaceKind::TakeMarket
        | PlaceKind::TakeLimit
        | PlaceKind::TakeProfit
        | PlaceKind::Conditional => None,
    }
}

/// In how long, and when that is here.
fn expires(draft: &EntryDraft, seen: &Seen) -> Span {
    let at = draft.expires(seen).ok().flatten();
    known(at.zip(seen.zone).map(|(at, zone)| {
        let left = format::countdown(at, seen.now);
        format!("in {left}, {}", zone.minute(at))
    }))
}

/// If all of it filled at its price; nothing for what reduces or turns a position, or would change its mode.
fn liquidation(draft: &EntryDraft, model: &Model, seen: &Seen) -> Option<Num> {
    let order = (draft.resolved_size(seen).ok()?, draft.entry(seen)?);
    let (quantity, average) = estimate::merged(seen.position, draft.side, order)?;
    let is_isolated = draft.margin_mode == MarginMode::Isolated;
    if draft.only_reduces()
        || seen
            .position
            .is_some_and(|p| p.is_isolated() != is_isolated)
    {
        return None;
    }
    let backing = if is_isolated {
        let extra = seen.position.and_then(|p| p.isolated_margin_extra);
        let margin = quantity.times(average)?.over(draft.leverage().ok()?)?;
        margin.plus(extra.unwrap_or_default())?
    } else {
        cross_backing(model, seen)?
    };
    let maintenance = estimate::maintenance_rate(seen.market?)?;
    estimate::liquidation(draft.side, (quantity, average), backing, maintenance)
}

fn cross_backing(model: &Model, seen: &Seen) -> Option<Num> {
    let store = &model.store;
    let cash = store.account.value()?.cash?;
    let page = store.positions.value()?;
    if page.incomplete || !page.unreadable.is_empty() {
        return None;
    }
    let others = page
        .rows
        .iter()
        .filter(|p| seen.position.is_none_or(|held| held.id != p.id));
    estimate::cross_backing(cash, others.map(|p| (p, store.market(&p.market_id))))
}

fn position_after(draft: &EntryDraft, size: Option<Num>, seen: &Seen) -> Span {
    let after = size.and_then(|size| {
        let after = estimate::size_after(seen.position, draft.side, size)?;
        let is_turned = seen
            .position
            .is_some_and(|held| held.size.is_negative() != after.is_negative());
        let stops_at_flat = draft.only_reduces() && is_turned;
        Some(if stops_at_flat { Num::ZERO } else { after })
    });
    change(seen.position, after, seen)
}
