//! The preview of a new order.

use super::{
    depth::{Taker, by_book, depth},
    fee::{fee, traded},
    trade::{TradePlan, entered_at},
    words::{
        PreviewLine, change, dollars, estimated, execution, fires, gross, liquidated, quantity,
        sized,
    },
};
use crate::{
    app::{Model, Motion},
    model::{
        Num, PlaceKind, Position,
        draft::{DraftShape, EntryDraft, Field, Seen},
        estimate,
        plan::{PlannedRung, Schedule},
    },
    view::text::{Span, format, words::known},
};
use std::time::Duration;

/// With more rungs, only the first and last are listed.
const SHOWN_RUNGS: usize = 10;

pub(crate) fn entry(draft: &EntryDraft, model: &Model, seen: &Seen) -> Vec<PreviewLine> {
    let (size, fills) = (draft.resolved_size(seen).ok(), draft.fillable(seen));
    let entry = entered_at(draft, seen);
    let worth = |size: Option<Num>| size.zip(entry).and_then(|(s, p)| s.times(p));
    let notional = worth(fills).filter(|_| !is_part_of_scaled(draft, size, fills));
    let mut lines = vec![
        ("size", size_line(size, fills, seen)),
        ("notional", dollars(notional)),
        ("initial margin", margin(draft, size, seen)),
        (
            "liquidation",
            liquidated(draft.liquidation(seen), seen.market),
        ),
    ];
    lines.extend(reduced(draft, seen).map(|held| gross(Some(held), entry, fills)));
    let traded = traded(draft, notional, seen);
    lines.push(fee(traded, draft.market_id.as_ref(), model));
    if draft.has(Field::StopLoss) {
        lines.extend(TradePlan::of(draft, seen).reward());
    }
    let trigger = draft.known(Field::TriggerPrice);
    match draft.shape {
        DraftShape::Order(_) if draft.has(Field::TriggerPrice) => {
            lines.push(("fires", fires(trigger, draft.direction(), seen)));
        }
        DraftShape::Order(_) => {}
        DraftShape::Sliced(_) => lines.extend(slices(draft, size, worth(size), model, seen)),
        DraftShape::Scaled => lines.extend(rungs(draft, model, seen)),
    }
    if let Some(executes) = executes(draft, seen) {
        lines.push(("execution", executes));
    }
    if draft.is_sent_now() {
        let taker = Taker {
            side: draft.side,
            size: fills.filter(|size| size.is_positive()),
            limit: draft.known(Field::LimitPrice),
            lasting: draft.lasting(),
        };
        lines.extend(depth(&taker, model, seen));
    }
    if draft.has(Field::Expires) {
        lines.push(("expires", expires(draft, model, seen)));
    }
    lines.push(("position", position_after(draft, fills, seen)));
    lines
}

/// The open position that it can only reduce.
pub(crate) fn reduced<'a>(draft: &EntryDraft, seen: &Seen<'a>) -> Option<&'a Position> {
    let held = seen.position.filter(|_| draft.only_reduces())?;
    let is_target = draft.target.as_ref().is_none_or(|id| *id == held.id);
    (is_target && held.side() == Some(draft.side.opposite())).then_some(held)
}

/// The size, and how much of it can fill if that is less.
fn size_line(size: Option<Num>, fills: Option<Num>, seen: &Seen) -> Span {
    let line = sized(size, seen);
    let cut = size.zip(fills).filter(|(size, fills)| fills < size);
    let words = match cut {
        None => return line,
        Some((_, fills)) if fills.is_zero() => "nothing fills".to_owned(),
        Some((_, fills)) => format!("cut to {}", quantity(fills, seen)),
    };
    Span::warn(format!("{}, {words}", line.text))
}

/// It is unknown which rungs fill before nothing is left to reduce.
fn is_part_of_scaled(draft: &EntryDraft, size: Option<Num>, fills: Option<Num>) -> bool {
    let is_some = fills.is_some_and(Num::is_positive);
    draft.shape == DraftShape::Scaled && fills != size && is_some
}

/// Covers the whole position if its leverage changes. A reduce-only order needs none, but without a size there is no
/// order yet.
fn margin(draft: &EntryDraft, size: Option<Num>, seen: &Seen) -> Span {
    let usd = size.and_then(|_| draft.initial_margin(seen));
    match (usd, draft.releverages(seen)) {
        (Some(usd), Some((_, after))) if usd.is_negative() => {
            let freed = format::usd(usd.abs());
            Span::plain(format!("est. frees {freed} USD, all at {after}×"))
        }
        (Some(usd), Some((_, after))) => {
            let words = format!("est. {} USD, all at {after}×", format::usd(usd));
            Span::warn(words)
        }
        (usd, _) => dollars(usd),
    }
}

/// What happens at once; `None` for an order that waits for a trigger.
fn executes(draft: &EntryDraft, seen: &Seen) -> Option<Span> {
    match draft.shape {
        DraftShape::Order(PlaceKind::Limit) => {
            let limit = draft.known(Field::LimitPrice);
            Some(execution(draft.side, limit, draft.lasting(), seen))
        }
        DraftShape::Order(PlaceKind::Chase) if draft.chases_nothing(seen).is_some() => {
            Some(Span::warn("rests (maker), fixed at its cap"))
        }
        DraftShape::Order(PlaceKind::Chase) => {
            Some(Span::plain("rests (maker), and follows the best price"))
        }
        DraftShape::Scaled => Some(rungs_execute(draft, seen)),
        DraftShape::Order(_) | DraftShape::Sliced(_) => None,
    }
}

