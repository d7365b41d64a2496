//! `perpdeck close POSITION_ID`: closes a position in whole or in part.

use super::{
    consent,
    market::MarketPurpose,
    perform::perform,
    prepared::{ActFlags, KeyFlag, PreparedCommand},
    repeat,
    typed::{self, FlagFaults, TriggerFlags, id, word},
};
use crate::{
    app::Store,
    cli::{Exit, service::Service, voice::Output},
    config::Sources,
    journal::IntentRow,
    model::{
        CloseKind, ClosePosition, Command, Failure, Num, PositionId,
        draft::{Amount, CloseDraft, Draft, Field, Seen, Texts, amount},
    },
};
use color_eyre::Result;
use std::time::Duration;
use tokio::time::timeout;

/// How long a close waits for reads it can do without.
const READ_TIMEOUT: Duration = Duration::from_secs(1);
/// Omits the size, which closes everything.
const ALL: &str = "100%";

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CloseArgs {
    /// As `positions` shows it, or its market: btc. Under a key that was used before, the id
    #[arg(value_parser = id::<PositionId>)]
    position_id: PositionId,
    /// The size: coin (0.1), a share of the position (50%) or USD ($1000) [default: everything]
    #[arg(long, default_value = ALL, hide_default_value = true)]
    size: String,
    #[arg(long = "type", value_name = "TYPE", default_value = "market", value_parser = word::<CloseKind>())]
    kind: CloseKind,
    /// The limit price, USD. Every price is a number or an expression (bid-100, entry+2%)
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    limit_price: Option<String>,
    #[command(flatten)]
    trigger: TriggerFlags,
    /// The slippage tolerance, basis points
    #[arg(long, value_name = "BPS")]
    slippage_bps: Option<String>,
    /// The mid price that you saw, USD [default: the current one, if it is known]
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    expected_price: Option<String>,
    /// Confirms a limit price that would fill at once
    #[arg(long)]
    marketable_limit_acknowledged: bool,
    #[command(flatten)]
    key: KeyFlag,
    #[command(flatten)]
    how: ActFlags,
}

pub(in crate::cli) async fn run(mut args: CloseArgs, sources: &Sources) -> Result<Exit> {
    let (service, voice) = (
        consent::service(sources, args.how).await?,
        args.how.output.voice(),
    );
    let before = repeat::before(&service, &args.key);
    let mut store = Store::default();
    if before.is_none() {
        args.read_what_it_needs(&service, &mut store).await;
    }
    if let Some(why) = store.positions.trouble() {
        voice.note(&format!("positions: {why}"));
    }
    args.position_id = typed::position(args.position_id, &store)?;
    let context = (&store, &service, voice);
    args.trigger.resolve(MarketPurpose::OnlyReduces, context)?;
    let (close, relative) = args.order(&store, before.as_ref(), voice)?;
    let command = Command::Close(close);
    let reckoned: Vec<_> = args
        .time_dependent_fields()
        .iter()
        .copied()
        .chain(relative)
        .collect();
    let reckoned = reckoned.as_slice();
    let prepared = PreparedCommand::new(command, args.key.chosen.clone())?;
    let prepared = repeat::settled(before.as_ref(), prepared, &service, reckoned)?.prepared();
    perform(&service, args.how, prepared, reckoned).await
}

impl CloseArgs {
    /// Closing a whole position by its id needs no read: it must work even if the service answers nothing else.
    async fn read_what_it_needs(&self, service: &Service, store: &mut Store) {
        let needs_nothing = self.size == ALL
            && self.kind == CloseKind::Market
            && !typed::is_word(self.position_id.raw());
        let reads = async {
            service.take_positions(store).await;
            service.take_prices(store, &[]).await;
        };
        if needs_nothing {
            let _in_time = timeout(READ_TIMEOUT, reads).await;
        } else {
            reads.await;
        }
    }

    /// The body fields that would differ an hour later.
    fn time_dependent_fields(&self) -> &'static [&'static str] {
        match amount(&self.size) {
            Ok(Amount::Percent(share)) if share == Num::HUNDRED => &[],
            Ok(Amount::Notional(_) | Amount::Percent(_)) => &["size"],
            Ok(Amount::Coin(_) | Amount::AtRisk(_)) | Err(_) => &[],
        }
    }

    /// How its size is resolved, and a size that is sent unchanged. A coin size under a chosen key is sent as typed:
    /// the service may know that key already, and the position may be smaller because of it.
    fn sized(&self, before: Option<&IntentRow>) -> (&str, Option<Num>) {
        match amount(&self.size) {
            Ok(Amount::Coin(size)) if self.key.chosen.is_some() => (ALL, Some(size)),
            Ok(Amount::Notional(_) | Amount::Percent(_)) if before.is_some() => (ALL, None),
            Ok(_) | Err(_) => (&self.size, None),
        }
    }

    /// The draft, and the body names of relative prices.
    fn order(
        &self,
        store: &Store,
        before: Option<&IntentRow>,
        voice: Output,
    ) -> Result<(ClosePosition, Vec<&'static str>)> {
        let position = store.position(&self.position_id);
        let seen = Seen {
            market: position.and_then(|position| store.market(&position.market_id)),
            position,
            ..Seen::default()
        };
        let mut draft = CloseDraft {
            position_id: self.position_id.clone(),
            kind: self.kind,
            trigger_market: self.trigger.market_id.clone(),
            trigger_direction: self.trigger.direction,
            acknowledged: self.marketable_limit_acknowledged,
            texts: Texts::default(),
            also: vec![],
        };
        for (field, text) in self.texts() {
            draft.texts.set(field, text);
            draft.also.push(field);
        }
        let (resolved, as_typed) = self.sized(before);
        draft.texts.set(Field::Size, resolved);
        draft.also.extend(self.chosen());
        let seen = Seen {
            watched: draft.watched(&seen).and_then(|id| store.market(id)),
            ..seen
        };
        let mut form = Draft::Close(draft);
        let relative = typed::relative_names(&form).collect();
        if let Some(before) = before {
            typed::as_sent(&mut form, before);
        }
        let mut typed = FlagFaults::default();
        let Draft::Close(draft) = typed.in_digits(&form, &seen, voice) else {
            return Err(Failure::local("this position cannot be closed").into());
        };
        let close = typed.faults(draft.close(&seen));
        let close = typed.finish(close)?;
        let size = as_typed.or(close.size);
        Ok((ClosePosition { size, ..close }, relative))
    }

    fn texts(&self) -> impl Iterator<Item = (Field, &str)> {
        [
            (Field::Size, Some(&self.size)),
            (Field::LimitPrice, self.limit_price.as_ref()),
            (Field::TriggerPrice, self.trigger.price.as_ref()),
            (Field::Slippage, self.slippage_bps.as_ref()),
            (Field::ExpectedPrice, self.expected_price.as_ref()),
        ]
        .into_iter()
        .filter_map(|(field, text)| Some((field, text?.as_str())))
    }

    fn chosen(&self) -> impl Iterator<Item = Field> {
        [
            (Field::TriggerMarket, self.trigger.market_id.is_some()),
            (Field::TriggerDirection, self.trigger.direction.is_some()),
            (Field::Acknowledged, self.marketable_limit_acknowledged),
        ]
        .into_iter()
        .filter_map(|(field, is_given)| is_given.then_some(field))
    }
}
