//! Several accounts on one desk: each has its own model, and one is on the screen.
//!
//! Contract: an event on an account changes only its own model. Important ones are also shown on the screen with the
//! account's name: outcomes, alerts and questions. Keys go to the account on the screen. It cannot be left while a
//! panel is open, so that a question is answered where it was asked; a paused display continues when its account is
//! left.

use crate::{
    app::{
        account::{
            labels::{AccountLabel, AccountLabels, Switch, Visibility},
            options::Options,
            pane::Pane,
            poll::Source,
        },
        activity::notice::{Elsewhere, Event},
        core::effect::{Effect, SettingsRequest, TerminalOut},
        desk::{cursor, freeze, model::Model, msg::Msg, reload::Reload},
        dialogs::overlay::{Arm, Overlay},
        update::{router::update, wake::wake},
    },
    model::Timestamp,
};

mod desks;

pub use desks::Desks;

use std::{collections::BTreeMap, iter, mem, time::Duration};
use strum::IntoEnumIterator as _;

/// Every account of the desk. One is always on the screen.
#[derive(Debug)]
pub struct AccountSet {
    shown: Model,
    at: usize,
    hidden: BTreeMap<usize, Model>,
}

/// The account of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountScope {
    /// The one on the screen.
    Shown,
    /// By index.
    Account(usize),
}

impl AccountSet {
    /// A desk with one account.
    pub fn of(shown: Model) -> Self {
        let mut account_set = Self {
            shown,
            at: 0,
            hidden: BTreeMap::new(),
        };
        account_set.seat();
        account_set
    }

    /// Adds an account after all others.
    pub fn join(&mut self, options: Options, now: Timestamp) {
        let mut model = Model::new(options, self.shown.reading, self.shown.keymap.clone(), now);
        model.account.visibility = Visibility::Background;
        model.account.drift = self.shown.account.drift;
        model.table_views.recall(self.shown.table_views.columns());
        self.hidden.insert(self.count(), model);
        self.seat();
    }

    pub fn count(&self) -> usize {
        self.hidden.len() + 1
    }

    /// The account on the screen.
    pub fn shown(&self) -> &Model {
        &self.shown
    }

