//! The review of trades, and the notes on them.

use super::*;
use crate::{
    app::{
        ReadOnce,
        account::trades::TradeReview,
        activity::user_alerts::KeptState,
        dialogs::{overlay::ReviewTab, prompt::Asks},
    },
    model::{Position, Timestamp},
};

/// A BTC long of 0.5 that closed so many seconds after noon.
fn closed(id: &str, net: &str, after: i64) -> Position {
    let at = NOON.0 + after * 1_000;
    let more =
        format!(r#""realized_pnl":{net},"fees":0,"funding":0,"closed_at":{at},"exit_price":61000"#);
    position(id, "BTC", "0.5", &more)
}

fn page(rows: Vec<Position>, next: Option<&str>) -> Page<Position> {
    Page {
        next: next.map(|c| c.to_owned().into()),
        ..Page::of(rows)
    }
}

fn noted(effects: &[Effect]) -> bool {
    effects
        .iter()
        .any(|effect| matches!(effect, Effect::Keep(KeptState::Trades(_))))
}

#[test]
fn a_note_on_an_open_position_is_kept_and_found_by_the_filter() {
    let mut model = desk();
    press(&mut model, "N");
    let prompt = model.overlays.last().unwrap().try_as_prompt_ref().unwrap();
    assert_eq!(prompt.asks, Asks::Note("pos-1".into()));
    for c in "plan B #late".chars() {
        let now = model.account.now;
        update(&mut model, now, Msg::Key(c.into()));
    }
    let effects = press(&mut model, "enter");
    assert!(noted(&effects), "{effects:?}");
    assert_eq!(model.overlays, []);
    assert_eq!(
        model.account.store.trades.text(&"pos-1".into()),
        "plan B #late"
    );
    press(&mut model, "/ # l a t e enter");
    assert_eq!(model.rows(Pane::Positions).len(), 1);
    // The next press changes it.
    press(&mut model, "N");
    let prompt = model.overlays.last().unwrap().try_as_prompt_ref().unwrap();
    assert_eq!(prompt.text(), "plan B #late");
}

#[test]
fn a_note_on_a_closed_position_has_columns_that_filter() {
    let mut model = desk();
    let rows = vec![closed("pos-8", "5", 60), closed("pos-9", "-2", 30)];
    arrive(&mut model, Answer::Closed(Ok(page(rows, None))));
    press(&mut model, "5 j N");
    for c in "chased it #Fomo".chars() {
        let now = model.account.now;
        update(&mut model, now, Msg::Key(c.into()));
    }
    press(&mut model, "enter");
    for (filter, hits) in [("tags:fomo", 1), ("note:chased", 1), ("tags:calm", 0)] {
        press(&mut model, "/");
        for c in filter.chars() {
            let now = model.account.now;
            update(&mut model, now, Msg::Key(c.into()));
        }
        press(&mut model, "enter");
        assert_eq!(model.rows(Pane::Closed).len(), hits, "{filter}");
        press(&mut model, "/ esc");
    }
}

#[test]
fn no_note_is_offered_where_no_trade_is() {
    let mut model = desk();
    press(&mut model, "2 N");
    assert_eq!(model.overlays, []);
}

#[test]
fn the_review_counts_what_is_read_while_it_is_open_and_reads_on_when_asked() {
    let mut model = desk();
    let first = page(vec![closed("pos-9", "5", 60)], Some("n"));
    arrive(&mut model, Answer::Closed(Ok(first)));
    press(&mut model, "W");
    let depth = |model: &Model| {
        let review = model.overlays.last().unwrap().try_as_review_ref().unwrap();
        (review.tab, review.risk.trades, review.drawdown.deepest)
    };
    assert_eq!(depth(&model), (ReviewTab::Days, 1, Some(num("0"))));
    let effects = press(&mut model, "r");
    assert_eq!(
        effects,
        [Effect::Read(ReadOnce::MoreClosed("n".to_owned().into()))]
    );
    let older = page(
        vec![closed("pos-8", "-7", 30), closed("pos-7", "3", 10)],
        None,
    );
    arrive(
        &mut model,
        Answer::MoreClosed("n".to_owned().into(), Ok(older)),
    );
    press(&mut model, "left");
    assert_eq!(depth(&model), (ReviewTab::Drawdown, 3, Some(num("-7"))));
    press(&mut model, "r");
    assert_eq!(last_said(&model).1, "every closed position has been read");
    press(&mut model, "esc");
    assert_eq!(model.overlays, []);
}

#[test]
fn the_first_stop_and_the_marks_of_a_trade_become_its_r_and_its_excursions() {
    let mut model = bare_desk();
    let mark = |model: &mut Model, price: &str| {
        model.account.now = model.account.now.plus(Duration::from_secs(1));
        let markets = vec![market("BTC", price, price, (5, 40))];
        arrive(model, Answer::Markets(Ok(markets)));
    };
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![]))));
    let open = position("p", "BTC", "0.5", r#""leverage":10"#);
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![open]))));
    let stop = |id: &str, price: u32| {
        let more = format!(
            r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":{price},
            "status":"pending","target_position_id":"p""#
        );
        order(id, "BTC", &more)
    };
    arrive(
        &mut model,
        Answer::Orders(Ok(Page::of(vec![stop("s-1", 59_000)]))),
    );
    mark(&mut model, "60000");
    mark(&mut model, "59400");
    arrive(
        &mut model,
        Answer::Orders(Ok(Page::of(vec![stop("s-2", 59_900)]))),
    );
    mark(&mut model, "61000");
    let over = Position {
        opened_at: Some(NOON),
        closed_at: Some(model.account.now),
        ..closed("p", "500", 0)
    };
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![]))));
    arrive(
        &mut model,
        Answer::Closed(Ok(page(vec![over.clone()], None))),
    );
    let review = model.account.store.trades.review(&over);
    assert_eq!(review.r_multiple, Some(num("1")));
    assert_eq!(
        (review.mae, review.mfe),
        (Some(num("300")), Some(num("500")))
    );
    press(&mut model, "W");
    let review = model.overlays.last().unwrap().try_as_review_ref().unwrap();
    assert_eq!((review.risk.with_risk, review.risk.with_marks), (1, 1));
    assert_eq!(review.risk.mean_mae, Some(num("0.6")));
}

