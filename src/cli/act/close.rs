//! `perpdeck close POSITION_ID…`: closes positions in whole or in part.

use super::{
    consent::ActingService,
    field_flags::{CloseFlags, FieldArgs},
    prepared::{ActFlags, KeyFlag, PreparedCommand},
    repeat,
    send_and_report::send_and_report,
    typed,
};
use crate::{
    app::Store,
    cli::{
        Exit,
        named::{self, MarketPurpose, id},
        service::{Service, in_time},
    },
    config::Sources,
    journal::IntentRow,
    model::{
        CloseKind, Command, Num, PositionId,
        draft::{Amount, CloseDraft, Draft, Field, Seen, Texts, amount},
    },
};
use color_eyre::Result;

/// Omits the size, which closes everything.
const ALL: &str = "100%";

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CloseArgs {
    /// As `positions` shows them, or their markets: btc. Under a key that was used before, the ids
    #[arg(required = true, value_name = "POSITION_ID", value_parser = id::<PositionId>)]
    position_ids: Vec<PositionId>,
    #[command(flatten)]
    fields: FieldArgs<CloseFlags>,
    #[command(flatten)]
    key: KeyFlag,
    #[command(flatten)]
    how: ActFlags,
}

/// The close of one position, as it was written.
struct WrittenClose {
    position_id: PositionId,
    given: Texts,
    key: KeyFlag,
}

pub(in crate::cli) async fn run(args: CloseArgs, sources: &Sources) -> Result<Exit> {
    let service = ActingService::open(sources, args.how).await?;
    let (ids, given) = (args.position_ids, args.fields.given);
    let one = async |position_id, at| {
        let close = WrittenClose {
            position_id,
            given: given.clone(),
            key: args.key.of_one(at, ids.len()),
        };
        let prepared = close.prepare(&service).await?;
        send_and_report(&service, prepared).await
    };
    service.each(&ids, one).await
}

impl WrittenClose {
    /// Reads what the close needs. Under a key that was used before, what would differ by now stays as it was sent.
    async fn prepare(mut self, service: &Service) -> Result<PreparedCommand> {
        let before = repeat::before(service, &self.key);
        if !self.given.has(Field::Size) {
            self.given.set(Field::Size, ALL);
        }
        let mut store = Store::default();
        if before.is_none() {
            self.read_what_it_needs(service, &mut store).await;
        }
        if let Some(why) = store.positions.trouble() {
            service.voice.note(&format!("positions: {why}"));
        }
        self.position_id = named::position(self.position_id, &store)?;
        let trigger = Field::TriggerMarket;
        if self.given.has(trigger) {
            let (flag, name) = (trigger.flag(), self.given.of(trigger).into());
            let id = named::market(flag, name, MarketPurpose::OnlyReduces, &store, service)?;
            self.given.set(trigger, id.raw());
        }
        let prepared = self.prepared(service, &store, before.as_ref())?;
        repeat::settled(before.as_ref(), prepared, service)
    }

    fn size(&self) -> &str {
        self.given.of(Field::Size)
    }

    /// Closing a whole position by its id needs no read: it must work even if the service answers nothing else.
    async fn read_what_it_needs(&self, service: &Service, store: &mut Store) {
        let is_at_market = self.given.of(Field::Kind).parse() == Ok(CloseKind::Market);
        let needs_nothing =
            self.size() == ALL && is_at_market && !named::is_word(self.position_id.raw());
        let reads = async {
            service.take_positions(store).await;
            service.take_prices(store, &[]).await;
        };
        if needs_nothing {
            let _read = in_time(reads).await;
        } else {
            reads.await;
        }
    }

    /// The body fields that would differ an hour later.
    fn time_dependent_fields(&self) -> &'static [&'static str] {
        match amount(self.size()) {
            Ok(Amount::Percent(share)) if share == Num::HUNDRED => &[],
            Ok(Amount::Notional(_) | Amount::Percent(_)) => &["size"],
            Ok(Amount::Coin(_) | Amount::AtRisk(_)) | Err(_) => &[],
        }
    }

    /// How its size is resolved, and a size that is sent unchanged. A coin size under a chosen key is sent as typed:
    /// the service may know that key already, and the position may be smaller because of it.
    fn sized(&self, before: Option<&IntentRow>) -> (&str, Option<Num>) {
        match amount(self.size()) {
            Ok(Amount::Coin(size)) if self.key.chosen.is_some() => (ALL, Some(size)),
            Ok(Amount::Notional(_) | Amount::Percent(_)) if before.is_some() => (ALL, None),
            Ok(_) | Err(_) => (self.size(), None),
        }
    }

    fn prepared(
        &self,
        service: &Service,
        store: &Store,
        before: Option<&IntentRow>,
    ) -> Result<PreparedCommand> {
        let (given, position) = (&self.given, store.position(&self.position_id));
        let seen = Seen {
            market: position.and_then(|position| store.market(&position.market_id)),
            position,
            watched: store.market(&given.of(Field::TriggerMarket).into()),
            ..Seen::default()
        };
        let mut draft = Draft::Close(CloseDraft {
            position_id: self.position_id.clone(),
            kind: CloseKind::Market,
            trigger_market: None,
            trigger_direction: None,
            acknowledged: false,
            texts: Texts::default(),
            also: given.iter().map(|(field, _)| field).collect(),
        });
        for (field, text) in given.iter() {
            draft.fill(field, text)?;
        }
        let (resolved, as_typed) = self.sized(before);
        draft.write(Field::Size, resolved);
        let time_dependent = self.time_dependent_fields().iter().copied();
        let time_dependent = time_dependent.chain(typed::relative_names(&draft));
        let time_dependent = time_dependent.collect();
        if let Some(before) = before {
            typed::as_sent(&mut draft, before);
        }
        let (_, mut command) = typed::read(service, &draft, &seen, |draft| draft.command(&seen))?;
        if let Command::Close(close) = &mut command {
            close.size = as_typed.or(close.size);
        }
        Ok(PreparedCommand {
            time_dependent,
            ..PreparedCommand::new(command, self.key.chosen.clone())?
        })
    }
}
