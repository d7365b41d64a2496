//! A desk for tests of the app, the view and the drawing.
//!
//! One account, `chal-1`, at a fixed instant, with BTC, ETH and SOL markets, two positions and two orders.

use crate::{
    app::{
        account::{
            identity::{Identity, Mode},
            options::{CloseAllRule, Options},
            poll::{Answer, Poll},
        },
        core::effect::Effect,
        desk::{model::Model, msg::Msg},
        dialogs::overlay::{Arm, Overlay},
        keys::keymap::Keymap,
        market::{answer::MarketAnswer, width_tier::WidthTier},
        update::router::update,
    },
    config::{self, AlertCommand, Alerts, Checks, Fees, Guard, Motion, PresetTable},
    model::{
        Book, Dated, Failure, Grid, Market, Num, Order, Page, Past, PastMark, Position, Receipt,
        Record, Risk, Ticket, Timestamp, Zone,
    },
};
use std::{collections::BTreeMap, sync::LazyLock, time::Duration};

/// 2026-09-21 14:13:20 UTC.
pub(crate) const NOON: Timestamp = Timestamp(1_790_000_000_000);

/// A desk that knows its service and has its first polls: positions `pos-1` (BTC long, cross) and `pos-2` (SOL short,
/// isolated), orders `ord-1` (resting limit with exits) and `ord-2` (armed stop).
pub(crate) fn desk() -> Model {
    let mut model = bare_desk();
    let markets = vec![
        market("BTC", "63999", "64001", (5, 40)),
        market("ETH", "2999.9", "3000.1", (4, 25)),
        market("SOL", "150.00", "150.02", (2, 20)),
    ];
    arrive(&mut model, Answer::Markets(Ok(markets)));
    let positions = vec![
        position(
            "pos-1",
            "BTC",
            "0.5",
            r#""leverage":10,"liquidation_price":45000"#,
        ),
        position(
            "pos-2",
            "SOL",
            "-100",
            r#""leverage":5,"liquidation_price":190,"isolated_margin_extra":120.5"#,
        ),
    ];
    arrive(&mut model, Answer::Positions(Ok(Page::of(positions))));
    let resting = r#""type":"limit","mode":"limit","side":"buy","size":0.1,"limit_price":60000,
        "attached_take_profit_price":70000,"attached_stop_loss_price":58000,"status":"resting""#;
    let armed = r#""type":"stop_market","mode":"stop_market","side":"sell","size":2,
        "trigger_price":2800,"status":"pending""#;
    let orders = vec![order("ord-1", "BTC", resting), order("ord-2", "ETH", armed)];
    arrive(&mut model, Answer::Orders(Ok(Page::of(orders))));
    model
}

/// A desk that knows only its account.
pub(crate) fn bare_desk() -> Model {
    let options = Options {
        close_all: CloseAllRule::After(Duration::from_millis(1_500)),
        intervals: BTreeMap::new(),
        ladder_one_key: false,
        checks: asking(),
        size_presets: PresetTable::default(),
        brackets: PresetTable::default(),
        read_only: false,
        dry_run: false,
        ends_with_desk: false,
        zone: Zone::utc(),
        alerts: Alerts::default(),
        alert_command: AlertCommand::default(),
        guard: Guard::default(),
        fees: Fees::default(),
        be_extra_ticks: 0,
        lists_markets: false,
        motion: Motion::Full,
    };
    let mut model = Model::new(options, crate::view::READING, KEYMAP.clone(), NOON);
    // The market is on the screen, and requested, where a key goes to it.
    model.market_screen.tier = WidthTier::Column;
    let identity = Identity {
        mode: Mode::Paper,
        account_id: "chal-1".into(),
        base_url: "http://127.0.0.1:4000".to_owned(),
        profile: crate::app::account::identity::Profile::default(),
    };
    update(&mut model, NOON, Msg::Opened(identity));
    model
}

/// The built-in keys, read once.
static KEYMAP: LazyLock<Keymap> = LazyLock::new(Keymap::default);

/// What the built-in settings ask about, and nothing that is refused. Read once: thousands of desks are opened with it.
pub(crate) fn asking() -> Checks {
    static ASKING: LazyLock<Checks> = LazyLock::new(|| {
        let loaded = config::load(&config::Sources::default()).unwrap();
        Checks {
            facts_within: Duration::ZERO,
            duplicate_within: Duration::ZERO,
            orders_per_second: 0,
            refuse_through_market: None,
            ..loaded.settings.checks
        }
    });
    ASKING.clone()
}

/// Presses `keys`, separated by blanks: names of keys (`tab`, `X`, `ctrl-j`), or words to type (`0.5`).
pub(crate) fn press(model: &mut Model, keys: &str) -> Vec<Effect> {
    let chords = keys.split_whitespace().flat_map(|word| match word.parse() {
        Ok(chord) => vec![chord],
        Err(_) => word.chars().map(Into::into).collect(),
    });
    chords
        .flat_map(|chord| update(model, model.account.now, Msg::Key(chord)))
        .collect()
}

