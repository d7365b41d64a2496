//! Totals of the history read so far. Updated with each answer, so that a hundred thousand rows cost no more than a
//! page.

pub(crate) mod days;
mod fold;
mod sum;

pub(crate) use fold::Tally;
pub use sum::Sum;

use super::feed::RowChange;
use crate::model::{
    Lenient, LiquidityRole, MarketId, Num, Order, OrderId, OrderMode, OrderStatus, Position, Text,
    Timestamp, Zone,
};
use std::{collections::BTreeMap, time::Duration};
use sum::join;

/// The closed positions with a known net profit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Results {
    pub count: usize,
    pub wins: usize,
    pub losses: usize,
    /// USD, as the three below: the winners' profit, the losers' loss, received and paid.
    pub gained: Sum,
    pub lost: Sum,
    pub fees: Sum,
    pub funding: Sum,
}

impl Results {
    pub fn net(&self) -> Option<Num> {
        self.gained.value()?.plus(self.lost.value()?)
    }

    /// The share of positions with a net profit.
    pub fn win_rate(&self) -> Option<Num> {
        share(self.wins, self.count)
    }

    /// The average net profit of a position.
    pub fn expectancy(&self) -> Option<Num> {
        Sum(self.net()).over(self.count)
    }

    pub fn average_win(&self) -> Option<Num> {
        self.gained.over(self.wins)
    }

    pub fn average_loss(&self) -> Option<Num> {
        self.lost.over(self.losses)
    }

    /// The winners' profit per dollar of the losers' loss.
    pub fn profit_factor(&self) -> Option<Num> {
        self.gained.value()?.over(self.lost.value()?.abs())
    }
}

impl Tally<Position> for Results {
    fn count(&mut self, position: &Position, change: RowChange) {
        let Some(net) = position.net_pnl() else {
            return;
        };
        change.step(&mut self.count);
        if net.is_positive() {
            change.step(&mut self.wins);
            self.gained.add(change.signed(net));
        } else if net.is_negative() {
            change.step(&mut self.losses);
            self.lost.add(change.signed(net));
        }
        self.fees
            .add(change.signed(position.fees.unwrap_or_default()));
        self.funding
            .add(change.signed(position.funding.unwrap_or_default()));
    }
}

/// The same by market.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MarketResults(pub BTreeMap<MarketId, Results>);

impl Tally<Position> for MarketResults {
    fn count(&mut self, position: &Position, change: RowChange) {
        let results = self.0.entry(position.market_id.clone()).or_default();
        results.count(position, change);
        if results.count == 0 {
            self.0.remove(&position.market_id);
        }
    }
}

/// Execution quality by market, and refusals.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quality {
    pub markets: BTreeMap<MarketId, Fills>,
    pub rules: BTreeMap<Text, Rule>,
}

/// The orders of one market, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fills {
    /// Every row, including those of partial fills.
    rows: usize,
    pub orders: usize,
    pub rejected: usize,
    /// Orders with a fill at a known price.
    pub filled: usize,
    /// Totals of the orders' own rows, and of the rows of partial fills.
    own: Executed,
    parts: Executed,
    /// Rows which show that the two must be added: see [`Order::adds_to_its_parts`].
    additive: usize,
    settle_millis: Sum,
    settled: usize,
}

/// The refusals by one rule, or by one reason without a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub count: usize,
    /// The newest refused order, and when it was requested.
    pub last: OrderId,
    pub last_at: Timestamp,
    /// The service's message about it.
    pub reason: Option<Text>,
}

impl Quality {
    /// All markets together.
    pub fn total(&self) -> Fills {
        let mut total = Fills::default();
        self.markets.values().for_each(|fills| total.join(fills));
        total
    }

    fn refused(&mut self, order: &Order, change: RowChange) {
        let name = order
            .reject_rule_id
            .as_ref()
            .or(order.reject_reason.as_ref());
        let name = name.cloned().unwrap_or_default();
        let rule = self.rules.entry(name.clone()).or_insert_with(|| Rule {
            count: 0,
            last: order.id.clone(),
            last_at: order.requested_at,
            reason: order.reject_reason.clone(),
        });
        change.step(&mut rule.count);
        if change == RowChange::Added && order.requested_at >= rule.last_at {
            rule.last = order.id.clone();
            rule.last_at = order.requested_at;
            rule.reason.clone_from(&order.reject_reason);
        }
        if rule.count == 0 {
            self.rules.remove(&name);
        }
    }
}