    /// Its index.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn account(&self, at: usize) -> Option<&Model> {
        if at == self.at {
            Some(&self.shown)
        } else {
            self.hidden.get(&at)
        }
    }

    /// All of them, in order.
    pub fn accounts(&self) -> impl Iterator<Item = &Model> {
        (0..self.count()).filter_map(|at| self.account(at))
    }

    /// Whether the account is visible.
    pub fn is_on_screen(&self, whose: AccountScope) -> bool {
        let lists_all = matches!(self.shown.overlays.last(), Some(Overlay::Accounts(_)));
        match whose {
            AccountScope::Shown => true,
            AccountScope::Account(at) => at == self.at || lists_all,
        }
    }

    /// Updates an account with an event at `now`; effects come back with the index of their account.
    pub fn update(
        &mut self,
        now: Timestamp,
        whose: AccountScope,
        msg: Msg,
    ) -> Vec<(usize, Effect)> {
        let is_introduced = matches!(msg, Msg::Opened(_));
        if let Msg::Reload(reread) = msg {
            return self.renew(now, &reread);
        }
        if let Msg::ClockSet(_) = msg {
            return self.clock_set(now, &msg);
        }
        let (at, wanted) = match whose {
            AccountScope::Account(at) if at != self.at => {
                (at, self.beside(at, |model| update(model, now, msg)))
            }
            AccountScope::Account(_) | AccountScope::Shown => {
                let seen = self.shown.account.activity.newest();
                let wanted = update(&mut self.shown, now, msg);
                self.take_back(seen);
                (self.at, wanted)
            }
        };
        if is_introduced {
            self.seat();
        }
        let mut effects = vec![];
        for effect in wanted {
            if let Effect::SwitchAccount(switch) = effect {
                effects.extend(self.turn(switch, now));
                continue;
            }
            if let Effect::Settings(SettingsRequest::Keep(pane, columns)) = &effect {
                self.look(*pane, columns.as_deref());
            }
            effects.push((at, effect));
        }
        effects
    }

    /// When time alone is next to change something: on the screen, or in a workflow of an account that is not on it.
    pub fn wake(&self) -> Option<(Timestamp, AccountScope)> {
        let shown = wake(&self.shown).map(|at| (at, AccountScope::Shown));
        let hidden = self.hidden.iter().filter_map(|(at, model)| {
            let soonest = model.account.now.plus(Duration::from_millis(1));
            let due = model.account.workflows.look_at()?.max(soonest);
            Some((due, AccountScope::Account(*at)))
        });
        shown.into_iter().chain(hidden).min_by_key(|(due, _)| *due)
    }

    /// Withdraws messages about the account on the screen that were shown elsewhere and are outdated.
    fn take_back(&mut self, seen: u64) {
        let label = self.shown.roster.own().map(AccountLabel::label);
        for notice in self.shown.account.activity.since(seen) {
            let elsewhere = Event::Elsewhere(Box::new(Elsewhere {
                account: label.clone().unwrap_or_default(),
                notice: notice.clone(),
            }));
            for model in self.hidden.values_mut() {
                model.account.activity.take_back(&elsewhere);
            }
        }
    }

    /// All accounts use the same columns.
    fn look(&mut self, pane: Pane, columns: Option<&[usize]>) {
        for model in iter::once(&mut self.shown).chain(self.hidden.values_mut()) {
            model.table_views.look(pane, columns.map(<[usize]>::to_vec));
        }
    }

    /// All accounts share one clock; the screen reports a change once.
    fn clock_set(&mut self, now: Timestamp, set: &Msg) -> Vec<(usize, Effect)> {
        let mut effects = vec![];
        for at in 0..self.count() {
            let wanted = if at == self.at {
                update(&mut self.shown, now, set.clone())
            } else {
                self.shown_beside(at, |model| update(model, now, set.clone()), |_| false)
            };
            effects.extend(wanted.into_iter().map(|effect| (at, effect)));
        }
        effects
    }

    /// Every account applies its part of changed settings; the screen reports it once.
    fn renew(&mut self, now: Timestamp, reread: &Reload) -> Vec<(usize, Effect)> {
        let mut effects = vec![];
        for at in 0..self.count() {
            let name = self
                .account(at)
                .and_then(|model| model.account.identity.as_ref());
            let name = name.and_then(|identity| identity.profile.name.clone());
            let part = match at {
                0 => Some(reread.clone()),
                _ => reread.for_account(name.as_deref()),
            };
            let Some(part) = part.map(Msg::Reload) else {
                continue;
            };
            let wanted = if at == self.at {
                update(&mut self.shown, now, part)
            } else {
                let happens = |model: &mut Model| update(model, now, part);
                self.shown_beside(at, happens, |event| matches!(event, Event::Alert(_)))
            };
            effects.extend(wanted.into_iter().map(|effect| (at, effect)));
        }
        effects
    }

    /// An event on an account that is not on the screen; important ones are shown there.
    fn beside(
        &mut self,
        at: usize,
        happens: impl FnOnce(&mut Model) -> Vec<Effect>,
    ) -> Vec<Effect> {
        self.shown_beside(at, happens, |_| true)
    }

    /// The same; shows only events for which `is_shown` is true.
    fn shown_beside(
        &mut self,
        at: usize,
        happens: impl FnOnce(&mut Model) -> Vec<Effect>,
        is_shown: impl Fn(&Event) -> bool,
    ) -> Vec<Effect> {
        let Some(model) = self.hidden.get_mut(&at) else {
            return vec![];
        };
        let seen = model.account.activity.newest();
        let effects = happens(model);
        let label = model
            .roster
            .own()
            .map(AccountLabel::label)
            .unwrap_or_default();
        let now = model.account.now;
        self.shown.account.now = self.shown.account.now.max(now);
        for notice in model.account.activity.since(seen) {
            let must = notice
                .event
                .shows_on_other_accounts(&model.account.options.alerts);
            if must && is_shown(&notice.event) {
                let event = Event::Elsewhere(Box::new(Elsewhere {
                    account: label.clone(),
                    notice: notice.clone(),
                }));
                self.shown.account.activity.beside(&event, now);
            }
        }
        let named = |effect| {
            let Effect::Terminal(TerminalOut::Notify(mut notice)) = effect else {
                return effect;
            };
            let elsewhere = Elsewhere {
                account: label.clone(),
                notice: *notice.clone(),
            };
            notice.event = Event::Elsewhere(Box::new(elsewhere));
            Effect::Terminal(TerminalOut::Notify(notice))
        };
        effects.into_iter().map(named).collect()
    }

    /// Shows another account, as it was left, and polls it again.
    fn turn(&mut self, switch: Switch, now: Timestamp) -> Vec<(usize, Effect)> {
        let to = match switch {
            Switch::Next => (self.at + 1) % self.count(),
            Switch::To(at) => at,
        };
        let Some(next) = self.hidden.remove(&to) else {
            return vec![];
        };
        let left = mem::replace(&mut self.at, to);
        let mut model = mem::replace(&mut self.shown, next);
        freeze::thaw(&mut model);
        model.account.visibility = Visibility::Background;
        self.shown.market_screen.take_over(&model.market_screen);
        self.hidden.insert(left, model);
        appear(&mut self.shown, now);
        vec![
            (left, Effect::Visibility(Visibility::Background)),
            (to, Effect::Visibility(Visibility::OnScreen)),
            (to, Effect::Poll(Source::iter().collect())),
        ]
    }

    /// Gives every account the names of all.
    fn seat(&mut self) {
        let seats: Vec<_> = self
            .accounts()
            .zip(0..)
            .map(|(model, at)| AccountLabel::of(model.account.identity.as_ref(), at))
            .collect();
        let shown = iter::once((&self.at, &mut self.shown));
        for (at, model) in shown.chain(&mut self.hidden) {
            model.roster = AccountLabels {
                seats: seats.clone(),
                at: *at,
            };
        }
    }
}

/// A strip that opened while its account was hidden counts as shown from now on; one that would have lapsed is closed.
/// The same for a cursor that moved to another row meanwhile.
fn appear(model: &mut Model, now: Timestamp) {
    model.account.now = model.account.now.max(now);
    model.account.visibility = Visibility::OnScreen;
    let now = model.account.now;
    model.overlays.retain_mut(|overlay| {
        let Overlay::Strip(strip) = overlay else {
            return true;
        };
        let has_lapsed = strip.arm == Arm::Confirm && now >= strip.ends_at();
        strip.drawn_at = now;
        !has_lapsed
    });
    cursor::keep(model);
}

#[cfg(test)]
mod tests;
