//! One market: what the service lists of it, and its prices.

use super::{Grid, Listing, MarketId, Num, Quote, Side, Text, Tick, Timestamp};

/// Significant figures of a price if the source does not say.
const FIGURES: u32 = 5;

/// The prices of one market, USD. A value that the source lacks stays unknown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Market {
    /// What is sent.
    pub id: MarketId,
    pub provider: Text,
    /// What a person sees and types.
    pub symbol: Text,
    /// What the venue calls it: `BTCUSDT`, `xyz:TSLA`.
    pub coin: Text,
    /// The service's word: `crypto`, `stocks`. Its trading can be halted.
    pub category: Option<Text>,
    /// `Some(false)`: no order is accepted.
    pub trading_enabled: Option<bool>,
    /// `Some(true)`: only orders that reduce are accepted.
    pub reduce_only: Option<bool>,
    pub mark: Option<Num>,
    pub bid: Option<Num>,
    pub ask: Option<Num>,
    /// Decimals of a size; the lot is 10^-size_decimals.
    pub size_decimals: Option<u32>,
    pub max_leverage: Option<u32>,
    pub grid: Grid,
    /// Per hour, as a fraction: 0.0000125 is 0.00125 %.
    pub funding_rate: Option<Num>,
    pub day: DayStats,
    /// When the prices were made, by the source's clock.
    pub updated_at: Option<Timestamp>,
    /// Since when the paper exchange misses frames of the venue, and fills nothing.
    pub gap_since: Option<Timestamp>,
    /// Lines that the paper exchange received about the venue and could not use.
    pub unreadable_lines: u64,
}

/// What a market's last day was, and when it next pays funding; unknown where its source does not report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DayStats {
    /// Of the mark over 24 hours, as a fraction.
    pub change: Option<Num>,
    /// Traded in 24 hours, USD.
    pub volume: Option<Num>,
    /// USD.
    pub open_interest: Option<Num>,
    /// By the source's clock.
    pub next_funding_at: Option<Timestamp>,
}

impl From<Listing> for Market {
    /// Without prices.
    fn from(listing: Listing) -> Self {
        Self {
            id: listing.market_id,
            provider: listing.provider,
            symbol: listing.symbol,
            coin: listing.coin,
            category: listing.category,
            trading_enabled: listing.trading_enabled,
            reduce_only: listing.reduce_only,
            size_decimals: listing.size_decimals,
            max_leverage: listing.max_leverage,
            ..Self::default()
        }
    }
}

impl Market {
    /// A market that no list describes: its names are those of its id.
    pub fn new(id: MarketId) -> Self {
        Self {
            provider: id.provider().into(),
            symbol: id.coin(),
            coin: id.coin(),
            id,
            ..Self::default()
        }
    }

    /// With the prices of `quote`, as old as they are.
    #[must_use]
    pub fn priced(self, quote: &Quote) -> Self {
        Self {
            mark: quote.mark(),
            bid: quote.bid,
            ask: quote.ask,
            updated_at: quote.time,
            ..self
        }
    }

    /// The same market, if its prices can be prices at all: above 0, and the bid below the ask.
    ///
    /// # Errors
    /// Which one cannot, in words.
    pub fn believed(self) -> Result<Self, String> {
        let named = [("mark", self.mark), ("bid", self.bid), ("ask", self.ask)];
        for (name, price) in named {
            if let Some(price) = price.filter(|price| !price.is_positive()) {
                return Err(format!("the {name} of {} is {price}, not above 0", self.id));
            }
        }
        match self.bid.zip(self.ask).filter(|(bid, ask)| bid >= ask) {
            Some((bid, ask)) => Err(format!(
                "the prices of {} are crossed: bid {bid} is not below ask {ask}",
                self.id
            )),
            None => Ok(self),
        }
    }

    /// Why nothing may be opened in it now, in words; `None` if the service allows it.
    pub fn refuses_entries(&self) -> Option<String> {
        let why = match (self.trading_enabled, self.reduce_only) {
            (Some(false), _) => "is not traded now",
            (_, Some(true)) => "takes reduce-only orders only",
            (_, Some(false) | None) => return None,
        };
        Some(format!("{} {why}", self.symbol))
    }

    /// Halfway between the best bid and the best ask, else the mark.
    pub fn mid(&self) -> Option<Num> {
        let between = self
            .bid
            .zip(self.ask)
            .and_then(|(b, a)| b.plus(a)?.over(Num::from(2_u32)));
        between.or(self.mark)
    }

    /// The best fill price of an order of this side now, and how many percent worse `price` is; negative if it waits.
    pub fn through(&self, side: Side, price: Num) -> Option<(Num, Num)> {
        let (best, worse) = match side {
            Side::Buy => (self.ask, Num::ONE),
            Side::Sell => (self.bid, Num::ONE.negated()),
        };
        let best = best.or_else(|| self.mid())?;
        let percent = price.percent_from(best)?.times(worse)?;
        Some((best, percent))
    }