impl Tally<Order> for Quality {
    fn count(&mut self, order: &Order, change: RowChange) {
        let fills = self.markets.entry(order.market_id.clone()).or_default();
        fills.count(order, change);
        if fills.rows == 0 {
            self.markets.remove(&order.market_id);
        }
        if order.status.is(&OrderStatus::Rejected) {
            self.refused(order, change);
        }
    }
}

impl Fills {
    /// Every fill once, however the service reports an order that filled in parts.
    pub fn executed(&self) -> Executed {
        let mut all = self.own;
        if self.additive > 0 {
            all.join(self.parts);
        }
        all
    }

    /// Better (+) or worse (−) than expected, or than the trigger, in basis points, weighted by size.
    pub fn bps(&self) -> Option<Num> {
        let executed = self.executed();
        let share = executed.gain.value()?.over(executed.expected.value()?)?;
        share.times(Num::from(10_000_u32))
    }

    pub fn maker_share(&self) -> Option<Num> {
        let executed = self.executed();
        share(executed.makers, executed.roles)
    }

    /// The mean time from request to last fill, of taker orders: the resting time of a limit or trigger says nothing
    /// about the service.
    pub fn settle_time(&self) -> Option<Duration> {
        let millis = self.settle_millis.over(self.settled)?.to_i64()?;
        u64::try_from(millis).ok().map(Duration::from_millis)
    }

    /// The row of a partial fill is no order of its own.
    fn count(&mut self, order: &Order, change: RowChange) {
        let is_order = order.partial_of_order_id.is_none();
        change.step(&mut self.rows);
        if is_order {
            change.step(&mut self.orders);
        }
        if order.status.is(&OrderStatus::Rejected) {
            change.step(&mut self.rejected);
        }
        if order.adds_to_its_parts() {
            change.step(&mut self.additive);
        }
        if is_order {
            self.own.count(order, change);
        } else {
            self.parts.count(order, change);
        }
        if order.fill_price.is_none() {
            return;
        }
        if is_order {
            change.step(&mut self.filled);
        }
        if let Some(time) = order.settle_time().filter(|_| is_order && took(order)) {
            change.step(&mut self.settled);
            let millis = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
            self.settle_millis.add(change.signed(Num::from(millis)));
        }
    }

    /// Adds the other's totals, which include its parts where they count.
    fn join(&mut self, other: &Self) {
        let counts = [
            (&mut self.rows, other.rows),
            (&mut self.orders, other.orders),
            (&mut self.rejected, other.rejected),
            (&mut self.filled, other.filled),
            (&mut self.settled, other.settled),
        ];
        sum::join(counts, [(&mut self.settle_millis, other.settle_millis)]);
        self.own.join(other.executed());
    }
}

/// Whether it filled as soon as possible.
fn took(order: &Order) -> bool {
    let role = order.liquidity_role.as_ref().and_then(Lenient::known);
    let is_taker = match role {
        Some(role) => role == LiquidityRole::Taker,
        None => order.mode.is(&OrderMode::Market),
    };
    is_taker && order.trigger_price.is_none()
}

fn share(part: usize, whole: usize) -> Option<Num> {
    let number = |count| u32::try_from(count).ok().map(Num::from);
    number(part)?.over(number(whole)?)
}

/// Totals of rows with fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Executed {
    pub fills: usize,
    /// Fills with a reference price.
    pub measured: usize,
    /// Fills with a known role.
    pub(super) makers: usize,
    pub(super) roles: usize,
    /// Against the expected or trigger price, USD; and the value at those prices, USD.
    pub gain: Sum,
    pub(super) expected: Sum,
    pub fees: Sum,
}

