//! A desk with something true in every pane, at a fixed instant.

use perpdeck::{
    app::{
        About, AccountScope, AccountSet, CloseAllRule, Identity, Mode, Model, Msg, Options,
        Profile,
        account::poll::{Answer, Poll, Source},
        activity::notice::{Event, Tone},
        keys::keymap::Keymap,
        update,
    },
    config::Tint,
    model::{
        AccountFacts, Attempted, Call, Command, Failure, FailureKind, Market, Num, Order,
        OrderStatus, Page, Past, PastMark, PastPage, Position, Progress, Receipt, Record, Risk,
        RuleFact, Scaled, SlicedOperation, Ticket, Timestamp, Twap,
    },
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::LazyLock, time::Duration};

/// 2026-09-21 14:13:20 UTC.
pub(crate) const NOW: Timestamp = Timestamp(1_790_000_000_000);

/// What the journal has of yesterday and the day before.
fn past(number: i64, request_line: &str, over: Past) -> Past {
    let settled_at = Timestamp(ago(number * 86_400));
    Past {
        mark: PastMark {
            settled_at,
            number: 40 - number,
        },
        requested_at: Timestamp(settled_at.0 - 400),
        request_line: request_line.into(),
        ..over
    }
}

fn done(key: u32, detail: &str) -> Past {
    Past {
        mark: PastMark::END,
        requested_at: NOW,
        request_line: "".into(),
        command: None,
        order_status: None,
        result: Ok(Receipt::AlreadySo(detail.into())),
        record: Record {
            state: "done".to_owned(),
            risk: Risk::Increasing,
            method: "POST".into(),
            target: "/v1/orders".into(),
            body: r#"{"type":"limit","size":0.25}"#.into(),
            key: Some(format!("6f1c0000-0000-4000-8000-{key:012}").into()),
            base_url: "http://127.0.0.1:4000".into(),
            account_id: "chal-1".into(),
            resource: None,
            parent: Some(11),
            deadline: NOW,
            replay_until: NOW,
            maybe_executed: true,
            order_id: Some("ord_41".into()),
            request_id: None,
            attempts: vec![Attempted {
                at: NOW,
                status: Some(409),
                why: Some("conflict".into()),
            }],
        },
    }
}

/// The full desk, with what earlier sessions did below what this one does.
pub(crate) fn recalled() -> Model {
    let mut model = full();
    let resting = Past {
        order_status: Some(OrderStatus::Resting),
        ..done(1, "order ord_41 resting")
    };
    let refused = Failure {
        status: Some(409),
        ..Failure::new(FailureKind::Invalid, "margin would exceed the limit")
    };
    let rejected = Past {
        result: Err(refused),
        ..done(2, "")
    };
    let rows = vec![
        past(1, "cancel order ord_39", done(3, "order ord_39 canceled")),
        past(1, "buy 0.25 BTC limit @ 61250", resting),
        past(2, "sell 40 SOL market", rejected),
    ];
    let page = PastPage {
        rows,
        has_more: true,
    };
    update(&mut model, NOW, Msg::Recalled(Ok(page)));
    model
}

pub(crate) fn num(text: &str) -> Num {
    text.parse().unwrap()
}

fn ago(seconds: i64) -> i64 {
    NOW.0 - seconds * 1_000
}

pub(crate) fn read<T: serde::de::DeserializeOwned>(json: &Value) -> T {
    serde_json::from_str(&json.to_string()).unwrap()
}

/// One JSON object laid over another.
fn with(mut base: Value, over: &Value) -> Value {
    let target = base.as_object_mut().unwrap();
    for (key, value) in over.as_object().unwrap() {
        target.insert(key.clone(), value.clone());
    }
    base
}

