use super::*;
use crate::{
    app::{
        Effect, SettingsRequest,
        account::poll::Answer,
        desk::msg::Msg,
        dialogs::overlay::Overlay,
        market::{
            answer::MarketAnswer, market_spot::LadderEvent, market_spot::LadderSpot,
            market_spot::PriceSpan,
        },
        tables::click_target::ClickTarget,
        testing::*,
        update::router::update,
    },
    model::{Book, Candle, Command, Dated, Interval, Level, OrderId, Page, draft::Field},
};

const MINUTE: i64 = 60_000;

/// The open time of the candle so many before the newest.
fn back(candles: i64) -> Timestamp {
    Timestamp(Interval::Minute1.open_of(NOON).0 - candles * MINUTE)
}

fn candle(open_time: Timestamp) -> Candle {
    let price = num("64000");
    Candle {
        open_time,
        open: price,
        high: price,
        low: price,
        close: price,
        volume: None,
        turnover: None,
        trades: None,
        is_closed: true,
        is_synthetic: false,
    }
}

/// The chart of BTC has the keys, with 300 candles; its rows are 17 dollars high. `ord-1` rests at 63,995.
fn chart() -> Model {
    let mut model = desk();
    let limit = r#""type":"limit","mode":"limit","side":"buy","size":0.1,"limit_price":63995,
        "filled_size":0,"status":"resting""#;
    let own = order("ord-1", "BTC", limit);
    arrive(&mut model, Answer::Orders(Ok(Page::of(vec![own]))));
    let level = |price: i64| Level {
        price: Num::from(price),
        size: num("3"),
    };
    arrive_book(
        &mut model,
        "BTC",
        Book::new(vec![level(63_999)], vec![level(64_001)]),
    );
    let now = model.account.now;
    update(&mut model, now, Msg::Ladder(LadderEvent::Drawn(21)));
    update(
        &mut model,
        now,
        Msg::Ladder(LadderEvent::ChartDrawn(num("17"))),
    );
    press(&mut model, "0");
    let rows = (0..300).map(|candles| candle(back(candles))).collect();
    let page = Dated::undated(Page::of(rows));
    arrive_market(
        &mut model,
        "BTC",
        MarketAnswer::Candles(Interval::Minute1, None, Ok(Some(page))),
    );
    wait(&mut model, 400);
    model
}

/// The cell so many candles from the right end, with this lowest price; the end is `edge` candles before the newest.
fn spot(candles: i64, low: i64, edge: i64) -> ChartSpot {
    let span = |low: i64, high: i64| PriceSpan {
        low: Num::from(low),
        high: Num::from(high),
    };
    ChartSpot {
        side: ChartSide::Left,
        account_id: "chal-1".into(),
        market_id: "paper|BTC".into(),
        interval: Interval::Minute1,
        time: back(edge + candles),
        edge: back(edge),
        row: span(low, low + 16),
        whole: span(63_800, 64_200),
    }
}

fn press_button(model: &mut Model, spot: ChartSpot) -> Vec<Effect> {
    update(
        model,
        model.account.now,
        Msg::Click(ClickTarget::Chart(spot)),
    )
}

fn move_to(model: &mut Model, spot: ChartSpot) {
    let event = LadderEvent::Dragged(spot.into());
    assert_eq!(update(model, model.account.now, Msg::Ladder(event)), vec![]);
}

fn let_go(model: &mut Model, spot: Option<ChartSpot>) -> Vec<Effect> {
    let event = LadderEvent::Released(spot.map(Into::into));
    update(model, model.account.now, Msg::Ladder(event))
}

fn price_in_form(model: &Model) -> Option<String> {
    let form = model.overlays.last()?.try_as_form_ref()?;
    Some(form.draft.text(Field::LimitPrice)?.to_owned())
}

fn refusal(model: &Model) -> String {
    format!("{:?}", model.account.activity)
}