impl Executed {
    pub(super) fn count(&mut self, order: &Order, change: RowChange) {
        self.fees.add(change.signed(order.fee.unwrap_or_default()));
        if order.fill_price.is_none() {
            return;
        }
        change.step(&mut self.fills);
        let size = order.executed_size();
        let measured = order.fill_gain().zip(order.yardstick());
        let amounts =
            measured.and_then(|(gain, against)| gain.times(size).zip(against.price().times(size)));
        if let Some((gain, expected)) = amounts {
            change.step(&mut self.measured);
            self.gain.add(change.signed(gain));
            self.expected.add(change.signed(expected));
        }
        if let Some(role) = order.liquidity_role.as_ref().and_then(Lenient::known) {
            change.step(&mut self.roles);
            if role == LiquidityRole::Maker {
                change.step(&mut self.makers);
            }
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        let counts = [
            (&mut self.fills, other.fills),
            (&mut self.measured, other.measured),
            (&mut self.makers, other.makers),
            (&mut self.roles, other.roles),
        ];
        let sums = [
            (&mut self.gain, other.gain),
            (&mut self.expected, other.expected),
            (&mut self.fees, other.fees),
        ];
        join(counts, sums);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HourResults {
    zone: Zone,
    /// By the hour from 0 to 23; where clocks are set back, an hour that comes twice is one.
    results: BTreeMap<usize, Results>,
}

impl HourResults {
    /// By the clocks of this zone.
    pub fn by(zone: Zone) -> Self {
        Self {
            zone,
            ..Self::default()
        }
    }

    /// The hours in which something closed, from midnight on.
    pub fn all(&self) -> impl Iterator<Item = (usize, &Results)> {
        self.results.iter().map(|(hour, results)| (*hour, results))
    }
}

impl Tally<Position> for HourResults {
    fn count(&mut self, position: &Position, change: RowChange) {
        let Some(hour) = position.closed_at.and_then(|at| self.zone.hour(at)) else {
            return;
        };
        let results = self.results.entry(hour).or_default();
        results.count(position, change);
        if results.count == 0 {
            self.results.remove(&hour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::account::feed::AnswerDiff;
    use crate::app::testing::{num, order, position};
    use std::collections::VecDeque;

    fn results(nets: &[&str]) -> (Results, Vec<Position>) {
        let row = |net: &&str| {
            let more = format!(r#""realized_pnl":{net},"fees":0,"funding":0"#);
            position("p", "BTC", "1", &more)
        };
        let rows: Vec<_> = nets.iter().map(row).collect();
        let mut results = Results::default();
        let churn = AnswerDiff {
            gone: vec![],
            cut: vec![],
            come: 0..rows.len(),
            top: 0..rows.len(),
        };
        results.take(&churn, &rows.clone().into());
        (results, rows)
    }

    #[test]
    fn closed_positions_come_to_a_net_a_win_rate_and_an_expectancy() {
        let (results, _) = results(&["30", "-10", "10", "0"]);
        assert_eq!(results.net(), Some(num("30")));
        assert_eq!(results.win_rate(), Some(num("0.5")));
        assert_eq!(results.expectancy(), Some(num("7.5")));
        assert_eq!(results.average_loss(), Some(num("-10")));
        assert_eq!(results.profit_factor(), Some(num("4")));
    }

    #[test]
    fn what_leaves_the_list_is_taken_back() {
        let (mut results, rows) = results(&["30", "-10"]);
        let mut by_market = MarketResults::default();
        let come = AnswerDiff {
            gone: vec![],
            cut: vec![],
            come: 0..2,
            top: 0..2,
        };
        by_market.take(&come, &rows.clone().into());
        let btc = MarketId::from("paper|BTC");
        assert_eq!(by_market.0, BTreeMap::from([(btc, results)]));
        let churn = AnswerDiff {
            gone: rows,
            cut: vec![],
            come: 0..0,
            top: 0..0,
        };
        results.take(&churn, &VecDeque::new());
        assert_eq!(results, Results::default());
        by_market.take(&churn, &VecDeque::new());
        assert_eq!(by_market, MarketResults::default());
    }

    fn filled(market: &str, side: &str, price: &str, more: &str) -> Order {
        let json = format!(
            r#""type":"market","mode":"market","side":"{side}","size":2,"filled_size":2,"status":"filled",
            "fill_price":{price}{more}"#
        );
        order("o", market, &json)
    }

    #[test]
    fn fills_are_measured_against_what_was_expected_by_market_and_side() {
        // The expected price of each is 64 000.
        let rows = vec![
            filled("BTC", "buy", "63936", r#","liquidity_role":"maker""#),
            filled("BTC", "buy", "64128", r#","liquidity_role":"taker""#),
            filled("ETH", "sell", "63936", ""),
        ];
        let mut quality = Quality::default();
        let churn = AnswerDiff {
            gone: vec![],
            cut: vec![],
            come: 0..3,
            top: 0..3,
        };
        quality.take(&churn, &rows.clone().into());
        let of = |market: &str| quality.markets[&MarketId::from(market)];
        assert_eq!(of("paper|BTC").bps(), Some(num("-5")));
        assert_eq!(of("paper|BTC").maker_share(), Some(num("0.5")));
        assert_eq!(of("paper|ETH").bps(), Some(num("-10")));
        assert_eq!(of("paper|ETH").maker_share(), None);
        assert_eq!(quality.total().executed().gain.value(), Some(num("-256")));
    }

    #[test]
    fn an_order_that_waited_for_a_price_is_measured_against_that_price() {
        // The observed price of each was 64 000.
        let fired = |price: &str, more: &str| {
            let json = format!(
                r#""type":"stop_market","mode":"conditional","side":"sell","size":2,"filled_size":2,
                "status":"filled","fill_price":{price},"trigger_price":60000{more}"#
            );
            order("o", "BTC", &json)
        };
        let stop = fired("59940", "");
        assert_eq!(stop.fill_bps(), Some(num("-10")));
        let own_mark = fired("59940", r#","trigger_market_id":"paper|BTC""#);
        assert_eq!(own_mark.fill_bps(), Some(num("-10")));
        let elsewhere = fired("70", r#","trigger_market_id":"paper|ETH""#);
        assert_eq!(elsewhere.fill_bps(), None);
        let total = Quality::of([stop, elsewhere].iter()).total();
        assert_eq!(total.bps(), Some(num("-10")));
        assert_eq!(total.executed().gain.value(), Some(num("-120")));
        assert_eq!((total.filled, total.executed().measured), (2, 1));
    }

    #[test]
    fn an_order_that_was_filled_in_parts_is_one_order_and_counts_each_part_once() {
        let row = |id: &str, json: &str| {
            let json = format!(
                r#""type":"limit","mode":"limit","side":"buy","initial_size":1,"size":0.5,"status":"filled",
                "fill_price":63936,"fee":2,"settled_at":1790000024000{json}"#
            );
            let mut order = order(id, "BTC", &json);
            order.requested_at = Timestamp(1_790_000_000_000);
            order
        };
        let part = r#","filled_size":0.5,"partial_of_order_id":"o-1","liquidity_role":"taker""#;
        let rest = r#","filled_size":1,"liquidity_role":"maker""#;
        let rows = [row("o-2", part), row("o-1", rest)];
        let mut quality = Quality::of(rows.iter());
        let total = quality.total();
        let executed = total.executed();
        assert_eq!((total.orders, total.filled, executed.fills), (1, 1, 2));
        assert_eq!(executed.gain.value(), Some(num("64")));
        assert_eq!(total.bps(), Some(num("10")));
        assert_eq!(executed.fees.value(), Some(num("4")));
        assert_eq!(total.maker_share(), Some(num("0.5")));
        assert_eq!(total.settle_time(), None, "it has rested");
        for row in &rows {
            quality.count(row, RowChange::Removed);
        }
        assert_eq!(quality, Quality::default());
    }

    // The paper exchange reports all of an order on its own row, and each part of it again.
    #[test]
    fn an_order_whose_own_row_tells_all_of_it_is_counted_without_its_parts() {
        let row = |id: &str, json: &str| {
            let json = format!(
                r#""type":"limit","mode":"limit","side":"buy","initial_size":1,"fill_price":63936{json}"#
            );
            order(id, "BTC", &json)
        };
        let part = |id: &str, of: &str| {
            let json = format!(
                r#","size":0.4,"filled_size":0.4,"fee":2,"status":"filled","partial_of_order_id":"{of}""#
            );
            row(id, &json)
        };
        let ended = |status: &str, more: &str| format!(r#","status":"{status}",{more}"#);
        let whole = ended("filled", r#""size":0.8,"filled_size":0.8,"fee":4"#);
        let half = ended("canceled", r#""size":0.2,"filled_size":0.8,"fee":4"#);
        let (whole, half) = (row("o-1", &whole), row("o-4", &half));
        let rows = [
            part("o-6", "o-4"),
            part("o-5", "o-4"),
            part("o-3", "o-1"),
            part("o-2", "o-1"),
            half,
            whole,
        ];
        let total = Quality::of(rows.iter()).total();
        let executed = total.executed();
        assert_eq!((total.orders, total.filled), (2, 2));
        assert_eq!(executed.gain.value(), Some(num("102.4")));
        assert_eq!(executed.fees.value(), Some(num("8")));
        assert_eq!(total.bps(), Some(num("10")));
    }

    #[test]
    fn only_what_took_at_once_tells_how_soon_orders_are_filled() {
        let row = |millis: i64, json: &str| {
            let json = format!(
                r#""type":"market","side":"buy","size":1,"status":"filled","fill_price":63936{json}"#
            );
            let mut order = order("o", "BTC", &json);
            order.requested_at = Timestamp(1_000);
            order.settled_at = Some(Timestamp(1_000 + millis));
            order
        };
        let rows = [
            row(100, r#","mode":"market""#),
            row(300, r#","mode":"limit","liquidity_role":"taker""#),
            row(24_000, r#","mode":"limit","liquidity_role":"maker""#),
            row(
                9_000,
                r#","mode":"stop_market","liquidity_role":"taker","trigger_price":64100"#,
            ),
        ];
        let total = Quality::of(rows.iter()).total();
        assert_eq!(total.settle_time(), Some(Duration::from_millis(200)));
    }

    #[test]
    fn refusals_are_counted_by_rule_with_the_newest_one_at_hand() {
        let refused = |id: &str, at: i64, reason: &str| {
            let json = format!(
                r#""type":"market","mode":"market","side":"buy","size":1,"status":"rejected",
                "reject_rule_id":"max_position","reject_reason":"{reason}""#
            );
            let mut order = order(id, "BTC", &json);
            order.requested_at = Timestamp(at);
            order
        };
        let rows = vec![
            refused("o-2", 20, "too large by 2"),
            refused("o-1", 10, "too large by 1"),
        ];
        let mut quality = Quality::default();
        let churn = AnswerDiff {
            gone: vec![],
            cut: vec![],
            come: 0..2,
            top: 0..2,
        };
        quality.take(&churn, &rows.clone().into());
        let rule = Rule {
            count: 2,
            last: "o-2".into(),
            last_at: Timestamp(20),
            reason: Some("too large by 2".into()),
        };
        assert_eq!(
            quality.rules,
            BTreeMap::from([("max_position".into(), rule)])
        );
    }

    /// 2026-09-21 00:00 UTC.
    const MIDNIGHT: i64 = 1_789_948_800_000;

    #[test]
    fn each_hour_counts_what_was_closed_in_it_on_any_day() {
        let closed = |millis: i64, net: &str| {
            let at = MIDNIGHT + millis;
            let more = format!(r#""realized_pnl":{net},"fees":0,"funding":0,"closed_at":{at}"#);
            position("p", "BTC", "1", &more)
        };
        let rows = vec![closed(0, "5"), closed(-1, "-2"), closed(-86_400_001, "-4")];
        let churn = |gone, come| AnswerDiff {
            gone,
            cut: vec![],
            come,
            top: 0..0,
        };
        let mut hours = HourResults::by(Zone::utc());
        hours.take(&churn(vec![], 0..3), &rows.clone().into());
        let told = hours.all();
        let told: Vec<_> = told
            .map(|(hour, results)| (hour, results.count, results.net()))
            .collect();
        let expected = [(0, 1, Some(num("5"))), (23, 2, Some(num("-6")))];
        assert_eq!(told, expected);
        hours.take(&churn(rows, 0..0), &VecDeque::new());
        assert_eq!(hours, HourResults::by(Zone::utc()));
    }
}
