//! The market screen: which market is shown, which panel has the keys, what they do there.

use super::*;
use crate::{
    app::{
        Identity, MarketAnswer, MarketPanel, Mode, ReadOnce, RequestTime, WidthTier, charts,
        has_market,
        market::wanted_data::WantedMarketData,
        testing::{bare_desk, num},
        want_shown,
    },
    model::{Candle, Dated, Interval, MarketId, Page, Timestamp},
};

fn id(coin: &str) -> MarketId {
    format!("paper|{coin}").into()
}

/// This many one-minute candles of BTC, the newest at noon.
fn with_candles(model: &mut Model, count: i64) {
    let newest = Interval::Minute1.open_of(NOON);
    let candle = |back: i64| Candle {
        open_time: Timestamp(newest.0 - back * 60_000),
        open: num("64000"),
        high: num("64010"),
        low: num("63990"),
        close: num("64005"),
        volume: Some(num("1")),
        turnover: Some(num("64000")),
        trades: Some(1),
        is_closed: true,
        is_synthetic: false,
    };
    let at = RequestTime {
        desk: NOON,
        service: NOON,
    };
    let page = Page::of((0..count).map(candle).collect());
    let answer = MarketAnswer::Candles(Interval::Minute1, None, Ok(Some(Dated::undated(page))));
    model.account.market_data.arrive(&id("BTC"), at, answer);
}

#[test]
fn the_market_shown_is_that_of_the_row_under_the_cursor_unless_pinned() {
    let mut model = desk();
    assert_eq!(model.market_screen.market(), Some(&id("BTC")));
    press(&mut model, "j");
    assert_eq!(model.market_screen.market(), Some(&id("SOL")));
    press(&mut model, "P k");
    assert_eq!(model.market_screen.market(), Some(&id("SOL")));
    press(&mut model, "P");
    assert_eq!(model.market_screen.market(), Some(&id("BTC")));
    press(&mut model, "7");
    assert_eq!(
        model.market_screen.market(),
        Some(&id("BTC")),
        "a list without markets"
    );
}

#[test]
fn a_panel_that_has_the_keys_acts_on_no_row_and_lets_everything_be_closed() {
    let mut model = desk();
    press(&mut model, "0");
    assert_eq!(model.focus.panel, Some(MarketPanel::Chart));
    assert_eq!(model.selected(), None);
    assert_eq!(press(&mut model, "space enter o x"), []);
    assert!(model.overlays.is_empty(), "{:?}", model.overlays);
    press(&mut model, "X");
    assert!(model.overlays.last().unwrap().try_as_strip_ref().is_some());
    press(&mut model, "esc b");
    let form = model.overlays.last().unwrap().try_as_form_ref().unwrap();
    assert_eq!(form.market_id(), Some(&id("BTC")));
}

#[test]
fn a_key_of_positions_acts_on_the_one_in_the_market_shown() {
    let mut model = desk();
    press(&mut model, "0 c");
    let form = model.overlays.last().unwrap().try_as_form_ref().unwrap();
    assert_eq!(form.market_id(), Some(&id("BTC")));
    // Nothing is held in ETH.
    press(&mut model, "esc ]");
    assert_eq!(model.market_screen.market(), Some(&id("ETH")));
    press(&mut model, "c");
    assert!(model.overlays.is_empty(), "{:?}", model.overlays);
    let said = format!("{:?}", model.account.activity.toast(model.account.now));
    assert!(
        said.contains("there is no position in this market"),
        "{said}"
    );
}

#[test]
fn esc_gives_the_keys_back_one_step_at_a_time() {
    let mut model = desk();
    with_candles(&mut model, 50);
    press(&mut model, "0 z left left");
    let cursor = model.market_screen.chart.cursor.unwrap();
    assert_eq!(
        cursor,
        Timestamp(Interval::Minute1.open_of(NOON).0 - 120_000)
    );
    press(&mut model, "esc");
    assert_eq!(model.market_screen.chart.cursor, None);
    assert!(model.focus.zoomed);
    press(&mut model, "esc");
    assert!(!model.focus.zoomed && model.focus.panel.is_some());
    press(&mut model, "esc");
    assert_eq!(model.context(), Context::Positions);
}

