//! Attached exits and isolated margin.

use super::*;

fn exits(take_profit: Leg, stop_loss: Leg) -> Command {
    Command::Exits(Exits::unseen("ord-1".into(), take_profit, stop_loss))
}

#[test]
fn both_exits_are_always_sent_the_unchanged_one_too() {
    let mut model = desk();
    press(&mut model, "2 e");
    assert_eq!(form(&model).draft.text(Field::StopLoss), Some("58000"));
    let command = exits(Leg::Set(num("70001")), Leg::Set(num("58000")));
    assert_eq!(press(&mut model, "up enter"), sent(1, command));
}

#[test]
fn an_emptied_exit_is_removed() {
    let mut model = desk();
    press(&mut model, "2 e tab ctrl-u");
    let command = exits(Leg::Set(num("70000")), Leg::Remove);
    assert_eq!(press(&mut model, "enter"), sent(1, command));
}

#[test]
fn extra_margin_is_sent_as_a_total_however_it_was_written() {
    for (typed, total) in [
        ("+50", "170.5"),
        ("-20.5", "100.0"),
        ("=200", "200"),
        ("7", "7"),
    ] {
        let mut model = desk();
        let command = Command::margin("pos-2".into(), num(total), Some(num("120.5")));
        let keys = format!("j m {typed} enter");
        assert_eq!(press(&mut model, &keys), sent(1, command), "{typed}");
    }
}

#[test]
fn a_cross_position_has_no_margin_of_its_own() {
    let mut model = desk();
    press(&mut model, "m");
    assert_eq!(said(&model), "a cross position has no isolated margin");
}
