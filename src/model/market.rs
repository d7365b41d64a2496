//! Facts beyond the documented API: prices and account figures from a configured source.

use super::{Grid, MarketId, Num, Side, Text, Tick, Timestamp};

/// Significant figures of a price if the source does not say.
const FIGURES: u32 = 5;

/// The prices of one market, USD. A value that the source lacks stays unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct Market {
    pub id: MarketId,
    pub mark: Option<Num>,
    pub bid: Option<Num>,
    pub ask: Option<Num>,
    /// Decimals of a size; the lot is 10^-size_decimals.
    pub size_decimals: Option<u32>,
    pub max_leverage: Option<u32>,
    pub grid: Grid,
    /// Per hour, as a fraction: 0.0000125 is 0.00125 %.
    pub funding_rate: Option<Num>,
    /// When the prices were made, by the source's clock.
    pub updated_at: Option<Timestamp>,
}

impl Market {
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
    pub fn told_tick(&self, price: Num) -> Option<Tick> {
        (self.grid != Grid::Guessed).then(|| self.tick(price))?
    }

    /// The step of price distances, if known.
    pub fn told_offset_tick(&self) -> Option<Tick> {
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
    /// For a market with no known grid.
    pub fn guessed(price: Num) -> Self {
        Self::fine(decimals(price, FIGURES).min(FINEST))
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

/// One rule of a challenge: the measured value and the limit, both in the rule's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleFact {
    pub id: Text,
    pub value: Num,
    pub limit: Num,
    /// The value at 0 % of the limit, for rules that have one: for a drawdown the start, or the peak it trails.
    pub from: Option<Num>,
}

/// The account's figures and challenge state, USD unless stated otherwise.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AccountFacts {
    pub equity: Option<Num>,
    pub cash: Option<Num>,
    pub available_margin: Option<Num>,
    /// Profit since the day's start, unrealised included.
    pub day_pnl: Option<Num>,
    /// Share of the permitted daily loss not yet used, 0 to 1.
    pub daily_loss_left: Option<Num>,
    /// The account's initial cash.
    pub starting_cash: Option<Num>,
    /// The challenge rules.
    pub rules: Vec<RuleFact>,
    /// The challenge state in the source's word: `active`, `breached`, `passed`.
    pub standing: Option<Text>,
    /// The rule that ended it.
    pub broken_rule: Option<Text>,
    /// The source's clock at its response.
    pub as_of: Option<Timestamp>,
}

impl AccountFacts {
    /// Whether the challenge is lost: no opening order is accepted any more.
    pub fn is_breached(&self) -> bool {
        let is_said = |word: &Text| word.raw() == "breached";
        self.broken_rule.is_some() || self.standing.as_ref().is_some_and(is_said)
    }

    /// The value of the largest position and the limit for one, USD.
    pub fn largest_position(&self) -> Option<(Num, Num)> {
        let rule = self.rule("max_position_notional")?;
        Some((rule.value, rule.limit))
    }

    /// The minimum order value, USD.
    pub fn smallest_order(&self) -> Option<Num> {
        Some(self.rule("min_order_notional")?.limit)
    }

    fn rule(&self, id: &str) -> Option<&RuleFact> {
        self.rules.iter().find(|rule| rule.id.raw() == id)
    }

    /// Whether the challenge is won.
    pub fn is_passed(&self) -> bool {
        let is_said = |word: &Text| word.raw() == "passed";
        !self.is_breached() && self.standing.as_ref().is_some_and(is_said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(price: &str, size_decimals: u32) -> String {
        let market = Market {
            id: "paper|X".into(),
            mark: None,
            bid: None,
            ask: None,
            size_decimals: Some(size_decimals),
            max_leverage: None,
            grid: Grid::default(),
            funding_rate: None,
            updated_at: None,
        };
        let tick = market.tick(price.parse().unwrap()).unwrap();
        tick.step().to_string()
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