#[test]
fn another_market_and_interval_are_chosen_on_the_chart() {
    let mut model = desk();
    press(&mut model, "0 ; ; ]");
    assert_eq!(model.market_screen.chart.interval, Interval::Minute15);
    assert_eq!(model.market_screen.market(), Some(&id("ETH")));
    assert!(model.market_screen.is_pinned());
    press(&mut model, ", [ [");
    assert_eq!(model.market_screen.chart.interval, Interval::Minute5);
    assert_eq!(model.market_screen.market(), Some(&id("SOL")));
}

#[test]
fn without_a_price_source_no_panel_gets_the_keys() {
    let mut model = bare_desk();
    press(&mut model, "0");
    assert!(!has_market(&model) && model.focus.panel.is_none());
    press(&mut model, "8 tab");
    assert_eq!(model.context(), Context::Positions);
}

/// What the charts show, that which has the keys first.
fn shown(model: &Model) -> Vec<(String, Interval)> {
    let charts = charts(model).into_iter();
    let shown = charts.map(|chart| {
        (
            chart.market.unwrap().coin().to_string(),
            chart.chart.interval,
        )
    });
    shown.collect()
}

#[test]
fn two_charts_have_a_market_and_an_interval_each_and_keys_act_on_one() {
    let mut model = desk();
    model.market_screen.tier = WidthTier::Wide;
    let of = |coin: &str, interval| (coin.to_owned(), interval);
    press(&mut model, "0 |");
    let [one, five, quarter] = [Interval::Minute1, Interval::Minute5, Interval::Minute15];
    assert_eq!(shown(&model), [of("BTC", one), of("BTC", five)]);
    let mut wanted_data = WantedMarketData::default();
    want_shown(&model, &mut wanted_data);
    let wanted: Vec<_> = wanted_data
        .candles
        .iter()
        .map(|want| want.interval)
        .collect();
    assert_eq!(wanted, [one, five], "both are loaded");
    press(&mut model, "tab ; ]");
    assert_eq!(shown(&model), [of("ETH", quarter), of("BTC", one)]);
    assert_eq!(model.price_ladder.market(), Some(&id("ETH")));
    press(&mut model, "c");
    assert!(model.overlays.is_empty(), "nothing is held in ETH");
    press(&mut model, "tab");
    assert_eq!(shown(&model), [of("BTC", one), of("ETH", quarter)]);
    press(&mut model, "tab |");
    assert_eq!(shown(&model), [of("ETH", quarter)], "it had the keys");
}

#[test]
fn two_charts_come_back_with_the_whole_screen_and_need_a_wide_one() {
    let mut model = desk();
    model.market_screen.tier = WidthTier::Wide;
    press(&mut model, "0 | z");
    assert_eq!(shown(&model).len(), 1);
    press(&mut model, "z");
    assert_eq!(shown(&model).len(), 2);
    press(&mut model, "9 0");
    assert_eq!(shown(&model).len(), 2, "after the ladder");
    model.market_screen.tier = WidthTier::Medium;
    assert_eq!(shown(&model).len(), 1);
    press(&mut model, "|");
    let said = format!("{:?}", model.account.activity.toast(model.account.now));
    assert!(said.contains("160 columns"), "{said}");
}

#[test]
fn only_what_is_on_the_screen_is_wanted() {
    let wanted = |model: &Model| {
        let mut wanted_data = WantedMarketData::default();
        want_shown(model, &mut wanted_data);
        (
            !wanted_data.candles.is_empty(),
            wanted_data.trades.is_some(),
        )
    };
    let mut model = desk();
    model.market_screen.tier = WidthTier::Wide;
    assert_eq!(wanted(&model), (true, true));
    press(&mut model, "z");
    assert_eq!(wanted(&model), (false, false), "another pane is zoomed");
    press(&mut model, "z V");
    assert_eq!(wanted(&model), (false, false), "layout risk");
    press(&mut model, "V V");
    model.market_screen.tier = WidthTier::Medium;
    assert_eq!(wanted(&model), (true, false));
    press(&mut model, "9 1");
    assert_eq!(wanted(&model), (false, true));
    model.market_screen.tier = WidthTier::Column;
    assert_eq!(wanted(&model), (false, false));
    press(&mut model, "0");
    assert_eq!(wanted(&model), (true, false));
}

