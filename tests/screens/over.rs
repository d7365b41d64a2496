//! What is over does not go on: ended scaled orders and TWAPs, lines written once.

use crate::{
    desk,
    dump::{press, screen},
    words::{cell, footer, text},
};
use perpdeck::{
    app::{
        Model, Msg,
        account::{pane::Pane, poll::Answer},
        update,
    },
    model::{CloseAll, Command, FlatProof, Page, Receipt, Scaled, Ticket, Timestamp, Twap, Zone},
    view::{self, Scene, TwapCard},
};
use serde_json::json;

fn later(model: &mut Model, seconds: i64) {
    let then = Timestamp(desk::NOW.0 + seconds * 1_000);
    update(model, then, Msg::Tick);
}

/// The state of every rung, the highest price first.
fn rungs(model: &Model) -> Vec<String> {
    (1..7)
        .map(|row| cell(model, Pane::Scaled, row, "state"))
        .collect()
}

fn canceled() -> Scaled {
    Scaled {
        canceled_at: Some(desk::NOW),
        status: Some("canceled".into()),
        ..desk::scaled()
    }
}

/// The working orders without those of the scaled order.
fn without_rungs() -> Page<perpdeck::model::Order> {
    let mut orders = desk::working();
    orders.retain(|order| order.scaled_order_id.is_none());
    Page::of(orders)
}

const REJECTED: &str = "rejected: margin would be exceeded";

#[test]
fn a_canceled_scaled_order_has_no_rung_that_still_works() {
    let mut model = desk::full();
    assert_eq!(
        rungs(&model),
        [
            "canceled", "filled", "working", "partial", "working", REJECTED
        ]
    );
    let scaled = Answer::Scaled("lad_1".into(), Ok(Box::new(canceled())));
    desk::arrive(&mut model, -1, scaled);
    let over = [
        "canceled", "filled", "canceled", "canceled", "canceled", REJECTED,
    ];
    assert_eq!(
        rungs(&model),
        over,
        "the scaled order's word is the newer one"
    );
    desk::arrive(&mut model, -2, Answer::Orders(Ok(without_rungs())));
    assert_eq!(rungs(&model), over, "its orders are gone from the list");
    press(&mut model, "4");
    assert!(
        !footer(&model).contains("cancel scaled"),
        "{}",
        footer(&model)
    );
}

#[test]
fn an_order_of_an_old_page_does_not_work_for_ever() {
    let mut model = desk::full();
    let resting = desk::order("ord_old", "BTC", &json!({"limit_price": 60_000}));
    let older = |rows| Answer::MoreHistory("h2".to_owned().into(), Ok(Page::of(rows)));
    press(&mut model, "6G");
    desk::arrive(&mut model, 7, older(vec![resting]));
    assert_eq!(cell(&model, Pane::History, 40, "status"), "ended");
    let mut listed = desk::working();
    listed.push(desk::order(
        "ord_old",
        "BTC",
        &json!({"limit_price": 60_000}),
    ));
    desk::arrive(&mut model, -1, Answer::Orders(Ok(Page::of(listed))));
    assert_eq!(cell(&model, Pane::History, 40, "status"), "working");
}

#[test]
fn a_list_of_working_orders_with_gaps_proves_no_order_gone() {
    let mut model = desk::full();
    let gaps = Page {
        incomplete: true,
        ..without_rungs()
    };
    desk::arrive(&mut model, -1, Answer::Orders(Ok(gaps)));
    let states = ["canceled", "filled", "placed", "placed", "placed", REJECTED];
    assert_eq!(rungs(&model), states);
}

fn card(model: &Model, id: &str) -> TwapCard {
    let zone = Zone::utc();
    let row = perpdeck::app::account::row_id::RowId::Twap(id.into());
    view::cards(&Scene::of(model, &zone), &[row]).remove(0)
}

fn stopped() -> Twap {
    Twap {
        canceled_at: Some(desk::NOW),
        status: Some("canceled".into()),
        completion_reason: Some("stopped_by_user".into()),
        ..desk::twaps().remove(0)
    }
}

#[test]
fn a_stopped_twap_stands_still_and_says_why() {
    let mut model = desk::full();
    update(
        &mut model,
        desk::NOW,
        Msg::Resumed(Ticket(9), Command::StopTwap("twap_1".into())),
    );
    let receipt = Receipt::Twap(Box::new(stopped()));
    update(&mut model, desk::NOW, Msg::Settled(Ticket(9), Ok(receipt)));
    let before = card(&model, "twap_1");
    assert_eq!(text(&before.state), "stopped 14:13:20: stopped by user");
    assert!(!text(&before.facts).contains("child"), "{before:?}");
    later(&mut model, 900);
    assert_eq!(card(&model, "twap_1"), before);
    desk::arrive(&mut model, 1, Answer::Twaps(Ok(Page::of(desk::twaps()))));
    assert_eq!(
        card(&model, "twap_1"),
        before,
        "an older list brings it back"
    );
    desk::arrive(&mut model, -1, Answer::Twaps(Ok(Page::of(vec![]))));
    assert_eq!(card(&model, "twap_1"), before);
}

