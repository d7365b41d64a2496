//! The rows of the trader's alerts, for the command line.

use crate::{
    app::activity::user_alerts::{AlertPhase, UserAlert},
    model::{MarketId, MarketNames, Num, Timestamp},
    view::text::{
        span::{Span, Tone},
        table::{
            Align::{Left, Number},
            Column,
        },
        words::known,
    },
};
use schemars::JsonSchema;
use serde::Serialize;

/// An alert of the trader's own.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UserAlertRow {
    /// Its number in the list, which `alert remove` takes.
    pub id: u64,
    /// As it is typed after `:alert` or `alert add`.
    pub alert: String,
    /// Absent for the profit and loss of the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub market_id: Option<MarketId>,
    /// What it watches: price, funding, pnl or liq.
    pub subject: String,
    /// Which way the value must go: >, <, crosses, crosses up or crosses down.
    pub trigger: String,
    /// Of a price, or a profit and loss: USD; of funding or the distance to liquidation: a share.
    pub level: Num,
    /// once or every.
    pub repeat: String,
    /// armed, rearming (it has fired and waits for the value to go back), done or expired.
    pub state: String,
    pub set_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fired_at: Option<Timestamp>,
}

impl UserAlertRow {
    pub fn new(alert: &UserAlert, names: &MarketNames) -> Self {
        Self {
            id: alert.id,
            alert: alert.words(names),
            market_id: alert.subject.market_id().cloned(),
            subject: alert.subject.word().to_owned(),
            trigger: alert.trigger.to_string(),
            level: alert.level,
            repeat: alert.repeat.to_string(),
            state: state(alert.phase).to_owned(),
            set_at: alert.set_at,
            expires_at: alert.expires_at,
            fired_at: alert.fired_at,
        }
    }
}

fn state(phase: AlertPhase) -> &'static str {
    match phase {
        AlertPhase::Armed => "armed",
        AlertPhase::Rearming => "rearming",
        AlertPhase::Done => "done",
        AlertPhase::Expired => "expired",
    }
}

/// The columns of a table.
pub const ALERTS: &[Column<UserAlertRow>] = &[
    Column::new("id", "number", Number, 0, |row, _| {
        Span::plain(row.id.to_string()).into()
    }),
    Column::new("alert", "alert", Left, 0, |row, _| {
        Span::new(row.alert.as_str(), Tone::Strong).into()
    }),
    Column::new("state", "state", Left, 0, |row, _| {
        Span::plain(row.state.as_str()).into()
    }),
    Column::new("fired_at", "fired", Left, 1, |row, scene| {
        known(row.fired_at.map(|at| scene.zone.moment(at, scene.now))).into()
    }),
    Column::new("expires_at", "expires", Left, 2, |row, scene| {
        known(row.expires_at.map(|at| scene.zone.moment(at, scene.now))).into()
    }),
    Column::new("set_at", "set", Left, 3, |row, scene| {
        Span::muted(scene.zone.moment(row.set_at, scene.now)).into()
    }),
];

/// The columns of a CSV, in their order.
#[rustfmt::skip]
pub mod columns_of {
    pub const ALERT: &[&str] = &[
        "id", "alert", "market_id", "subject", "trigger", "level", "repeat", "state", "set_at", "expires_at", "fired_at",
    ];
}
