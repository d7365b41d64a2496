//! A new order as its flags say it: completed by what is read, and checked as the desk's form does.

use super::{
    bracket::{self, BracketRule},
    consent::ActingService,
    field_flags::{EntryTable, FieldArgs},
    prepared::{ActFlags, KeyFlag, PreparedCommand},
    readings::Readings,
    repeat,
    send_and_report::send_and_report,
    typed,
};
use crate::{
    app::{core::account::Account, forms::form::Form, rules::warnings},
    cli::{
        Exit,
        named::{self, MarketPurpose},
        service::{Reading, Service},
    },
    config::Sources,
    journal::IntentRow,
    model::{
        MarketId, PlaceKind, TimeInForce,
        draft::{Amount, Draft, DraftShape, Field, Texts, amount, span},
    },
    view::forms::caution::question,
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct EntryArgs<T: EntryTable> {
    #[command(flatten)]
    fields: FieldArgs<T>,
    #[command(flatten)]
    pub(super) key: KeyFlag,
    #[command(flatten)]
    pub(super) how: ActFlags,
}

/// An order, a TWAP or a scaled order as it was written.
#[derive(Debug)]
pub(in crate::cli) struct WrittenEntry {
    shape: DraftShape,
    given: Texts,
    pub(super) key: KeyFlag,
    how: ActFlags,
    pub(super) bracket: BracketRule,
}

impl<T: EntryTable> From<EntryArgs<T>> for WrittenEntry {
    fn from(args: EntryArgs<T>) -> Self {
        let given = args.fields.given;
        let typed = [Field::Kind, Field::Curve]
            .map(|field| given.of(field))
            .concat();
        Self {
            // Without a word there is one shape; the flag takes no other words.
            shape: T::SHAPE.with_type(&typed).unwrap_or(T::SHAPE),
            given,
            key: args.key,
            how: args.how,
            bracket: BracketRule::Without,
        }
    }
}

pub(in crate::cli) async fn run(entry: impl Into<WrittenEntry>, sources: &Sources) -> Result<Exit> {
    let entry = entry.into();
    let service = ActingService::open(sources, entry.how).await?;
    let prepared = entry.prepare(&Readings::new(&service)).await?;
    if prepared.later_targets.is_empty() {
        return send_and_report(&service, prepared).await;
    }
    bracket::run(&service, prepared).await
}

impl WrittenEntry {
    /// Reads what the order needs, and checks it as the desk's form does. Under a key that was used before, what would
    /// differ by now stays as it was sent.
    pub(super) async fn prepare(mut self, readings: &Readings<'_>) -> Result<PreparedCommand> {
        let service = readings.service;
        let before = repeat::before(service, &self.key);
        let mut account = self.read(readings, before.as_ref()).await;
        for field in [Field::Market, Field::TriggerMarket] {
            if self.given.has(field) {
                let (flag, name) = (field.flag(), MarketId::from(self.given.of(field)));
                let id = named::market(flag, name, self.purpose(), &account.store, service)?;
                self.given.set(field, id.raw());
            }
        }
        let is_bracketed = self.bracket == BracketRule::OfSettings && before.is_none();
        if is_bracketed {
            let market = MarketId::from(self.given.of(Field::Market));
            bracket::read(readings, &mut account, &market).await;
        }
        let mut form = self.form(service, &account)?;
        let later_targets = if is_bracketed {
            bracket::attach(&mut form, &account)?
        } else {
            vec![]
        };
        let context = account.form_context();
        let relative = typed::relative_names(&form.draft);
        let time_dependent: Vec<_> = self.time_dependent_fields().chain(relative).collect();
        if let Some(before) = &before {
            typed::as_sent(&mut form.draft, before);
            let size = repeat::sent(before, "size");
            if let Some(size) = size.filter(|_| time_dependent.contains(&"size")) {
                form.draft.write(Field::Size, &size);
            }
        }
        let seen = form.seen(&context);
        let (draft, command) =
            typed::read(service, &form.draft, &seen, |draft| draft.command(&seen))?;
        form.draft = draft;
        if before.is_none() && service.is_asking() {
            Self::warn(service, &form, &account);
        }
        let prepared = PreparedCommand {
            time_dependent,
            later_targets,
            ..PreparedCommand::new(command, self.key.chosen)?
        };
        repeat::settled(before.as_ref(), prepared, service)
    }

    /// Prices; also positions and figures, if they are needed (for the guard's questions too) and the key is new.
    async fn read(&self, readings: &Readings<'_>, before: Option<&IntentRow>) -> Box<Account> {
        let service = readings.service;
        let is_guarded = service.is_asking() && self.purpose() == MarketPurpose::Opens;
        let mut account = service.desk_account();
        let store = &mut *account.store;
        readings.take_prices(store, &self.markets()).await;
        if before.is_none() && (is_guarded || self.needs_positions()) {
            readings.take(store, Reading::Positions).await;
        }
        if before.is_none() && (is_guarded || self.needs_figures()) {
            readings.take(store, Reading::Figures).await;
            // The service ends dated orders by its own clock.
            store.clocks = service.clocks().await;
        }
        if self.given.has(Field::Expires) && store.clocks.differ(service.clock.now()) {
            service.voice.note(
                "--gtd-expires-at uses the service's clock, which differs from this machine's",
            );
        }
        if let Some(why) = store.markets.trouble() {
            service.voice.note(&format!("prices: {why}"));
        }
        account.now = before.map_or_else(|| service.clock.now(), |before| before.created_at);
        account
    }

    /// The desk's form with what was given. What the type has no field for is sent as well: the service decides.
    fn form(&self, service: &Service, account: &Account) -> Result<Form> {
        let market = MarketId::from(self.given.of(Field::Market));
        let (own, context) = (service.account.clone(), account.form_context());
        let mut form = Form::of_shape(own, self.shape, Some(&market), &context);
        if let Draft::Entry(draft) = &mut form.draft {
            draft.time_in_force = TimeInForce::Gtc;
            draft.reduce_only = false;
            draft.trigger_market = None;
            draft.trigger_direction = None;
            draft.target = None;
            draft.also = self.given.iter().map(|(field, _)| field).collect();
        }
        for (field, text) in self.given.iter() {
            form.draft.fill(field, text)?;
        }
        Ok(form)
    }

    /// Prints what the form of the desk would ask about, before the question is put.
    fn warn(service: &Service, form: &Form, account: &Account) {
        let seen = form.seen(&account.form_context());
        for warning in warnings::of_draft(&form.draft, &seen, account) {
            service.voice.note(&question(&warning, &seen));
        }
    }

    fn purpose(&self) -> MarketPurpose {
        let reduces = self.shape == DraftShape::Order(PlaceKind::TakeProfit);
        if reduces || self.given.has(Field::ReduceOnly) {
            MarketPurpose::OnlyReduces
        } else {
            MarketPurpose::Opens
        }
    }

    /// The markets as they were named.
    fn markets(&self) -> Vec<MarketId> {
        let fields = [Field::Market, Field::TriggerMarket].into_iter();
        let named = fields.filter(|field| self.given.has(*field));
        named.map(|field| self.given.of(field).into()).collect()
    }

    fn size(&self) -> Option<Amount> {
        amount(self.given.of(Field::Size)).ok()
    }

    /// Whether a position is needed to complete it.
    fn needs_positions(&self) -> bool {
        let is_given = |field| self.given.has(field);
        matches!(self.size(), Some(Amount::Percent(_) | Amount::AtRisk(_)))
            || !is_given(Field::Leverage)
            || !is_given(Field::MarginMode)
    }

    /// Whether the account's figures are needed: a size by the loss at the stop depends on the liquidation price, and a
    /// reducing order does not wait for them.
    fn needs_figures(&self) -> bool {
        let is_by_size = match self.size() {
            Some(Amount::AtRisk(_)) => true,
            Some(Amount::Percent(_)) => self.purpose() == MarketPurpose::Opens,
            Some(Amount::Coin(_) | Amount::Notional(_)) | None => false,
        };
        is_by_size || self.given.has(Field::Expires)
    }

    /// The body fields that would differ an hour later; the rungs of a scaled order have values of their own.
    fn time_dependent_fields(&self) -> impl Iterator<Item = &'static str> + use<> {
        let is_by_price = match self.size() {
            // Also for a limit order: it includes the fees of the settings at that time.
            Some(Amount::AtRisk(_) | Amount::Percent(_)) => true,
            Some(Amount::Notional(_)) => self.shape != DraftShape::Scaled,
            Some(Amount::Coin(_)) | None => false,
        };
        let names = [
            ("size", is_by_price),
            (
                "gtd_expires_at",
                span(self.given.of(Field::Expires)).is_some(),
            ),
            ("leverage", !self.given.has(Field::Leverage)),
            ("margin_mode", !self.given.has(Field::MarginMode)),
        ];
        let names = names.into_iter();
        let names = names.filter_map(|(name, differs)| differs.then_some(name));
        let exits = [Field::StopLoss, Field::TakeProfit].into_iter();
        let has_bracket = self.bracket == BracketRule::OfSettings;
        let exits = exits.filter(move |_| has_bracket);
        names.chain(exits.flat_map(|exit| exit.body_names().iter().copied()))
    }
}
