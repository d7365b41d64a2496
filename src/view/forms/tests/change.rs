//! What would come of a close, of exits and of margin.

use super::*;

#[test]
fn a_close_shows_the_part_what_it_brings_and_what_is_left() {
    let mut model = desk();
    press(&mut model, "c left left left");
    assert_eq!(
        preview(&model),
        lines([
            ("size", "0.12500 BTC"),
            ("notional", "7,999.88 USD"),
            ("gross profit", "est. +499.88 USD"),
            ("fee", "–"),
            ("position", "LONG 0.50000 → LONG 0.37500"),
            ("observed", "64,000, 0s old"),
        ])
    );
    press(&mut model, "left left");
    assert!(preview(&model).contains(&("position", "LONG 0.50000 → flat".to_owned())));
}

#[test]
fn exits_show_what_is_what_will_be_and_how_far_off() {
    let mut model = desk();
    press(&mut model, "2 e ctrl-u 66000 tab ctrl-u");
    let shown = view(&model).preview;
    assert_eq!(
        preview(&model),
        lines([
            ("take profit", "70,000 → 66,000 (+10.00%)"),
            ("stop loss", "58,000 → none"),
            ("liquidation", "–"),
            ("at stop", "–"),
            ("R:R", "–"),
            ("observed", "64,000, 0s old"),
        ])
    );
    assert_eq!(shown[1].1.tone, Tone::Warn);
}

#[test]
fn a_stop_at_which_more_is_lost_is_called_wider_before_it_is_sent() {
    let mut model = desk();
    press(&mut model, "2 e tab ctrl-u 57000");
    let (_, line) = view(&model).preview.swap_remove(1);
    let words = "58,000 → 57,000 (-5.00%), wider than before";
    assert_eq!((&*line.text, line.tone), (words, Tone::Warn));
    press(&mut model, "ctrl-u 59000");
    let (_, line) = view(&model).preview.swap_remove(1);
    assert_eq!(
        (&*line.text, line.tone),
        ("58,000 → 59,000 (-1.67%)", Tone::Plain)
    );
}

#[test]
fn margin_shows_the_total_and_where_the_liquidation_price_goes() {
    let mut model = desk();
    press(&mut model, "j m +1025");
    assert_eq!(
        preview(&model),
        lines([
            ("extra margin", "120.50 → 1,145.50 USD"),
            ("liquidation", "190.00 → est. 200.00"),
        ])
    );
}

#[test]
fn what_no_price_liquidates_is_called_so_in_the_form_as_in_the_pane() {
    let mut model = desk();
    let free = r#""leverage":1,"isolated_margin_extra":100"#;
    let page = Page::of(vec![position("pos-1", "BTC", "0.5", free)]);
    arrive(&mut model, Answer::Positions(Ok(page)));
    press(&mut model, "m +50");
    let liquidation = |model: &Model| preview(model)[1].1.clone();
    assert_eq!(liquidation(&model), "none → est. none");
    press(&mut model, "backspace backspace backspace -50");
    assert_eq!(liquidation(&model), "none → –", "it may have one then");
    let near = r#""leverage":2,"liquidation_price":100,"isolated_margin_extra":100"#;
    let page = Page::of(vec![position("pos-1", "BTC", "0.5", near)]);
    arrive(&mut model, Answer::Positions(Ok(page)));
    press(&mut model, "backspace backspace backspace +5000");
    assert_eq!(liquidation(&model), "100.0 → est. none");
}