#[test]
fn a_twap_that_left_the_list_stands_where_it_was_last_seen() {
    let mut model = desk::full();
    let running = card(&model, "twap_1");
    desk::arrive(&mut model, -1, Answer::Twaps(Ok(Page::of(vec![]))));
    later(&mut model, 900);
    let ended = card(&model, "twap_1");
    assert_eq!(text(&ended.state), "ended (last seen 14:13:18)");
    assert!(text(&running.state).contains("next in"));
    assert_eq!(running.child.as_deref(), Some("ord_70"));
    assert_eq!(ended.child, None);
    assert_eq!(ended.bars[1].share.text, "48%", "2 s before now");
}

#[test]
fn a_twap_that_left_the_list_under_a_flatten_of_this_desk_was_stopped_by_it() {
    let proof = FlatProof {
        first: desk::NOW,
        second: desk::NOW,
    };
    let flat = Msg::Settled(Ticket(9), Ok(Receipt::Flat(proof)));
    for told_before in [false, true] {
        let mut model = desk::full();
        let command = Command::Flatten("chal-1".into());
        update(&mut model, desk::NOW, Msg::Resumed(Ticket(9), command));
        if told_before {
            update(&mut model, desk::NOW, flat.clone());
        }
        desk::arrive(&mut model, -1, Answer::Twaps(Ok(Page::of(vec![]))));
        let state = text(&card(&model, "twap_1").state);
        assert_eq!(state, "stopped by this desk's F (last seen 14:13:18)");
    }
}

/// Of 60 LINK in eleven slices, with ten of them read; it leaves the list with the eleventh.
fn short_twap() -> Twap {
    let start = desk::NOW.0 - 300_000;
    desk::read(&json!({
        "id": "twap_9", "account_id": "chal-1", "market_id": "paper|LINK", "status": "active", "total_size": 60,
        "filled_size": 54.5, "average_price": 9, "slice_count": 11, "slices_attempted": 10,
        "slice_interval_seconds": 30, "started_at": start, "activated_at": start, "end_at": desk::NOW.0,
    }))
}

/// Its slices as the history has them, the newest first, after so many seconds.
fn slices(model: &mut Model, count: u32, seconds: i64) {
    let slice = |number: u32| {
        let size = if number < 10 { 5.45 } else { 5.5 };
        let json = json!({
            "type": "market", "mode": "market", "size": size, "filled_size": size, "fill_price": 10,
            "status": "filled", "twap_order_id": "twap_9",
            "requested_at": desk::NOW.0 - 300_000 + i64::from(number) * 30_000,
        });
        desk::order(&format!("slice_{number}"), "LINK", &json)
    };
    let rows = (0..count).rev().map(slice).collect();
    let page = Page {
        next: Some("more".to_owned().into()),
        ..Page::of(rows)
    };
    desk::arrive(model, -seconds, Answer::History(Ok(page)));
}

/// The last of the activity, if it tells of the end of a TWAP.
fn told_end(model: &Model) -> Option<String> {
    let kind = cell(model, Pane::Activity, 0, "event");
    (kind == "TWAP ended").then(|| lines(model).remove(0))
}

/// It was on the list with the others, and is not any more.
fn leaving() -> Model {
    let mut model = desk::full();
    let mut running = desk::twaps();
    running.push(short_twap());
    desk::arrive(&mut model, -1, Answer::Twaps(Ok(Page::of(running))));
    slices(&mut model, 10, 1);
    let left = Answer::Twaps(Ok(Page::of(desk::twaps())));
    desk::arrive(&mut model, -2, left);
    model
}

#[test]
fn a_twap_whose_last_slice_ends_it_is_told_whole_when_its_orders_have_told_that() {
    let mut model = leaving();
    assert_eq!(told_end(&model), None, "its last slice is not read yet");
    slices(&mut model, 11, 3);
    let told = told_end(&model).unwrap();
    assert_eq!(told, "BUY 60 LINK (twap_9): 100.00% filled");
    let ended = card(&model, "twap_9");
    assert!(
        text(&ended.state).starts_with("ended: filled (last seen 14:13:"),
        "{ended:?}"
    );
    assert_eq!(ended.bars[0].share.text, "100%");
    assert!(
        text(&ended.facts).contains("slices 11/11  avg 10"),
        "{ended:?}"
    );
    assert!(text(&ended.bars[1].words).contains("0.00%"), "{ended:?}");
}