#[test]
fn the_chart_key_shows_the_rows_market_whole_and_again_goes_back() {
    let mut model = desk();
    press(&mut model, "P j p");
    assert_eq!(model.context(), Context::MarketChart);
    assert!(model.focus.zoomed);
    assert_eq!(model.market_screen.market(), Some(&id("SOL")));
    press(&mut model, "p");
    assert_eq!(model.context(), Context::Positions);
    assert!(!model.focus.zoomed);
    assert_eq!(model.market_screen.market(), Some(&id("BTC")), "as pinned");
    press(&mut model, "p esc");
    assert_eq!(
        (model.context(), model.focus.zoomed),
        (Context::Positions, false)
    );
    press(&mut model, "p 2");
    assert_eq!(
        (model.context(), model.focus.zoomed),
        (Context::Orders, false)
    );
    press(&mut model, "9 p p");
    assert_eq!(model.context(), Context::PriceLadder);
}

#[test]
fn a_detail_leads_to_the_chart_of_its_market() {
    let mut model = desk();
    press(&mut model, "j enter p");
    assert_eq!(model.overlays, []);
    assert_eq!(model.market_screen.market(), Some(&id("SOL")));
    assert_eq!(
        (model.context(), model.focus.zoomed),
        (Context::MarketChart, true)
    );
    assert!(!model.market_screen.is_pinned());
}

#[test]
fn a_paper_exchange_on_this_machine_is_paper_whoever_started_it() {
    let mut model = desk();
    let mode = |model: &mut Model, base_url: &str, about: &str| {
        let identity = Identity {
            mode: Mode::LiveApi,
            base_url: base_url.to_owned(),
            ..model.account.identity.clone().unwrap()
        };
        model.account.identity = Some(identity);
        let now = model.account.now;
        let about = serde_json::from_str(about).unwrap();
        update(model, now, Msg::Met(Box::new(about)));
        model.account.mode()
    };
    let (here, simulator) = ("http://127.0.0.1:8080", r#"{"simulator":"/sim"}"#);
    assert_eq!(mode(&mut model, here, simulator), Some(Mode::Paper));
    assert_eq!(mode(&mut model, here, "{}"), Some(Mode::LiveApi));
    let far = "https://paper.example";
    assert_eq!(mode(&mut model, far, simulator), Some(Mode::LiveApi));
}

#[test]
fn a_service_that_is_polled_within_its_budget_is_not_late_for_that() {
    let mut model = desk();
    let set = Duration::from_secs(1);
    model.account.options.intervals.insert(Source::Orders, set);
    assert_eq!(model.account.interval_of(Source::Orders), Some(set));
    let (now, about) = (model.account.now, crate::model::ServiceAbout::default());
    update(&mut model, now, Msg::Met(Box::new(about)));
    assert_eq!(
        model.account.interval_of(Source::Orders),
        Some(Source::Orders.idle_interval())
    );
}

#[test]
fn what_is_shown_of_the_market_that_the_cursor_rests_on_is_requested_with_it() {
    let rest = std::time::Duration::from_millis(80);
    let mut model = desk();
    let now = model.account.now;
    update(&mut model, now, Msg::Resized(200, 60));
    model.market_screen.wait_for_rest(rest);
    press(&mut model, "j");
    let mut requests_sol = |after| {
        let effects = update(&mut model, now.plus(after), Msg::Tick);
        let of_sol = |effect: &Effect| matches!(effect, Effect::Read(ReadOnce::Market(market, _)) if *market == id("SOL"));
        effects.iter().any(of_sol)
    };
    assert!(!requests_sol(rest / 2));
    assert!(requests_sol(rest));
}
