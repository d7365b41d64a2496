//! What the desk says, apart from how it is laid out.

use crate::{
    desk,
    dump::{press, screen},
};
use perpdeck::{
    app::{
        Identity, Mode, Model, Msg,
        account::{pane::Pane, poll::Answer},
        dialogs::overlay::Overlay,
        update,
    },
    model::{Command, Failure, FailureKind, Page, Receipt, Ticket, Timestamp, Zone},
    view::{self, RowBody, Scene, Span},
};

pub(crate) fn text(spans: &[Span]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}

/// One cell of a pane by row and heading.
pub(crate) fn cell(model: &Model, pane: Pane, row: usize, title: &str) -> String {
    let zone = Zone::utc();
    let scene = Scene::of(model, &zone);
    let ids = model.rows(pane);
    let table = view::pane_table(pane, &ids, row..row + 1, &scene);
    let at = table
        .headings
        .iter()
        .position(|heading| heading.title == title)
        .unwrap();
    match &table.rows[0].body {
        RowBody::Cells(cells) => cells[at].text(),
        RowBody::Line(facts) => facts.iter().map(|facts| text(&facts.spans)).collect(),
        RowBody::Rule(spans) => text(spans),
    }
}

pub(crate) fn header(model: &Model) -> String {
    let segments = view::header(model).segments;
    let words: Vec<_> = segments
        .iter()
        .map(|segment| text(&segment.words))
        .collect();
    words.join(" | ")
}

pub(crate) fn footer(model: &Model) -> String {
    let hints = view::footer(model).into_iter();
    let hints: Vec<_> = hints
        .map(|hint| format!("{} {}", hint.key, hint.label))
        .collect();
    hints.join(" · ")
}

#[test]
fn a_close_that_waits_is_told_as_armed_and_on_which_trigger() {
    let mut model = desk::full();
    let close = perpdeck::model::ClosePosition::market("pos_1".into());
    let command = Command::Close(close);
    update(&mut model, desk::NOW, Msg::Resumed(Ticket(9), command));
    let json = serde_json::json!({
        "type": "market", "mode": "conditional", "side": "sell", "size": 0.5, "trigger_price": 60_000,
        "trigger_direction": "below", "status": "pending", "reduce_only": true, "target_position_id": "pos_1",
    });
    let order = Box::new(desk::order("ord_9", "BTC", &json));
    let queued = true;
    let receipt = Receipt::Order { order, queued };
    update(&mut model, desk::NOW, Msg::Settled(Ticket(9), Ok(receipt)));
    let toast = view::toast(&model).unwrap();
    let said = (toast.head.as_str(), text(&toast.words));
    let words = "SELL 0.50000 BTC conditional when BTC ≤ 60,000 on chal-1";
    assert_eq!(said, ("armed", words.to_owned()));
}

#[test]
fn the_sums_of_a_history_say_of_how_many_they_are_where_there_is_more() {
    let model = desk::full();
    let zone = Zone::utc();
    let scene = Scene::of(&model, &zone);
    let foot = view::foot(Pane::History, &model.rows(Pane::History), &scene);
    assert!(model.account.store.history.has_more());
    let read = model.account.store.quality.total().orders;
    assert_eq!(text(&foot[0]), format!("last {read}:"));
}

#[test]
fn a_position_without_a_stop_says_so_once_the_orders_are_known() {
    let full = desk::full();
    assert_eq!(cell(&full, Pane::Positions, 0, "stop"), "60,000");
    assert_eq!(cell(&full, Pane::Positions, 0, "target"), "70,000 40%");
    assert_eq!(cell(&full, Pane::Positions, 2, "stop"), "NO STOP");
    let mut unread = desk::opened();
    let rows = vec![desk::position(
        "pos_1",
        "BTC",
        &serde_json::json!({"size": 1}),
    )];
    desk::arrive(&mut unread, 0, Answer::Positions(Ok(Page::of(rows))));
    assert_eq!(cell(&unread, Pane::Positions, 0, "stop"), "–");
}

#[test]
fn what_cannot_be_liquidated_on_paper_says_none_and_a_service_that_does_not_tell_gets_a_dash() {
    let paper = desk::full();
    let mut service = desk::full();
    service.account.identity.as_mut().unwrap().mode = Mode::LiveApi;
    for title in ["liq", "to liq", "liq loss"] {
        assert_eq!(cell(&paper, Pane::Positions, 3, title), "none", "{title}");
        assert_eq!(cell(&service, Pane::Positions, 3, title), "–", "{title}");
    }
}

#[test]
fn what_is_not_known_is_a_dash_and_never_a_zero() {
    let mut unpriced = desk::opened();
    let row = desk::position(
        "p",
        "BTC",
        &serde_json::json!({"size": 1, "entry_price": 100}),
    );
    desk::arrive(&mut unpriced, 0, Answer::Positions(Ok(Page::of(vec![row]))));
    for title in ["mark", "uPnL", "ROE"] {
        assert_eq!(cell(&unpriced, Pane::Positions, 0, title), "–", "{title}");
    }
}