/// What is known of a position after lists of positions, markets and orders have arrived in this order.
fn noted_of(opened_at: Timestamp, order_of: &[Source]) -> TradeReview {
    let mut model = bare_desk();
    arrive(&mut model, Answer::Positions(Ok(Page::of(vec![]))));
    let open = Position {
        opened_at: Some(opened_at),
        ..position("p", "BTC", "0.5", r#""leverage":10"#)
    };
    let stop = order(
        "s-1",
        "BTC",
        r#""type":"stop_market","mode":"stop_market","side":"sell","size":0.5,"trigger_price":59000,
        "status":"pending","target_position_id":"p""#,
    );
    for source in order_of {
        let answer = if *source == Source::Positions {
            Answer::Positions(Ok(Page::of(vec![open.clone()])))
        } else if *source == Source::Orders {
            Answer::Orders(Ok(Page::of(vec![stop.clone()])))
        } else {
            Answer::Markets(Ok(vec![market("BTC", "59400", "59400", (5, 40))]))
        };
        arrive(&mut model, answer);
    }
    model.account.store.trades.review(&open)
}

#[test]
fn stop_and_excursion_of_a_trade_do_not_depend_on_which_answer_comes_first() {
    use Source::{Markets, Orders, Positions};
    let first = noted_of(NOON, &[Positions, Orders, Markets]);
    assert_eq!(first.mae, Some(num("300")));
    assert_eq!(first.risk, Some(num("500")));
    for order in [
        [Positions, Markets, Orders],
        [Markets, Positions, Orders],
        [Markets, Orders, Positions],
        [Orders, Positions, Markets],
        [Orders, Markets, Positions],
    ] {
        assert_eq!(noted_of(NOON, &order), first, "{order:?}");
    }
}

#[test]
fn a_mark_from_before_the_opening_is_no_excursion_of_the_position() {
    let later = NOON.plus(Duration::from_hours(1));
    let review = noted_of(later, &[Source::Markets, Source::Positions]);
    assert_eq!((review.mae, review.mfe), (None, None));
}

#[test]
fn what_is_seen_of_trades_is_kept_once_a_minute() {
    let mut model = desk();
    let kept = |model: &mut Model, seconds: u64| {
        model.account.now = model.account.now.plus(Duration::from_secs(seconds));
        let effects = arrive(
            model,
            Answer::Markets(Ok(vec![market("BTC", "64000", "64000", (5, 40))])),
        );
        noted(&effects)
    };
    assert!(!kept(&mut model, 1));
    assert!(kept(&mut model, 60));
    assert!(!kept(&mut model, 1));
}
