//! Closing a position, whole or in part.

use super::*;
use crate::{
    app::{
        account::{pane::Pane, row_id::RowId},
        rules::warnings,
        update::wake::wake,
    },
    model::draft::Draft,
};
use std::time::Duration;

#[test]
fn the_whole_position_goes_without_a_size() {
    let mut model = desk();
    let command = Command::Close(close("pos-1", None));
    assert_eq!(press(&mut model, "c enter"), sent(1, command));
}

#[test]
fn three_quarters_a_half_and_a_quarter_are_chosen_by_the_arrows() {
    for (keys, size) in [
        ("left", Some("0.375")),
        ("left left", Some("0.25")),
        ("left left left", Some("0.125")),
        ("left right", None),
    ] {
        let mut model = desk();
        let command = Command::Close(close("pos-1", size));
        let keys = format!("c {keys} enter");
        assert_eq!(press(&mut model, &keys), sent(1, command), "{keys}");
    }
}

/// How long a digit waits for another one.
const SHARE_WAIT: u64 = 250;

/// What is sent while time passes.
fn sent_in(model: &mut Model, millis: u64) -> Vec<Effect> {
    let mut effects = wait(model, millis);
    effects.retain(|effect| matches!(effect, Effect::Send(..)));
    effects
}

#[test]
fn one_digit_closes_a_quarter_a_half_three_quarters_or_all_without_another_key() {
    for (digit, size) in [
        ("1", Some("0.125")),
        ("2", Some("0.25")),
        ("3", Some("0.375")),
        ("4", None),
    ] {
        let mut model = desk();
        let command = Command::Close(close("pos-1", size));
        let keys = format!("c {digit}");
        assert_eq!(press(&mut model, &keys), [], "{digit}");
        let wakes = wake(&model).unwrap();
        assert!(wakes <= model.account.now.plus(Duration::from_millis(SHARE_WAIT)));
        assert_eq!(sent_in(&mut model, SHARE_WAIT - 1), [], "{digit}");
        assert_eq!(sent_in(&mut model, 1), sent(1, command), "{digit}");
        assert!(model.overlays.is_empty(), "{digit}");
    }
}

#[test]
fn digits_one_after_the_other_are_a_size_and_close_no_quarter() {
    for (typed, size) in [
        ("100", "100"),
        ("40", "40"),
        ("2.5", "2.5"),
        ("33%", "33%"),
        ("1", "25%"),
    ] {
        let mut model = desk();
        press(&mut model, "j c L");
        assert_eq!(press(&mut model, typed), [], "limit {typed}");
        assert_eq!(form(&model).draft.text(Field::Size), Some(size), "{typed}");
    }
    let mut model = desk();
    assert_eq!(press(&mut model, "j c 100"), []);
    assert_eq!(sent_in(&mut model, 10 * SHARE_WAIT), []);
    assert_eq!(form(&model).focus, Field::Size);
    let effects = press(&mut model, "enter");
    let [Effect::Send(_, Command::Close(close))] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!(
        (close.position_id.raw(), close.size),
        ("pos-2", None),
        "all of 100 SOL"
    );
}

#[test]
fn a_key_after_the_digit_of_a_share_sends_it_first_and_escape_stops_it() {
    let half = || Command::Close(close("pos-1", Some("0.25")));
    let mut model = desk();
    assert_eq!(
        press(&mut model, "c 2 enter"),
        sent(1, half()),
        "the key that sends"
    );
    let mut model = desk();
    assert_eq!(press(&mut model, "c 2 j"), sent(1, half()));
    let selected = model.selected_in(Pane::Positions).map(|(_, row)| row);
    assert_eq!(
        selected,
        Some(RowId::Position("pos-2".into())),
        "and moves on"
    );
    let mut model = desk();
    assert_eq!(press(&mut model, "c 2 esc"), []);
    assert_eq!(sent_in(&mut model, 10 * SHARE_WAIT), []);
    assert_eq!(form(&model).draft.text(Field::Size), Some("50%"));
}