#[test]
fn a_click_puts_both_cursors_there_and_gives_the_chart_the_keys() {
    let mut model = chart();
    press(&mut model, "1");
    assert_eq!(press_button(&mut model, spot(7, 64_051, 0)), vec![]);
    assert_eq!(model.focus.panel, Some(MarketPanel::Chart));
    assert_eq!(model.market_screen.chart.cursor, Some(back(7)));
    assert_eq!(model.price_ladder.cursor(), Some(num("64060")));
    press_button(&mut model, spot(0, 64_051, 0));
    assert_eq!(
        model.market_screen.chart.cursor, None,
        "the newest is followed"
    );
    press_button(&mut model, spot(3, 63_985, 0));
    assert_eq!(
        model.price_ladder.cursor(),
        Some(num("63990")),
        "where the order's row is"
    );
    press(&mut model, "x");
    let cancels = model
        .account
        .store
        .pending
        .values()
        .map(|pending| pending.command.clone());
    assert_eq!(
        cancels.collect::<Vec<_>>(),
        [Command::Cancel("ord-1".into())]
    );
}

#[test]
fn a_click_on_a_chart_that_has_changed_meanwhile_does_nothing() {
    let mut model = chart();
    let other = |change: fn(&mut ChartSpot)| {
        let mut spot = spot(7, 64_051, 0);
        change(&mut spot);
        spot
    };
    for spot in [
        other(|spot| spot.market_id = "paper|ETH".into()),
        other(|spot| spot.account_id = "chal-2".into()),
        other(|spot| spot.interval = Interval::Hour1),
    ] {
        press_button(&mut model, spot);
        assert_eq!(model.market_screen.chart.cursor, None);
        assert_eq!(model.price_ladder.cursor(), None);
        assert!(refusal(&model).contains(ROW_MOVED), "{}", refusal(&model));
    }
}

#[test]
fn an_order_is_dragged_by_its_line_like_on_the_ladder() {
    let mut model = chart();
    press_button(&mut model, spot(7, 63_985, 0));
    // Along its line it stays where it is.
    move_to(&mut model, spot(9, 63_985, 0));
    assert_eq!(model.price_ladder.carried(), None);
    move_to(&mut model, spot(9, 63_951, 0));
    assert_eq!(model.price_ladder.carried(), Some(&OrderId::from("ord-1")));
    assert_eq!(let_go(&mut model, Some(spot(9, 63_951, 0))), vec![]);
    assert_eq!(price_in_form(&model).unwrap(), "63960");
    assert_eq!(
        model.market_screen.chart.edge, None,
        "the chart did not move"
    );
}

#[test]
fn one_key_trading_sends_at_once_unless_the_prices_moved_under_the_hand() {
    let armed = || {
        let mut model = chart();
        model.account.options.ladder_one_key = true;
        press(&mut model, "!");
        assert!(model.price_ladder.is_armed(model.account.now));
        press_button(&mut model, spot(7, 63_985, 0));
        move_to(&mut model, spot(7, 63_951, 0));
        model
    };
    let mut model = armed();
    let sent = let_go(&mut model, Some(spot(7, 63_951, 0)));
    assert!(
        matches!(sent.as_slice(), [Effect::Send(_, Command::Modify(_)), ..]),
        "{sent:?}"
    );
    let mut model = armed();
    let mut moved = spot(7, 63_951, 0);
    moved.whole.high = num("64300");
    assert_eq!(let_go(&mut model, Some(moved)), vec![]);
    assert_eq!(price_in_form(&model).unwrap(), "63960", "the form asks");
}

#[test]
fn an_order_goes_back_where_it_is_released_elsewhere_or_on_its_own_line() {
    for (there, words) in [
        (None, RELEASED_OUTSIDE),
        (Some(spot(7, 63_985, 0)), STANDS_THERE),
    ] {
        let mut model = chart();
        press_button(&mut model, spot(7, 63_985, 0));
        move_to(&mut model, spot(7, 63_951, 0));
        assert_eq!(let_go(&mut model, there), vec![]);
        assert_eq!(model.price_ladder.carried(), None);
        assert_eq!(model.overlays, vec![]);
        assert!(refusal(&model).contains(words), "{}", refusal(&model));
    }
}

