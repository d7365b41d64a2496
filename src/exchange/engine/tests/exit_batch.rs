use super::desk::{Desk, SOL};
use crate::exchange::engine::*;

fn exit(
    desk: &Desk,
    group: ExitGroup,
    price: &str,
    coins: &str,
    pair: Option<usize>,
) -> ExitBatchStep {
    ExitBatchStep::Place(NewExit {
        group,
        execution: ExecutionType::Market,
        price: desk.px(SOL, price),
        size: desk.lots(SOL, coins),
        pair,
    })
}

fn change(
    desk: &mut Desk,
    operations: Vec<ExitBatchStep>,
) -> Result<CommandOutcome, CommandRefusal> {
    let position = desk.position(SOL).unwrap().id;
    desk.apply(EngineCommand::ChangeExits(ChangeExits {
        position,
        operations,
    }))
}

/// Mode, trigger and size of the exits, oldest first.
fn exits(desk: &Desk) -> Vec<(OrderMode, Px, Lots)> {
    let position = desk.position(SOL).unwrap().id;
    let exits = desk.engine.position_exits(desk.me, position);
    exits
        .iter()
        .map(|row| (row.mode, row.trigger_price.unwrap(), row.size))
        .collect()
}

fn ids(desk: &Desk) -> Vec<OrderId> {
    let position = desk.position(SOL).unwrap().id;
    let exits = desk.engine.position_exits(desk.me, position);
    exits.iter().map(|row| row.id).collect()
}

/// Long 4 from 100, a stop at 95 and a target at 110 for all of it, paired.
fn paired() -> Desk {
    let mut desk = Desk::new(100_000);
    desk.at(SOL, "100");
    desk.market(SOL, Side::Buy, "4");
    let operations = vec![
        exit(&desk, ExitGroup::Sl, "95", "4", None),
        exit(&desk, ExitGroup::Tp, "110", "4", Some(0)),
    ];
    change(&mut desk, operations).unwrap();
    desk
}

fn sibling(desk: &Desk, id: OrderId) -> Option<OrderId> {
    desk.row(id).links.oco
}

#[test]
fn a_pair_is_placed_and_a_fill_of_one_retires_the_other() {
    let mut desk = paired();
    let (stop, target) = (ids(&desk)[0], ids(&desk)[1]);
    assert_eq!(sibling(&desk, stop), Some(target));
    assert_eq!(sibling(&desk, target), Some(stop));
    desk.book(SOL, &[("110", "1.5")], &[("110.1", "9")], "110");
    assert_eq!(desk.held(SOL), Lots(250));
    assert_eq!(
        exits(&desk),
        [(OrderMode::StopMarket, desk.px(SOL, "95"), Lots(250))]
    );
    assert_eq!(sibling(&desk, stop), None, "the target has ended");
    desk.at(SOL, "95");
    assert_eq!(desk.position(SOL), None);
}

#[test]
fn canceling_one_of_a_pair_leaves_the_other_alone() {
    let mut desk = paired();
    let (stop, target) = (ids(&desk)[0], ids(&desk)[1]);
    desk.apply(EngineCommand::Cancel(target)).unwrap();
    desk.step();
    assert_eq!(desk.ending(target).0, OrderStatus::Canceled);
    assert_eq!(
        (sibling(&desk, stop), desk.row(stop).size),
        (None, Lots(400))
    );
}

#[test]
fn a_batch_moves_cancels_and_places_at_once_and_pairs_what_it_moves() {
    let mut desk = paired();
    let (stop, target) = (ids(&desk)[0], ids(&desk)[1]);
    let moved = OrderChange {
        order: stop,
        price: desk.px(SOL, "97"),
        size: Some(desk.lots(SOL, "2")),
    };
    let operations = vec![
        ExitBatchStep::Cancel(target),
        ExitBatchStep::Modify(moved),
        exit(&desk, ExitGroup::Tp, "120", "2", Some(1)),
        exit(&desk, ExitGroup::Sl, "90", "2", None),
    ];
    change(&mut desk, operations).unwrap();
    assert_eq!(
        exits(&desk),
        [
            (OrderMode::StopMarket, desk.px(SOL, "97"), Lots(200)),
            (OrderMode::TakeProfit, desk.px(SOL, "120"), Lots(200)),
            (OrderMode::StopMarket, desk.px(SOL, "90"), Lots(200)),
        ]
    );
    let new = ids(&desk)[1];
    assert_eq!(
        (sibling(&desk, stop), sibling(&desk, new)),
        (Some(new), Some(stop))
    );
}

/// A batch, and why it is refused, at which field.
type Wrong<'a> = (Vec<ExitBatchStep>, Reason, Option<&'a str>);

