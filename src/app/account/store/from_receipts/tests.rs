//! The state after a command's response, while reads are older or fail.

use super::*;
use crate::{
    app::{
        account::poll::{Answer, Poll},
        desk::{model::Model, msg::Msg},
        testing::{NOON, desk, num, order, position, settle, wait},
        update::router::update,
    },
    model::{CancelResult, ClosePosition, Failure, FailureKind},
};

const RESTING: &str = r#""type":"limit","mode":"limit","side":"buy","size":0.1,"limit_price":60000,
    "attached_take_profit_price":70000,"attached_stop_loss_price":58000,"status":"resting""#;

/// Gives a command, waits a second and answers it.
fn told(model: &mut Model, command: Command, receipt: Receipt) {
    let ticket = model.account.store.begin(command, model.account.now);
    wait(model, 1_000);
    settle(model, ticket, Ok(receipt));
}

fn canceled(model: &mut Model) {
    let receipt = Receipt::Cancel(CancelResult {
        id: "ord-1".into(),
        canceled: true,
        queued: false,
    });
    told(model, Command::Cancel("ord-1".into()), receipt);
}

/// An answer to a request of this time.
fn answer(model: &mut Model, requested_at: u64, answer: Answer) {
    let at = NOON.plus(std::time::Duration::from_millis(requested_at));
    let poll = Poll { at, answer };
    update(model, model.account.now, Msg::Polled(Box::new(poll)));
}

fn working(model: &Model) -> Vec<&str> {
    let rows = model.account.store.orders.rows().iter();
    rows.map(|order| order.id.raw()).collect()
}

fn listed() -> Answer {
    Answer::Orders(Ok(Page::of(vec![order("ord-1", "BTC", RESTING)])))
}

fn down() -> Failure {
    Failure::new(FailureKind::Unavailable, "down")
}

fn exits(model: &Model) -> (Option<Num>, Option<Num>) {
    let order = model.account.store.order(&"ord-1".into()).unwrap();
    (
        order.attached_take_profit_price,
        order.attached_stop_loss_price,
    )
}

#[test]
fn a_canceled_order_leaves_the_working_ones_though_every_read_fails() {
    let mut model = desk();
    canceled(&mut model);
    assert_eq!(working(&model), ["ord-2"]);
    for second in 2..5 {
        wait(&mut model, 1_000);
        answer(&mut model, second * 1_000, Answer::Orders(Err(down())));
    }
    assert_eq!(working(&model), ["ord-2"]);
}

#[test]
fn a_read_that_left_before_the_cancel_was_answered_brings_no_order_back_and_one_that_left_after_decides()
 {
    let mut model = desk();
    canceled(&mut model);
    wait(&mut model, 1_000);
    answer(&mut model, 500, listed());
    assert_eq!(working(&model), Vec::<&str>::new());
    assert_eq!(
        model.account.store.status_by_receipt(&"ord-1".into()),
        Some(OrderStatus::Canceled)
    );
    answer(&mut model, 1_500, listed());
    assert_eq!(working(&model), ["ord-1"]);
    assert_eq!(model.account.store.status_by_receipt(&"ord-1".into()), None);
}

#[test]
fn an_old_page_of_the_history_does_not_call_a_canceled_order_working() {
    let mut model = desk();
    let page = Page::of(vec![order("ord-1", "BTC", RESTING)]);
    answer(&mut model, 0, Answer::History(Ok(page)));
    canceled(&mut model);
    let row = model.account.store.order(&"ord-1".into()).unwrap();
    assert!(row.is_working() && model.account.store.is_over(row));
}

#[test]
fn a_cancel_that_is_queued_leaves_its_order_where_it_is() {
    let mut model = desk();
    let receipt = Receipt::Cancel(CancelResult {
        id: "ord-2".into(),
        canceled: false,
        queued: true,
    });
    told(&mut model, Command::Cancel("ord-2".into()), receipt);
    assert_eq!(working(&model), ["ord-1", "ord-2"]);
    assert!(model.account.store.queued_cancels.contains(&"ord-2".into()));
}

#[test]
fn new_exits_show_as_answered_and_as_seen_by_reads() {
    let command = Exits::unseen("ord-1".into(), Leg::Set(num("71000")), Leg::Keep);
    let row = order("ord-1", "BTC", &RESTING.replace("70000", "71000"));
    let answered = Receipt::Order {
        order: Box::new(row),
        queued: false,
    };
    for receipt in [
        answered,
        Receipt::AlreadySo("the exits are as asked".into()),
    ] {
        let mut model = desk();
        told(&mut model, Command::Exits(command.clone()), receipt);
        assert_eq!(exits(&model), (Some(num("71000")), Some(num("58000"))));
        answer(&mut model, 500, listed());
        assert_eq!(exits(&model), (Some(num("71000")), Some(num("58000"))));
        answer(&mut model, 1_500, listed());
        assert_eq!(exits(&model), (Some(num("70000")), Some(num("58000"))));
    }
}