#[test]
fn a_twap_of_which_the_orders_tell_no_more_has_filled_at_least_what_was_seen() {
    let mut model = leaving();
    slices(&mut model, 10, 3);
    assert_eq!(told_end(&model), None, "one more look");
    slices(&mut model, 10, 4);
    let told = told_end(&model).unwrap();
    assert_eq!(
        told,
        "BUY 60 LINK (twap_9): filled at least 90.83% when last seen"
    );
}

#[test]
fn at_every_width_a_twap_that_is_over_says_which_it_was() {
    for width in [60, 80, 100, 120, 160, 200] {
        let mut model = desk::full();
        desk::arrive(&mut model, -1, Answer::Twaps(Ok(Page::of(vec![]))));
        press(&mut model, "3");
        let shown = screen(&model, width, 30);
        // The title says how many have ended.
        let rows = shown.lines().filter(|line| !line.contains("─"));
        let mut lines = rows.filter(|line| line.contains("ended"));
        assert!(
            lines.all(|line| line.contains("BUY") || line.contains("SELL")),
            "{shown}"
        );
    }
}

/// Everything the activity pane says, the newest first.
fn lines(model: &Model) -> Vec<String> {
    (0..model.account.activity.lines.len())
        .map(|row| cell(model, Pane::Activity, row, "what"))
        .collect()
}

#[test]
fn a_line_of_the_activity_never_reads_otherwise_later() {
    let mut model = desk::full();
    press(&mut model, "jm+50\n\u{1b}");
    press(&mut model, "2x");
    let then = Timestamp(desk::NOW.0 + 200);
    update(&mut model, then, Msg::Key('y'.into()));
    let written = lines(&model);
    assert!(
        written[1].contains("SHORT 12.5000 ETH (pos_2)"),
        "{}",
        written[1]
    );
    assert!(
        written[0].contains("BUY 0.15000 BTC limit @ 62,500"),
        "{}",
        written[0]
    );
    let mut rest = desk::positions();
    rest[1].size = desk::num("-0.1");
    desk::arrive(&mut model, -1, Answer::Positions(Ok(Page::of(rest))));
    desk::arrive(&mut model, -1, Answer::Orders(Ok(Page::of(vec![]))));
    desk::arrive(&mut model, -1, Answer::History(Ok(Page::of(vec![]))));
    desk::arrive(&mut model, -1, Answer::Markets(Ok(vec![])));
    assert_eq!(lines(&model), written);
    desk::arrive(&mut model, -2, Answer::Positions(Ok(Page::of(vec![]))));
    assert_eq!(lines(&model), written);
    let why = desk::refusal();
    update(&mut model, then, Msg::Settled(Ticket(1), Err(why)));
    let last = lines(&model).remove(0);
    assert!(last.contains("SHORT 12.5000 ETH (pos_2)"), "{last}");
}

fn close_all(result: &serde_json::Value) -> CloseAll {
    desk::read(&json!({
        "id": "op_1", "operation": "close_all_positions", "account_id": "chal-1", "status": "completed",
        "total_count": 1, "succeeded_count": 1, "failed_count": 0, "created_at": desk::NOW.0,
        "results": [result],
    }))
}

fn close_all_line(result: &serde_json::Value) -> String {
    let mut model = desk::full();
    let command = Command::CloseAll("chal-1".into());
    update(&mut model, desk::NOW, Msg::Resumed(Ticket(9), command));
    let receipt = Receipt::CloseAll(close_all(result));
    update(&mut model, desk::NOW, Msg::Settled(Ticket(9), Ok(receipt)));
    lines(&model).remove(0)
}

#[test]
fn close_all_invents_no_failure_and_names_what_still_trades() {
    assert_eq!(
        close_all_line(&json!({"position_id": "pos_1", "status": "half_done"})),
        "close all positions on chal-1: 1 of 1 submitted; pos_1 status \"half_done\"; 2 TWAPs still run"
    );
    assert_eq!(
        close_all_line(
            &json!({"position_id": "pos_1", "status": "failed", "failure_code": "slippage"})
        ),
        "close all positions on chal-1: 1 of 1 submitted; pos_1 failed: slippage; 2 TWAPs still run"
    );
}

#[test]
fn a_word_nobody_knows_is_quoted_and_says_what_it_stands_for() {
    let mut model = desk::full();
    let odd = desk::order(
        "ord_x",
        "BTC",
        &json!({"status": "never heard of", "mode": "sideways", "fill_price": 64_000}),
    );
    let command = Command::Cancel("ord_x".into());
    update(&mut model, desk::NOW, Msg::Resumed(Ticket(9), command));
    let receipt = Receipt::Order {
        order: Box::new(odd),
        queued: false,
    };
    update(&mut model, desk::NOW, Msg::Settled(Ticket(9), Ok(receipt)));
    assert_eq!(
        lines(&model).remove(0),
        "unknown status \"never heard of\": BUY 0.5 BTC type \"sideways\": status \"never heard of\": filled at 64,000"
    );
}

