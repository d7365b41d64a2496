//! The preview of a form. Estimates are labeled; unknown values are not guessed.

use super::{
    depth::{Taker, depth},
    entry,
    fee::{FeeBasis, fee},
    protect,
    trade::TradePlan,
    words::{PreviewLine, change, dollars, execution, fires, gross, liquidated, moved, sized},
};
use crate::{
    app::{Model, Source, forms::form::Form},
    model::{
        CloseKind, Exits, Leg, LiquidityRole, Num, Position, Protection, Risk, Side, TimeInForce,
        draft::{CloseDraft, Draft, ExitsDraft, Field, MarginDraft, OpeningOrder, Seen},
        estimate::{self, LiquidationEstimate},
    },
    view::{
        tables::positions,
        text::{
            Scene, Span, Tone,
            age::{self, Lateness},
            format, passing,
        },
    },
};

pub(crate) fn preview(form: &Form, model: &Model, seen: &Seen) -> Vec<PreviewLine> {
    let mut lines = match &form.draft {
        Draft::Entry(draft) => entry::entry(draft, model, seen),
        Draft::Close(draft) => close(draft, model, seen),
        Draft::Exits(draft) => exits(draft, seen),
        Draft::Protect(draft) => protect::protect(draft, seen),
        Draft::Margin(draft) => return margin(draft, model, seen),
    };
    lines.push(("observed", observed(model, seen)));
    lines
}

fn close(draft: &CloseDraft, model: &Model, seen: &Seen) -> Vec<PreviewLine> {
    let held = seen.position.map(Position::quantity);
    let resolved = draft.resolved_size(seen);
    let is_typed = !draft.texts.of(Field::Size).trim().is_empty();
    let why = resolved.as_ref().err().filter(|_| is_typed);
    let why = why.map(|fault| Span::warn(fault.to_string()));
    let size = resolved.ok().and_then(|part| part.or(held));
    let exit = size.map_or_else(|| draft.exit(seen), |size| draft.exit_of(size, seen));
    let notional = size.zip(exit).and_then(|(s, p)| s.times(p));
    let closing = seen.position.and_then(Position::side).map(Side::opposite);
    let part = closing.zip(size);
    let after = part.and_then(|(closing, size)| estimate::size_after(seen.position, closing, size));
    let traded = closing.and_then(|side| traded(draft, side, notional?, seen));
    let market = seen.position.map(|position| &position.market_id);
    let limit = draft.limit_price().ok().flatten();
    let mut lines = vec![
        ("size", why.unwrap_or_else(|| sized(size, seen))),
        ("notional", dollars(notional)),
        gross(seen.position, exit, size),
        fee(traded, market, model),
        ("position", change(seen.position, after, seen)),
    ];
    match (draft.kind, closing) {
        (CloseKind::Limit, Some(closing)) => {
            let executes = execution(closing, limit, TimeInForce::Gtc, seen);
            lines.push(("execution", executes));
        }
        (CloseKind::Conditional, _) => {
            let price = draft.trigger_price().ok();
            let purpose = purpose(draft, seen).unwrap_or("fires");
            lines.push((purpose, fires(price, draft.trigger_direction, seen)));
        }
        (CloseKind::Market | CloseKind::Limit, _) => {}
    }
    if let Some(side) = closing.filter(|_| draft.is_sent_now()) {
        let taker = Taker {
            side,
            size,
            limit,
            lasting: TimeInForce::Gtc,
        };
        lines.extend(depth(&taker, model, seen));
    }
    lines
}

/// Whether a waiting close is a stop or a target, by the direction of its trigger; `None` for another market's mark.
fn purpose(draft: &CloseDraft, seen: &Seen) -> Option<&'static str> {
    let side = seen.position.and_then(Position::side)?;
    let own = draft.watched(seen).is_none();
    let direction = draft.trigger_direction?;
    own.then(|| Protection::of(side, direction).word())
}

