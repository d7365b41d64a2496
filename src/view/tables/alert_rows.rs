//! The rows of the trader's alerts, for the command line.

use crate::{
    app::activity::user_alerts::{AlertPhase, UserAlert},
    model::{MarketId, MarketNames, Num, Timestamp},
    view::text::{Align, Cell, Column, Scene, Span, Tone},
};
use schemars::JsonSchema;
use serde::Serialize;

const NONE: &str = "none";

/// An alert of the trader's own.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UserAlertRow {
    /// Its number in the list, which `alert remove` takes.
    pub id: u64,
    /// As it is typed after `:alert` or `alert add`.
    pub alert: String,
    /// Absent for the profit and loss of the account.
    pub market_id: Option<MarketId>,
    /// What it watches: price, funding, pnl or liq.
    pub subject: String,
    /// Which way the value must go: >, <, crosses, crosses up or crosses down.
    pub trigger: String,
    /// Of a price or a profit: USD; of funding or the distance to liquidation: a share.
    pub level: Num,
    /// once or every.
    pub repeat: String,
    /// armed, rearming (fired, the value has not gone back), done or expired.
    pub state: String,
    /// When it was set.
    pub set_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When it last fired.
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

/// An alert without the moment has none: it is not unknown.
fn moment(at: Option<Timestamp>, scene: &Scene<'_>) -> Cell {
    at.map_or_else(|| Span::muted(NONE), |at| Span::plain(scene.moment(at)))
        .into()
}

/// The columns of a table.
pub const ALERTS: &[Column<UserAlertRow>] = &[
    Column::text("id", "number", 0, |row: &UserAlertRow| row.id.to_string()).aligned(Align::Number),
    Column::text("alert", "alert", 0, |row: &UserAlertRow| row.alert.clone()).toned(Tone::Strong),
    Column::text("state", "state", 0, |row| row.state.clone()),
    Column::new("fired_at", "fired", Align::Left, 1, |row, scene| {
        moment(row.fired_at, scene)
    }),
    Column::new("expires_at", "expires", Align::Left, 2, |row, scene| {
        moment(row.expires_at, scene)
    }),
    Column::time("set_at", "set", 3, |row: &UserAlertRow| Some(row.set_at)).toned(Tone::Muted),
];

/// The columns of a CSV, in their order.
#[rustfmt::skip]
pub mod columns_of {
    pub const ALERT: &[&str] = &[
        "id", "alert", "market_id", "subject", "trigger", "level", "repeat", "state", "set_at", "expires_at", "fired_at",
    ];
}