pub(crate) fn order(id: &str, symbol: &str, over: &Value) -> Order {
    let base = json!({
        "id": id, "account_id": "chal-1", "market_id": format!("paper|{symbol}"),
        "provider": "paper", "symbol": symbol, "coin": symbol,
        "type": "limit", "mode": "limit", "side": "buy", "size": 0.5, "initial_size": 0.5,
        "filled_size": 0, "expected_price": 64000, "leverage": 10, "margin_mode": "cross",
        "reduce_only": false, "time_in_force": "gtc", "status": "resting", "requested_at": ago(600),
    });
    read(&with(base, over))
}

pub(crate) fn position(id: &str, symbol: &str, over: &Value) -> Position {
    let base = json!({
        "id": id, "account_id": "chal-1", "market_id": format!("paper|{symbol}"),
        "provider": "paper", "symbol": symbol, "coin": symbol, "leverage": 10, "fees": 12.4,
        "funding": -1.25, "opened_at": ago(8_000),
    });
    read(&with(base, over))
}

pub(crate) fn positions() -> Vec<Position> {
    vec![
        position(
            "pos_1",
            "BTC",
            &json!({"size": 0.75, "size_decimals": 5, "entry_price": 63250.4, "liquidation_price": 57_310.2}),
        ),
        position(
            "pos_2",
            "ETH",
            &json!({"size": -12.5, "size_decimals": 4, "entry_price": 3021.55, "liquidation_price": 3_198.7,
                "isolated_margin_extra": 250, "leverage": 15, "funding": 4.1, "opened_at": ago(190_000)}),
        ),
        position(
            "pos_3",
            "SOL",
            &json!({"size": 240, "size_decimals": 2, "entry_price": 151.237, "liquidation_price": 98.43,
                "leverage": 3, "fees": 3.63, "opened_at": ago(420)}),
        ),
        position(
            "pos_4",
            "DOGE",
            &json!({"size": -150_000, "size_decimals": 0, "entry_price": 0.12345, "opened_at": ago(30)}),
        ),
    ]
}

pub(crate) fn working() -> Vec<Order> {
    let mut orders = vec![
        order(
            "ord_90",
            "BTC",
            &json!({"limit_price": 62500, "size": 0.15, "initial_size": 0.25,
            "filled_size": 0.1, "attached_take_profit_price": 70000, "attached_stop_loss_price": 60000}),
        ),
        order(
            "ord_91",
            "BTC",
            &json!({"type": "stop_market", "mode": "stop_market", "side": "sell", "size": 0.75,
            "initial_size": 0.75, "trigger_price": 60000, "trigger_direction": "below", "status": "pending",
            "reduce_only": true, "target_position_id": "pos_1", "requested_at": ago(7_900)}),
        ),
        order(
            "ord_92",
            "BTC",
            &json!({"type": "take_profit", "mode": "take_profit", "side": "sell", "size": 0.3,
            "initial_size": 0.3, "trigger_price": 70000, "trigger_direction": "above", "status": "pending",
            "reduce_only": true, "target_position_id": "pos_1"}),
        ),
        order(
            "ord_93",
            "ETH",
            &json!({"type": "stop_limit", "mode": "stop_limit", "side": "buy", "size": 12.5,
            "initial_size": 12.5, "trigger_price": 3110, "trigger_direction": "above", "limit_price": 3115.5,
            "status": "pending", "reduce_only": true, "target_position_id": "pos_2", "margin_mode": "isolated"}),
        ),
    ];
    orders.extend(more_working());
    orders
}

