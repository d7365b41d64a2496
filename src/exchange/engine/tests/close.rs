use super::desk::{BTC, Desk, SOL, nano, usd};
use crate::exchange::engine::*;

fn closing(desk: &Desk, how: CloseHow) -> CloseParams {
    CloseParams {
        position: desk.position(SOL).unwrap().id,
        size: None,
        expected_price: None,
        how,
        client_order_id: None,
    }
}

fn close(desk: &mut Desk, close: CloseParams) -> Result<OrderId, CommandRefusal> {
    let done = desk.apply(EngineCommand::Close(close))?;
    let CommandOutcome::Order(id) = done else {
        panic!("a close is an order, not {done:?}")
    };
    Ok(id)
}

const MARKET: CloseHow = CloseHow::Market { slippage: None };

#[test]
fn a_quarter_and_then_all_of_a_position_can_be_closed_at_market() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Sell, "4");
    let quarter = CloseParams {
        size: Some(desk.lots(SOL, "1")),
        ..closing(&desk, MARKET)
    };
    let id = close(&mut desk, quarter).unwrap();
    let row = desk.row(id);
    assert_eq!(
        (row.side, row.reduce_only, row.leverage, row.slippage),
        (Side::Buy, true, 10, Some(Bps(250)))
    );
    assert_eq!(desk.held(SOL), Lots(-300));
    let rest = closing(&desk, MARKET);
    close(&mut desk, rest.clone()).unwrap();
    assert_eq!(desk.held(SOL), Lots::ZERO);
    let again = close(&mut desk, rest).unwrap_err();
    assert_eq!(
        (again.kind, again.code),
        (RefusalKind::Conflict, Reason::PositionClosed)
    );
}

#[test]
fn more_than_the_position_closes_the_position() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "4");
    let all = CloseParams {
        size: Some(desk.lots(SOL, "9")),
        ..closing(&desk, MARKET)
    };
    let id = close(&mut desk, all).unwrap();
    assert_eq!(desk.ending(id), (OrderStatus::Filled, Lots(400), None));
}

#[test]
fn a_closing_limit_that_crosses_must_be_acknowledged() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "4");
    let limit = |desk: &Desk, px: &str, crossing| {
        let price = desk.px(SOL, px);
        closing(desk, CloseHow::Limit { price, crossing })
    };
    let crossing = limit(&desk, "99", Crossing::Unacknowledged);
    assert_eq!(
        close(&mut desk, crossing).unwrap_err().code,
        Reason::MarketableLimitUnacknowledged
    );
    let resting = limit(&desk, "105", Crossing::Unacknowledged);
    let id = close(&mut desk, resting).unwrap();
    assert_eq!(desk.row(id).status, OrderStatus::Resting);
    let meant = limit(&desk, "99", Crossing::Acknowledged);
    close(&mut desk, meant).unwrap();
    assert_eq!(desk.held(SOL), Lots::ZERO);
}

#[test]
fn a_close_can_wait_for_another_market() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "4");
    let how = CloseHow::Conditional {
        market: Some(BTC.into()),
        trigger: desk.px(BTC, "49000"),
        direction: TriggerDirection::Below,
        slippage: None,
    };
    let waiting = closing(&desk, how);
    let id = close(&mut desk, waiting).unwrap();
    assert_eq!(desk.row(id).status, OrderStatus::Pending);
    desk.at(BTC, "48999");
    assert_eq!(desk.held(SOL), Lots::ZERO);
}

#[test]
fn close_all_sells_into_a_thin_book_no_further_than_two_and_a_half_percent() {
    let mut desk = Desk::new(100_000);
    desk.market(SOL, Side::Buy, "15");
    let bids = [("99.9", "4"), ("99.5", "4"), ("97.6", "4"), ("97.3", "100")];
    desk.book(SOL, &bids, &[("100", "2")], "99.95");
    let id = desk.position(SOL).unwrap().id;
    let done = desk.apply(EngineCommand::ForceClose(id));
    let Ok(CommandOutcome::Order(order)) = done else {
        panic!("{done:?}")
    };
    let row = desk.row(order);
    assert_eq!(
        (row.status, row.filled_size, row.initial_size),
        (OrderStatus::Filled, Lots(1_200), Lots(1_500))
    );
    assert_eq!(
        (row.notional, row.fill_price, row.fee),
        (usd("1188"), Some(nano("99")), usd("0.5346"))
    );
    assert_eq!(desk.held(SOL), Lots(300));
    desk.book(SOL, &[("90", "4")], &[("110", "2")], "100");
    let dry = desk.apply(EngineCommand::ForceClose(id)).unwrap_err();
    assert_eq!(
        (dry.code, dry.rule),
        (Reason::NoLiquidity, Some(RuleId::MaxSlippage))
    );
}