#[test]
fn what_was_taken_on_the_chart_is_not_dropped_on_the_ladder() {
    let mut model = chart();
    press_button(&mut model, spot(7, 63_985, 0));
    let row = LadderSpot {
        account_id: "chal-1".into(),
        market_id: "paper|BTC".into(),
        price: num("63990"),
        generation: model.price_ladder.generation(),
        column: crate::app::market::market_spot::LadderColumn::MyBids,
    };
    let now = model.account.now;
    update(
        &mut model,
        now,
        Msg::Ladder(LadderEvent::Dragged(row.clone().into())),
    );
    assert_eq!(model.price_ladder.carried(), None);
    move_to(&mut model, spot(7, 63_951, 0));
    update(
        &mut model,
        now,
        Msg::Ladder(LadderEvent::Released(Some(row.into()))),
    );
    assert_eq!(model.price_ladder.carried(), None);
    assert!(model.overlays.is_empty());
}

#[test]
fn elsewhere_the_chart_is_dragged_through_time_and_the_candle_stays_under_the_pointer() {
    let mut model = chart();
    press_button(&mut model, spot(20, 64_051, 0));
    // Ten columns to the right: what is there now lies ten candles nearer to the end.
    move_to(&mut model, spot(10, 64_051, 0));
    assert_eq!(model.market_screen.chart.edge, Some(back(10)));
    // The next frame shows the same candle at that place.
    move_to(&mut model, spot(10, 64_051, 10));
    assert_eq!(model.market_screen.chart.edge, Some(back(10)));
    move_to(&mut model, spot(25, 64_051, 10));
    assert_eq!(
        model.market_screen.chart.edge,
        Some(back(0)),
        "not beyond the newest"
    );
    assert_eq!(let_go(&mut model, Some(spot(20, 64_051, 0))), vec![]);
    move_to(&mut model, spot(3, 64_051, 0));
    assert_eq!(
        model.market_screen.chart.edge,
        Some(back(0)),
        "the button is up"
    );
    assert!(
        model
            .overlays
            .iter()
            .all(|top| !matches!(top, Overlay::Form(_)))
    );
}

#[test]
fn the_wheel_scrolls_within_what_is_known_and_follows_the_newest_again_at_the_end() {
    let mut model = chart();
    let turn = |model: &mut Model, candles: i64| {
        let first = usize::try_from(back(candles).0 / MINUTE).unwrap();
        let panel = ClickTarget::ChartOn(ChartSide::Left);
        update(
            model,
            model.account.now,
            Msg::Scrolled(panel, first..first + 80),
        );
    };
    turn(&mut model, 9);
    assert_eq!(model.market_screen.chart.edge, Some(back(9)));
    turn(&mut model, 5_000);
    assert_eq!(
        model.market_screen.chart.edge,
        Some(back(299)),
        "the oldest known"
    );
    turn(&mut model, 0);
    assert_eq!(model.market_screen.chart.edge, None);
    turn(&mut model, 9);
    press(&mut model, "left");
    assert_eq!(
        model.market_screen.chart.cursor,
        Some(back(10)),
        "from what is seen"
    );
    assert_eq!(model.market_screen.chart.edge, None);
    turn(&mut model, 40);
    press(&mut model, "esc");
    let chart = &model.market_screen.chart;
    assert_eq!((chart.cursor, chart.edge), (None, None));
    assert_eq!(
        model.focus.panel,
        Some(MarketPanel::Chart),
        "Esc did only that"
    );
}

#[test]
fn what_is_scrolled_to_asks_for_the_candles_before_it() {
    let mut model = chart();
    let oldest = back(299);
    let wanted = |model: &Model| {
        let newest = Some(back(0));
        model.market_screen.chart.wanted_since(newest).unwrap()
    };
    model
        .market_screen
        .chart
        .scroll_to(back(250), (oldest, back(0)));
    assert!(wanted(&model) < Timestamp(back(250).0 - 500 * MINUTE));
}

