//! `perpdeck close POSITION_ID`: part or all of a position.

use super::{
    Deed, How, Key, consent, perform,
    repeat::Sizing,
    typed::{TriggerFlags, Typed, word},
};
use crate::{
    app::Store,
    cli::{Exit, service::Service, voice::Voice},
    config::Sources,
    model::{
        Bps, CloseKind, ClosePosition, Command, PositionId,
        draft::{Amount, CloseDraft, Seen, amount},
    },
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// As `positions` shows it
    position_id: PositionId,
    /// In coin (0.1), as a share of the position (50%) or in USD ($1000); everything when left out
    #[arg(long, default_value = "100%", hide_default_value = true)]
    size: String,
    #[arg(long = "type", value_name = "TYPE", default_value = "market", value_parser = word::<CloseKind>())]
    kind: CloseKind,
    #[arg(long, value_name = "PRICE")]
    limit_price: Option<String>,
    #[command(flatten)]
    trigger: TriggerFlags,
    /// Basis points the fill may be worse
    #[arg(long, value_name = "BPS")]
    slippage_bps: Option<String>,
    /// The midpoint you saw; the observed one when left out and a price source is set
    #[arg(long, value_name = "PRICE")]
    expected_price: Option<String>,
    /// A limit that would fill at once is meant
    #[arg(long)]
    marketable_limit_acknowledged: bool,
    #[command(flatten)]
    key: Key,
    #[command(flatten)]
    how: How,
}

pub(in crate::cli) async fn run(args: Args, sources: &Sources) -> Result<Exit> {
    let voice = args.how.output.voice();
    voice.told(close(&args, voice, sources).await)
}

async fn close(args: &Args, voice: Voice, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources)?;
    consent::possible(args.how)?;
    let mut store = Store::default();
    service.take_prices(&mut store).await;
    service.take_positions(&mut store).await;
    // Closing everything needs no read: a service that answers nothing else must still get it.
    if let Some(why) = store.positions.trouble() {
        voice.note(&format!("positions: {why}"));
    }
    let command = Command::Close(args.order(&store)?);
    let deed = Deed::new(&service, command, args.key.chosen.clone())?;
    let sizing = match amount(&args.size) {
        Ok(Amount::Notional(_) | Amount::Percent(_)) => Sizing::Reckoned,
        Ok(Amount::Coin(_) | Amount::AtRisk(_)) | Err(_) => Sizing::Typed,
    };
    perform(&service, args.how, deed, sizing).await
}

impl Args {
    fn order(&self, store: &Store) -> Result<ClosePosition> {
        let position = store.position(&self.position_id);
        let seen = Seen {
            market: position.and_then(|position| store.market(&position.market_id)),
            position,
            order: None,
        };
        let draft = CloseDraft {
            position_id: self.position_id.clone(),
            kind: match (self.kind, &self.limit_price) {
                (CloseKind::Limit, _) | (_, Some(_)) => CloseKind::Limit,
                (CloseKind::Market | CloseKind::Conditional, None) => CloseKind::Market,
            },
            size: self.size.clone(),
            limit_price: self.limit_price.clone().unwrap_or_default(),
            slippage: String::new(),
            acknowledged: self.marketable_limit_acknowledged || self.kind != CloseKind::Limit,
        };
        let mut typed = Typed::default();
        let close = typed.faults(draft.close(&seen));
        let slippage = typed.number("--slippage-bps", self.slippage_bps.as_ref());
        let expected_price = typed.number("--expected-price", self.expected_price.as_ref());
        let trigger = typed.trigger(&self.trigger);
        let close = typed.finish(close)?;
        Ok(ClosePosition {
            kind: self.kind,
            expected_price: expected_price.or(close.expected_price),
            slippage_tolerance: slippage.map(Bps),
            trigger,
            marketable_limit_acknowledged: self.marketable_limit_acknowledged,
            ..close
        })
    }
}
