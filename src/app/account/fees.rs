//! Trading fees as far as they are known: from the service's fills, otherwise from the settings.
//!
//! Contract: exact; an unknown rate is `None`. The rate comes from the newest fill, in the same market if there is one.
//!
//! Known limit: only the newest `RECENT` orders are searched, so that a frame's cost does not grow with the history.
//! With volume-based fees the rate is the one at that fill.

use super::store::Store;
use crate::{
    config::Fees,
    model::{Charges, Lenient, LiquidityRole, MarketId, Num, Order, OrderStatus},
};

const RECENT: usize = 200;

/// Of the notional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rate {
    pub share: Num,
    pub origin: Origin,
}

/// The source of a rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The newest such fill, in this market.
    Fill(MarketId),
    Settings,
}

/// The rate for this role in this market.
pub fn rate(
    (store, fees): (&Store, &Fees),
    market: &MarketId,
    role: LiquidityRole,
) -> Option<Rate> {
    let orders = store.history.rows().iter().take(RECENT);
    let charged_shares = orders.filter_map(|order| Some((&order.market_id, charged(order, role)?)));
    let (own, other): (Vec<_>, Vec<_>) = charged_shares.partition(|(of, _)| *of == market);
    let newest = own.first().or(other.first());
    let by_fill = newest.map(|(of, share)| Rate {
        share: *share,
        origin: Origin::Fill((*of).clone()),
    });
    by_fill.or_else(|| {
        let share = fees.of(role)?.over(Num::from(10_000_u32))?;
        Some(Rate {
            share,
            origin: Origin::Settings,
        })
    })
}

/// The rates without their source.
pub fn charges(sources: (&Store, &Fees), market: &MarketId) -> Charges {
    let share = |role| rate(sources, market, role).map(|rate| rate.share);
    Charges {
        taker: share(LiquidityRole::Taker),
        maker: share(LiquidityRole::Maker),
    }
}

/// The fee rate of a filled order with this role, to a hundredth of a basis point: amounts may be rounded to cents.
fn charged(order: &Order, role: LiquidityRole) -> Option<Num> {
    let is_of = order.liquidity_role.as_ref().and_then(Lenient::known) == Some(role);
    if !is_of || !order.status.is(&OrderStatus::Filled) {
        return None;
    }
    let traded = || {
        let size = order.filled_size.unwrap_or(order.size).abs();
        order.fill_price?.times(size)
    };
    let share = order.fee?.over(order.notional.or_else(traded)?)?;
    Some(share.rounded(6).normalized())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{account::poll::Answer, desk::model::Model, testing::*},
        model::Page,
    };

    fn fill(id: &str, symbol: &str, more: &str) -> Order {
        let filled = r#""type":"limit","mode":"limit","side":"buy","size":0.2,"status":"filled","#;
        order(id, symbol, &format!("{filled}{more}"))
    }

    fn known(rows: Vec<Order>) -> Model {
        let mut model = desk();
        arrive(&mut model, Answer::History(Ok(Page::of(rows))));
        model
    }

    fn stated(model: &Model, symbol: &str, role: LiquidityRole) -> Option<(String, Origin)> {
        let market = MarketId::from(format!("paper|{symbol}").as_str());
        let sources = (&*model.account.store, &model.account.options.fees);
        rate(sources, &market, role).map(|rate| (rate.share.to_string(), rate.origin))
    }

    #[test]
    fn a_rate_is_what_the_newest_fill_of_the_market_cost() {
        let model = known(vec![
            fill(
                "o3",
                "ETH",
                r#""notional":1000,"fee":0.5,"liquidity_role":"taker""#,
            ),
            fill(
                "o2",
                "BTC",
                r#""fill_price":63985.5,"fee":5.76,"liquidity_role":"taker""#,
            ),
            fill(
                "o1",
                "BTC",
                r#""notional":1000,"fee":0.15,"liquidity_role":"maker""#,
            ),
        ]);
        let fill = |symbol: &str| Origin::Fill(format!("paper|{symbol}").as_str().into());
        let taker = |symbol| stated(&model, symbol, LiquidityRole::Taker);
        assert_eq!(taker("BTC"), Some(("0.00045".to_owned(), fill("BTC"))));
        assert_eq!(taker("ETH"), Some(("0.0005".to_owned(), fill("ETH"))));
        assert_eq!(taker("SOL"), Some(("0.0005".to_owned(), fill("ETH"))));
        let maker = stated(&model, "ETH", LiquidityRole::Maker);
        assert_eq!(maker, Some(("0.00015".to_owned(), fill("BTC"))));
    }

    #[test]
    fn where_no_fill_tells_the_settings_count_and_nothing_is_made_up() {
        let mut model = known(vec![
            fill("o3", "BTC", r#""notional":1000,"fee":0.5"#),
            fill(
                "o2",
                "BTC",
                r#""notional":0,"fee":0.5,"liquidity_role":"taker""#,
            ),
            fill("o1", "BTC", r#""notional":1000,"liquidity_role":"taker""#),
        ]);
        assert_eq!(stated(&model, "BTC", LiquidityRole::Taker), None);
        model.account.options.fees.taker_bps = Some(num("4.5"));
        let set = Some(("0.00045".to_owned(), Origin::Settings));
        assert_eq!(stated(&model, "BTC", LiquidityRole::Taker), set);
        assert_eq!(stated(&model, "BTC", LiquidityRole::Maker), None);
    }
}
