//! Warnings about likely mistakes.

use super::trade::TradePlan;
use crate::{
    app::{
        Model,
        rules::warnings::{OrderWarning, RiskWarning},
    },
    model::{
        Num, Position, Protection, Side,
        draft::{CloseDraft, DraftShape, EntryDraft, Seen},
        estimate::{self, LiquidationEstimate},
    },
    view::text::{format, words},
};

/// What a person can do about a target that is too small.
const LARGER: &str = ": a larger size or fewer targets";

/// Asked about once, where it raises exposure.
pub(crate) fn question(warning: &OrderWarning, seen: &Seen) -> String {
    match warning {
        OrderWarning::Through {
            what,
            percent,
            best,
            most,
        }
        | OrderWarning::Away {
            what,
            percent,
            best,
            most,
        } => {
            let is_through = matches!(warning, OrderWarning::Through { .. });
            let relation = if is_through { "through" } else { "from" };
            let (percent, best) = (percent.rounded(1), format::price(*best, seen.market));
            format!(
                "{what} is {percent} % {relation} the market, {best} (limit {most} %): is every digit meant?"
            )
        }
        OrderWarning::Far { what, how, mark } => {
            let mark = format::price(*mark, seen.market);
            format!("{what} is {how} the mark, {mark}: is every digit meant?")
        }
        OrderWarning::Large { largest, times } => {
            let largest = format::size(*largest, seen.size_decimals());
            format!(
                "more than {times} times the largest recent size here, {largest}: is every digit meant?"
            )
        }
        OrderWarning::NoPrice => {
            "no price of this market is known: what the order is worth is not checked".to_owned()
        }
        OrderWarning::Risk(risk) => risk_words(risk, seen),
        OrderWarning::Dead { liquidation } => {
            let price = format::average(*liquidation, seen.market);
            format!("the position is liquidated at {price}, before this can fire")
        }
        OrderWarning::Replaces(exits) => replaced(exits, seen),
        OrderWarning::Untaken(field) => {
            let label = field.label();
            format!("{label} is a choice: the number that you typed is in no field")
        }
        OrderWarning::LessThanLot { target, lot } => less_than_lot((*target, *lot), seen),
        OrderWarning::SmallTarget {
            target,
            worth,
            least,
        } => small_target(*target, (*worth, *least), seen),
        OrderWarning::Late { what, age } => {
            let age = format::span(*age);
            format!("the {what} are {age} old and may have changed since")
        }
    }
}

fn less_than_lot((target, lot): (Num, Num), seen: &Seen) -> String {
    let target = format::price(target, seen.market);
    format!(
        "the target at {target} is for less than the smallest size, {lot}, and would be left out{LARGER}"
    )
}

fn small_target(target: Num, (worth, least): (Num, Num), seen: &Seen) -> String {
    let target = format::price(target, seen.market);
    let (worth, least) = (format::usd(worth), format::usd(least));
    format!(
        "the target at {target}: {worth} USD is below the {least} USD minimum, and no target would be placed{LARGER}"
    )
}

fn replaced(exits: &[(Protection, Num)], seen: &Seen) -> String {
    let exits = exits.iter().map(|(role, price)| {
        let price = format::price(*price, seen.market);
        Some(format!("{} at {price}", role.word()))
    });
    let exits = words::listed(exits, " and ");
    format!("this order replaces the position's {exits} when it fills")
}