/// Another market's trigger, and the orders of a TWAP and a scaled order.
fn more_working() -> Vec<Order> {
    vec![
        order(
            "ord_94",
            "SOL",
            &json!({"side": "sell", "limit_price": 171.25, "size": 120, "initial_size": 120,
            "time_in_force": "gtd", "gtd_expires_at": NOW.0 + 7_500_000}),
        ),
        order(
            "ord_95",
            "ETH",
            &json!({"mode": "conditional", "type": "market", "side": "sell", "size": 2,
            "initial_size": 2, "trigger_price": 61000, "trigger_market_id": "paper|BTC",
            "trigger_direction": "below", "status": "pending", "requested_at": ago(200_000)}),
        ),
        order(
            "ord_70",
            "BTC",
            &json!({"twap_order_id": "twap_1", "limit_price": 64010, "size": 0.025,
            "initial_size": 0.025, "time_in_force": "ioc", "requested_at": ago(4)}),
        ),
        order(
            "ord_80",
            "ETH",
            &json!({"scaled_order_id": "lad_1", "limit_price": 2940, "size": 1.5,
            "initial_size": 1.5}),
        ),
        order(
            "ord_81",
            "ETH",
            &json!({"scaled_order_id": "lad_1", "limit_price": 2920, "size": 1.2,
            "initial_size": 2, "filled_size": 0.8}),
        ),
        order(
            "ord_82",
            "ETH",
            &json!({"scaled_order_id": "lad_1", "limit_price": 2900, "size": 2.5,
            "initial_size": 2.5}),
        ),
    ]
}

pub(crate) fn twaps() -> Vec<Twap> {
    let running = json!({
        "id": "twap_1", "account_id": "chal-1", "market_id": "paper|BTC", "total_size": 0.5,
        "filled_size": 0.26, "leverage": 10, "average_price": 64_012.4, "min_price": 62000, "max_price": 65500,
        "reduce_only": false, "randomize": true, "duration_minutes": 60, "slice_interval_seconds": 180,
        "slice_count": 20, "slices_attempted": 11, "size_decimals": 5, "status": "running",
        "current_child_order_id": "ord_70", "started_at": ago(1_730), "activated_at": ago(1_730),
        "end_at": NOW.0 + 1_870_000, "next_run_at": NOW.0 + 132_000,
    });
    let waiting = json!({
        "id": "twap_2", "account_id": "chal-1", "market_id": "paper|SOL", "total_size": -300, "filled_size": 0,
        "leverage": 3, "trigger_price": 160, "reduce_only": true, "duration_minutes": 30,
        "slice_interval_seconds": 60, "slice_count": 30, "slices_attempted": 0, "size_decimals": 2,
        "status": "waiting_for_trigger", "started_at": ago(900),
    });
    vec![read(&running), read(&waiting)]
}

pub(crate) fn ended_twap() -> Twap {
    read(&json!({
        "id": "twap_0", "account_id": "chal-1", "market_id": "paper|ETH", "total_size": 4, "filled_size": 4,
        "leverage": 5, "average_price": 2_988.35, "duration_minutes": 10, "slice_interval_seconds": 60,
        "slice_count": 10, "slices_attempted": 10, "size_decimals": 4, "status": "running",
        "completion_reason": "filled", "started_at": ago(700), "activated_at": ago(700), "end_at": ago(100),
    }))
}

pub(crate) fn scaled() -> Scaled {
    read(&json!({
        "id": "lad_1", "account_id": "chal-1", "market_id": "paper|ETH", "total_size": 10, "leverage": 5,
        "start_price": 2980, "end_price": 2880, "rung_count": 6, "placed_count": 5, "rejected_count": 1,
        "size_decimals": 4, "status": "active", "started_at": ago(3_600),
        "rungs": [
            {"price": 2980, "size": 0.5, "order_id": "ord_78"},
            {"price": 2960, "size": 1, "order_id": "ord_79"},
            {"price": 2940, "size": 1.5, "order_id": "ord_80"},
            {"price": 2920, "size": 2, "order_id": "ord_81"},
            {"price": 2900, "size": 2.5, "order_id": "ord_82"},
            {"price": 2880, "size": 2.5, "reject_reason": "margin would be exceeded"},
        ],
    }))
}

