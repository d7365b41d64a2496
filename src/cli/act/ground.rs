//! The context of an order from the command line: observed data, earlier uses of its key, and the defaults of the
//! desk's form.

use super::{
    market::MarketPurpose,
    perform::perform,
    prepared::{ActFlags, KeyFlag, PreparedCommand},
    readings::Readings,
    repeat,
    typed::{self, FlagFaults},
};
use crate::{
    app::{
        Store,
        account::{fees, used_terms::UsedTerms},
        core::account::FormContext,
        forms::form::Form,
        rules::warnings::{self, RiskFacts},
    },
    cli::{Exit, local_zone::local_zone, service::Service, voice::Output},
    journal::IntentRow,
    model::{
        AccountId, Charges, Command, Failure, MarginMode, MarketId, Page, Timestamp, Zone,
        draft::{Amount, Draft, EntryDraft, Field, Seen, amount},
    },
    runtime::Clock,
    view::forms::caution::question,
};
use color_eyre::{Report, Result};

/// The typed terms that a position or another price completes.
pub(super) struct OrderTerms<'a> {
    /// The market as it was named, and that of its trigger.
    pub(super) markets: Vec<MarketId>,
    pub(super) size: &'a str,
    pub(super) leverage: Option<&'a String>,
    /// When it ends.
    pub(super) expires: Option<&'a String>,
    pub(super) margin_mode: Option<MarginMode>,
    pub(super) purpose: MarketPurpose,
}

pub(super) struct OrderContext<'a> {
    service: &'a Service,
    key: &'a KeyFlag,
    pub(super) store: Store,
    before: Option<IntentRow>,
    zone: Zone,
    now: Timestamp,
}

impl OrderTerms<'_> {
    /// Whether a position is needed to complete them.
    fn want_positions(&self) -> bool {
        self.is_share()
            || self.is_by_loss()
            || self.leverage.is_none()
            || self.margin_mode.is_none()
    }

    fn is_share(&self) -> bool {
        matches!(amount(self.size), Ok(Amount::Percent(_)))
    }

    /// Whether the account's figures are needed: a reducing order does not wait for them.
    fn want_figures(&self) -> bool {
        let is_of_margin = self.is_share() && self.purpose == MarketPurpose::Opens;
        is_of_margin || self.is_by_loss() || self.expires.is_some()
    }

    /// Whether its size is by the loss at the stop, which depends on the liquidation price.
    fn is_by_loss(&self) -> bool {
        matches!(amount(self.size), Ok(Amount::AtRisk(_)))
    }

    /// The body fields among them that would differ an hour later.
    pub(super) fn time_dependent_fields(&self) -> impl Iterator<Item = &'static str> {
        let names = [
            ("leverage", self.leverage.is_none()),
            ("margin_mode", self.margin_mode.is_none()),
        ];
        let names = names.into_iter();
        names.filter_map(|(name, is_reckoned)| is_reckoned.then_some(name))
    }
}

fn no_order() -> Report {
    Report::new(Failure::local("this order cannot be placed"))
}

impl<'a> OrderContext<'a> {
    /// Reads prices; also positions and figures, if they are needed (for the guard's questions too) and the key is new.
    pub(super) async fn read(
        readings: &Readings<'a>,
        how: ActFlags,
        key: &'a KeyFlag,
        terms: &OrderTerms<'_>,
    ) -> Self {
        let (service, voice) = (readings.service, how.output.voice());
        let is_guarded = is_asked(service, how) && terms.purpose == MarketPurpose::Opens;
        let before = repeat::before(service, key);
        let mut store = Store::default();
        readings.take_prices(&mut store, &terms.markets).await;
        if before.is_none() && (is_guarded || terms.want_positions()) {
            readings.take_positions(&mut store).await;
        }
        let mut now = Clock::start().now();
        if before.is_none() && (is_guarded || terms.want_figures()) {
            readings.take_figures(&mut store).await;
            // The service ends dated orders by its own clock.
            store.clocks = service.clocks().await;
            now = store.clocks.at(now, now);
        }
        if terms.expires.is_some() && store.clocks.differ(Clock::start().now()) {
            voice.note(
                "--gtd-expires-at uses the service's clock, which differs from this machine's",
            );
        }
        if let Some(why) = store.markets.trouble() {
            voice.note(&format!("prices: {why}"));
        }
        Self {
            now: before.as_ref().map_or(now, |before| before.created_at),
            zone: local_zone(),
            service,
            key,
            store,
            before,
        }
    }