/// A close is sent at once, or when its trigger is reached.
fn traded(draft: &CloseDraft, side: Side, usd: Num, seen: &Seen) -> Option<FeeBasis> {
    let limit = draft.limit_price().ok()?;
    match draft.kind {
        CloseKind::Limit => Some(FeeBasis::at(limit?, side, usd, seen)),
        CloseKind::Conditional if limit.is_some() => Some(FeeBasis::taking_at_most(usd)),
        CloseKind::Market | CloseKind::Conditional => Some(FeeBasis::taking(usd)),
    }
}

fn exits(draft: &ExitsDraft, seen: &Seen) -> Vec<PreviewLine> {
    let Some(order) = seen.order else {
        return vec![];
    };
    let (target, stop) = (draft.take_profit(), draft.stop_loss());
    let entry = order.limit_price;
    let target_line = moved(entry, order.attached_take_profit_price, &target, seen);
    let stop_line = moved(entry, order.attached_stop_loss_price, &stop, seen);
    let mut lines = vec![
        (Field::TakeProfit.label(), target_line),
        (Field::StopLoss.label(), moved_stop(stop_line, draft, seen)),
    ];
    if let Some(side) = order.side.known() {
        let stop = stop.ok().flatten();
        let liquidation = OpeningOrder::of(order).and_then(|opening| opening.liquidation(seen));
        lines.push(("liquidation", liquidated(liquidation, seen.market)));
        let trade = TradePlan {
            side,
            quantity: Some(order.size),
            entry,
            target: target.ok().flatten(),
            stop,
            liquidation,
            // It rests.
            role: LiquidityRole::Maker,
            charges: seen.charges,
        };
        lines.extend(trade.reward());
    }
    lines
}

/// A moved stop that can lose more than before is labeled, as in the strip and the journal.
fn moved_stop(line: Span, draft: &ExitsDraft, seen: &Seen) -> Span {
    let exits = draft.exits(seen).ok();
    let is_set = |exits: &Exits| matches!(exits.stop_loss, Leg::Set(_));
    match exits.filter(|exits| is_set(exits) && exits.risk == Risk::Increasing) {
        Some(_) => Span::warn(format!("{}, wider than before", line.text)),
        None => line,
    }
}

fn margin(draft: &MarginDraft, model: &Model, seen: &Seen) -> Vec<PreviewLine> {
    let now = seen.position.and_then(|p| p.isolated_margin_extra);
    let total = draft.total(seen).ok();
    let words = |usd: Option<Num>| format::or_unknown(usd.map(format::usd));
    let extra = format!("{} → {} USD", words(now), words(total));
    let tone = match now.zip(total) {
        Some((now, total)) if total < now => Tone::Warn,
        Some(_) | None => Tone::Plain,
    };
    let liquidation = moved_liquidation(now.zip(total), model, seen);
    vec![
        ("extra margin", Span::new(extra, tone)),
        ("liquidation", liquidation),
    ]
}

/// More margin does not create a liquidation price for a position without one.
fn moved_liquidation(totals: Option<(Num, Num)>, model: &Model, seen: &Seen) -> Span {
    let Some(position) = seen.position else {
        return Span::unknown();
    };
    let scene = Scene::of(model, &model.account.options.zone);
    let before = position.liquidation_price;
    let before = before.map(|price| format::average(price, seen.market));
    let before = positions::of_liquidation(position, &scene, before);
    let never = positions::never_liquidates(position, &scene);
    let after = totals.and_then(|(now, total)| {
        if never && total >= now {
            return Some(LiquidationEstimate::Never);
        }
        let maintenance = estimate::maintenance_rate(seen.market?)?;
        estimate::moved_liquidation(position, total.minus(now)?, maintenance)
    });
    let after = liquidated(after, seen.market);
    Span::plain(format!("{} → {}", before.text, after.text))
}

/// The observed price, and its age.
fn observed(model: &Model, seen: &Seen) -> Span {
    let Some((mid, at)) = seen
        .mid()
        .zip(model.account.store.polled_at(Source::Markets))
    else {
        return Span::unknown();
    };
    let age = model.account.now.since(at);
    let lateness = age::lateness(model, Source::Markets);
    let (mid, age) = (
        format::price(mid, seen.market),
        passing::age(age, model.account.options.motion),
    );
    let words = format!("{mid}, {age} old");
    Span::new(words, lateness.map_or(Tone::Plain, Lateness::tone))
}
