//! What the settings decide about behaviour.

use crate::{
    app::{
        account::{poll::Source, store::Store},
        desk::reading::Reading,
        forms::around::{Around, Used},
    },
    config::{AlertCommand, Alerts, Checks, Dialect, Fees, Guard, Motion, PresetTable},
    model::{Timestamp, Zone},
};
use std::{collections::BTreeMap, time::Duration};

/// When the one-key close-all goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseAllRule {
    /// After this long unless stopped; zero sends at once.
    After(Duration),
    /// Only when confirmed.
    Confirmed,
}

/// What the settings decide about behaviour.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    pub close_all: CloseAllRule,
    /// How often each source is polled: the measure of what is stale.
    pub intervals: BTreeMap<Source, Duration>,
    /// How the service spells what is sent: a form can show it.
    pub dialect: Dialect,
    /// Whether one-key trading can be armed.
    pub ladder_one_key: bool,
    /// What a new order must keep to.
    pub checks: Checks,
    /// The sizes that one key writes.
    pub size_presets: PresetTable,
    /// Nothing is sent.
    pub read_only: bool,
    /// What would be sent is only told, from the start of the desk to its end.
    pub dry_run: bool,
    /// Whose clocks a typed date is read by.
    pub zone: Zone,
    /// How the columns of the panes read: the view's tables.
    pub reading: Reading,
    /// How news is told.
    pub alerts: Alerts,
    /// What is run when an alert of the trader's own fires.
    pub alert_command: AlertCommand,
    /// The limits of the challenge where the service does not tell them.
    pub guard: Guard,
    /// What is charged where the service does not tell.
    pub fees: Fees,
    /// How many ticks beyond break-even a stop goes.
    pub be_extra_ticks: u32,
    /// Whether what only time moves stands still where it can.
    pub motion: Motion,
}

impl Options {
    /// What a form is read against, of parts of the model: the form is another part, and changes.
    pub(crate) fn around<'a>(
        &'a self,
        store: &'a Store,
        used: &'a Used,
        (own, now): (Timestamp, Timestamp),
    ) -> Around<'a> {
        Around {
            store,
            used,
            own,
            now,
            zone: &self.zone,
            fees: &self.fees,
        }
    }
}