fn closed() -> Vec<Position> {
    let symbols = ["BTC", "ETH", "SOL", "DOGE"];
    let prices = ["63120.5", "2987.25", "149.831", "0.12291"];
    (0..40)
        .map(|n: i64| {
            let at = usize::try_from(n).unwrap() % 4;
            let pnl = (n * 37) % 83 - 30;
            position(
                &format!("pos_c{n:02}"),
                symbols[at],
                &json!({
                    "size": if n % 3 == 0 { -2.5 } else { 1.25 }, "entry_price": num(prices[at]),
                    "exit_price": num(prices[at]), "realized_pnl": pnl * 3, "fees": 2.15,
                    "funding": 0.12, "realized_margin_basis": 800 + n, "opened_at": ago(9_000 + n * 4_000),
                    "closed_at": ago(600 + n * 3_900),
                }),
            )
        })
        .collect()
}

fn history() -> Vec<Order> {
    let mut rows = vec![
        order(
            "ord_79",
            "ETH",
            &json!({"scaled_order_id": "lad_1", "limit_price": 2960, "size": 1, "initial_size": 1,
            "filled_size": 1, "status": "filled", "fill_price": 2960, "expected_price": 2961.2, "fee": 0.44,
            "liquidity_role": "maker", "settled_at": ago(300)}),
        ),
        order(
            "ord_78",
            "ETH",
            &json!({"scaled_order_id": "lad_1", "limit_price": 2980, "size": 0.5,
            "status": "canceled", "canceled_at": ago(500)}),
        ),
        order(
            "ord_60",
            "BTC",
            &json!({"type": "market", "mode": "market", "side": "sell", "size": 0.2,
            "filled_size": 0.2, "status": "filled", "fill_price": 63_985.5, "expected_price": 64_001,
            "fee": 5.76, "realized_pnl": 142.61, "liquidity_role": "taker", "settled_at": ago(599)}),
        ),
        order(
            "ord_59",
            "SOL",
            &json!({"status": "rejected", "limit_price": 149.5, "size": 4000,
            "reject_reason": "order value above the account's limit", "reject_rule_id": "max_order_value"}),
        ),
    ];
    rows.extend((0..36).map(|n: i64| {
        let side = if n % 2 == 0 { "buy" } else { "sell" };
        order(
            &format!("ord_h{n:02}"),
            "BTC",
            &json!({"type": "market", "mode": "market", "side": side, "size": 0.01, "filled_size": 0.01,
                "status": "filled", "fill_price": 64_000 + n, "expected_price": 64_002, "fee": 0.29,
                "liquidity_role": "taker", "requested_at": ago(900 + n * 700), "settled_at": ago(900 + n * 700)}),
        )
    }));
    rows
}

pub(crate) fn markets() -> Vec<Market> {
    let market = |symbol: &str, mark: &str, decimals| Market {
        mark: Some(num(mark)),
        size_decimals: Some(decimals),
        max_leverage: Some(50),
        funding_rate: Some(num("0.0000125")),
        grid: perpdeck::model::Grid::Figures(5),
        ..Market::new(format!("paper|{symbol}").into())
    };
    vec![
        market("BTC", "64018.5", 5),
        market("ETH", "2957.35", 4),
        market("SOL", "149.62", 2),
        market("DOGE", "0.12201", 0),
    ]
}

/// What a service tells that knows challenges.
pub(crate) fn challenge(daily_loss_left: &str) -> AccountFacts {
    let rule = |id: &str, value, limit| RuleFact {
        id: id.into(),
        value: Some(num(value)),
        limit: num(limit),
        from: None,
    };
    AccountFacts {
        daily_loss_left: Some(num(daily_loss_left)),
        starting_cash: Some(num("100000")),
        rules: vec![
            rule("max_daily_loss", "95000", "95000"),
            rule("max_drawdown", "95000", "90000"),
            rule("profit_target", "102500", "110000"),
            rule("min_trading_days", "3", "5"),
            rule("consistency", "0.215", "0.4"),
        ],
        ..facts()
    }
}