/// The lines of the open list of calls: what each says of its state.
fn states(model: &Model) -> Vec<String> {
    let zone = Zone::utc();
    let open = model
        .overlays
        .iter()
        .find_map(|overlay| overlay.try_as_bulk_ref());
    let items = view::bulk(model, &Scene::of(model, &zone), open.unwrap()).items;
    items.into_iter().map(|item| item.state.text).collect()
}

#[test]
fn a_cancel_that_was_queued_is_told_over_when_its_order_is() {
    let mut model = desk::full();
    press(&mut model, "2*x");
    let then = Timestamp(desk::NOW.0 + 200);
    update(&mut model, then, Msg::Key('y'.into()));
    let ids: Vec<_> = desk::working().into_iter().map(|order| order.id).collect();
    for ticket in 1..=20 {
        let pending = model.account.store.pending.get(&Ticket(ticket));
        let Some(id) = pending.and_then(|pending| pending.command.cancels().cloned()) else {
            continue;
        };
        let queued = perpdeck::model::CancelResult {
            id,
            canceled: false,
            queued: true,
        };
        let settled = Msg::Settled(Ticket(ticket), Ok(Receipt::Cancel(queued)));
        update(&mut model, then, settled);
    }
    let queued = states(&model)
        .iter()
        .filter(|state| *state == "queued")
        .count();
    assert!(queued > 0, "{:?}", states(&model));
    let over = desk::working()
        .into_iter()
        .map(|order| perpdeck::model::Order {
            status: serde_json::from_value(json!("canceled")).unwrap(),
            ..order
        });
    let over: Vec<_> = over.filter(|order| ids.contains(&order.id)).collect();
    desk::arrive(&mut model, -2, Answer::Orders(Ok(Page::of(vec![]))));
    desk::arrive(&mut model, -2, Answer::History(Ok(Page::of(over))));
    assert!(
        !states(&model).contains(&"queued".to_owned()),
        "{:?}",
        states(&model)
    );
    assert!(
        states(&model).contains(&"canceled".to_owned()),
        "{:?}",
        states(&model)
    );
}

#[test]
fn a_strip_tells_what_of_a_scaled_order_still_works_and_what_of_a_twap_is_left() {
    let mut model = desk::full();
    press(&mut model, "4x");
    let shown = screen(&model, 160, 40);
    assert!(shown.contains("3 of 6 rungs still work"), "{shown}");
    let mut model = desk::full();
    press(&mut model, "3x");
    let shown = screen(&model, 160, 40);
    assert!(shown.contains("0.26000 filled, 0.24000 left"), "{shown}");
    assert!(screen(&model, 60, 16).contains("y yes · Esc no"));
}

#[test]
fn a_flip_is_asked_about_with_both_of_its_orders_and_its_account() {
    let mut model = desk::full();
    press(&mut model, "1I");
    let asked = "Flip: closes long 0.75 BTC, then sells 0.75 BTC (two orders) on chal-1?";
    for (width, height) in [(200, 60), (120, 40)] {
        let shown = screen(&model, width, height);
        assert!(shown.contains(asked), "{shown}");
    }
    for (width, height) in [(80, 24), (60, 16)] {
        let shown = screen(&model, width, height);
        assert!(shown.contains("Flip: closes long 0.75 BTC"), "{shown}");
        assert!(shown.contains("y yes · Esc no"), "{shown}");
    }
}

#[test]
fn a_title_tells_how_many_newer_rows_lie_above_what_is_seen() {
    let mut model = desk::full();
    press(&mut model, "6");
    assert!(!screen(&model, 120, 40).contains("newer ↑"));
    press(&mut model, "G");
    let shown = screen(&model, 120, 40);
    assert!(shown.contains(" newer ↑"), "{shown}");
}

#[test]
fn what_is_answered_while_the_desk_asks_whether_to_leave_is_not_on_the_way_any_more() {
    let mut model = desk::full();
    press(&mut model, "X");
    let soon = desk::NOW.plus(std::time::Duration::from_millis(300));
    update(&mut model, soon, Msg::Tick);
    press(&mut model, "y");
    press(&mut model, "q");
    assert!(screen(&model, 100, 30).contains("pending; the next desk finds out"));
    let tickets: Vec<_> = model.account.store.pending.keys().copied().collect();
    for ticket in tickets {
        let done = Msg::Settled(ticket, Ok(Receipt::AlreadySo("done".into())));
        update(&mut model, desk::NOW, done);
    }
    assert!(screen(&model, 100, 30).contains("quit? nothing is pending any more"));
}