    /// The draft that the desk's form would start with.
    pub(super) fn blank(
        &self,
        open: impl FnOnce(AccountId, &FormContext) -> Form,
    ) -> Result<EntryDraft> {
        let form_context = FormContext {
            store: &self.store,
            used: &UsedTerms::default(),
            own: self.now,
            now: self.now,
            zone: &self.zone,
            fees: &self.service.fees,
        };
        match open(self.service.account.clone(), &form_context).draft {
            Draft::Entry(blank) => Ok(blank),
            Draft::Close(_) | Draft::Exits(_) | Draft::Protect(_) | Draft::Margin(_) => {
                Err(no_order())
            }
        }
    }

    /// Sends the draft, or reports everything that is wrong with it. The body fields named in `reckoned` stay as they
    /// were when first sent under this key.
    pub(super) async fn perform(
        &self,
        how: ActFlags,
        draft: EntryDraft,
        reckoned: &[&'static str],
    ) -> Result<Exit> {
        let (prepared, reckoned) = self.prepare(how, draft, reckoned)?;
        perform(self.service, how, prepared, &reckoned).await
    }

    /// The command of the draft, and the body fields that would differ an hour later.
    pub(super) fn prepare(
        &self,
        how: ActFlags,
        draft: EntryDraft,
        reckoned: &[&'static str],
    ) -> Result<(PreparedCommand, Vec<&'static str>)> {
        let before = self.before.as_ref();
        let draft = Draft::Entry(draft);
        let relative = typed::relative_names(&draft);
        let reckoned: Vec<_> = reckoned.iter().copied().chain(relative).collect();
        let command = self.command(draft, &reckoned, how)?;
        let prepared = PreparedCommand::new(command, self.key.chosen.clone())?;
        let prepared = repeat::settled(before, prepared, self.service, &reckoned)?.prepared();
        Ok((prepared, reckoned))
    }

    fn command(&self, mut form: Draft, reckoned: &[&str], how: ActFlags) -> Result<Command> {
        let voice = how.output.voice();
        if let Some(before) = &self.before {
            typed::as_sent(&mut form, before);
        }
        if reckoned.contains(&"size")
            && let Some(size) = self.before.as_ref().and_then(|b| repeat::sent(b, "size"))
        {
            form.write(Field::Size, &size);
        }
        let Draft::Entry(draft) = &form else {
            return Err(no_order());
        };
        let seen = self.seen(draft);
        let mut typed = FlagFaults::default();
        let Draft::Entry(draft) = typed.in_digits(&form, &seen, voice) else {
            return Err(no_order());
        };
        let command = typed.faults(draft.command(&seen));
        let command = typed.finish(command)?;
        if self.before.is_none() && is_asked(self.service, how) {
            self.warn(&draft, &seen, voice);
        }
        Ok(command)
    }

    /// What the form of the desk would ask about, before the question is put.
    fn warn(&self, draft: &EntryDraft, seen: &Seen<'_>, voice: Output) {
        let facts = RiskFacts {
            limits: &self.service.checks,
            store: &self.store,
            seen,
            candles: None,
        };
        for warning in warnings::of_entry(draft, facts) {
            voice.note(&question(&warning, seen));
        }
    }

    fn seen<'s>(&'s self, draft: &'s EntryDraft) -> Seen<'s> {
        let market = draft.market_id.as_ref();
        let mut open = self.store.positions.rows().iter();
        let position = open.find(|position| Some(&position.market_id) == market);
        Seen {
            market: market.and_then(|id| self.store.market(id)),
            position,
            lists_all: self.store.positions.value().is_some_and(Page::is_whole),
            cross_backing: self.store.cross_backing(position),
            free_margin: self.store.account.value().and_then(|a| a.available_margin),
            watched: draft.watched().and_then(|id| self.store.market(id)),
            now: self.now,
            zone: Some(&self.zone),
            charges: market.map_or_else(Charges::default, |id| {
                fees::charges((&self.store, &self.service.fees), id)
            }),
            ..Seen::default()
        }
    }
}

/// Whether a person is asked before sending: `--yes` answers the guard's questions too.
fn is_asked(service: &Service, how: ActFlags) -> bool {
    !how.yes && !service.is_dry_run()
}