fn facts() -> AccountFacts {
    AccountFacts {
        equity: Some(num("101240.184")),
        cash: Some(num("99780")),
        available_margin: Some(num("84120.5")),
        day_pnl: Some(num("312.4")),
        daily_loss_left: Some(num("0.6134")),
        as_of: Some(NOW),
        ..AccountFacts::default()
    }
}

pub(crate) fn call(
    method: &'static str,
    target: &str,
    outcome: Result<u16, FailureKind>,
    ms: u64,
) -> Call {
    Call {
        at: Timestamp(ago(1)),
        method,
        target: target.into(),
        outcome,
        elapsed: Duration::from_millis(ms),
        request_id: Some("4f0c2a5e-9d1b-4c5e-8a77-0d3a2b1c9e10".into()),
        pause: None,
        date: None,
        budget: None,
    }
}

fn calls(model: &mut Model) {
    for (method, target, outcome, ms) in [
        (
            "GET",
            "/v1/orders?account_id=chal-1&status=working",
            Ok(200),
            4,
        ),
        ("GET", "/v1/positions?account_id=chal-1", Ok(200), 3),
        ("POST", "/v1/orders", Ok(400), 6),
        ("GET", "/v1/twap-orders?account_id=chal-1", Ok(200), 5),
        ("GET", "/sim/markets", Ok(200), 4),
    ] {
        update(
            model,
            NOW,
            Msg::CallEnded(call(method, target, outcome, ms)),
        );
    }
}

static BUILT_IN: LazyLock<perpdeck::config::Settings> = LazyLock::new(|| {
    let built_in = perpdeck::config::load(&perpdeck::config::Sources::default());
    built_in.unwrap().settings
});

pub(crate) fn options() -> Options {
    let interval = |source: Source| {
        let secs = match source {
            Source::Positions | Source::Orders | Source::Markets | Source::Account => 1,
            Source::Twaps | Source::Scaled => 2,
            Source::Closed | Source::History => 10,
        };
        (source, Duration::from_secs(secs))
    };
    let sources = [
        Source::Positions,
        Source::Orders,
        Source::Twaps,
        Source::Scaled,
        Source::Closed,
        Source::History,
        Source::Markets,
        Source::Account,
    ];
    let settings = BUILT_IN.clone();
    Options {
        checks: perpdeck::config::Checks {
            duplicate_within: Duration::ZERO,
            orders_per_second: 0,
            ..settings.checks
        },
        brackets: perpdeck::config::PresetTable {
            everywhere: settings.bracket,
            of: settings.bracket_of,
        },
        size_presets: perpdeck::config::PresetTable {
            everywhere: settings.size_presets,
            of: settings.size_presets_of,
        },
        read_only: false,
        dry_run: false,
        ends_with_desk: false,
        zone: perpdeck::model::Zone::utc(),
        alerts: perpdeck::config::Alerts::default(),
        alert_command: perpdeck::config::AlertCommand::default(),
        guard: perpdeck::config::Guard::default(),
        fees: perpdeck::config::Fees::default(),
        be_extra_ticks: 0,
        lists_markets: false,
        ladder_one_key: false,
        motion: perpdeck::config::Motion::Full,
        close_all: CloseAllRule::After(Duration::from_millis(1_500)),
        intervals: sources
            .into_iter()
            .map(interval)
            .collect::<BTreeMap<_, _>>(),
    }
}

/// A desk that knows where it is and nothing else.
pub(crate) fn connecting() -> Model {
    static KEYMAP: LazyLock<Keymap> = LazyLock::new(Keymap::default);
    Model::new(options(), perpdeck::view::READING, KEYMAP.clone(), NOW)
}

pub(crate) fn opened() -> Model {
    let mut model = connecting();
    let identity = Identity {
        mode: Mode::Paper,
        account_id: "chal-1".into(),
        base_url: "http://127.0.0.1:40123".to_owned(),
        profile: perpdeck::app::Profile::default(),
    };
    update(&mut model, NOW, Msg::Opened(identity));
    model
}

