//! Tests of the example scenario: it plays, and documents every entry; and of errors in a scenario.

use super::*;
use crate::exchange::engine::{OrderMode, OrderStatus, TwapStatus};

const ROUGH: &str = include_str!("../../../assets/scenario-rough.toml");

/// An unknown entry in each table.
const TABLES: [&str; 20] = [
    "zzz = 1",
    "[fees]\nzzz = 1",
    "[venue]\nzzz = 1",
    "[budgets]\nzzz = 1",
    "[budgets]\nper_key = { zzz = 1 }",
    "[[faults]]\nzzz = 1",
    "[[markets]]\nzzz = 1",
    "[[markets]]\ntiers = [{ zzz = 1 }]",
    "[[users]]\nzzz = 1",
    "[[users]]\naccounts = [{ zzz = 1 }]",
    "[[users]]\naccounts = [{ rules = { zzz = 1 } }]",
    "[[script]]\nzzz = 1",
    "[[script]]\ndo.zzz = 1",
    "[[script]]\ndo.order = { zzz = 1 }",
    "[[script]]\ndo.close = { zzz = 1 }",
    "[[script]]\ndo.margin = { zzz = 1 }",
    "[[script]]\ndo.twap = { zzz = 1 }",
    "[[script]]\ndo.scaled = { zzz = 1 }",
    "[[script]]\ndo.rounds = { zzz = 1 }",
    "[[script]]\ndo.nudge = { zzz = 1 }",
];

/// The entries that the error message lists for that table.
fn known(table: &str) -> Vec<String> {
    let Err(ScenarioFault::Text(why)) = Scenario::parse(table) else {
        panic!("{table} has an unknown entry");
    };
    let message = why.message().to_owned();
    let (_, expected) = message.split_once("expected ").unwrap();
    let quoted = expected.split('`').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

#[test]
fn the_example_has_every_entry_that_a_scenario_may_have() {
    let apart = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let lines = ROUGH.lines().map(|line| line.split('#').next().unwrap());
    let words: Vec<&str> = lines.flat_map(|line| line.split(apart)).collect();
    let mut count = 0;
    for table in TABLES {
        for entry in known(table) {
            count += 1;
            assert!(words.contains(&entry.as_str()), "{entry} of {table}");
        }
    }
    assert!(count > 90, "{count}");
}

#[test]
fn the_example_plays_whatever_the_seed() {
    for seed in [11, 12, 13] {
        let scenario = Scenario::parse(ROUGH).unwrap().with_seed(seed);
        let engine = scenario.open(Millis(1_790_000_000_000)).unwrap();
        let [first, second] = ["chal-1", "chal-2"].map(|id| engine.account(id).unwrap());
        let orders = |mode| {
            let all = engine.orders(first, None);
            all.filter(move |row| row.mode == mode).count()
        };
        assert!(orders(OrderMode::Limit) >= 8 && orders(OrderMode::StopMarket) >= 1);
        assert_eq!(orders(OrderMode::Conditional), 1);
        assert!(
            engine
                .live_twaps(first)
                .all(|row| row.status != TwapStatus::Failed)
        );
        assert_eq!(engine.scaled_orders(first).count(), 1);
        let short = &engine.open_positions(second)[0];
        assert!(
            short.size.0 < 0 && short.isolated_margin_extra.is_some(),
            "{short:?}"
        );
        let armed = engine.working_orders(second);
        assert_eq!(
            armed
                .filter(|row| row.status == OrderStatus::Pending)
                .count(),
            1
        );
    }
}

#[test]
fn what_no_market_account_or_fault_can_be_is_refused_with_its_value_and_what_may_be() {
    for (right, wrong, words) in [
        (
            "volatility_bps = 9000",
            "volatility_bps = -1",
            "volatility_bps `-1`: must be 0 to 1000000",
        ),
        (
            "depth_usd = 900",
            "depth_usd = 0",
            "depth_usd `0`: must be 1",
        ),
        (
            "from_usd = 100000",
            "from_usd = 10000",
            "from_usd of a tier `10000`: must be 20001",
        ),
        (
            "max_leverage = 3 ",
            "max_leverage = 6 ",
            "max_leverage of a tier `6`: must be 1 to 5",
        ),
        (
            "symbol = \"HYPE\"",
            "symbol = \"HY|PE\"",
            "symbol `HY|PE`: must be 1 to 32 letters, digits or signs",
        ),
        (
            "cash_usd = 50000",
            "cash_usd = 0",
            "cash_usd `0`: must be 1",
        ),
        (
            "max_daily_loss_bps = 400 ",
            "max_daily_loss_bps = -4 ",
            "max_daily_loss_bps `-4`: must be 1",
        ),
        (
            "day_offset_minutes = 30 ",
            "day_offset_minutes = 1440 ",
            "day_offset_minutes `1440`: must be 0 to 1439",
        ),
        (
            "percent = 20",
            "percent = 101",
            "percent must be 0 to 100, not 101",
        ),
        (
            "do.cancel = \"hedge\"",
            "do.cancel = \"edge\"",
            "script label `edge`",
        ),
    ] {
        assert!(ROUGH.contains(right), "{right}");
        let fault = Scenario::parse(&ROUGH.replacen(right, wrong, 1))
            .and_then(|scenario| scenario.open(Millis(1_790_000_000_000)).map(drop))
            .unwrap_err();
        assert!(fault.to_string().contains(words), "{wrong}: {fault}");
    }
}

#[test]
fn a_script_names_a_market_by_symbol_coin_or_id_and_one_of_two_by_its_id() {
    let venues = include_str!("../../../tests/support/odd_names.toml");
    let venues = venues.replace("seed = 42", "seed = 42\nwarm_up_seconds = 10");
    let played = |market: &str| {
        let act = format!(r#"{{ market = "{market}", side = "buy", usd = 100, leverage = 2 }}"#);
        let script = format!("[[script]]\nat = -5\naccount = \"chal-1\"\ndo.order = {act}");
        let scenario = Scenario::parse(&format!("{venues}\n{script}\n")).unwrap();
        let engine = scenario.open(Millis(1_790_000_000_000))?;
        let open = engine.open_positions(engine.account("chal-1").unwrap());
        let market = engine.market_spec(open[0].market);
        Ok::<_, ScenarioFault>(market.market_id())
    };
    for (market, id) in [
        ("TSLA", "hyperliquid|xyz:TSLA"),
        ("xyz:TSLA", "hyperliquid|xyz:TSLA"),
        ("@107", "hyperliquid|@107"),
        ("kPEPE", "hyperliquid|kPEPE"),
        ("BTCUSDT", "binance|BTCUSDT"),
        ("hyperliquid|BTC", "hyperliquid|BTC"),
        ("币安人生", "binance|a/b?c=%7C&d#e"),
    ] {
        assert_eq!(played(market).unwrap(), id);
    }
    let why = played("BTC").unwrap_err().to_string();
    assert!(why.contains("the name of several markets"), "{why}");
}
