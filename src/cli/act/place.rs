//! `perpdeck place`: a new order of any type.

use super::consent;
use super::ground::OrderContext;
use super::ground::OrderTerms;
use super::market;
use super::market::MarketPurpose;
use super::typed::TriggerFlags;
use super::typed::word;
use crate::cli::act::prepared::ActFlags;
use crate::cli::act::prepared::KeyFlag;
use crate::{
    app::forms::form::Form,
    cli::{Exit, service::Service, voice::Output},
    config::Sources,
    model::{
        MarginMode, MarketId, PlaceKind, PositionId, Side, TimeInForce,
        draft::{Amount, DraftShape, EntryDraft, Field, amount, span},
    },
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct PlaceArgs {
    /// Its id or its symbol: 'paper|BTC', BTC or btc
    #[arg(long)]
    market: MarketId,
    #[arg(long, value_parser = word::<Side>())]
    side: Side,
    #[arg(long = "type", value_name = "TYPE", value_parser = word::<PlaceKind>())]
    kind: PlaceKind,
    /// In coin (0.5), in USD ($1000), to lose 25 USD at the stop loss (r25), as a share (50%) of the
    /// free margin or, of what only reduces, of the position
    #[arg(long)]
    size: String,
    /// No worse than this, USD: digits, or said by another price (bid-100, mid+0.5%); so are the other prices
    #[arg(long, value_name = "PRICE")]
    limit_price: Option<String>,
    /// Time in force; good till canceled when left out
    #[arg(long, value_parser = word::<TimeInForce>())]
    tif: Option<TimeInForce>,
    /// When a gtd order ends: 2h or 1d from now, 18:00 or 2026-01-05T18:00 here, or 2026-01-05T14:30:00Z
    #[arg(long, value_name = "WHEN")]
    gtd_expires_at: Option<String>,
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
    key: KeyFlag,
    #[command(flatten)]
    how: ActFlags,
}

pub(in crate::cli) async fn run(args: PlaceArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.how.output.voice();
    place(args, voice, sources).await
}

async fn place(mut args: PlaceArgs, voice: Output, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources)?;
    consent::possible(&service, args.how)?;
    let key = args.key.clone();
    let ground = OrderContext::look(&service, args.how, &key, &args.terms()).await;
    let purpose = args.purpose();
    args.market = market::named(args.market, purpose, (&ground.store, &service, voice))?;
    let draft = args.draft(&ground)?;
    ground.perform(args.how, draft, &args.reckoned()).await
}

impl PlaceArgs {
    fn purpose(&self) -> MarketPurpose {
        if self.reduce_only || self.kind == PlaceKind::TakeProfit {
            MarketPurpose::OnlyReduces
        } else {
            MarketPurpose::Opens
        }
    }

    fn terms(&self) -> OrderTerms<'_> {
        OrderTerms {
            size: &self.size,
            leverage: self.leverage.as_ref(),
            expires: self.gtd_expires_at.as_ref(),
            margin_mode: self.margin_mode,
            purpose: self.purpose(),
        }
    }

    /// The body fields that would differ an hour later.
    fn reckoned(&self) -> Vec<&'static str> {
        let is_span = self.gtd_expires_at.as_deref().and_then(span).is_some();
        [
            ("size", self.has_reckoned_size()),
            ("gtd_expires_at", is_span),
        ]
        .into_iter()
        .filter_map(|(name, is_reckoned)| is_reckoned.then_some(name))
        .chain(self.terms().reckoned())
        .collect()
    }

    fn has_reckoned_size(&self) -> bool {
        match amount(&self.size) {
            Ok(Amount::Coin(_)) | Err(_) => false,
            // Also for a limit order: it includes the fees of the settings at that time.
            Ok(Amount::AtRisk(_) | Amount::Notional(_) | Amount::Percent(_)) => true,
        }
    }

    /// On top of the defaults of the desk's form.
    fn draft(&self, ground: &OrderContext) -> Result<EntryDraft> {
        let market = Some(&self.market);
        let blank =
            ground.blank(|account, around| Form::order(account, self.side, market, around))?;
        let mut draft = EntryDraft {
            shape: DraftShape::Order(self.kind),
            time_in_force: self.tif.unwrap_or(TimeInForce::Gtc),
            margin_mode: self.margin_mode.unwrap_or(blank.margin_mode),
            reduce_only: self.reduce_only,
            trigger_market: self.trigger.market_id.clone(),
            trigger_direction: self.trigger.direction,
            target: self.target_position_id.clone(),
            ..blank
        };
        for (field, text) in self.texts() {
            draft.texts.set(field, text);
            draft.also.push(field);
        }
        draft.also.extend(self.chosen());
        Ok(draft)
    }

    /// The typed texts. A flag that the type has no field for is sent as well: the service decides.
    fn texts(&self) -> impl Iterator<Item = (Field, &str)> {
        [
            (Field::Size, Some(&self.size)),
            (Field::LimitPrice, self.limit_price.as_ref()),
            (Field::TriggerPrice, self.trigger.price.as_ref()),
            (Field::Expires, self.gtd_expires_at.as_ref()),
            (Field::Leverage, self.leverage.as_ref()),
            (Field::TakeProfit, self.take_profit.as_ref()),
            (Field::StopLoss, self.stop_loss.as_ref()),
            (Field::ExpectedPrice, self.expected_price.as_ref()),
            (Field::Slippage, self.slippage_bps.as_ref()),
            (Field::ChaseOffset, self.chase_offset.as_ref()),
            (Field::ChaseCap, self.chase_cap_price.as_ref()),
        ]
        .into_iter()
        .filter_map(|(field, text)| Some((field, text?.as_str())))
    }

    fn chosen(&self) -> impl Iterator<Item = Field> {
        [
            (Field::TimeInForce, self.tif.is_some()),
            (Field::ReduceOnly, self.reduce_only),
            (Field::TriggerMarket, self.trigger.market_id.is_some()),
            (Field::TriggerDirection, self.trigger.direction.is_some()),
            (Field::TargetPosition, self.target_position_id.is_some()),
        ]
        .into_iter()
        .filter_map(|(field, is_given)| is_given.then_some(field))
    }
}
