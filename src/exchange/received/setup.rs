//! What a market is, as far as its first lines show.

use super::{
    super::engine::{Bps, FeeRates, MarketAccess, MarketSpec, Millis, Px, Usd},
    convert::FrameConverter,
};
use crate::{
    feed::{
        event::MarketEvent,
        recording::{DecodedLine, LineOutcome},
    },
    model::{Book, MarketId, Num, Side, Venue},
};

/// Decimals of a size that a market can have.
const MOST_SIZE_DECIMALS: u32 = 5;
/// Decimals of price and size together.
const DECIMALS: u32 = 6;
/// Of a market that the scenario does not know. No recording says more, and no venue allows less for what is traded much.
const MAX_LEVERAGE: u32 = 20;
/// The notional at which funding would read the book; the venue's own rate comes first.
const IMPACT: i64 = 20_000;

/// What the first lines say of the markets, for an engine that begins with them.
#[derive(Debug, Clone, Default)]
pub(in crate::exchange) struct ReceivedSetup {
    pub(in crate::exchange) markets: Vec<MarketSpec>,
    /// The first instant at which there is a book.
    pub(in crate::exchange) start: Millis,
    /// What the venue takes.
    pub(in crate::exchange) fees: FeeRates,
}

/// The market of these lines; `None` without a book of both sides.
pub(super) fn spec<'a>(
    id: &MarketId,
    lines: impl Iterator<Item = &'a DecodedLine> + Clone,
) -> Option<MarketSpec> {
    let middle = books(lines.clone()).find_map(middle)?;
    let size_decimals = size_decimals(books(lines));
    let coin = id.coin().raw().to_owned();
    let mut spec = MarketSpec {
        provider: id.provider().to_owned(),
        symbol: symbol(&coin).to_owned(),
        coin,
        category: "crypto".to_owned(),
        access: MarketAccess::Open,
        size_decimals,
        max_leverage: MAX_LEVERAGE,
        tiers: vec![],
        start_price: Px::ZERO,
        volatility: Bps(0),
        beta: Bps(0),
        base_depth: Usd::dollars(IMPACT),
        impact_notional: Usd::dollars(IMPACT),
    };
    spec.start_price = FrameConverter::from(&spec).nearest(middle)?;
    Some(spec)
}

pub(super) fn has_book(line: &DecodedLine) -> bool {
    books(std::iter::once(line)).next().is_some()
}

fn books<'a>(lines: impl Iterator<Item = &'a DecodedLine>) -> impl Iterator<Item = &'a Book> {
    let events = lines.flat_map(|line| match &line.outcome {
        LineOutcome::Events(events) => events.as_slice(),
        LineOutcome::Gap => &[],
    });
    events.filter_map(|event| match event {
        MarketEvent::Book { book, .. } => Some(&book.value),
        MarketEvent::Trade { .. }
        | MarketEvent::Candle { .. }
        | MarketEvent::Tick { .. }
        | MarketEvent::Stats { .. }
        | MarketEvent::Refused { .. } => None,
    })
}

fn middle(book: &Book) -> Option<Num> {
    let (bid, ask) = book.best(Side::Buy).zip(book.best(Side::Sell))?;
    bid.plus(ask)?.over(Num::from(2_u32))
}

/// As many as the sizes have, and as few as leave the prices theirs.
fn size_decimals<'a>(books: impl Iterator<Item = &'a Book>) -> u32 {
    let levels = books.flat_map(|book| [Side::Buy, Side::Sell].map(|side| book.levels(side)));
    let (mut sizes, mut prices) = (0, 0);
    for level in levels.flatten() {
        sizes = sizes.max(level.size.normalized().decimals());
        prices = prices.max(level.price.normalized().decimals());
    }
    sizes
        .min(MOST_SIZE_DECIMALS)
        .min(DECIMALS.saturating_sub(prices))
}

/// `BTCUSDT` is shown as BTC, and `xyz:NVDA` as NVDA.
fn symbol(coin: &str) -> &str {
    let name = coin.split_once(':').map_or(coin, |(_, name)| name);
    match name.strip_suffix("USDT") {
        Some(base) if !base.is_empty() => base,
        Some(_) | None => name,
    }
}

/// Of the venue's lowest tier, in hundred-thousandths.
pub(super) fn fees(market: Option<&MarketSpec>) -> FeeRates {
    let venue = market.and_then(|market| Venue::of(&market.provider));
    match venue {
        Some(Venue::Hyperliquid) | None => FeeRates::default(),
        Some(Venue::Binance) => FeeRates {
            taker: 50,
            maker: 20,
        },
        Some(Venue::Bybit) => FeeRates {
            taker: 55,
            maker: 20,
        },
    }
}