/// What the order would do to the account, with the figure and its limit.
fn risk_words(warning: &RiskWarning, seen: &Seen) -> String {
    match warning {
        RiskWarning::Worth {
            notional,
            percent,
            most,
        } => {
            let (notional, percent) = (format::usd(*notional), percent.rounded(0));
            format!("worth {notional} USD, {percent} % of the account's equity (limit {most} %)")
        }
        RiskWarning::OfCap {
            notional,
            percent,
            cap,
            most,
        } => {
            let (notional, percent) = (format::usd(*notional), percent.rounded(0));
            format!(
                "worth {notional} USD, {percent} % of the equity × {cap}, the highest leverage (limit {most} %)"
            )
        }
        RiskWarning::Leverage { times, most } => {
            let times = times.rounded(1);
            format!(
                "everything open would be worth {times} × the account's equity (limit {most} ×)"
            )
        }
        RiskWarning::Near {
            price,
            percent,
            least,
        } => {
            let (price, percent) = (format::average(*price, seen.market), percent.rounded(1));
            format!("liquidated at est. {price}, {percent} % from the mark (limit {least} %)")
        }
        RiskWarning::WithinRanges {
            price,
            ranges,
            least,
        } => {
            let (price, ranges) = (format::average(*price, seen.market), ranges.rounded(1));
            format!(
                "liquidated at est. {price}, {ranges} mean 1m ranges from the mark (limit {least})"
            )
        }
        RiskWarning::LiquidatedFirst { price } => liquidated_first(*price, seen),
        RiskWarning::Loss { usd, percent, most } => {
            let (usd, percent) = (format::usd(*usd), percent.rounded(1));
            format!(
                "loses {usd} USD at its stop, {percent} % of the account's equity (limit {most} %)"
            )
        }
    }
}

/// A stop protects nothing if the position is liquidated before it.
pub(crate) fn unreached_stop(
    liquidation: Option<LiquidationEstimate>,
    side: Side,
    stop: Num,
    seen: &Seen,
) -> Option<String> {
    Some(liquidated_first(liquidation?.before(side, stop)?, seen))
}

fn liquidated_first(price: Num, seen: &Seen) -> String {
    let price = format::average(price, seen.market);
    format!("liquidated at est. {price}, before the stop: a nearer stop or less leverage")
}

/// The loss at its stop, compared with the nearest challenge limit.
pub(crate) fn past_the_challenge(draft: &EntryDraft, model: &Model, seen: &Seen) -> Option<String> {
    let lost = TradePlan::of(draft, seen).loss()?;
    let (limit, left) = model.account.guard.tightest()?;
    (lost > left).then(|| match lost.over(left) {
        Some(times) => {
            let (times, left) = (times.rounded(1), format::usd(left));
            format!("at stop: {times} × what the {limit} leaves, {left} USD")
        }
        None => format!("at stop: the {limit} leaves nothing"),
    })
}

/// The account's rule would refuse it, at the current mark.
pub(crate) fn too_large(draft: &EntryDraft, model: &Model, seen: &Seen) -> Option<String> {
    let (_, most) = model.account.store.account.value()?.largest_position()?;
    draft.opens(seen).filter(|size| size.is_positive())?;
    let size = draft.resolved_size(seen).ok()?;
    let after = estimate::size_after(seen.position, draft.side, size)?.abs();
    let worth = after.times(seen.market?.mark?)?;
    (worth > most).then(|| {
        let (worth, most) = (format::usd(worth), format::usd(most));
        format!("the position would be worth {worth} USD, over this account's {most}")
    })
}

/// A close of a whole position may be smaller; each rung of a scaled order counts as an order.
pub(crate) fn too_small(draft: &EntryDraft, model: &Model, seen: &Seen) -> Option<String> {
    let fills = draft.fillable(seen)?;
    let held = seen.position.map(Position::quantity);
    let is_exempt = fills.is_zero() || draft.only_reduces() && Some(fills) == held;
    let (what, size) = match draft.shape {
        DraftShape::Scaled => {
            let rungs = draft.rungs_in(seen)?;
            let least = rungs.iter().map(|rung| rung.size).min();
            ("a rung", least?)
        }
        DraftShape::Order(_) | DraftShape::Sliced(_) => ("it", fills),
    };
    under(what, size, model, seen).filter(|_| !is_exempt)
}

pub(crate) fn too_small_a_part(draft: &CloseDraft, model: &Model, seen: &Seen) -> Option<String> {
    under("it", draft.resolved_size(seen).ok()??, model, seen)
}

fn under(what: &str, size: Num, model: &Model, seen: &Seen) -> Option<String> {
    let least = model.account.store.account.value()?.smallest_order()?;
    let worth = size.times(seen.market?.mark?)?;
    (worth < least).then(|| {
        let (worth, least) = (format::usd(worth), format::usd(least));
        format!("{what}: {worth} USD is below the {least} USD minimum")
    })
}
