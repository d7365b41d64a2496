//! From settings to what an account of the desk and of the verbs is set to.

use super::local_zone::local_zone;
use crate::{
    app::{CloseAllRule, Options, account::poll::Source},
    config::{PresetTable, Settings},
};
use std::collections::BTreeMap;

pub(super) fn options(settings: &Settings) -> Options {
    let poll = settings.poll;
    let intervals = [
        (Source::Positions, poll.positions),
        (Source::Orders, poll.orders),
        (Source::Twaps, poll.twaps),
        (Source::Scaled, poll.scaled),
        (Source::Closed, poll.closed),
        (Source::History, poll.history),
        (Source::Markets, poll.markets),
        (Source::Account, poll.account),
    ];
    Options {
        close_all: if settings.close_all_confirm {
            CloseAllRule::Confirmed
        } else {
            CloseAllRule::After(settings.close_all_delay)
        },
        intervals: BTreeMap::from(intervals),
        ladder_one_key: settings.ladder_one_key,
        lists_markets: true,
        checks: settings.checks.clone(),
        size_presets: PresetTable {
            everywhere: settings.size_presets.clone(),
            of: settings.size_presets_of.clone(),
        },
        brackets: PresetTable {
            everywhere: settings.bracket.clone(),
            of: settings.bracket_of.clone(),
        },
        read_only: settings.read_only,
        dry_run: settings.dry_run,
        ends_with_desk: false,
        zone: local_zone(),
        alerts: settings.alerts.clone(),
        alert_command: settings.alert_command.clone(),
        guard: settings.guard.clone(),
        fees: settings.fees.clone(),
        be_extra_ticks: settings.be_extra_ticks,
        motion: settings.motion,
    }
}
