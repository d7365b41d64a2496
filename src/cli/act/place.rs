//! `perpdeck place`: a new order of any type.

use super::{
    Deed, How, Key, consent, perform,
    repeat::Sizing,
    typed::{TriggerFlags, Typed, word},
};
use crate::{
    app::{Store, form::Form},
    cli::{Exit, service::Service, voice::Voice},
    config::Sources,
    model::{
        Bps, Command, Failure, MarginMode, MarketId, PlaceKind, PlaceOrder, PositionId, Side,
        TimeInForce, Timestamp,
        draft::{Amount, Draft, PlaceDraft, Seen, amount, positive},
    },
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// As in 'paper|BTC'
    #[arg(long)]
    market: MarketId,
    #[arg(long, value_parser = word::<Side>())]
    side: Side,
    #[arg(long = "type", value_name = "TYPE", value_parser = word::<PlaceKind>())]
    kind: PlaceKind,
    /// In coin (0.5), in USD ($1000), or to lose 25 USD at the stop loss (r25)
    #[arg(long)]
    size: String,
    #[arg(long, value_name = "PRICE")]
    limit_price: Option<String>,
    /// Time in force; good till canceled when left out
    #[arg(long, value_parser = word::<TimeInForce>())]
    tif: Option<TimeInForce>,
    /// When a gtd order ends, as in 2026-01-05T14:30:00Z
    #[arg(long, value_name = "INSTANT", value_parser = crate::cli::snapshot::instant)]
    gtd_expires_at: Option<Timestamp>,
    #[command(flatten)]
    trigger: TriggerFlags,
    /// Only ever makes the position smaller
    #[arg(long)]
    reduce_only: bool,
    /// As the open position in that market has it when left out, else 5 or what the market allows
    #[arg(long)]
    leverage: Option<String>,
    /// As the open position in that market has it when left out, else cross
    #[arg(long, value_name = "MODE", value_parser = word::<MarginMode>())]
    margin_mode: Option<MarginMode>,
    /// Attached take profit
    #[arg(long, value_name = "PRICE")]
    take_profit: Option<String>,
    /// Attached stop loss
    #[arg(long, value_name = "PRICE")]
    stop_loss: Option<String>,
    /// The midpoint you saw; the observed one when left out and a price source is set
    #[arg(long, value_name = "PRICE")]
    expected_price: Option<String>,
    /// Basis points the fill may be worse
    #[arg(long, value_name = "BPS")]
    slippage_bps: Option<String>,
    /// How far a chase order stays from the best price, USD
    #[arg(long, value_name = "USD")]
    chase_offset: Option<String>,
    /// How far a chase order follows
    #[arg(long, value_name = "PRICE")]
    chase_cap_price: Option<String>,
    /// The position that an order of the type `take_profit` is for
    #[arg(long, value_name = "POSITION_ID")]
    target_position_id: Option<PositionId>,
    #[command(flatten)]
    key: Key,
    #[command(flatten)]
    how: How,
}

pub(in crate::cli) async fn run(args: Args, sources: &Sources) -> Result<Exit> {
    let voice = args.how.output.voice();
    voice.told(place(&args, voice, sources).await)
}

async fn place(args: &Args, voice: Voice, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources)?;
    consent::possible(args.how)?;
    let store = args.around(&service).await;
    if let Some(why) = store.markets.trouble() {
        voice.note(&format!("prices: {why}"));
    }
    let order = args.order(&service, &store)?;
    let command = Command::Place(Box::new(order));
    let deed = Deed::new(&service, command, args.key.chosen.clone())?;
    let sizing = match amount(&args.size) {
        Ok(Amount::Notional(_)) => Sizing::Reckoned,
        Ok(Amount::Coin(_) | Amount::Percent(_) | Amount::AtRisk(_)) | Err(_) => Sizing::Typed,
    };
    perform(&service, args.how, deed, sizing).await
}

impl Args {
    /// Prices; and positions, where the terms of one may be wanted.
    async fn around(&self, service: &Service) -> Store {
        let mut store = Store::default();
        service.take_prices(&mut store).await;
        if self.leverage.is_none() || self.margin_mode.is_none() {
            service.take_positions(&mut store).await;
        }
        store
    }

    /// The order as typed, or everything that is wrong with it.
    fn order(&self, service: &Service, store: &Store) -> Result<PlaceOrder> {
        let seen = Seen {
            market: store.market(&self.market),
            ..Seen::default()
        };
        let mut typed = Typed::default();
        let draft = self.draft(service, store)?;
        let order = typed.faults(draft.order(&seen));
        let mut number = |flag, text: &Option<String>| typed.number(flag, text.as_ref());
        let take_profit_price = number("--take-profit", &self.take_profit);
        let stop_loss_price = number("--stop-loss", &self.stop_loss);
        let expected_price = number("--expected-price", &self.expected_price);
        let slippage_tolerance = number("--slippage-bps", &self.slippage_bps).map(Bps);
        let chase_offset = number("--chase-offset", &self.chase_offset);
        let chase_cap_price = number("--chase-cap-price", &self.chase_cap_price);
        let trigger = typed.trigger(&self.trigger);
        let order = typed.finish(order)?;
        Ok(PlaceOrder {
            kind: self.kind,
            expected_price: expected_price.or(order.expected_price),
            time_in_force: self.tif.filter(|tif| *tif != TimeInForce::Gtc),
            gtd_expires_at: self.gtd_expires_at,
            trigger,
            chase_offset,
            chase_cap_price,
            take_profit_price,
            stop_loss_price,
            slippage_tolerance,
            target_position_id: self.target_position_id.clone(),
            ..order
        })
    }

    /// What every type has, over the terms a form of the desk would start with. The draft knows two types; what the
    /// others have besides is added to its order.
    fn draft(&self, service: &Service, store: &Store) -> Result<PlaceDraft> {
        let form = Form::order(
            service.account.clone(),
            self.side,
            Some(&self.market),
            store,
        );
        let Draft::Place(blank) = form.draft else {
            return Err(Failure::local("no draft of an order").into());
        };
        Ok(PlaceDraft {
            kind: match (self.kind, &self.limit_price) {
                (PlaceKind::Limit, _) | (_, Some(_)) => PlaceKind::Limit,
                (_, None) => PlaceKind::Market,
            },
            size: self.size.clone(),
            limit_price: self.limit_price.clone().unwrap_or_default(),
            leverage: self.leverage.clone().unwrap_or(blank.leverage),
            margin_mode: self.margin_mode.unwrap_or(blank.margin_mode),
            reduce_only: self.reduce_only,
            // Sizes of the form r25 need it; where it is no number it is told once, of its flag.
            stop_loss: match &self.stop_loss {
                Some(text) if positive(text).is_ok() => text.clone(),
                Some(_) | None => String::new(),
            },
            ..blank
        })
    }
}