#[test]
fn new_margin_shows_as_answered_and_an_answer_without_a_row_changes_nothing_else() {
    let sol = |extra: &str, rest: &str| {
        let rest = format!(r#""leverage":5,"isolated_margin_extra":{extra}{rest}"#);
        position("pos-2", "SOL", "-100", &rest)
    };
    let command = Command::margin("pos-2".into(), num("300"), None);
    let whole = sol("300", r#","liquidation_price":195"#);
    let bare = r#"{"id":"pos-2","market_id":"paper|SOL","size":-100,"isolated_margin_extra":300}"#;
    let bare: Position = serde_json::from_str(bare).unwrap();
    let receipts = [
        (Receipt::Position(Box::new(whole)), "195"),
        (Receipt::Position(Box::new(bare)), "190"),
        (Receipt::AlreadySo("the margin is as asked".into()), "190"),
    ];
    for (receipt, liquidation) in receipts {
        let mut model = desk();
        told(&mut model, command.clone(), receipt);
        let row = model.account.store.position(&"pos-2".into()).unwrap();
        let shown = (row.isolated_margin_extra, row.liquidation_price);
        assert_eq!(shown, (Some(num("300")), Some(num(liquidation))));
        assert_eq!(row.entry_price, Some(num("160")));
    }
}

fn close(size: Option<Num>) -> Command {
    Command::Close(ClosePosition {
        size,
        ..ClosePosition::market("pos-1".into())
    })
}

#[test]
fn a_position_closed_in_two_steps_is_closed_whole_and_its_closed_row_says_nothing_of_a_part() {
    let mut model = desk();
    let filled = |size: &str| Receipt::Order {
        order: Box::new(order(
            "ord-9",
            "BTC",
            &format!(
                r#""type":"market","mode":"market","side":"sell","size":{size},"filled_size":{size},
                "status":"filled""#
            ),
        )),
        queued: false,
    };
    told(&mut model, close(Some(num("0.2"))), filled("0.2"));
    let held = position("pos-1", "BTC", "0.5", r#""leverage":10"#);
    assert_eq!(model.account.store.closing(&held), Some(Closing::InPart));
    told(&mut model, close(None), filled("0.3"));
    assert_eq!(model.account.store.closing(&held), Some(Closing::Whole));
    let over = r#""leverage":10,"closed_at":1790000001000"#;
    let over = position("pos-1", "BTC", "0.5", over);
    assert_eq!(model.account.store.closing(&over), None);
}

#[test]
fn a_position_says_how_much_of_it_the_answer_to_its_close_has_closed() {
    let close = close(None);
    let cases = [
        (("market", "filled", "0.5"), Some(Closing::Whole)),
        (("market", "filled", "0.2"), Some(Closing::InPart)),
        (("market", "pending", "0"), Some(Closing::UnderWay)),
        (("limit", "resting", "0"), None),
        (("market", "rejected", "0"), None),
    ];
    for ((kind, status, filled), closing) in cases {
        let mut model = desk();
        let rest = format!(
            r#""type":"{kind}","mode":"{kind}","side":"sell","size":0.5,"filled_size":{filled},"status":"{status}""#
        );
        let receipt = Receipt::Order {
            order: Box::new(order("ord-9", "BTC", &rest)),
            queued: false,
        };
        let held = position("pos-1", "BTC", "0.5", r#""leverage":10"#);
        told(&mut model, close.clone(), receipt);
        assert_eq!(model.account.store.closing(&held), closing, "{status}");
        answer(&mut model, 1_500, Answer::Positions(Err(down())));
        assert_eq!(model.account.store.closing(&held), closing, "{status}");
        let page = Page::of(vec![held.clone()]);
        answer(&mut model, 1_600, Answer::Positions(Ok(page)));
        assert_eq!(model.account.store.closing(&held), None, "{status}");
    }
}

#[test]
fn a_read_of_a_scaled_order_that_left_before_its_cancel_was_answered_does_not_bring_it_back() {
    let scaled = |ended: &str| {
        let json = format!(r#"{{"id":"lad-1","market_id":"paper|SOL"{ended}}}"#);
        Box::new(serde_json::from_str::<crate::model::Scaled>(&json).unwrap())
    };
    let mut model = desk();
    answer(
        &mut model,
        0,
        Answer::Scaled("lad-1".into(), Ok(scaled(""))),
    );
    let over = scaled(r#","canceled_at":1790000000900"#);
    told(
        &mut model,
        Command::CancelScaled("lad-1".into()),
        Receipt::Scaled(over.clone()),
    );
    answer(
        &mut model,
        500,
        Answer::Scaled("lad-1".into(), Ok(scaled(""))),
    );
    assert_eq!(
        model.account.store.scaled_order(&"lad-1".into()),
        Some(&*over)
    );
}
