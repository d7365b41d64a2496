//! The settings that decide the desk's behavior.

use crate::{
    app::account::poll::Source,
    config::{AlertCommand, Alerts, Checks, Fees, Guard, Motion, PresetTable, SizePresets},
    model::{Zone, draft::Bracket},
};
use std::{collections::BTreeMap, time::Duration};

/// When the close-all key sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseAllRule {
    /// After this time unless stopped; zero sends at once.
    After(Duration),
    /// Only when confirmed.
    Confirmed,
}

/// The settings that decide the desk's behavior.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct Options {
    pub close_all: CloseAllRule,
    /// How often each source is polled; ages are judged by it.
    pub intervals: BTreeMap<Source, Duration>,
    /// Whether one-key trading can be armed.
    pub ladder_one_key: bool,
    /// A list of markets will come, so that the screen has room for one before.
    pub lists_markets: bool,
    /// What a new order must keep to.
    pub checks: Checks,
    /// The sizes that one key writes.
    pub size_presets: PresetTable<SizePresets>,
    /// The stop and targets of every entry.
    pub brackets: PresetTable<Bracket>,
    /// Nothing is sent.
    pub read_only: bool,
    /// Commands are only shown, until the desk ends.
    pub dry_run: bool,
    /// Whether the service is the desk's own and keeps nothing: positions and orders end with the desk.
    pub ends_with_desk: bool,
    /// The time zone of typed dates.
    pub zone: Zone,
    /// The channels of alerts.
    pub alerts: Alerts,
    /// What is run when an alert of the trader's own fires.
    pub alert_command: AlertCommand,
    /// The limits of the challenge where the service does not report them.
    pub guard: Guard,
    /// The fees, if the service does not report them.
    pub fees: Fees,
    /// How many ticks beyond break-even a stop goes.
    pub be_extra_ticks: u32,
    /// Whether what only time moves stands still where it can.
    pub motion: Motion,
}