#[test]
fn an_armed_order_shows_its_trigger_and_a_queued_cancel() {
    let full = desk::full();
    assert_eq!(cell(&full, Pane::Orders, 1, "trigger"), "≤ 60,000");
    assert_eq!(cell(&full, Pane::Orders, 1, "state"), "armed");
    assert_eq!(cell(&full, Pane::Orders, 5, "trigger"), "BTC ≤ 61,000");
    assert_eq!(cell(&full, Pane::Orders, 5, "state"), "cancel pending");
}

#[test]
fn a_fill_is_measured_against_the_expected_price_by_side() {
    let full = desk::full();
    assert_eq!(cell(&full, Pane::History, 0, "bps"), "+4.1");
    assert_eq!(cell(&full, Pane::History, 2, "bps"), "-2.4");
    assert_eq!(cell(&full, Pane::History, 1, "bps"), "–");
}

#[test]
fn a_stop_that_fired_is_measured_against_its_trigger_and_says_so() {
    let mut model = desk::opened();
    let stop = serde_json::json!({
        "type": "stop_market", "mode": "stop_market", "side": "sell", "size": 0.2, "filled_size": 0.2,
        "status": "filled", "trigger_price": 64_000, "fill_price": 63_936, "expected_price": 66_400,
    });
    let page = Page::of(vec![desk::order("ord_60", "BTC", &stop)]);
    desk::arrive(&mut model, 0, Answer::History(Ok(page)));
    assert_eq!(cell(&model, Pane::History, 0, "bps"), "-10.0");
    press(&mut model, "6\n");
    let shown = screen(&model, 120, 40);
    assert!(shown.contains("fill against trigger"), "{shown}");
    assert!(
        shown.contains("-10.0 bps, worse than its trigger"),
        "{shown}"
    );
}

#[test]
fn the_header_tells_the_state_of_the_connection_in_words() {
    assert_eq!(header(&desk::connecting()), "connecting… | api –");
    let full = header(&desk::full());
    assert!(
        full.contains(
            "day +312.40 | daily loss 61% left | margin 17,119 used, 84,120 free | api OK 4 ms"
        ),
        "{full}"
    );
    let mut refused = desk::full();
    let why = Failure::new(FailureKind::Auth, "revoked");
    desk::arrive(&mut refused, 0, Answer::Orders(Err(why)));
    assert!(
        header(&refused).contains("api AUTH"),
        "{}",
        header(&refused)
    );
}

#[test]
fn late_prices_are_named_in_the_header() {
    let mut model = desk::full();
    update(&mut model, Timestamp(desk::NOW.0 + 5_000), Msg::Tick);
    assert!(
        header(&model).contains("prices late 5s"),
        "{}",
        header(&model)
    );
}

#[test]
fn the_footer_offers_what_works_on_the_selected_row_and_always_the_way_out() {
    let mut model = desk::full();
    assert!(
        footer(&model).starts_with("X CLOSE ALL · F FLATTEN · c close · e stop · b buy"),
        "{}",
        footer(&model)
    );
    press(&mut model, "j");
    assert!(
        footer(&model).contains("c close · e stop · m margin"),
        "an isolated position"
    );
    press(&mut model, "2j");
    let armed = footer(&model);
    assert!(
        armed.contains("x cancel order · e move · K cancel all · b buy"),
        "an armed order has no exits, but can be moved: {armed}"
    );
    press(&mut model, "7");
    assert!(!footer(&model).contains("x cancel"), "{}", footer(&model));
}

/// The question that is open.
fn asked(model: &Model) -> String {
    let zone = Zone::utc();
    let strip = model
        .overlays
        .last()
        .and_then(Overlay::try_as_strip_ref)
        .unwrap();
    text(&view::strip(model, &Scene::of(model, &zone), strip).words)
}

#[test]
fn an_order_that_waits_for_another_market_is_named_with_that_market_and_its_price() {
    let mut model = desk::full();
    press(&mut model, "2/61,000\nkx");
    let words = asked(&model);
    let named = "cancel SELL 2.0000 ETH conditional when BTC ≤ 61,000 (ord_95)";
    assert!(words.starts_with(named), "{words}");
}

