//! The text of an alert.

use crate::{
    app::{
        About, Alert, Ended, FillCertainty,
        account::guard::{Gauge, Level, Origin, Verdict},
    },
    model::{Num, Order, Position, Text, Twap},
    view::{
        tables::order_words::order_words,
        text::{format, words},
    },
};

/// One word for the kind.
pub(crate) fn kind(alert: &Alert) -> &'static str {
    match alert {
        Alert::Filled(_) => "filled",
        Alert::Partial(_) => "partial",
        Alert::Rejected(_) => "rejected",
        Alert::Gone(_) => "gone",
        Alert::TwapStalled(_) => "TWAP stalled",
        Alert::TwapEnded(_) => "TWAP ended",
        Alert::NearLiquidation(..) => "LIQUIDATION NEAR",
        Alert::Guard(gauge) if gauge.limit.is_loss() => "challenge limit",
        Alert::Guard(_) => "challenge goal",
        Alert::Challenge(Verdict::Passed) => "CHALLENGE PASSED",
        Alert::Challenge(Verdict::Breached(_)) => "BREACHED",
        Alert::User(_) => "YOUR ALERT",
        Alert::Down => "connection down",
        Alert::Up => "connection back",
    }
}

pub(crate) fn words(alert: &Alert, about: &About) -> String {
    let of = about.market.as_ref();
    match alert {
        Alert::Filled(order) | Alert::Rejected(order) => believed(order, order_words(order, about)),
        Alert::Partial(order) => believed(order, partial(order, about)),
        Alert::Gone(order) => {
            let order = words::order(order, of, &about.names);
            format!("{order}: no longer works: filled, canceled or expired")
        }
        Alert::TwapStalled(twap) => {
            format!("{}: its next slice is overdue", twap_words(twap, about))
        }
        Alert::TwapEnded(gone) => ended(gone, about),
        Alert::NearLiquidation(position, distance) => near(position, *distance, about),
        Alert::Guard(gauge) => guarded(gauge),
        Alert::Challenge(verdict) => ended_by(verdict),
        Alert::User(firing) => super::user_alert::fired(firing, about),
        Alert::Down => "the service does not answer".to_owned(),
        Alert::Up => "the service answers again".to_owned(),
    }
}

/// What cannot be true of the row comes first.
fn believed(order: &Order, words: String) -> String {
    let doubts = order.contradictions();
    if doubts.is_empty() {
        return words;
    }
    let doubts = doubts.join(", ");
    format!("the service contradicts itself, {doubts}: {words}")
}

fn ended_by(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passed => "the service says that the challenge is passed".to_owned(),
        Verdict::Breached(rule) => {
            format!("the challenge is lost by {rule}: the service accepts reducing orders only")
        }
    }
}

fn guarded(gauge: &Gauge) -> String {
    let used = format::percent(gauge.used);
    let local = local(gauge);
    match (gauge.limit.is_loss(), gauge.level()) {
        (false, _) => format!("the {}{local} is reached", gauge.limit),
        (true, Level::Reached) => format!("the {}{local} is used up", gauge.limit),
        (true, Level::Near | Level::Fine) => format!("{used} of the {}{local} used", gauge.limit),
    }
}

fn partial(order: &Order, about: &About) -> String {
    let of = about.market.as_ref();
    let size = |size| words::order_size(size, of);
    let (filled, all) = (order.filled_size.map(size), size(order.requested_size()));
    let filled = format::or_unknown(filled);
    format!(
        "{}: {filled} of {all} filled",
        words::order(order, of, &about.names)
    )
}

fn twap_words(twap: &Twap, about: &About) -> String {
    let words = words::twap(twap, about.market.as_ref(), &about.names);
    format!("{words} ({})", twap.id)
}

/// The service's last word for it, only if that was final.
fn ended(ended: &Ended, about: &About) -> String {
    let twap = &ended.twap;
    let last_status = twap.status.as_ref().filter(|_| twap.ended_at().is_some());
    let why = twap.completion_reason.as_ref().or(last_status);
    let why = why.map(|why: &Text| words::spaced(why));
    let why = why.filter(|why| why != "filled" || !ended.is_whole());
    let why = why.map(|why| format!(", {why}")).unwrap_or_default();
    let is_all = ended.is_whole() || ended.filled == FillCertainty::Exact;
    let filled = match twap.filled_share().map(format::percent) {
        Some(filled) if is_all => format!("{filled} filled"),
        Some(filled) => format!("filled at least {filled} when last seen"),
        None => format!("{} filled", format::UNKNOWN),
    };
    format!("{}: {filled}{why}", twap_words(twap, about))
}

fn near(position: &Position, distance: Num, about: &About) -> String {
    let position = words::position(position, about.market.as_ref(), &about.names);
    let apart = format::percent(distance.abs());
    let is_past = distance.is_negative();
    let where_to = if is_past {
        "past its liquidation price"
    } else {
        "to liquidation"
    };
    format!("{position}: {apart} {where_to}")
}

pub(crate) fn local(gauge: &Gauge) -> &'static str {
    match gauge.origin {
        Origin::Service => "",
        Origin::Local if gauge.lacks.is_empty() => " (local)",
        Origin::Local => " (local, incomplete)",
    }
}