/// Lets time pass, as on a running desk: it looks at a countdown ten times a second.
pub(crate) fn wait(model: &mut Model, millis: u64) -> Vec<Effect> {
    let later = model.account.now.plus(Duration::from_millis(millis));
    let mut effects = vec![];
    while counts_down(model) && model.account.now < later {
        let look = model
            .account
            .now
            .plus(Duration::from_millis(100))
            .min(later);
        effects.extend(update(model, look, Msg::Tick));
    }
    effects.extend(update(model, later, Msg::Tick));
    effects
}

/// Lets time pass while the machine sleeps.
pub(crate) fn sleep(model: &mut Model, millis: u64) -> Vec<Effect> {
    let later = model.account.now.plus(Duration::from_millis(millis));
    update(model, later, Msg::Tick)
}

fn counts_down(model: &Model) -> bool {
    let strip = model.overlays.last().and_then(Overlay::try_as_strip_ref);
    strip.is_some_and(|strip| matches!(strip.arm, Arm::Countdown { .. }))
}

/// The answer to a poll sent now.
pub(crate) fn arrive(model: &mut Model, answer: Answer) -> Vec<Effect> {
    let poll = Poll {
        at: model.account.now,
        answer,
    };
    update(model, model.account.now, Msg::Polled(Box::new(poll)))
}

/// The book of a market as the answer to a request sent now.
pub(crate) fn arrive_book(model: &mut Model, coin: &str, book: Book) -> Vec<Effect> {
    let answer = MarketAnswer::Book(Ok(Some(Dated::undated(book))));
    arrive_market(model, coin, answer)
}

/// The answer to a request about a market sent now.
pub(crate) fn arrive_market(model: &mut Model, coin: &str, answer: MarketAnswer) -> Vec<Effect> {
    let market = format!("paper|{coin}").into();
    update(
        model,
        model.account.now,
        Msg::MarketData(market, model.account.now, answer),
    )
}

pub(crate) fn settle(
    model: &mut Model,
    ticket: Ticket,
    result: Result<Receipt, Failure>,
) -> Vec<Effect> {
    update(model, model.account.now, Msg::Settled(ticket, result))
}

pub(crate) fn num(text: &str) -> Num {
    text.parse().unwrap()
}

pub(crate) fn market(
    coin: &str,
    bid: &str,
    ask: &str,
    (size_decimals, max_leverage): (u32, u32),
) -> Market {
    let mid = num(bid).plus(num(ask)).unwrap().over(num("2"));
    Market {
        mark: mid,
        bid: Some(num(bid)),
        ask: Some(num(ask)),
        size_decimals: Some(size_decimals),
        max_leverage: Some(max_leverage),
        category: Some("crypto".into()),
        grid: Grid::Figures(5),
        ..Market::new(format!("paper|{coin}").into())
    }
}

/// An open position of `coin` with `size` (negative is short) and the JSON members in `more`. Entry prices: BTC 60000,
/// ETH 3000, everything else 160.
pub(crate) fn position(id: &str, coin: &str, size: &str, more: &str) -> Position {
    let (entry, decimals) = match coin {
        "BTC" => (60_000, 5),
        "ETH" => (3_000, 4),
        _ => (160, 2),
    };
    let json = format!(
        r#"{{"id":"{id}","account_id":"chal-1","market_id":"paper|{coin}","provider":"paper","symbol":"{coin}",
        "coin":"{coin}","size":{size},"entry_price":{entry},"size_decimals":{decimals},
        "opened_at":1789996400000,{more}}}"#
    );
    serde_json::from_str(&json).unwrap()
}

/// An order in the market of `coin`; `more` has at least type, mode, side, size and status.
pub(crate) fn order(id: &str, coin: &str, more: &str) -> Order {
    let json = format!(
        r#"{{"id":"{id}","account_id":"chal-1","market_id":"paper|{coin}","provider":"paper","symbol":"{coin}",
        "coin":"{coin}","expected_price":64000,"leverage":8,"margin_mode":"cross","reduce_only":false,
        "requested_at":1789999900000,{more}}}"#
    );
    serde_json::from_str(&json).unwrap()
}

/// A command of an earlier session.
pub(crate) fn past(number: i64, settled_at: Timestamp) -> Past {
    Past {
        mark: PastMark { settled_at, number },
        requested_at: settled_at,
        request_line: format!("cancel order ord-{number}").as_str().into(),
        command: None,
        order_status: None,
        result: Ok(Receipt::AlreadySo("canceled".into())),
        record: Record {
            state: "done".to_owned(),
            risk: Risk::Neutral,
            method: "DELETE".into(),
            target: "/v1/orders/o".into(),
            body: "".into(),
            key: None,
            base_url: "http://127.0.0.1:4000".into(),
            account_id: "chal-1".into(),
            resource: None,
            parent: None,
            deadline: settled_at,
            replay_until: settled_at,
            maybe_executed: true,
            order_id: None,
            request_id: None,
            attempts: vec![],
        },
    }
}
