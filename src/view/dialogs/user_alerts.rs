//! The trader's own alerts, one line each.

use crate::{
    app::{
        Action, ClickTarget, Context, Model, Source,
        activity::user_alerts::{
            AlertPhase, AlertSample, FreshSources, Freshness, UserAlert, sample,
        },
        dialogs::overlay::UserAlertList,
    },
    model::Market,
    view::{
        tables::user_alert::{condition, subject, value},
        text::{
            Align::{Left, Number},
            Cell, Column, Scene, Span, Table, TableRow, Tone, format,
            listed::{self, ListView},
            words::{self, known, known_muted},
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

impl AlertRow {
    fn market<'a>(&self, scene: &Scene<'a>) -> Option<&'a Market> {
        scene.store.market(self.alert.subject.market_id()?)
    }
}

/// Where room is short, how it repeats and ends go first.
const COLUMNS: &[Column<AlertRow>] = &[
    Column::new("subject", "watches", Left, 0, |row, scene| {
        Span::plain(subject(&row.alert.subject, &scene.store.names)).into()
    }),
    Column::new("condition", "fires when it", Left, 0, |row, scene| {
        Span::plain(condition(&row.alert, row.market(scene))).into()
    }),
    Column::new("value", "now", Number, 1, now),
    Column::new("away", "away", Number, 2, away),
    Column::new("state", "state", Left, 0, state),
    Column::text("repeat", "repeat", 4, |row: &AlertRow| {
        row.alert.repeat.to_string()
    })
    .toned(Tone::Muted),
    Column::new("expires_at", "until", Left, 3, |row, scene| {
        let end = row.alert.expires_at.map(|end| scene.moment(end));
        Span::muted(end.unwrap_or_else(|| "you delete it".to_owned())).into()
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

/// Which of the sources show the present.
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
        Span::accent("Your alerts"),
        Span::muted(format!(" {} armed", waiting.count())),
    ];
    if alerts.halted_at().is_some() {
        let key = model
            .keymap
            .chord(Context::UserAlerts, Action::LetAlertsFire);
        let key = key.map(|key| format!(": {key} lets them fire"));
        let words = format!("  HALTED after 15 in 3 min{}", key.unwrap_or_default());
        spans.push(Span::alert(words));
    }
    if model.account.freshness(Source::Markets) == Freshness::Stale {
        spans.push(Span::warn("  prices are stale: nothing fires"));
    }
    spans
}

fn emptiness(model: &Model) -> Vec<Span> {
    let place = Context::UserAlerts;
    let hint = words::key_hint(model, place, Action::AlertHere, "", " sets one, as does ");
    let none = vec![Span::muted(" no alert is set   ")];
    [none, hint, vec![Span::accent(":alert btc > 66000")]].concat()
}

fn now(row: &AlertRow, scene: &Scene<'_>) -> Cell {
    let market = row.market(scene);
    let now = row
        .sample
        .map(|sample| value(&row.alert.subject, sample.value, market));
    known(now).into()
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
    known_muted(row.alert.is_waiting().then(away).flatten()).into()
}

fn state(row: &AlertRow, scene: &Scene<'_>) -> Cell {
    let fired = row.alert.fired_at;
    let fired = fired.map(|at| format!("fired {}", scene.moment(at)));
    match row.alert.phase {
        AlertPhase::Armed | AlertPhase::Rearming if row.is_halted => Span::warn("halted"),
        AlertPhase::Armed if row.sample.is_none() => Span::warn("no value"),
        AlertPhase::Armed => match fired {
            Some(fired) => Span::plain(format!("armed, {fired}")),
            None => Span::plain("armed"),
        },
        AlertPhase::Rearming => Span::plain(format!(
            "{}, fires again once the value is back",
            fired.unwrap_or_else(|| "fired".to_owned())
        )),
        AlertPhase::Done => Span::muted(fired.unwrap_or_else(|| "fired".to_owned())),
        AlertPhase::Expired => Span::muted("expired"),
    }
    .into()
}
