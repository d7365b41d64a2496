//! What an alert of the trader's own says: what it watches, its level, and the value that fired it.

use crate::{
    app::{
        About,
        activity::user_alerts::{
            AlertFiring, AlertSubject, AlertTrigger, FiringOccasion, UserAlert,
        },
    },
    model::{Market, MarketNames, Num},
    view::text::format,
};

/// A value of what is watched, in its unit.
pub(crate) fn value(subject: &AlertSubject, value: Num, market: Option<&Market>) -> String {
    match subject {
        AlertSubject::Price(_) => format::average(value, market),
        AlertSubject::Funding(_) => format::exact_percent(value),
        AlertSubject::PositionPnl(_) | AlertSubject::AccountPnl => format::signed_usd(value),
        AlertSubject::LiquidationDistance(_) => format::percent(value),
    }
}

/// `BTC mark`, `account uPnL`.
pub(crate) fn subject(subject: &AlertSubject, names: &MarketNames) -> String {
    let watched = match subject {
        AlertSubject::Price(_) => "mark",
        AlertSubject::Funding(_) => "funding/h",
        AlertSubject::PositionPnl(_) | AlertSubject::AccountPnl => "uPnL",
        AlertSubject::LiquidationDistance(_) => "to liq",
    };
    match subject.market_id() {
        Some(id) => format!("{} {watched}", names.shown(id)),
        None => format!("account {watched}"),
    }
}

/// `crosses up 66,000`, `> 66,000`.
pub(crate) fn condition(alert: &UserAlert, market: Option<&Market>) -> String {
    let level = value(&alert.subject, alert.level, market);
    format!("{} {level}", alert.trigger)
}

/// `BTC mark 66,001 crossed up 66,000`.
pub(crate) fn fired(firing: &AlertFiring, about: &About) -> String {
    let (alert, market) = (&firing.alert, about.market.as_ref());
    let now = value(&alert.subject, firing.value, market);
    let level = value(&alert.subject, alert.level, market);
    let passed = match alert.trigger {
        AlertTrigger::CrossingUp => "crossed up",
        AlertTrigger::CrossingDown => "crossed down",
        AlertTrigger::Crossing => {
            let is_up = firing.value >= alert.level;
            if is_up { "crossed up" } else { "crossed down" }
        }
        AlertTrigger::Above => "is above",
        AlertTrigger::Below => "is below",
    };
    let away = match firing.occasion {
        FiringOccasion::Seen => "",
        FiringOccasion::WhileAway => " while this desk was closed",
    };
    let subject = subject(&alert.subject, &about.names);
    format!("{subject} {now} {passed} {level}{away}")
}