/// `2 of 5 rungs (35%) fill now (taker)`: rungs at or beyond the market do not rest.
fn rungs_execute(draft: &EntryDraft, seen: &Seen) -> Span {
    let share = || {
        let (market, rungs) = (seen.market?, draft.rungs_in(seen)?);
        let (mut count, mut now, mut total) = (0_usize, Num::ZERO, Num::ZERO);
        for rung in &rungs {
            total = total.plus(rung.size)?;
            if estimate::crosses(market, draft.side, rung.price)? {
                count += 1;
                now = now.plus(rung.size)?;
            }
        }
        Some((count, rungs.len(), now.over(total)?))
    };
    match share() {
        None => known(None),
        Some((0, ..)) => Span::plain("rests (maker)"),
        Some((count, all, share)) => {
            let share = format::whole_percent(share);
            let words = format!("{count} of {all} rungs ({share}) fill now (taker)");
            Span::warn(words)
        }
    }
}

/// `est. 61, one every 30s, 0.00820 BTC each`, and when it runs.
fn slices(
    draft: &EntryDraft,
    size: Option<Num>,
    notional: Option<Num>,
    model: &Model,
    seen: &Seen,
) -> [PreviewLine; 2] {
    let minutes = draft.minutes().ok().and_then(Num::to_i64);
    let seconds = minutes.and_then(|minutes| minutes.checked_mul(60));
    let dollars = notional.and_then(|usd| usd.truncated(0).to_i64());
    let words = seconds.zip(dollars).map(|(seconds, dollars)| {
        let plan = Schedule::new(seconds, dollars);
        let exact = size.and_then(|size| size.over(Num::from(plan.slices)));
        let each = exact.map(|each| seen.size_decimals().map_or(each, |d| each.truncated(d)));
        let each = each.map(|each| format!(", {} each", sized(Some(each), seen).text));
        let each = each.unwrap_or_default();
        let every = format::age(Duration::from_secs(plan.interval_seconds.unsigned_abs()));
        format!("est. {}, one every {every}{each}", plan.slices)
    });
    let ends = seconds.map(|seconds| seen.now.plus(Duration::from_secs(seconds.unsigned_abs())));
    let ends = ends.zip(seen.zone).map(|(end, zone)| zone.minute(end));
    let trigger = draft
        .known(Field::TriggerPrice)
        .map(|price| format::price(price, seen.market));
    let runs = match (trigger, ends) {
        (Some(price), _) => Some(format!("from the mark's reaching {price}")),
        (None, Some(end)) => {
            let by = by_whose_clock(model, seen);
            Some(format!("at once, until {end}{by}"))
        }
        (None, None) => None,
    };
    [("slices", known(words)), ("runs", known(runs))]
}

/// Every price and size, with the middle of a long list left out.
fn rungs(draft: &EntryDraft, model: &Model, seen: &Seen) -> [PreviewLine; 2] {
    let decimals = seen.size_decimals();
    let words = draft.rungs_in(seen).map(|rungs| {
        let rung_words = |rung: &PlannedRung| {
            let size = format::size(rung.size, decimals);
            format!("{size} @ {}", format::price(rung.price, seen.market))
        };
        listed(&rungs.iter().map(rung_words).collect::<Vec<_>>())
    });
    [
        ("average", average(draft, model, seen)),
        ("rungs", known(words)),
    ]
}

/// Rungs that cross fill against the book. Without a book, their own prices are the worst they can fill at.
fn average(draft: &EntryDraft, model: &Model, seen: &Seen) -> Span {
    let price = draft.entry(seen);
    let crosses = |price: Num| estimate::crosses(seen.market?, draft.side, price);
    let prices = draft.rungs_of(seen).and_then(|scaled| scaled.prices());
    let rests = |prices: Vec<Num>| {
        prices
            .into_iter()
            .all(|price| crosses(price) == Some(false))
    };
    let (Some(worst), false) = (price, prices.is_none_or(rests)) else {
        return estimated(price, seen.market);
    };
    let price = format::average(worst, seen.market);
    by_book(&format!("est. {price}"), model, seen)
        .unwrap_or_else(|| Span::plain(format!("at worst {price}")))
}

fn listed(rungs: &[String]) -> String {
    match rungs {
        [first @ .., last] if rungs.len() > SHOWN_RUNGS => {
            let first: Vec<_> = first.iter().take(SHOWN_RUNGS - 1).cloned().collect();
            let hidden = rungs.len() - SHOWN_RUNGS;
            format!("{} · {hidden} more · {last}", first.join(" · "))
        }
        all => all.join(" · "),
    }
}

/// In how long, and at what local time.
fn expires(draft: &EntryDraft, model: &Model, seen: &Seen) -> Span {
    let at = draft.expires(seen).ok().flatten();
    known(at.zip(seen.zone).map(|(at, zone)| {
        let (minute, by) = (zone.minute(at), by_whose_clock(model, seen));
        match model.account.options.motion {
            Motion::Full => format!("in {}{by}, {minute}", format::countdown(at, seen.now)),
            Motion::Reduced => format!("{minute}{by}"),
        }
    }))
}

/// A note if the service's clock is known to differ from this machine's.
fn by_whose_clock(model: &Model, seen: &Seen) -> &'static str {
    let is_same = seen.now == model.account.wall_now();
    if is_same {
        ""
    } else {
        " by the service's clock"
    }
}

fn position_after(draft: &EntryDraft, fills: Option<Num>, seen: &Seen) -> Span {
    if !seen.is_held_known() {
        return known(None);
    }
    let after = fills.and_then(|fills| estimate::size_after(seen.position, draft.side, fills));
    change(seen.position, after, seen)
}