#[test]
fn after_a_reset_the_chart_follows_the_market_from_its_new_beginning() {
    let mut model = chart();
    press(&mut model, "left");
    wait(&mut model, 1_000);
    let rows = (100..150).map(|candles| candle(back(candles))).collect();
    let page = Dated::undated(Page::of(rows));
    let answer = MarketAnswer::Candles(Interval::Minute1, None, Ok(Some(page)));
    arrive_market(&mut model, "BTC", answer);
    let known = model
        .account
        .market_data
        .candles(&"paper|BTC".into(), Interval::Minute1);
    assert_eq!(known.unwrap().newest().unwrap().open_time, back(100));
    assert_eq!(model.market_screen.chart.cursor, None);
}

#[test]
fn a_chart_is_dragged_through_prices_until_escape() {
    let mut model = chart();
    press_button(&mut model, spot(10, 64_051, 0));
    // The price is 34 dollars above the row under the pointer, of a chart 400 dollars high.
    move_to(&mut model, spot(10, 64_017, 0));
    assert_eq!(model.market_screen.chart.shift, 85);
    // What is under the pointer now is the price that was taken hold of.
    move_to(&mut model, spot(10, 64_051, 0));
    assert_eq!(model.market_screen.chart.shift, 85);
    let_go(&mut model, Some(spot(10, 64_051, 0)));
    press(&mut model, "esc esc");
    assert_eq!(model.market_screen.chart.shift, 0);
}

/// Name and price of the lines of BTC.
fn lines(model: &Model) -> Vec<(String, String)> {
    let lines = model.market_screen.lines.of(&"paper|BTC".into()).iter();
    lines
        .map(|line| (line.name.clone(), line.price.to_string()))
        .collect()
}

#[test]
fn a_line_of_ones_own_is_dragged_to_another_price_and_off_the_chart() {
    let mut model = chart();
    press(
        &mut model,
        ": line space 64055 space weekly space low enter",
    );
    press_button(&mut model, spot(10, 64_051, 0));
    move_to(&mut model, spot(10, 64_102, 0));
    let kept = let_go(&mut model, Some(spot(10, 64_102, 0)));
    let [(name, price)] = lines(&model).try_into().unwrap();
    assert_eq!((name.as_str(), price.as_str()), ("weekly low", "64110"));
    assert!(
        matches!(kept.as_slice(), [Effect::Settings(SettingsRequest::KeepLines(_, kept))] if kept.len() == 1),
        "{kept:?}"
    );
    press_button(&mut model, spot(10, 64_102, 0));
    move_to(&mut model, spot(10, 64_085, 0));
    let kept = let_go(&mut model, None);
    assert!(
        matches!(kept.as_slice(), [Effect::Settings(SettingsRequest::KeepLines(_, kept))] if kept.is_empty()),
        "{kept:?}"
    );
    assert!(refusal(&model).contains("removed the line weekly low"));
}

#[test]
fn a_line_of_ones_own_is_named_moved_and_removed_by_keys() {
    let mut model = chart();
    press_button(&mut model, spot(0, 64_051, 0));
    let_go(&mut model, Some(spot(0, 64_051, 0)));
    let kept = press(&mut model, "_ weekly space low enter");
    assert_eq!(kept.len(), 1, "{kept:?}");
    let line = |price: &str| vec![("weekly low".to_owned(), price.to_owned())];
    assert_eq!(lines(&model), line("64060"));
    press(
        &mut model,
        ": line space 64100 space weekly space low enter",
    );
    assert_eq!(lines(&model), line("64100"));
    press(
        &mut model,
        ": line space 64060 space weekly space low enter",
    );
    press(&mut model, "_ enter");
    assert_eq!(lines(&model), []);
}
