//! `perpdeck place`: a new order of any type, or many from a file.

mod lines;

use super::consent;
use super::ground::OrderContext;
use super::ground::OrderTerms;
use super::market;
use super::market::MarketPurpose;
use super::readings::Readings;
use super::typed::TriggerFlags;
use super::typed::id;
use super::typed::word;
use crate::cli::act::perform::perform;
use crate::cli::act::prepared::ActFlags;
use crate::cli::act::prepared::KeyFlag;
use crate::cli::act::prepared::PreparedCommand;
use crate::{
    app::forms::form::Form,
    cli::{Exit, voice::Output},
    config::Sources,
    model::{
        MarginMode, MarketId, PlaceKind, PositionId, Side, TimeInForce,
        draft::{Amount, DraftShape, EntryDraft, Field, ReplacedExits, amount, span},
    },
};
use clap::{ArgMatches, Command};
use color_eyre::Result;

/// One order, or a file of them.
#[derive(Debug)]
pub(in crate::cli) enum PlaceArgs {
    One(Box<OrderFlags>),
    Lines(lines::OrderFile),
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct OrderFlags {
    /// The market by its symbol, coin or id: BTC, btc or 'paper|BTC'
    #[arg(long, value_parser = id::<MarketId>)]
    market: MarketId,
    #[arg(long, value_parser = word::<Side>())]
    side: Side,
    #[arg(long = "type", value_name = "TYPE", value_parser = word::<PlaceKind>())]
    kind: PlaceKind,
    /// The size: coin (0.5), USD ($1000), by the loss at the stop (r25 loses 25 USD), or a share (50%) of the free
    /// margin; with --reduce-only a share of the position
    #[arg(long)]
    size: String,
    /// The limit price, USD. Every price is a number or an expression (bid-100, mid+0.5%)
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    limit_price: Option<String>,
    /// The time in force [default: gtc]
    #[arg(long, value_parser = word::<TimeInForce>())]
    tif: Option<TimeInForce>,
    /// The end of a gtd order: 2h or 1d from now, 18:00 or 2026-01-05T18:00 local time, or 2026-01-05T14:30:00Z
    #[arg(long, value_name = "WHEN")]
    gtd_expires_at: Option<String>,
    #[command(flatten)]
    trigger: TriggerFlags,
    /// Can only reduce the position
    #[arg(long)]
    reduce_only: bool,
    /// The leverage [default: that of the open position in the market, otherwise 5 or the highest that the market
    /// allows]
    #[arg(long)]
    leverage: Option<String>,
    /// The margin mode [default: that of the open position in the market, otherwise cross]
    #[arg(long, value_name = "MODE", value_parser = word::<MarginMode>())]
    margin_mode: Option<MarginMode>,
    /// The price of an attached take profit
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    take_profit: Option<String>,
    /// The price of an attached stop loss
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    stop_loss: Option<String>,
    /// Replaces exits of the position that attached ones overlap; without it the service refuses such an order
    #[arg(long)]
    replace_exits: bool,
    /// The mid price that you saw, USD [default: the current one, if it is known]
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    expected_price: Option<String>,
    /// The slippage tolerance, basis points
    #[arg(long, value_name = "BPS")]
    slippage_bps: Option<String>,
    /// The distance of a chase order from the best price, USD
    #[arg(long, value_name = "USD")]
    chase_offset: Option<String>,
    /// The last price that a chase order follows to, USD
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    chase_cap_price: Option<String>,
    /// The position of a `take_profit` order
    #[arg(long, value_name = "POSITION_ID", value_parser = id::<PositionId>)]
    target_position_id: Option<PositionId>,
    #[command(flatten)]
    key: KeyFlag,
    #[command(flatten)]
    how: ActFlags,
}

impl clap::Args for PlaceArgs {
    /// What one order needs is not needed beside a file.
    fn augment_args(command: Command) -> Command {
        let command = OrderFlags::augment_args(command).mut_args(|arg| {
            if arg.is_required_set() {
                arg.required(false).required_unless_present(lines::FILE)
            } else {
                arg
            }
        });
        lines::OrderFile::augment(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for PlaceArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        match lines::OrderFile::from(matches)? {
            Some(file) => Ok(Self::Lines(file)),
            None => OrderFlags::from_arg_matches(matches).map(|one| Self::One(Box::new(one))),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

pub(in crate::cli) async fn run(args: PlaceArgs, sources: &Sources) -> Result<Exit> {
    let how = match &args {
        PlaceArgs::Lines(file) => file.how,
        PlaceArgs::One(one) => one.how,
    };
    let service = consent::service(sources, how).await?;
    match args {
        PlaceArgs::Lines(file) => lines::place(file, &service).await,
        PlaceArgs::One(one) => {
            let key = one.key.clone();
            let readings = Readings::new(&service);
            let ready = one.prepare(&readings, &key, how.output.voice()).await?;
            perform(&service, how, ready.prepared, &ready.reckoned).await
        }
    }
}

/// An order that can be sent, and the body fields that would differ an hour later.
struct PreparedOrder {
    prepared: PreparedCommand,
    reckoned: Vec<&'static str>,
}

impl OrderFlags {
    /// Reads what the order needs, and checks it as the desk's form does.
    async fn prepare(
        mut self,
        readings: &Readings<'_>,
        key: &KeyFlag,
        voice: Output,
    ) -> Result<PreparedOrder> {
        let service = readings.service;
        let ground = OrderContext::read(readings, self.how, key, &self.terms()).await;
        let purpose = self.purpose();
        let context = (&ground.store, service, voice);
        self.market = market::named(("--market", self.market), purpose, context)?;
        self.trigger.resolve(purpose, context)?;
        let draft = self.draft(&ground)?;
        let (prepared, reckoned) =
            ground.prepare(self.how, draft, &self.time_dependent_fields())?;
        Ok(PreparedOrder { prepared, reckoned })
    }

    fn purpose(&self) -> MarketPurpose {
        if self.reduce_only || self.kind == PlaceKind::TakeProfit {
            MarketPurpose::OnlyReduces
        } else {
            MarketPurpose::Opens
        }
    }

    fn terms(&self) -> OrderTerms<'_> {
        let own = std::iter::once(&self.market);
        OrderTerms {
            markets: own.chain(&self.trigger.market_id).cloned().collect(),
            size: &self.size,
            leverage: self.leverage.as_ref(),
            expires: self.gtd_expires_at.as_ref(),
            margin_mode: self.margin_mode,
            purpose: self.purpose(),
        }
    }

    /// The body fields that would differ an hour later.
    fn time_dependent_fields(&self) -> Vec<&'static str> {
        let is_span = self.gtd_expires_at.as_deref().and_then(span).is_some();
        [
            ("size", self.has_reckoned_size()),
            ("gtd_expires_at", is_span),
        ]
        .into_iter()
        .filter_map(|(name, is_reckoned)| is_reckoned.then_some(name))
        .chain(self.terms().time_dependent_fields())
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
        let blank = ground
            .blank(|account, form_context| Form::order(account, self.side, market, form_context))?;
        let replaces = if self.replace_exits {
            ReplacedExits::Any
        } else {
            blank.replaces
        };
        let mut draft = EntryDraft {
            shape: DraftShape::Order(self.kind),
            time_in_force: self.tif.unwrap_or(TimeInForce::Gtc),
            margin_mode: self.margin_mode.unwrap_or(blank.margin_mode),
            reduce_only: self.reduce_only,
            replaces,
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