/// An answer that was asked for so many seconds ago.
pub(crate) fn arrive(model: &mut Model, seconds: i64, answer: Answer) {
    let poll = Poll {
        at: Timestamp(ago(seconds)),
        answer,
    };
    update(model, NOW, Msg::Polled(Box::new(poll)));
}

fn page<T>(rows: Vec<T>, next: Option<&str>) -> Page<T> {
    Page {
        next: next.map(|cursor| cursor.to_owned().into()),
        ..Page::of(rows)
    }
}

/// An account with nothing on it.
pub(crate) fn empty() -> Model {
    let mut model = opened();
    arrive(&mut model, 0, Answer::Positions(Ok(page(vec![], None))));
    arrive(&mut model, 0, Answer::Orders(Ok(page(vec![], None))));
    arrive(&mut model, 1, Answer::Twaps(Ok(page(vec![], None))));
    arrive(&mut model, 4, Answer::Closed(Ok(page(vec![], None))));
    arrive(&mut model, 4, Answer::History(Ok(page(vec![], None))));
    arrive(&mut model, 0, Answer::Markets(Ok(markets())));
    arrive(&mut model, 0, Answer::Account(Ok(facts())));
    update(
        &mut model,
        NOW,
        Msg::CallEnded(call("GET", "/v1/positions", Ok(200), 3)),
    );
    model
}

/// Everything at once.
pub(crate) fn full() -> Model {
    let mut model = opened();
    arrive(
        &mut model,
        4,
        Answer::Twaps(Ok(page(vec![ended_twap()], None))),
    );
    arrive(
        &mut model,
        1,
        Answer::Positions(Ok(page(positions(), None))),
    );
    arrive(&mut model, 0, Answer::Orders(Ok(page(working(), None))));
    arrive(&mut model, 2, Answer::Twaps(Ok(page(twaps(), None))));
    arrive(
        &mut model,
        2,
        Answer::Scaled("lad_1".into(), Ok(Box::new(scaled()))),
    );
    arrive(
        &mut model,
        7,
        Answer::Closed(Ok(page(closed(), Some("c2")))),
    );
    arrive(
        &mut model,
        7,
        Answer::History(Ok(page(history(), Some("h2")))),
    );
    arrive(&mut model, 0, Answer::Markets(Ok(markets())));
    arrive(&mut model, 0, Answer::Account(Ok(facts())));
    calls(&mut model);
    happenings(&mut model);
    crate::market::arrive(&mut model);
    model
}

/// The full desk; beside it a halted account of a profile, and one whose service has not answered yet. They are listed.
pub(crate) fn accounts() -> AccountSet {
    let mut account_set = AccountSet::of(full());
    let profile = |name: &str, tint| Profile {
        name: Some(name.to_owned()),
        tint,
    };
    let places = [
        ("chal-2", profile("swing", Some(Tint::Orange))),
        ("eval-50k-0017", profile("evaluation", None)),
    ];
    for (at, (account, profile)) in (1..).zip(places) {
        account_set.join(options(), NOW);
        let identity = Identity {
            mode: Mode::LiveApi,
            account_id: account.into(),
            base_url: "https://paper.example".to_owned(),
            profile,
        };
        account_set.update(NOW, AccountScope::Account(at), Msg::Opened(identity));
    }
    let answers = [
        Answer::Positions(Ok(page(positions(), None))),
        Answer::Orders(Ok(page(vec![], None))),
        Answer::Account(Ok(AccountFacts {
            day_pnl: Some(num("-212.5")),
            ..facts()
        })),
    ];
    for answer in answers {
        let poll = Poll {
            at: Timestamp(ago(8)),
            answer,
        };
        account_set.update(NOW, AccountScope::Account(1), Msg::Polled(Box::new(poll)));
    }
    let halted = Msg::Halted(Some("flattened".to_owned()));
    account_set.update(NOW, AccountScope::Account(1), halted);
    account_set.update(NOW, AccountScope::Shown, Msg::Key('A'.into()));
    account_set
}