    /// The price step at `price`; if unknown, five significant figures (Hyperliquid's tick rule).
    pub fn tick(&self, price: Num) -> Option<Tick> {
        match self.grid {
            Grid::Guessed => self.by_figures(price, FIGURES),
            Grid::Figures(figures) => self.by_figures(price, figures),
            Grid::Step(step) => Tick::of(step),
        }
    }

    /// The price step at `price`, only if the source states it.
    pub fn stated_tick(&self, price: Num) -> Option<Tick> {
        (self.grid != Grid::Guessed).then(|| self.tick(price))?
    }

    /// The step of price distances, if known.
    pub fn stated_offset_tick(&self) -> Option<Tick> {
        match self.grid {
            // A distance has no significant figures of its own: it uses the finest price.
            Grid::Figures(_) => Some(Tick::fine(self.finest_decimals()?)),
            Grid::Guessed | Grid::Step(_) => None,
        }
    }

    fn finest_decimals(&self) -> Option<u32> {
        Some(6_u32.saturating_sub(self.size_decimals?))
    }

    /// At most this many significant figures and `6 − size_decimals` decimals; integers always.
    fn by_figures(&self, price: Num, figures: u32) -> Option<Tick> {
        Some(Tick::fine(
            decimals(price, figures).min(self.finest_decimals()?),
        ))
    }
}

impl Tick {
    /// The price step of a market at `price`; guessed where the market or its grid is not known.
    pub fn at(market: Option<&Market>, price: Num) -> Self {
        let stated = market.and_then(|market| market.tick(price));
        stated.unwrap_or_else(|| Self::fine(decimals(price, FIGURES).min(FINEST)))
    }
}

/// No market is finer.
const FINEST: u32 = 12;

/// How many decimals this many significant figures leave.
fn decimals(price: Num, figures: u32) -> u32 {
    let whole = price.abs().truncated(0);
    if whole.is_zero() {
        return figures.saturating_sub(1) + leading_zeros(price);
    }
    let before = u32::try_from(whole.to_string().len());
    figures.saturating_sub(before.unwrap_or(u32::MAX))
}

/// Zeros between the point and the first significant digit: 0.00123 has two.
fn leading_zeros(price: Num) -> u32 {
    let text = price.abs().to_string();
    let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
    let zeros = fraction.bytes().take_while(|b| *b == b'0').count();
    u32::try_from(zeros).unwrap_or(0) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(price: &str, size_decimals: u32) -> String {
        let market = Market {
            size_decimals: Some(size_decimals),
            ..Market::new("paper|X".into())
        };
        let tick = market.tick(price.parse().unwrap()).unwrap();
        tick.step().to_string()
    }

    #[test]
    fn a_price_that_can_be_none_is_refused_whoever_tells_it() {
        let num = |text: &str| text.parse().ok();
        let priced = |mark, bid, ask| Market {
            mark: num(mark),
            bid: num(bid),
            ask: num(ask),
            ..Market::new("paper|X".into())
        };
        assert!(priced("100", "99", "101").believed().is_ok());
        assert!(priced("", "", "").believed().is_ok(), "nothing is told");
        for (market, words) in [
            (
                priced("0", "99", "101"),
                "the mark of paper|X is 0, not above 0",
            ),
            (
                priced("100", "-1", "101"),
                "the bid of paper|X is -1, not above 0",
            ),
            (
                priced("100", "101", "101"),
                "the prices of paper|X are crossed: bid 101 is not below ask 101",
            ),
        ] {
            assert_eq!(market.believed(), Err(words.to_owned()));
        }
    }

    #[test]
    fn a_market_of_the_list_has_its_limits_and_takes_the_prices_of_a_quote() {
        let listing: Listing = serde_json::from_str(
            r#"{"market_id":"hyperliquid|xyz:TSLA","provider":"hyperliquid","symbol":"TSLA","coin":"xyz:TSLA",
                "size_decimals":3,"max_leverage":10,"trading_enabled":true,"reduce_only":true}"#,
        )
        .unwrap();
        let market = Market::from(listing);
        let why = market.refuses_entries();
        assert_eq!(why.as_deref(), Some("TSLA takes reduce-only orders only"));
        let quote = Quote {
            bid: "249".parse().ok(),
            ask: "251".parse().ok(),
            mid: "250".parse().ok(),
            time: Some(Timestamp(7)),
            ..Quote::default()
        };
        let priced = market.priced(&quote);
        assert_eq!(
            (priced.mark, priced.updated_at),
            ("250".parse().ok(), Some(Timestamp(7)))
        );
        assert_eq!(
            (priced.size_decimals, priced.grid),
            (Some(3), Grid::Guessed)
        );
    }

    #[test]
    fn price_steps_follow_five_significant_figures() {
        for (price, decimals, step) in [
            ("65432", 5, "1"),
            ("123456", 5, "1"),
            ("3000.1", 4, "0.1"),
            ("1234.5", 0, "0.1"),
            ("0.001234", 0, "0.000001"),
            ("0.01234", 1, "0.00001"),
            ("150.12", 2, "0.01"),
        ] {
            assert_eq!(tick(price, decimals), step, "{price}");
        }
    }
}
