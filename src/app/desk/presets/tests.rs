//! Sizes by one key. The desk of the tests has BTC at 64,000.

use super::*;
use crate::{
    app::{account::poll::Answer, testing::*},
    config::{MarketPresets, PresetTable, SizePresets},
    model::AccountFacts,
};

fn presets(texts: &[&str]) -> SizePresets {
    let read = |text: &&str| SizePreset::try_from(*text).unwrap();
    SizePresets(texts.iter().map(read).collect())
}

fn with(everywhere: &[&str]) -> Model {
    let mut model = desk();
    model.account.options.size_presets.everywhere = presets(everywhere);
    model
}

fn has_equity(model: &mut Model, equity: &str) {
    let facts = AccountFacts {
        equity: Some(num(equity)),
        ..AccountFacts::default()
    };
    arrive(model, Answer::Account(Ok(facts)));
}

/// What stands in the size field of the form on top.
fn size(model: &Model) -> String {
    let Some(Overlay::Form(form)) = model.overlays.last() else {
        panic!("no form");
    };
    form.draft.text(Field::Size).unwrap().to_owned()
}

#[test]
fn plus_writes_the_preset_that_is_on_and_then_the_next_ones_round_and_round() {
    let mut model = with(&["$500", "0.1", "r25"]);
    press(&mut model, "b");
    assert_eq!(size(&model), "", "none is typed in by itself");
    let written = ["+", "+", "+", "+", "-"].map(|key| {
        assert_eq!(press(&mut model, key), []);
        size(&model)
    });
    assert_eq!(written, ["$500", "0.1", "r25", "$500", "r25"]);
}

#[test]
fn each_market_keeps_its_own_for_the_session() {
    let mut model = with(&["$500", "$1000"]);
    press(&mut model, "b + + esc esc");
    press(&mut model, "j b +");
    assert_eq!(size(&model), "$500", "SOL has not been turned");
    press(&mut model, "esc esc k b +");
    assert_eq!(size(&model), "$1000", "BTC has");
}

#[test]
fn a_market_may_have_presets_of_its_own() {
    let mut model = desk();
    let of = MarketPresets::from([("btc".to_owned(), presets(&["0.02"]))]);
    let everywhere = presets(&["$500"]);
    model.account.options.size_presets = PresetTable { everywhere, of };
    let size = |market: &str| model.size_preset(&market.into()).unwrap();
    assert_eq!(size("paper|BTC").size, Ok(num("0.02")));
    assert_eq!(size("paper|ETH").preset.to_string(), "$500");
}

#[test]
fn a_share_is_of_the_equity_and_is_written_in_usd() {
    let mut model = with(&["10%"]);
    press(&mut model, "b +");
    assert_eq!(size(&model), "", "the equity is not known yet");
    has_equity(&mut model, "12345.678");
    press(&mut model, "+");
    assert_eq!(size(&model), "$1234.56");
    let equity = model.size_preset(&"paper|BTC".into()).unwrap();
    assert_eq!(equity.size, Ok(num("0.01929")));
}

#[test]
fn what_it_comes_to_is_whole_lots_at_the_price_that_is_asked_about_or_why_there_is_none() {
    let model = with(&["$500"]);
    let btc = "paper|BTC".into();
    let at = |price| model.size_preset_at(&btc, price).unwrap().size;
    assert_eq!(at(Some(num("50000"))), Ok(num("0.01")));
    assert_eq!(at(None), Err(DraftFault::UnknownPrice));
    let unknown = model.size_preset(&"paper|DOGE".into()).unwrap();
    assert_eq!(unknown.size, Err(DraftFault::UnknownLot));
    assert_eq!(with(&[]).size_preset(&btc), None);
    let at_stop = with(&["r25"]).size_preset(&btc).unwrap();
    assert_eq!(at_stop.size, Err(DraftFault::RiskWithoutStop));
}

#[test]
fn in_another_field_and_where_a_position_is_closed_plus_is_what_it_was() {
    let mut model = with(&["$500"]);
    press(&mut model, "c tab +");
    let Some(Overlay::Form(form)) = model.overlays.last() else {
        panic!("no form");
    };
    assert_ne!(form.draft.text(Field::Size), Some("$500"));
}

#[test]
fn a_size_that_was_written_by_hand_goes_and_the_order_is_sent_with_what_stands_there() {
    let mut model = with(&["0.01"]);
    press(&mut model, "b 0 . 3 +");
    assert_eq!(size(&model), "0.01");
    assert_eq!(press(&mut model, "enter").len(), 1);
}

#[test]
fn what_is_typed_after_a_preset_is_another_size_and_a_minus_before_a_number_is_none() {
    let mut model = with(&["$500"]);
    press(&mut model, "b + 2");
    assert_eq!(size(&model), "2");
    press(&mut model, "esc esc b - 1");
    assert_eq!(size(&model), "-1");
    assert_eq!(press(&mut model, "enter"), []);
}
