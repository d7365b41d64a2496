//! `perpdeck twap` and `perpdeck ladder`: orders that the service works over time or over prices, if it offers to
//! create them.

use super::consent;
use super::ground;
use super::ground::OrderContext;
use super::market;
use super::market::MarketPurpose;
use super::readings::Readings;
use super::typed::id;
use super::typed::word;
use crate::cli::act::prepared::ActFlags;
use crate::cli::act::prepared::KeyFlag;
use crate::{
    app::forms::form::Form,
    cli::Exit,
    config::Sources,
    model::{
        Curve, Distribution, MarginMode, MarketId, Side,
        draft::{Amount, DraftShape, EntryDraft, Field, amount},
    },
};
use color_eyre::Result;

/// The flags that both start with.
#[derive(Debug, clap::Args)]
struct StrategyTarget {
    /// The market by its symbol, coin or id: BTC, btc or 'paper|BTC'
    #[arg(long, value_parser = id::<MarketId>)]
    market: MarketId,
    #[arg(long, value_parser = word::<Side>())]
    side: Side,
    /// The total size: coin (0.5), USD ($1000), or a share (50%) of the free margin; with --reduce-only a share of
    /// the position
    #[arg(long)]
    size: String,
}

/// The flags that both end with.
#[derive(Debug, clap::Args)]
struct StrategyTerms {
    /// The leverage [default: that of the open position in the market, otherwise 5 or the highest that the market
    /// allows]
    #[arg(long)]
    leverage: Option<String>,
    /// The margin mode [default: that of the open position in the market, otherwise cross]
    #[arg(long, value_name = "MODE", value_parser = word::<MarginMode>())]
    margin_mode: Option<MarginMode>,
    /// Can only reduce the position
    #[arg(long)]
    reduce_only: bool,
    #[command(flatten)]
    key: KeyFlag,
    #[command(flatten)]
    how: ActFlags,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TwapArgs {
    #[command(flatten)]
    what: StrategyTarget,
    /// The duration in whole minutes: 30, 30m, 2h
    #[arg(long, value_name = "TIME")]
    duration: String,
    /// Whether slices follow time (twap) or volume (vwap)
    #[arg(long, value_parser = word::<Curve>(), default_value = "twap")]
    curve: Curve,
    /// The seconds between two slices, 30 to 43200 and at most half of the duration [default: the service's choice]
    #[arg(long, value_name = "SECONDS")]
    slice_interval: Option<String>,
    /// The observed mid [default: that of the market]
    #[arg(long, value_name = "PRICE")]
    expected_price: Option<String>,
    /// Varies the size of the slices
    #[arg(long)]
    randomize: bool,
    /// The mark at which it starts [default: at once]
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    trigger_price: Option<String>,
    /// The lowest price of a slice, USD
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    min_price: Option<String>,
    /// The highest price of a slice, USD
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    max_price: Option<String>,
    #[command(flatten)]
    terms: StrategyTerms,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct LadderArgs {
    #[command(flatten)]
    what: StrategyTarget,
    /// The price of the first rung, USD
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    start_price: String,
    /// The price of the last rung, USD
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    end_price: String,
    /// The number of rungs
    #[arg(long, value_name = "COUNT")]
    rungs: String,
    /// Whether the rungs are of one size, or grow or shrink from the first to the last
    #[arg(long, value_parser = word::<Distribution>(), default_value = "flat")]
    distribution: Distribution,
    #[command(flatten)]
    terms: StrategyTerms,
}

/// The request, and its typed texts by field.
struct WrittenStrategy {
    what: StrategyTarget,
    terms: StrategyTerms,
    shape: DraftShape,
    randomize: bool,
    distribution: Distribution,
    texts: Vec<(Field, Option<String>)>,
}

pub(in crate::cli) async fn twap(args: TwapArgs, sources: &Sources) -> Result<Exit> {
    let written = WrittenStrategy {
        what: args.what,
        terms: args.terms,
        shape: DraftShape::Sliced(args.curve),
        randomize: args.randomize,
        distribution: Distribution::Flat,
        texts: vec![
            (Field::Duration, Some(args.duration)),
            (Field::SliceInterval, args.slice_interval),
            (Field::ExpectedPrice, args.expected_price),
            (Field::TriggerPrice, args.trigger_price),
            (Field::MinPrice, args.min_price),
            (Field::MaxPrice, args.max_price),
        ],
    };
    written.place(sources).await
}

pub(in crate::cli) async fn ladder(args: LadderArgs, sources: &Sources) -> Result<Exit> {
    let written = WrittenStrategy {
        what: args.what,
        terms: args.terms,
        shape: DraftShape::Ladder,
        randomize: false,
        distribution: args.distribution,
        texts: vec![
            (Field::StartPrice, Some(args.start_price)),
            (Field::EndPrice, Some(args.end_price)),
            (Field::Rungs, Some(args.rungs)),
        ],
    };
    written.place(sources).await
}

impl WrittenStrategy {
    async fn place(mut self, sources: &Sources) -> Result<Exit> {
        let how = self.terms.how;
        let (service, voice) = (consent::service(sources, how).await?, how.output.voice());
        let key = self.terms.key.clone();
        let ground = OrderContext::read(&Readings::new(&service), how, &key, &self.common()).await;
        let purpose = self.purpose();
        let named = ("--market", self.what.market);
        self.what.market = market::named(named, purpose, (&ground.store, &service, voice))?;
        let draft = self.draft(&ground)?;
        ground
            .perform(how, draft, &self.time_dependent_fields())
            .await
    }

    /// The body fields that would differ an hour later; the rungs of a scaled order have values of their own.
    fn time_dependent_fields(&self) -> Vec<&'static str> {
        let is_reckoned = match amount(&self.what.size) {
            Ok(Amount::Percent(_)) => true,
            Ok(Amount::Notional(_)) => self.shape != DraftShape::Ladder,
            Ok(Amount::Coin(_) | Amount::AtRisk(_)) | Err(_) => false,
        };
        let size = is_reckoned.then_some("size").into_iter();
        size.chain(self.common().time_dependent_fields()).collect()
    }

    /// On top of the defaults of the desk's form.
    fn draft(&self, ground: &OrderContext) -> Result<EntryDraft> {
        let (what, terms) = (&self.what, &self.terms);
        let market = Some(&what.market);
        let blank = ground.blank(|account, form_context| {
            Form::strategy(account, self.shape, market, form_context)
        })?;
        let mut draft = EntryDraft {
            side: what.side,
            margin_mode: terms.margin_mode.unwrap_or(blank.margin_mode),
            reduce_only: terms.reduce_only,
            randomize: self.randomize,
            distribution: self.distribution,
            ..blank
        };
        draft.texts.set(Field::Size, what.size.as_str());
        if let Some(leverage) = &terms.leverage {
            draft.texts.set(Field::Leverage, leverage.as_str());
        }
        for (field, text) in &self.texts {
            if let Some(text) = text {
                draft.texts.set(*field, text.as_str());
            }
        }
        Ok(draft)
    }

    fn purpose(&self) -> MarketPurpose {
        if self.terms.reduce_only {
            MarketPurpose::OnlyReduces
        } else {
            MarketPurpose::Opens
        }
    }

    fn common(&self) -> ground::OrderTerms<'_> {
        ground::OrderTerms {
            markets: vec![self.what.market.clone()],
            size: &self.what.size,
            leverage: self.terms.leverage.as_ref(),
            expires: None,
            margin_mode: self.terms.margin_mode,
            purpose: self.purpose(),
        }
    }
}