#[test]
fn a_machine_that_slept_sends_no_share_when_it_wakes() {
    let mut model = desk();
    press(&mut model, "c 2");
    let effects = sleep(&mut model, 3_600_000);
    let is_sent = effects
        .iter()
        .any(|effect| matches!(effect, Effect::Send(..)));
    assert!(!is_sent);
    assert_eq!(form(&model).draft.text(Field::Size), Some("50%"));
    assert_eq!(sent_in(&mut model, 10 * SHARE_WAIT), []);
}

#[test]
fn a_digit_sends_no_close_that_waits_for_a_price() {
    let mut model = desk();
    assert_eq!(press(&mut model, "c L 2"), []);
    assert_eq!(form(&model).draft.text(Field::Size), Some("50%"));
}

#[test]
fn digits_after_the_part_are_the_size_that_they_spell() {
    for (typed, size) in [
        ("100", None),
        ("50", Some("50")),
        ("1", Some("1")),
        ("25%", Some("25")),
        (".5", Some("0.5")),
        ("$1500.2", Some("10")),
    ] {
        let mut model = desk();
        let command = Command::Close(ClosePosition {
            expected_price: Some(num("150.01")),
            held: Some(held("SOL", Side::Sell)),
            ..close("pos-2", size)
        });
        let keys = format!("j c tab {typed} enter");
        assert_eq!(press(&mut model, &keys), sent(1, command), "{typed}");
    }
    let mut model = desk();
    assert_eq!(
        press(&mut model, "c tab 100 enter"),
        vec![],
        "of half a BTC"
    );
    let above = DraftFault::AbovePosition(num("0.5"));
    assert_eq!(fault(&model, Field::Size), Some(above));
}

/// To the trigger price of a close that waits for one.
const CONDITIONAL: &str = "c tab tab 3 tab tab tab";

/// The trigger of a waiting close that these keys send.
fn waiting(keys: &str) -> (Option<crate::model::Num>, Option<TriggerDirection>) {
    let mut model = desk();
    let effects = press(&mut model, keys);
    match effects.as_slice() {
        [Effect::Send(_, Command::Close(close))] => {
            assert_eq!((close.kind, close.size), (CloseKind::Conditional, None));
            (close.trigger_price, close.trigger_direction)
        }
        other => panic!("{keys}: {other:?}"),
    }
}

#[test]
fn what_waits_below_a_long_is_its_stop_and_what_waits_above_its_target() {
    use TriggerDirection::{Above, Below};
    for (keys, price, direction) in [
        ("C 62000 enter", "62000", Below),
        ("C 70000 enter", "70000", Above),
        ("j C 140 enter", "140", Below),
        ("j C 165.5 enter", "165.5", Above),
        // A person decides.
        ("C shift-tab right right tab 70000 enter", "70000", Below),
    ] {
        let sent = waiting(&keys.replace('C', CONDITIONAL));
        assert_eq!(sent, (Some(num(price)), Some(direction)), "{keys}");
    }
}

#[test]
fn a_mark_that_moves_past_a_stop_makes_no_target_of_it() {
    let mut model = desk();
    press(&mut model, &format!("{CONDITIONAL} 63990"));
    let lower = vec![market("BTC", "63899", "63901", (5, 40))];
    arrive(&mut model, Answer::Markets(Ok(lower)));
    let effects = press(&mut model, "tab shift-tab enter");
    let [Effect::Send(_, Command::Close(close))] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!(close.trigger_direction, Some(TriggerDirection::Below));
}

#[test]
fn entry_is_that_of_the_open_position_where_a_stop_is_moved() {
    let mut model = desk();
    let stop = order(
        "ord-7",
        "BTC",
        r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":58000,
        "trigger_direction":"below","target_position_id":"pos-1","status":"pending""#,
    );
    arrive(
        &mut model,
        Answer::Orders(Ok(crate::model::Page::of(vec![stop]))),
    );
    press(&mut model, "2 m");
    press(&mut model, "ctrl-u entry-1% enter");
    assert_eq!(form(&model).draft.text(Field::TriggerPrice), Some("59400"));
}

