//! The trader's own alerts, one line each.

use crate::{
    app::{
        Model,
        account::poll::Source,
        activity::user_alerts::{
            AlertPhase, AlertSample, FreshSources, Freshness, UserAlert, sample,
        },
        dialogs::overlay::UserAlertList,
        keys::keymap::{Action, Context},
        tables::click_target::ClickTarget,
    },
    view::{
        tables::user_alert::{condition, subject, value},
        text::{
            format,
            listed::{self, ListView},
            scene::Scene,
            span::{Span, Tone},
            table::{
                Align::{Left, Number},
                Cell, Column, Table, TableRow,
            },
            words::{aside, known},
        },
    },
};

/// An alert with what it watches now.
struct AlertRow {
    alert: UserAlert,
    sample: Option<AlertSample>,
    /// Whether a storm has halted all of them.
    is_halted: bool,
}

/// Where room is short, how it repeats and ends go first.
const COLUMNS: &[Column<AlertRow>] = &[
    Column::new("subject", "watches", Left, 0, |row, scene| {
        Span::plain(subject(&row.alert.subject, &scene.store.names)).into()
    }),
    Column::new("condition", "fires when it", Left, 0, |row, scene| {
        let market = row.alert.subject.market_id();
        let market = market.and_then(|id| scene.store.market(id));
        Span::plain(condition(&row.alert, market)).into()
    }),
    Column::new("value", "now", Number, 1, now),
    Column::new("away", "away", Number, 2, away),
    Column::new("state", "state", Left, 0, state),
    Column::new("repeat", "repeat", Left, 4, |row, _| {
        aside(Some(row.alert.repeat.to_string()))
    }),
    Column::new("expires_at", "until", Left, 3, |row, scene| {
        let end = row.alert.expires_at;
        aside(Some(end.map_or_else(
            || "deleted".to_owned(),
            |end| scene.zone.moment(end, scene.now),
        )))
    }),
];

/// As many as fit into `room`, the chosen one among them.
pub fn user_alerts(model: &Model, list: UserAlertList, scene: &Scene<'_>, room: usize) -> ListView {
    let alerts = &model.account.user_alerts;
    let chosen = list.place(alerts);
    let seen = listed::seen(alerts.all().len(), chosen, room);
    let shown = alerts.all().get(seen.clone()).unwrap_or_default();
    let fresh = fresh(model);
    let lines = shown.iter().map(|alert| {
        let row = AlertRow {
            alert: alert.clone(),
            sample: sample(&model.account.store, fresh, alert),
            is_halted: alerts.halted_at().is_some(),
        };
        TableRow::cells(COLUMNS, &row, scene)
    });
    ListView {
        title: heading(model),
        table: Table::new(COLUMNS, lines.collect()),
        chosen: chosen - seen.start,
        spots: shown
            .iter()
            .map(|alert| ClickTarget::UserAlert(alert.id))
            .collect(),
        emptiness: emptiness(model),
    }
}

/// Which of the sources tell the truth of now.
fn fresh(model: &Model) -> FreshSources {
    FreshSources {
        markets: model.account.freshness(Source::Markets),
        positions: model.account.freshness(Source::Positions),
    }
}

/// How many can fire, and why none does.
fn heading(model: &Model) -> Vec<Span> {
    let alerts = &model.account.user_alerts;
    let waiting = alerts.all().iter().filter(|alert| alert.is_waiting());
    let mut spans = vec![
        Span::new("Your alerts", Tone::Accent),
        Span::muted(format!(" {} armed", waiting.count())),
    ];
    if alerts.halted_at().is_some() {
        let key = model
            .keymap
            .chord(Context::UserAlerts, Action::LetAlertsFire);
        let key = key.map(|key| format!(": {key} lets them fire"));
        let words = format!("  HALTED after 15 in 3 min{}", key.unwrap_or_default());
        spans.push(Span::new(words, Tone::Alert));
    }
    if model.account.freshness(Source::Markets) == Freshness::Stale {
        spans.push(Span::new("  prices are stale: nothing fires", Tone::Warn));
    }
    spans
}

fn emptiness(model: &Model) -> Vec<Span> {
    let mut spans = vec![Span::muted(" no alert is set   ")];
    if let Some(key) = model.keymap.chord(Context::UserAlerts, Action::AlertHere) {
        spans.push(Span::new(key.to_string(), Tone::Accent));
        spans.push(Span::muted(" sets one, as does "));
    }
    spans.push(Span::new(":alert btc > 66000", Tone::Accent));
    spans
}

fn now(row: &AlertRow, scene: &Scene<'_>) -> Cell {
    let market = row.alert.subject.market_id();
    let market = market.and_then(|id| scene.store.market(id));
    let sample = row.sample;
    known(sample.map(|sample| value(&row.alert.subject, sample.value, market))).into()
}

/// From the value to the level: as a share of the value, of shares and profits in their own unit.
fn away(row: &AlertRow, _: &Scene<'_>) -> Cell {
    let subject = &row.alert.subject;
    let away = || {
        let now = row.sample?.value;
        let away = row.alert.level.minus(now)?;
        Some(if subject.is_price() {
            format::signed_percent(away.over(now)?)
        } else if subject.is_share() {
            format::signed_percent(away)
        } else {
            format::signed_usd(away)
        })
    };
    aside(row.alert.is_waiting().then(away).flatten())
}

fn state(row: &AlertRow, scene: &Scene<'_>) -> Cell {
    let fired = row.alert.fired_at;
    let fired = fired.map(|at| format!("fired {}", scene.zone.moment(at, scene.now)));
    match row.alert.phase {
        AlertPhase::Armed | AlertPhase::Rearming if row.is_halted => {
            Span::new("halted", Tone::Warn)
        }
        AlertPhase::Armed if row.sample.is_none() => Span::new("no value", Tone::Warn),
        AlertPhase::Armed => match fired {
            Some(fired) => Span::plain(format!("armed, {fired}")),
            None => Span::plain("armed"),
        },
        AlertPhase::Rearming => Span::plain(format!(
            "{}, re-arms once the value is back",
            fired.unwrap_or_else(|| "fired".to_owned())
        )),
        AlertPhase::Done => Span::muted(fired.unwrap_or_else(|| "fired".to_owned())),
        AlertPhase::Expired => Span::muted("expired"),
    }
    .into()
}