#[test]
fn who_cancels_the_only_stop_of_a_position_is_told_that_it_has_none_then() {
    let leaves = "leaves LONG BTC with NO STOP";
    let mut model = desk::full();
    press(&mut model, "2/≤ 60,000\nkx");
    assert_eq!(
        asked(&model),
        format!(
            "cancel SELL 0.75000 BTC stop mkt at 60,000 (ord_91), {leaves}, on chal-1?  y yes · Esc no  (5.0 s)"
        )
    );
    press(&mut model, "\u{1b}\u{1b}*x");
    let listed = |model: &Model| {
        let zone = Zone::utc();
        let Some(Overlay::Bulk(bulk)) = model.overlays.last() else {
            panic!("no list")
        };
        let items = view::bulk(model, &Scene::of(model, &zone), bulk).items;
        let bared = items.into_iter().filter(|item| item.words.contains(leaves));
        bared.map(|item| item.words).collect::<Vec<_>>()
    };
    let stop = "cancel SELL 0.75000 BTC stop mkt at 60,000 (ord_91), leaves LONG BTC with NO STOP";
    assert_eq!(listed(&model), [stop]);
}

#[test]
fn a_cancel_that_leaves_another_stop_bares_nothing() {
    let mut model = desk::full();
    let mut orders = desk::working();
    orders.push(desk::order(
        "ord_99",
        "BTC",
        &serde_json::json!({"type": "stop_market", "mode": "stop_market", "side": "sell", "size": 0.75,
            "initial_size": 0.75, "trigger_price": 59000, "trigger_direction": "below", "status": "pending",
            "reduce_only": true, "target_position_id": "pos_1"}),
    ));
    desk::arrive(&mut model, 0, Answer::Orders(Ok(Page::of(orders))));
    press(&mut model, "2/≤ 60,000\nkx");
    assert!(!asked(&model).contains("NO STOP"), "{}", asked(&model));
}

#[test]
fn the_strip_names_what_goes_how_long_it_waits_and_what_stops_it() {
    let mut model = desk::full();
    press(&mut model, "X");
    assert_eq!(
        asked(&model),
        "closing 4 positions on chal-1 in 1.5 s: y now · Esc stops it  (≤ 2.5 % slippage; 2 TWAPs still run, 6 entries \
         still rest: F cancels them)"
    );
    press(&mut model, "\u{1b}2x");
    assert_eq!(
        asked(&model),
        "cancel BUY 0.15000 BTC limit @ 62,500 (ord_90) on chal-1?  y yes · Esc no  (5.0 s)"
    );
}

#[test]
fn a_hostile_symbol_cannot_drive_the_terminal() {
    let mut model = desk::opened();
    let row = desk::position("p", "\u{1b}[2J\u{202e}X", &serde_json::json!({"size": 1}));
    desk::arrive(&mut model, 0, Answer::Positions(Ok(Page::of(vec![row]))));
    assert_eq!(cell(&model, Pane::Positions, 0, "market"), "�[2J�X");
}

#[test]
fn live_orders_are_announced_as_such() {
    let mut model = desk::full();
    let identity = Identity {
        mode: Mode::LiveApi,
        account_id: "chal-9".into(),
        base_url: "https://example.test".to_owned(),
        profile: perpdeck::app::Profile::default(),
    };
    update(&mut model, desk::NOW, Msg::Opened(identity));
    let screen = perpdeck::ui::picture::text(&crate::dump::drawn(
        &model,
        120,
        40,
        perpdeck::ui::Theme::colorless(),
    ));
    assert!(screen.starts_with(" LIVE-API "), "{screen}");
}

#[test]
fn the_footer_offers_flatten_while_there_is_something_to_flatten() {
    assert!(footer(&desk::full()).contains("F FLATTEN"));
    assert!(!footer(&desk::empty()).contains("F FLATTEN"));
}

#[test]
fn a_halted_desk_offers_no_key_that_opens_anything() {
    let mut model = desk::full();
    update(
        &mut model,
        desk::NOW,
        Msg::Halted(Some("flattened".to_owned())),
    );
    let shown = footer(&model);
    assert!(
        !shown.contains("b buy") && !shown.contains("t TWAP"),
        "{shown}"
    );
    assert!(shown.starts_with("X CLOSE ALL · F FLATTEN"), "{shown}");

    let mut empty = desk::empty();
    let offered = |model: &Model| text(&view::emptiness(Pane::Positions, model));
    assert!(offered(&empty).contains("b buy"), "{}", offered(&empty));
    update(
        &mut empty,
        desk::NOW,
        Msg::Halted(Some("flattened".to_owned())),
    );
    assert_eq!(offered(&empty), "no open positions");
}

#[test]
fn each_pane_offers_what_it_is_for_before_what_every_pane_can_do() {
    let mut model = desk::full();
    for (pane, first) in [
        ("5", "Enter detail · i by market · E export · / filter"),
        ("6", "Enter detail · i quality · E export · / filter"),
    ] {
        press(&mut model, pane);
        let shown = footer(&model);
        let start = format!("X CLOSE ALL · F FLATTEN · {first}");
        assert!(shown.starts_with(&start), "{shown}");
    }
}