#[test]
fn a_price_said_by_another_is_sent_in_digits_that_were_seen() {
    for (typed, price) in [
        ("entry", "60000"),
        ("entry+0.5%", "60300"),
        ("mark-1%", "63360"),
        ("-1%", "59400"),
    ] {
        let mut model = desk();
        let keys = format!("e {typed} enter");
        assert_eq!(press(&mut model, &keys), vec![], "{typed}: seen first");
        assert_eq!(form(&model).draft.text(Field::StopLoss), Some(price));
        let effects = press(&mut model, "enter");
        assert!(matches!(effects.as_slice(), [Effect::Send(..)]), "{typed}");
    }
}

#[test]
fn a_part_can_be_typed_and_is_never_more_than_there_is() {
    let mut model = desk();
    press(&mut model, "c 0.3 tab tab 40");
    let expected = ClosePosition {
        slippage_tolerance: Some(crate::model::Bps(num("40"))),
        ..close("pos-1", Some("0.3"))
    };
    assert_eq!(
        press(&mut model, "enter"),
        sent(1, Command::Close(expected))
    );
    let mut model = desk();
    assert_eq!(press(&mut model, "c 0.6 enter"), vec![]);
    let above = DraftFault::AbovePosition(num("0.5"));
    assert_eq!(fault(&model, Field::Size), Some(above));
}

