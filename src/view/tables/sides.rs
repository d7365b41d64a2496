//! A short is a short, whichever way the service says so: by `side` with unsigned sizes, or by signed sizes alone.

use super::{closed, positions, rows, twaps};
use crate::{
    app::account::poll::Answer,
    app::{desk::model::Model, forms::form::Form, testing::*},
    model::{
        Command, Flip, Num, Page, Position, Side, TriggerDirection, Twap, Zone,
        draft::{Draft, Field},
    },
    view::text::{Column, Scene},
};
use proptest::prelude::*;

/// How a row shows its side.
#[derive(Debug, Clone, Copy)]
enum Convention {
    Word,
    Sign,
}

fn sized(convention: Convention, (side, coins): (Side, Num), words: [&str; 2]) -> String {
    let word = match side {
        Side::Buy => words[0],
        Side::Sell => words[1],
    };
    match (convention, side) {
        (Convention::Word, _) => format!(r#"{coins},"side":"{word}""#),
        (Convention::Sign, Side::Buy) => coins.to_string(),
        (Convention::Sign, Side::Sell) => coins.negated().to_string(),
    }
}

fn held(convention: Convention, it: (Side, Num), more: &str) -> Position {
    let size = sized(convention, it, ["long", "short"]);
    position("pos-7", "BTC", &size, more)
}

fn twap(convention: Convention, it: (Side, Num)) -> Twap {
    let size = sized(convention, it, ["buy", "sell"]);
    let json =
        format!(r#"{{"id":"t-1","market_id":"paper|BTC","total_size":{size},"status":"active"}}"#);
    serde_json::from_str(&json).unwrap()
}

fn cells<T>(columns: &[Column<T>], row: &T, scene: &Scene<'_>) -> String {
    let cells = columns.iter().map(|column| column.cell(row, scene).text());
    let cells: Vec<_> = cells.collect();
    cells.join(" | ")
}

/// What every pane, export and command says of the same rows.
fn shown(convention: Convention, it: (Side, Num)) -> Vec<String> {
    let mut model = desk();
    let open = held(convention, it, r#""leverage":10,"liquidation_price":45000"#);
    let ended = held(
        convention,
        it,
        r#""leverage":10,"closed_at":1789999000000,"exit_price":61000,"realized_pnl":5,"fees":1,"funding":0"#,
    );
    let twap = twap(convention, it);
    arrive(
        &mut model,
        Answer::Positions(Ok(Page::of(vec![open.clone()]))),
    );
    let zone = Zone::utc();
    let scene = Scene::of(&model, &zone);
    let (open_row, ended_row) = (
        rows::PositionRow::new(&open, &scene),
        rows::TradeRow::new(&ended, &scene),
    );
    let twap_row = rows::TwapRow::new(&twap, &scene);
    vec![
        cells(positions::OPEN, &open, &scene),
        cells(closed::CLOSED, &ended, &scene),
        cells(twaps::TWAPS, &twap, &scene),
        rows::csv(rows::columns_of::POSITION, std::slice::from_ref(&open_row)),
        rows::csv(rows::columns_of::TRADE, std::slice::from_ref(&ended_row)),
        rows::csv(rows::columns_of::TWAP, std::slice::from_ref(&twap_row)),
        serde_json::to_string(&open_row).unwrap(),
        serde_json::to_string(&ended_row).unwrap(),
        serde_json::to_string(&twap_row).unwrap(),
        format!(
            "{:?}",
            crate::view::details::position::detail(&open, &scene)
        ),
        commands(&model, &open),
    ]
}

/// Closed, flipped and stopped.
fn commands(model: &Model, open: &Position) -> String {
    let flip = Flip::new(open, "chal-1".into(), None, model.account.now).unwrap();
    let close = Form::close(open);
    let close = close
        .draft
        .command(&close.seen(&model.account.form_context()))
        .unwrap();
    let mut stop = Form::protect(open, &[]);
    stop.draft.write(Field::StopLoss, "50000");
    let stop = stop
        .draft
        .command(&stop.seen(&model.account.form_context()));
    let stop = stop.unwrap().to_string();
    format!(
        "{:?} {:?} {close:?} {stop:?}",
        flip.close(None),
        flip.opening(Num::ONE, None)
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn both_conventions_say_the_same_everywhere(is_long in any::<bool>(), lots in 1_u32..500_000) {
        let it = (if is_long { Side::Buy } else { Side::Sell }, Num::new(i64::from(lots), 5));
        prop_assert_eq!(shown(Convention::Word, it), shown(Convention::Sign, it));
    }
}

#[test]
fn a_short_that_says_so_by_its_word_is_sold_bought_back_and_stopped_above() {
    let model = desk();
    let it = (Side::Sell, num("0.5"));
    let short = held(Convention::Word, it, r#""leverage":10"#);
    let flip = Flip::new(&short, "chal-1".into(), None, model.account.now).unwrap();
    assert_eq!(flip.opening(num("0.5"), None).side, Side::Buy);
    let Draft::Close(draft) = Form::close(&short).draft else {
        panic!("a close");
    };
    assert_eq!(draft.trigger_direction, Some(TriggerDirection::Above));
    // It entered at 60,000 and the mark is 64,000.
    assert_eq!(short.unrealized_pnl(num("64000")), Some(num("-2000")));
    let json = serde_json::to_value(rows::PositionRow::new(
        &short,
        &Scene::of(&model, &Zone::utc()),
    ))
    .unwrap();
    assert_eq!(
        (&json["side"], &json["size"]),
        (&"short".into(), &serde_json::json!(0.5))
    );
    let close = Form::close(&short);
    let command = close
        .draft
        .command(&close.seen(&model.account.form_context()))
        .unwrap();
    let Command::Close(close) = command else {
        panic!("{command}");
    };
    assert_eq!(close.held.map(|held| held.side), Some(Side::Sell));
}
