//! What the service says that the account may do now: entries that it would refuse are not sent.
//!
//! Contract: pure. Only what is reported is held against an order; what is not reported allows it, and the service decides
//! (docs/service-api.md 2.6). Closes, cancels and reductions never ask it. The pause between two orders
//! (`order_cooldown_ms`) holds nothing back: only the service knows which orders begin it, and its answer says how long
//! to wait.

use crate::{
    app::account::store::Store,
    model::{
        Bps, KeyScope, MarketId, Num, PlaceOrder, Position, READ_ONLY_KEY, Side, SlippageTolerance,
        TradingLimits,
    },
};

/// Why nothing may be opened now, in `market` or anywhere, if so.
pub(crate) fn refuses(store: &Store, market: Option<&MarketId>) -> Option<String> {
    if store.key_scope == Some(KeyScope::ReadOnly) {
        return Some(READ_ONLY_KEY.to_owned());
    }
    let account = store.account.value();
    let by_account = account.and_then(|facts| facts.refuses_entries(market));
    by_account.or_else(|| {
        let market = store.market(market?)?;
        market.refuses_entries().or_else(|| {
            let (policy, category) = (account?.policy.as_ref()?, market.category.as_ref()?);
            let is_halted = policy.halts(category);
            is_halted.then(|| format!("the service has halted trading in {category}"))
        })
    })
}

/// Why the service would refuse this entry, if so.
pub(super) fn objection(store: &Store, order: &PlaceOrder) -> Option<String> {
    refuses(store, Some(&order.market_id)).or_else(|| {
        let policy = store.account.value()?.policy.as_ref()?;
        let limits = policy.limits.clone().unwrap_or_default();
        too_many(&limits, store, order)
            .or_else(|| worth(&limits, store, order))
            .or_else(|| together(policy.maximum_total_notional_usd, store, order))
            .or_else(|| slippage(policy.slippage_tolerance_bps.as_ref()?, order))
    })
}

fn slippage(allowed: &SlippageTolerance, order: &PlaceOrder) -> Option<String> {
    let Bps(own) = order.slippage_tolerance?;
    let (side, bound) = allowed.outside(own, order.kind, order.market_id.provider())?;
    Some(format!(
        "a slippage of {own} bps is {side} the {bound} bps that the service allows"
    ))
}

/// An entry in a market without a position opens one more.
fn too_many(limits: &TradingLimits, store: &Store, order: &PlaceOrder) -> Option<String> {
    let most = limits.max_open_positions?;
    let open = store.positions.rows();
    let is_here = |position: &Position| position.market_id == order.market_id;
    let is_full = Num::from(u32::try_from(open.len()).unwrap_or(u32::MAX)) >= most;
    (is_full && !open.iter().any(is_here)).then(|| {
        format!(
            "{} positions are open, and the account may have {most}",
            open.len()
        )
    })
}

/// USD, at its own price or the market's.
fn notional(store: &Store, order: &PlaceOrder) -> Option<Num> {
    let own = order.limit_price.or(order.trigger_price);
    let price = own.or_else(|| store.market(&order.market_id)?.mid())?;
    order.size.times(price)
}

fn worth(limits: &TradingLimits, store: &Store, order: &PlaceOrder) -> Option<String> {
    let value = notional(store, order)?;
    let usd = |number: Num| number.rounded(2).grouped();
    if let Some(least) = limits.min_order_notional_usd.filter(|least| value < *least) {
        let (value, least) = (usd(value), usd(least));
        return Some(format!("{value} USD is below the {least} USD minimum"));
    }
    let most = limits.max_position_value_usd?;
    let held = |side: Side| {
        let is_here =
            |held: &&Position| held.market_id == order.market_id && held.side() == Some(side);
        let held = store.positions.rows().iter().find(is_here);
        held.and_then(|held| held.quantity().times(store.mark(&held.market_id)?))
            .unwrap_or_default()
    };
    // What closes the other side adds to no position.
    let added = value.minus(held(order.side.opposite()))?;
    let whole = added.plus(held(order.side))?;
    (whole > most).then(|| {
        let (whole, most) = (usd(whole), usd(most));
        format!("a position of {whole} USD is above the {most} USD that the account may have")
    })
}