/// The list closed and the account of the profile shown, with news from the first.
pub(crate) fn other_account() -> AccountSet {
    let mut account_set = accounts();
    for key in ["esc", "esc", "a"] {
        account_set.update(NOW, AccountScope::Shown, Msg::Key(key.parse().unwrap()));
    }
    let cancel = Command::Cancel("ord_12".into());
    let resumed = Msg::Resumed(Ticket(9), cancel);
    account_set.update(NOW, AccountScope::Account(0), resumed);
    let settled = Msg::Settled(Ticket(9), Err(refusal()));
    account_set.update(NOW, AccountScope::Account(0), settled);
    account_set
}

/// What the activity pane tells: a fill, a refusal, a queued cancel, the desk's own word.
fn happenings(model: &mut Model) {
    let then = Timestamp(ago(60));
    model.account.store.queued_cancels.insert("ord_95".into());
    let note = |model: &mut Model, event: Event| {
        let about = match &event {
            Event::Sent(command) | Event::Settled(command, _) | Event::Progress(command, _) => {
                model.account.store.object_of(command)
            }
            Event::Message(..) | Event::Alert(_) | Event::Elsewhere(_) | Event::Past(_) => {
                About::default()
            }
        };
        model
            .account
            .activity
            .note_of(about, Some(Ticket(7)), event, then);
    };
    let cancel = Command::Cancel("ord_95".into());
    let queued = perpdeck::model::CancelResult {
        id: "ord_95".into(),
        canceled: false,
        queued: true,
    };
    note(
        model,
        Event::Message(
            Tone::Good,
            "paper exchange ready on 127.0.0.1:40123".to_owned(),
        ),
    );
    note(model, Event::Sent(cancel.clone()));
    note(model, Event::Settled(cancel, Ok(Receipt::Cancel(queued))));
    note(
        model,
        Event::Settled(Command::Cancel("ord_12".into()), Err(refusal())),
    );
    let filled = Order {
        initial_size: Some(num("0.2")),
        reduce_only: true,
        target_position_id: Some("pos_1".into()),
        ..history().swap_remove(2)
    };
    let close = perpdeck::model::ClosePosition {
        position_id: "pos_1".into(),
        held: None,
        kind: perpdeck::model::CloseKind::Market,
        size: Some(num("0.2")),
        expected_price: None,
        slippage_tolerance: None,
        limit_price: None,
        client_order_id: None,
        trigger_price: None,
        trigger_market_id: None,
        trigger_direction: None,
        marketable_limit_acknowledged: false,
    };
    let receipt = Receipt::Order {
        order: Box::new(filled),
        queued: false,
    };
    note(model, Event::Settled(Command::Close(close), Ok(receipt)));
}

pub(crate) fn refusal() -> Failure {
    Failure {
        status: Some(404),
        code: Some("order_not_found".into()),
        request_id: Some("8f14e45f-ceea-467f-9c3b-1f0a6f0a1b2c".into()),
        ..Failure::new(FailureKind::NotFound, "order ord_12 does not exist")
    }
}

/// Two of four closes tried, one of them refused.
pub(crate) fn half_closed(now: Timestamp) -> Progress {
    let operation = SlicedOperation::CloseAll(read(&json!({
        "id": "op_1", "operation": "close_all_positions", "account_id": "chal-1", "status": "running",
        "total_count": 4, "succeeded_count": 1, "failed_count": 1, "created_at": now.0,
        "results": [
            {"position_id": "pos_1", "status": "submitted"},
            {"position_id": "pos_2", "status": "failed", "failure_code": "slippage_exceeded"},
        ],
    })));
    Progress::Running {
        operation,
        retry_at: Timestamp(now.0 + 1_000),
    }
}