/// Each batch is refused so, and changes nothing.
fn refused(desk: &mut Desk, wrong: Vec<Wrong<'_>>) {
    let (before, hash) = (exits(desk), desk.engine.log_hash());
    for (operations, code, field) in wrong {
        let refusal = change(desk, operations).unwrap_err();
        let told = (refusal.code, refusal.field.as_deref());
        assert_eq!(told, (code, field), "{refusal}");
        assert_eq!((&exits(desk), &desk.engine.log_hash()), (&before, &hash));
    }
}

#[test]
fn a_batch_with_one_refused_operation_changes_nothing() {
    let mut desk = paired();
    let (order, target) = (ids(&desk)[0], ids(&desk)[1]);
    let entry = desk.limit(SOL, Side::Buy, "1", "90");
    let entry = desk.place(entry).unwrap();
    let crossed = ExitBatchStep::Modify(OrderChange {
        order,
        price: desk.px(SOL, "105"),
        size: None,
    });
    let cancel = ExitBatchStep::Cancel(target);
    let large = exit(&desk, ExitGroup::Tp, "111", "5", None);
    let second = Some("operations[1].order_id");
    let wrong = vec![
        (vec![cancel, crossed], Reason::TriggerWouldFire, None),
        (vec![cancel, cancel], Reason::NotFound, second),
        (
            vec![cancel, ExitBatchStep::Cancel(entry)],
            Reason::NotFound,
            second,
        ),
        (vec![cancel, large], Reason::ExitAllocation, None),
    ];
    refused(&mut desk, wrong);
}

#[test]
fn a_pair_is_a_stop_and_a_target_that_are_in_no_other_pair() {
    let mut desk = paired();
    let (order, target) = (ids(&desk)[0], ids(&desk)[1]);
    let moved = ExitBatchStep::Modify(OrderChange {
        order,
        price: desk.px(SOL, "96"),
        size: None,
    });
    let place = |group, price, pair| exit(&desk, group, price, "1", Some(pair));
    let (first, far) = (
        place(ExitGroup::Tp, "111", 0),
        place(ExitGroup::Tp, "111", 7),
    );
    let stop = place(ExitGroup::Sl, "94", 0);
    let cancel = ExitBatchStep::Cancel(target);
    let wrong = [
        vec![cancel, first],
        vec![cancel, far],
        vec![moved, stop],
        vec![moved, first],
    ];
    let field = Some("operations[1].oco_pair_with_operation_index");
    let wrong = wrong.map(|batch| (batch, Reason::InvalidAttachedExit, field));
    refused(&mut desk, wrong.into());
}

#[test]
fn exits_of_a_new_order_meet_those_of_the_position_only_with_consent() {
    let mut desk = paired();
    let bracket = OrderParams {
        exits: AttachedExits {
            take_profit: None,
            stop_loss: Some(desk.px(SOL, "96")),
        },
        ..desk.order(SOL, Side::Buy, "1")
    };
    let refusal = desk.place(bracket.clone()).unwrap_err();
    assert_eq!(
        (refusal.code, refusal.rule.map(|rule| rule.into_str())),
        (Reason::ExitAllocation, Some("exit-allocation"))
    );
    desk.place(OrderParams {
        overlap: ExitOverlap::Replaced,
        ..bracket
    })
    .unwrap();
    assert_eq!(
        exits(&desk),
        [
            (OrderMode::TakeProfit, desk.px(SOL, "110"), Lots(400)),
            (OrderMode::StopMarket, desk.px(SOL, "96"), Lots(500)),
        ]
    );
    desk.at(SOL, "96");
    assert_eq!(desk.position(SOL), None);
}

#[test]
fn an_attached_exit_that_was_moved_protects_there_what_the_entry_fills_later() {
    let mut desk = Desk::new(100_000);
    desk.book(SOL, &[("99", "50")], &[("101", "50")], "100");
    let entry = OrderParams {
        exits: AttachedExits {
            take_profit: Some(desk.px(SOL, "110")),
            stop_loss: Some(desk.px(SOL, "95")),
        },
        ..desk.limit(SOL, Side::Buy, "2", "100")
    };
    let entry = desk.place(entry).unwrap();
    desk.trade(SOL, Side::Sell, "100", "1");
    let (stop, target) = (ids(&desk)[0], ids(&desk)[1]);
    assert_eq!(sibling(&desk, stop), Some(target));
    let price = desk.px(SOL, "96");
    let (order, size) = (stop, None);
    desk.apply(EngineCommand::Modify(OrderChange { order, price, size }))
        .unwrap();
    desk.apply(EngineCommand::SetExits(SetAttachedExits {
        order: entry,
        take_profit: ExitChange::Set(desk.px(SOL, "115")),
        stop_loss: ExitChange::Keep,
    }))
    .unwrap();
    desk.trade(SOL, Side::Sell, "100", "1");
    assert_eq!(
        exits(&desk),
        [
            (OrderMode::StopMarket, price, Lots(200)),
            (OrderMode::TakeProfit, desk.px(SOL, "115"), Lots(200)),
        ]
    );
}