/// With everything that is open, as far as that is priced.
fn together(most: Option<Num>, store: &Store, order: &PlaceOrder) -> Option<String> {
    let most = most?;
    let mut open = store.positions.rows().iter();
    let whole = open.try_fold(notional(store, order)?, |sum, held| {
        sum.plus(held.quantity().times(store.mark(&held.market_id)?)?)
    })?;
    let is_against = store.positions.rows().iter().any(|held| {
        held.market_id == order.market_id && held.side() == Some(order.side.opposite())
    });
    (whole > most && !is_against).then(|| {
        let (whole, most) = (whole.rounded(2).grouped(), most.rounded(2).grouped());
        format!("{whole} USD in all positions is above the {most} USD that the account may have")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            account::poll::Answer,
            desk::{model::Model, msg::Msg},
            rules::objection::objection,
            testing::*,
            update::router::update,
        },
        model::{
            AccountFacts, Command, Failure, FailureKind, PlaceKind, ServiceAbout,
            ServiceEnvironment, Ticket,
        },
        view,
    };

    /// A desk with a long of 0.5 BTC and a short of 100 SOL whose account has this policy.
    fn under(policy: &str) -> Model {
        let mut model = desk();
        let facts = AccountFacts {
            policy: Some(serde_json::from_str(policy).unwrap()),
            ..AccountFacts::default()
        };
        arrive(&mut model, Answer::Account(Ok(facts)));
        model
    }

    fn entry(market: &str, size: &str) -> PlaceOrder {
        PlaceOrder::market("chal-1".into(), market.into(), Side::Buy, num(size))
    }

    fn said(policy: &str, order: PlaceOrder) -> Option<String> {
        objection(&under(policy).account, &Command::from(order))
    }

    #[test]
    fn entries_that_the_policy_forbids_are_not_sent() {
        let btc = || entry("paper|BTC", "0.01");
        for (policy, words) in [
            (
                r#"{"trading_halt":{"platform":true}}"#,
                "the service has halted trading",
            ),
            (
                r#"{"trading_halt":{"platform":false,"categories":["stocks","crypto"]}}"#,
                "the service has halted trading in crypto",
            ),
            (
                r#"{"copy_follower_locked":true}"#,
                "this account copies another one: only that one opens positions",
            ),
            (
                r#"{"limits":{"min_order_notional_usd":1000}}"#,
                "640.00 USD is below the 1,000.00 USD minimum",
            ),
            (
                r#"{"limits":{"max_position_value_usd":32000}}"#,
                "a position of 32,640.00 USD is above the 32,000.00 USD that the account may have",
            ),
        ] {
            assert_eq!(said(policy, btc()).as_deref(), Some(words), "{policy}");
        }
        let two = r#"{"limits":{"max_open_positions":2}}"#;
        let words = "2 positions are open, and the account may have 2";
        assert_eq!(said(two, entry("paper|ETH", "1")).as_deref(), Some(words));
        assert_eq!(said(two, btc()), None, "it adds to an open one");
        let total = said(r#"{"maximum_total_notional_usd":40000}"#, btc());
        assert!(total.unwrap().starts_with("47,6"), "all positions together");
    }

    #[test]
    fn a_market_of_a_category_that_is_not_halted_is_open() {
        let halted = r#"{"trading_halt":{"categories":["stocks"]}}"#;
        assert_eq!(said(halted, entry("paper|BTC", "0.01")), None);
    }

    #[test]
    fn a_slippage_that_the_service_does_not_take_is_not_sent() {
        let policy = r#"{"slippage_tolerance_bps":{"min":5,"max":500,
            "market_order_maximum_by_provider":{"paper":100,"binance":50}}}"#;
        let order = |kind, bps| PlaceOrder {
            kind,
            slippage_tolerance: Some(Bps(num(bps))),
            ..entry("paper|BTC", "0.01")
        };
        for (kind, bps, words) in [
            (
                PlaceKind::Market,
                "4.9",
                Some("a slippage of 4.9 bps is below the 5 bps that the service allows"),
            ),
            (PlaceKind::Market, "5", None),
            (PlaceKind::Market, "100", None),
            (
                PlaceKind::Market,
                "101",
                Some("a slippage of 101 bps is above the 100 bps that the service allows"),
            ),
            (PlaceKind::StopMarket, "500", None),
            (
                PlaceKind::StopMarket,
                "501",
                Some("a slippage of 501 bps is above the 500 bps that the service allows"),
            ),
        ] {
            assert_eq!(said(policy, order(kind, bps)).as_deref(), words, "{bps}");
        }
        assert_eq!(said(policy, entry("paper|BTC", "0.01")), None, "its own");
        for nonsense in [r#"{"min":50,"max":5}"#, r#"{"max":0}"#, r#"{"max":-1}"#] {
            let policy = format!(r#"{{"slippage_tolerance_bps":{nonsense}}}"#);
            assert_eq!(
                said(&policy, order(PlaceKind::Market, "30")),
                None,
                "{nonsense}"
            );
        }
    }

    #[test]
    fn what_an_order_closes_of_the_other_side_counts_for_no_position() {
        let policy = r#"{"limits":{"max_position_value_usd":32000}}"#;
        let sell = |size| PlaceOrder {
            side: Side::Sell,
            ..entry("paper|BTC", size)
        };
        assert_eq!(said(policy, sell("0.9")), None, "a short of 0.4");
        let words =
            "a position of 38,400.00 USD is above the 32,000.00 USD that the account may have";
        assert_eq!(said(policy, sell("1.1")).as_deref(), Some(words));
    }

    #[test]
    fn a_key_that_may_only_read_opens_nothing_and_the_header_says_so() {
        let mut model = desk();
        let sent = press(&mut model, "2 x y");
        assert_eq!(sent, vec![], "the strip asks");
        wait(&mut model, 200);
        press(&mut model, "y");
        let forbidden = Failure {
            status: Some(403),
            code: Some("scope".into()),
            ..Failure::new(FailureKind::Invalid, "the key has no trade scope")
        };
        settle(&mut model, Ticket(1), Err(forbidden));
        let order = Command::from(entry("paper|BTC", "0.1"));
        let why = objection(&model.account, &order);
        assert_eq!(why.as_deref(), Some(READ_ONLY_KEY));
        assert_eq!(
            objection(&model.account, &Command::Cancel("ord-1".into())),
            None
        );
        let badges = view::header(&model).badges;
        assert_eq!(badges, ["READ-ONLY KEY"]);
        let about = ServiceAbout {
            environment: Some(ServiceEnvironment::Test.into()),
            ..ServiceAbout::default()
        };
        let now = model.account.now;
        update(&mut model, now, Msg::Met(Box::new(about)));
        assert_eq!(view::header(&model).badges, ["TEST", "READ-ONLY KEY"]);
        press(&mut model, "r");
        assert_eq!(
            objection(&model.account, &order),
            None,
            "the key may be another one"
        );
        assert_eq!(view::header(&model).badges, ["TEST"]);
    }

    #[test]
    fn a_403_that_is_not_the_services_own_says_nothing_of_the_key() {
        let mut model = desk();
        let blocked = Failure {
            status: Some(403),
            ..Failure::new(FailureKind::Invalid, "403 Forbidden, with a web page")
        };
        model.account.store.learn_scope(&Err(blocked));
        let order = Command::from(entry("paper|BTC", "0.1"));
        assert_eq!(objection(&model.account, &order), None);
    }

    #[test]
    fn what_is_null_or_not_told_sets_no_limit() {
        let open =
            r#"{"limits":{"max_open_positions":null,"order_cooldown_ms":null},"competition":null}"#;
        assert_eq!(said(open, entry("paper|ETH", "1")), None);
        assert_eq!(said("{}", entry("paper|ETH", "1")), None);
    }

    #[test]
    fn an_order_within_the_pause_between_orders_is_sent() {
        let mut model = under(r#"{"limits":{"order_cooldown_ms":500}}"#);
        let order = |size| Command::from(entry("paper|BTC", size));
        let now = model.account.now;
        model.account.session.sent(&order("0.01"), now);
        assert_eq!(objection(&model.account, &order("0.02")), None);
    }

    #[test]
    fn what_reduces_never_asks_the_policy() {
        let reducing = PlaceOrder {
            reduce_only: true,
            ..entry("paper|SOL", "1")
        };
        let halted = r#"{"trading_halt":{"platform":true}}"#;
        assert_eq!(said(halted, reducing), None);
        let cancel = Command::Unprotect("ord-2".into());
        assert_eq!(objection(&under(halted).account, &cancel), None);
    }
}