#[test]
fn the_target_is_the_position_that_was_selected_whatever_polls_bring() {
    let mut model = desk();
    press(&mut model, "j c left left");
    wait(&mut model, 1_000);
    let reordered = vec![
        position("pos-3", "ETH", "1", r#""leverage":3"#),
        position(
            "pos-2",
            "SOL",
            "-60",
            r#""leverage":5,"isolated_margin_extra":0"#,
        ),
    ];
    let page = crate::model::Page::of(reordered);
    arrive(&mut model, Answer::Positions(Ok(page)));
    let expected = ClosePosition {
        expected_price: Some(num("150.01")),
        held: Some(held("SOL", Side::Sell)),
        ..close("pos-2", Some("30"))
    };
    assert_eq!(
        press(&mut model, "enter"),
        sent(1, Command::Close(expected))
    );
}

#[test]
fn a_limit_that_would_fill_at_once_asks_and_a_yes_sends_it() {
    let mut model = desk();
    press(&mut model, "c tab tab right tab 63000");
    assert_eq!(press(&mut model, "enter"), vec![]);
    assert_eq!(form(&model).focus, Field::Acknowledged);
    assert_eq!(
        fault(&model, Field::Acknowledged),
        Some(DraftFault::Crosses)
    );
    let expected = ClosePosition {
        kind: CloseKind::Limit,
        limit_price: Some(num("63000")),
        marketable_limit_acknowledged: true,
        ..close("pos-1", None)
    };
    assert_eq!(
        press(&mut model, "space enter"),
        sent(1, Command::Close(expected))
    );
}

#[test]
fn a_conditional_close_is_a_stop_on_its_own_market_unless_another_is_watched() {
    use crate::model::{Bps, TriggerDirection};
    let mut model = desk();
    press(&mut model, "c left left tab tab 3 tab tab tab 60000 tab 50");
    let expected = ClosePosition {
        kind: CloseKind::Conditional,
        slippage_tolerance: Some(Bps(num("50"))),
        trigger_price: Some(num("60000")),
        trigger_market_id: Some("paper|BTC".into()),
        trigger_direction: Some(TriggerDirection::Below),
        ..close("pos-1", Some("0.25"))
    };
    assert_eq!(
        press(&mut model, "enter"),
        sent(1, Command::Close(expected))
    );
}

#[test]
fn without_a_mark_a_person_says_on_which_side_a_conditional_close_fires() {
    let mut model = desk();
    let down = Failure::new(FailureKind::Unavailable, "down");
    arrive(&mut model, Answer::Markets(Err(down)));
    let keys = format!("{CONDITIONAL} 1 7 0 enter");
    assert_eq!(press(&mut model, &keys), vec![]);
    let form = form(&model);
    assert_eq!(form.focus, Field::TriggerDirection);
    let Draft::Close(draft) = &form.draft else {
        panic!("a close");
    };
    assert_eq!(draft.trigger_direction, None);
}

/// The operations of the batch that these keys send, with stops of these ids already there.
fn protected(keys: &str, stops: &[&str]) -> Result<String, Vec<Effect>> {
    let mut model = desk();
    let stop = |id: &&str| crate::model::Order {
        reduce_only: true,
        ..order(
            id,
            "BTC",
            r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":58000,
            "target_position_id":"pos-1","status":"resting""#,
        )
    };
    let stops = stops.iter().map(stop).collect();
    arrive(
        &mut model,
        Answer::Orders(Ok(crate::model::Page::of(stops))),
    );
    let effects = press(&mut model, keys);
    match effects.as_slice() {
        [Effect::Send(_, command @ Command::ExitBatch(_))] => Ok(command.to_string()),
        _ => Err(effects),
    }
}

#[test]
fn stop_and_target_of_a_position_are_set_together_and_what_is_there_is_moved() {
    for (keys, stops, words) in [
        (
            "e 58000 shift-tab 70000 enter",
            &[][..],
            "take profit at 70,000, size 0.5, stop loss at 58,000, size 0.5",
        ),
        (
            "e 58000 tab 0.2 enter",
            &[],
            "stop loss at 58,000, size 0.2",
        ),
        ("e ctrl-u 59000 enter", &["ord-5"], "move ord-5 to 59,000"),
        ("e ctrl-u enter", &["ord-5"], "cancel ord-5"),
        (
            "e tab 50% enter",
            &["ord-5"],
            "move ord-5 to 58,000, size 0.25",
        ),
        (
            "e shift-tab 70000 enter",
            &["ord-5", "ord-6"],
            "take profit at 70,000, size 0.5",
        ),
    ] {
        let words = format!("exits of position pos-1: {words}");
        assert_eq!(protected(keys, stops), Ok(words), "{keys}");
    }
}

#[test]
fn of_several_stops_none_is_moved_and_an_untouched_form_sends_nothing() {
    assert_eq!(protected("e 59000 enter", &["ord-5", "ord-6"]), Err(vec![]));
    assert_eq!(protected("e enter", &["ord-5"]), Err(vec![]));
    assert_eq!(protected("e enter", &[]), Err(vec![]));
}

/// The order of a form for BTC, of which half a coin is long with a stop at 58,000, and what the form asks about it.
fn brought(keys: &str, field: Field, price: &str) -> (bool, Vec<warnings::OrderWarning>) {
    let mut model = desk();
    let stop = crate::model::Order {
        reduce_only: true,
        ..order(
            "ord-5",
            "BTC",
            r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":58000,
            "target_position_id":"pos-1","status":"resting""#,
        )
    };
    let orders = crate::model::Page::of(vec![stop]);
    arrive(&mut model, Answer::Orders(Ok(orders)));
    press(&mut model, keys);
    let mut form = form(&model).clone();
    form.draft.write(Field::Size, "0.001");
    form.draft.write(field, price);
    let command = form.command(&model.account.form_context());
    let Ok(Command::Place(order)) = command else {
        panic!("{command:?}");
    };
    let asked = form.warnings(&model.account).into_iter();
    let replaces = |warning: &_| matches!(warning, warnings::OrderWarning::Replaces(_));
    (
        order.replace_overlapping_exits,
        asked.filter(replaces).collect(),
    )
}

#[test]
fn an_order_whose_exit_meets_that_of_the_position_asks_and_then_replaces_it() {
    let brought_stop = brought("b", Field::StopLoss, "59000");
    let stop = (crate::model::Protection::Stop, num("58000"));
    let warning = warnings::OrderWarning::Replaces(vec![stop]);
    assert_eq!(brought_stop, (true, vec![warning]));
    let other = brought("b", Field::TakeProfit, "70000");
    assert_eq!(other, (false, vec![]), "it has no target");
    let against = brought("s", Field::StopLoss, "70000");
    assert_eq!(against, (false, vec![]), "it closes the position");
}
