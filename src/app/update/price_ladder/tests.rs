#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for one variant and names no others"
)]
use super::*;
use crate::{
    app::{
        account::{pane::Pane, poll::Answer},
        core::effect::Effect,
        desk::msg::Msg,
        dialogs::overlay::Overlay,
        market::{
            answer::MarketAnswer,
            data::RequestTime,
            market_spot::LadderEvent,
            market_spot::{Generation, LadderColumn, LadderSpot, WHEEL_HOME},
            screen::MarketPanel,
        },
        tables::click_target::ClickTarget,
        testing::*,
        update::router::update,
    },
    model::{
        Book, Command, Dated, Level, MarketId, OrderId, Page, PlaceKind, PlaceOrder, draft::Field,
    },
};

fn btc() -> MarketId {
    "paper|BTC".into()
}

/// Ten levels a side, one dollar apart, from these best prices on.
fn book(bid: i64, ask: i64) -> Book {
    let level = |price: i64| Level {
        price: Num::from(price),
        size: num("3"),
    };
    Book::new(
        (0..10).map(|down| level(bid - down)).collect(),
        (0..10).map(|up| level(ask + up)).collect(),
    )
}

/// The answer of the book's source now.
fn tell(model: &mut Model, book: Book) {
    arrive_book(model, "BTC", book);
}

/// The ladder of BTC has the keys; the bid is 63,999 and the last order was 0.1. `ord-1` rests at 63,995.
fn ladder() -> Model {
    let mut model = desk();
    let limit = r#""type":"limit","mode":"limit","side":"buy","size":0.1,"limit_price":63995,
        "filled_size":0,"status":"resting""#;
    arrive(
        &mut model,
        Answer::Orders(Ok(Page::of(vec![order("ord-1", "BTC", limit)]))),
    );
    model.account.used.keep(&PlaceOrder {
        kind: PlaceKind::Limit,
        leverage: num("5"),
        ..PlaceOrder::market("chal-1".into(), btc(), Side::Buy, num("0.1"))
    });
    tell(&mut model, book(63_999, 64_001));
    let now = model.account.now;
    update(&mut model, now, Msg::Ladder(LadderEvent::Drawn(21)));
    press(&mut model, "9");
    wait(&mut model, 400);
    model
}

/// One key sends there.
fn armed() -> Model {
    let mut model = ladder();
    model.account.options.ladder_one_key = true;
    press(&mut model, "!");
    assert!(model.price_ladder.is_armed(model.account.now));
    model
}

fn spot(model: &Model, price: &str, column: LadderColumn) -> LadderSpot {
    LadderSpot {
        account_id: "chal-1".into(),
        market_id: btc(),
        price: num(price),
        generation: model.price_ladder.generation(),
        column,
    }
}

fn click_on(model: &mut Model, spot: LadderSpot) -> Vec<Effect> {
    let now = model.account.now;
    update(model, now, Msg::Click(ClickTarget::Ladder(spot)))
}

fn orders(effects: &[Effect]) -> Vec<(Side, String)> {
    let order = |effect: &Effect| match effect {
        Effect::Send(_, Command::Place(order)) => {
            Some((order.side, order.limit_price?.to_string()))
        }
        _ => None,
    };
    effects.iter().filter_map(order).collect()
}

fn price_in_form(model: &Model, field: Field) -> Option<String> {
    let form = model.overlays.last()?.try_as_form_ref()?;
    Some(form.draft.text(field)?.to_owned())
}

fn refusal(model: &Model) -> String {
    format!("{:?}", model.account.activity)
}

#[test]
fn the_keys_choose_a_price_and_open_the_form_with_it() {
    let mut model = ladder();
    assert!(press(&mut model, "b").is_empty() && model.overlays.is_empty());
    press(&mut model, "j");
    assert_eq!(
        model.price_ladder.cursor(),
        Some(num("63999")),
        "the best bid"
    );
    press(&mut model, "j j b");
    assert_eq!(price_in_form(&model, Field::LimitPrice).unwrap(), "63997");
    assert_eq!(price_in_form(&model, Field::Size).unwrap(), "0.1");
    let sent = press(&mut model, "enter");
    assert_eq!(orders(&sent), [(Side::Buy, "63997".to_owned())]);
    press(&mut model, "shift-up");
    assert_eq!(model.price_ladder.cursor(), Some(num("64007")));
    press(&mut model, ".");
    assert_eq!(model.price_ladder.cursor(), None);
}

#[test]
fn the_size_is_the_preset_that_is_on() {
    let mut model = ladder();
    press(&mut model, "+");
    assert!(refusal(&model).contains("BTC has no size presets"));
    let preset = |text| crate::config::SizePreset::try_from(text).unwrap();
    for (keys, size) in [("b", "0.2"), ("+ b", "0.5"), ("+ - b", "0.2")] {
        let mut model = ladder();
        let presets = vec![preset("0.2"), preset("$32000")];
        model.account.options.size_presets.everywhere = crate::config::SizePresets(presets);
        press(&mut model, &format!("j {keys}"));
        let written = price_in_form(&model, Field::Size).unwrap();
        assert_eq!(num(&written).normalized(), num(size), "{keys}");
    }
}

#[test]
fn a_stop_entry_stop_and_target_open_at_the_cursor() {
    for (keys, field, kind) in [
        ("k k k B", Field::TriggerPrice, "64003"),
        ("j j j d", Field::StopLoss, "63997"),
        ("k k k w", Field::TakeProfit, "64003"),
    ] {
        let mut model = ladder();
        press(&mut model, keys);
        assert_eq!(
            price_in_form(&model, field).as_deref(),
            Some(kind),
            "{keys}"
        );
    }
}

#[test]
fn one_key_needs_the_setting_and_a_live_book() {
    let mut model = ladder();
    press(&mut model, "! j b");
    assert!(!model.price_ladder.is_armed(model.account.now));
    assert!(model.overlays.last().is_some(), "the form opens");
    let mut model = ladder();
    model.account.options.ladder_one_key = true;
    wait(&mut model, 6_000);
    press(&mut model, "!");
    assert!(
        !model.price_ladder.is_armed(model.account.now),
        "the book is stale"
    );
}

#[test]
fn armed_a_key_sends_at_once_and_a_key_that_is_held_sends_once() {
    let mut model = armed();
    let sent = press(&mut model, "j b");
    assert_eq!(orders(&sent), [(Side::Buy, "63999".to_owned())]);
    let mut again = vec![];
    for _ in 0..100 {
        wait(&mut model, 33);
        tell(&mut model, book(63_999, 64_001));
        again.extend(press(&mut model, "b"));
    }
    assert_eq!(orders(&again), []);
    let other = press(&mut model, "j b");
    assert_eq!(orders(&other), [(Side::Buy, "63998".to_owned())]);
}

#[test]
fn armed_a_flip_asks_nothing_on_the_ladder_and_a_key_that_is_held_flips_once() {
    let mut model = armed();
    let closes = |sent: &[Effect]| {
        let close = |effect: &&Effect| matches!(effect, Effect::Send(_, Command::Close(_)));
        sent.iter().filter(close).count()
    };
    let mut sent = press(&mut model, "I");
    assert!(model.overlays.is_empty());
    for _ in 0..10 {
        wait(&mut model, 33);
        sent.extend(press(&mut model, "I"));
    }
    assert_eq!(closes(&sent), 1);

    let mut model = armed();
    assert_eq!(closes(&press(&mut model, "1 I")), 0);
    assert!(model.overlays.last().is_some(), "the positions' pane asks");
}

#[test]
fn one_key_sends_no_order_of_whose_bracket_a_target_is_too_small_to_place() {
    let mut model = armed();
    let bracket = "stop 1%, target 100t 60%, target 200t 0.001%";
    model.account.options.brackets.everywhere = bracket.try_into().unwrap();
    assert_eq!(orders(&press(&mut model, "j j b")), []);
    let why = refusal(&model);
    assert!(why.contains("not sent: the target at 64,"), "{why}");
    assert!(why.contains("is for less than the smallest size"), "{why}");
    assert!(why.contains("End one-key trading"), "{why}");
    let bracket = "stop 1%, target 100t 60%, target 200t 40%";
    model.account.options.brackets.everywhere = bracket.try_into().unwrap();
    wait(&mut model, 1_500);
    assert_eq!(orders(&press(&mut model, "b")).len(), 1);
}

#[test]
fn one_key_ends_after_a_minute_on_another_market_and_on_a_stale_book() {
    let mut model = armed();
    for _ in 0..15 {
        wait(&mut model, 4_000);
        tell(&mut model, book(63_999, 64_001));
    }
    assert!(!model.price_ladder.is_armed(model.account.now));
    assert!(refusal(&model).contains("one-key trading is off: 60 s without a key"));

    let mut model = armed();
    press(&mut model, "1 j");
    assert_eq!(model.price_ladder.market(), Some(&"paper|SOL".into()));
    assert!(refusal(&model).contains("one-key trading is off: another market is shown"));

    let mut model = armed();
    wait(&mut model, 6_000);
    assert!(refusal(&model).contains("one-key trading is off: stale"));
    let mut model = armed();
    tell(&mut model, book(64_001, 64_001));
    assert!(refusal(&model).contains("one-key trading is off: crossed"));
}

#[test]
fn a_click_chooses_a_price_and_armed_it_sends_on_a_size() {
    let mut model = ladder();
    let bid = spot(&model, "63998", LadderColumn::Bids);
    assert!(click_on(&mut model, bid).is_empty());
    assert_eq!(model.price_ladder.cursor(), Some(num("63998")));
    let mut model = armed();
    let bid = spot(&model, "63998", LadderColumn::Bids);
    let ask = spot(&model, "64003", LadderColumn::Asks);
    let price = spot(&model, "64003", LadderColumn::Price);
    assert_eq!(
        orders(&click_on(&mut model, bid)),
        [(Side::Buy, "63998".to_owned())]
    );
    assert_eq!(
        orders(&click_on(&mut model, ask)),
        [(Side::Sell, "64003".to_owned())]
    );
    assert!(click_on(&mut model, price).is_empty());
}

#[test]
fn a_click_on_a_row_that_has_another_price_by_now_sends_nothing() {
    type Elsewhere = fn(&mut LadderSpot);
    let elsewhere: [Elsewhere; 3] = [
        |spot| spot.market_id = "paper|ETH".into(),
        |spot| spot.account_id = "chal-2".into(),
        |spot| spot.generation = Generation::default(),
    ];
    for change in elsewhere {
        let mut model = armed();
        let mut bid = spot(&model, "63998", LadderColumn::Bids);
        change(&mut bid);
        assert!(click_on(&mut model, bid).is_empty());
        assert_eq!(model.price_ladder.cursor(), None);
        assert!(refusal(&model).contains("row moved: nothing was sent"));
    }
    let mut model = armed();
    let bid = spot(&model, "63998", LadderColumn::Bids);
    press(&mut model, "]");
    assert!(
        click_on(&mut model, bid).is_empty(),
        "the rows lie otherwise"
    );
}

#[test]
fn after_the_rows_have_moved_clicks_are_deaf_for_300_ms_and_keys_for_150() {
    let mut model = armed();
    press(&mut model, ".");
    wait(&mut model, 299);
    let bid = spot(&model, "63998", LadderColumn::Bids);
    assert!(click_on(&mut model, bid.clone()).is_empty());
    wait(&mut model, 1);
    assert_eq!(orders(&click_on(&mut model, bid)).len(), 1);
    let mut model = armed();
    press(&mut model, ". j");
    wait(&mut model, 149);
    assert!(orders(&press(&mut model, "b")).is_empty());
    wait(&mut model, 1);
    assert_eq!(orders(&press(&mut model, "b")).len(), 1);
}

fn cancels(effects: &[Effect]) -> Vec<OrderId> {
    let cancel = |effect: &Effect| match effect {
        Effect::Send(_, command) => command.cancels().cloned(),
        _ => None,
    };
    effects.iter().filter_map(cancel).collect()
}

fn moved(effects: &[Effect]) -> Vec<OrderId> {
    let moved = |effect: &Effect| match effect {
        Effect::Send(_, Command::Modify(modify)) => Some(modify.order_id.clone()),
        _ => None,
    };
    effects.iter().filter_map(moved).collect()
}

#[test]
fn an_order_is_picked_up_and_dropped_two_rows_higher() {
    let mut model = ladder();
    press(&mut model, "' m k k");
    assert_eq!(model.price_ladder.carried(), Some(&OrderId::from("ord-1")));
    let sent = press(&mut model, "enter");
    assert_eq!(moved(&sent), [OrderId::from("ord-1")], "no form asks");
    assert!(model.overlays.is_empty());
    let mut model = armed();
    let sent = press(&mut model, "' m k k enter");
    assert_eq!(moved(&sent), [OrderId::from("ord-1")]);
    let mut model = ladder();
    press(&mut model, "' m k k esc");
    assert_eq!(model.price_ladder.carried(), None);
    assert!(model.overlays.is_empty());
}

fn dragged(model: &mut Model, from: &str, to: &str) -> Vec<Effect> {
    let own = spot(model, from, LadderColumn::MyBids);
    let there = spot(model, to, LadderColumn::MyBids);
    let now = model.account.now;
    let mut effects = update(model, now, Msg::Click(ClickTarget::Ladder(own)));
    effects.extend(update(
        model,
        now,
        Msg::Ladder(LadderEvent::Dragged(there.clone().into())),
    ));
    effects.extend(update(
        model,
        now,
        Msg::Ladder(LadderEvent::Released(Some(there.into()))),
    ));
    effects
}

#[test]
fn the_mouse_drags_an_order_like_the_keys() {
    let mut model = ladder();
    assert!(dragged(&mut model, "63995", "63997").is_empty());
    assert_eq!(price_in_form(&model, Field::LimitPrice).unwrap(), "63997");
    let mut model = armed();
    let sent = dragged(&mut model, "63995", "63997");
    assert_eq!(moved(&sent), [OrderId::from("ord-1")]);
    let mut model = armed();
    assert!(
        dragged(&mut model, "63996", "63997").is_empty(),
        "no order there"
    );
    assert_eq!(model.price_ladder.carried(), None);
    let mut model = armed();
    let own = spot(&model, "63995", LadderColumn::MyBids);
    let there = spot(&model, "63997", LadderColumn::MyBids);
    let now = model.account.now;
    update(&mut model, now, Msg::Click(ClickTarget::Ladder(own)));
    update(
        &mut model,
        now,
        Msg::Ladder(LadderEvent::Dragged(there.into())),
    );
    assert!(update(&mut model, now, Msg::Ladder(LadderEvent::Released(None))).is_empty());
    assert_eq!(
        model.price_ladder.carried(),
        None,
        "dropped beside the ladder"
    );
    let words = "released off the ladder: the order stays where it was";
    assert!(refusal(&model).contains(words), "{}", refusal(&model));
}

#[test]
fn a_drag_over_rows_that_have_moved_leaves_the_order_and_says_so() {
    let mut model = ladder();
    let own = spot(&model, "63995", LadderColumn::MyBids);
    let there = spot(&model, "63997", LadderColumn::MyBids);
    let now = model.account.now;
    update(&mut model, now, Msg::Click(ClickTarget::Ladder(own)));
    model.price_ladder.scroll(1);
    for event in [
        LadderEvent::Dragged(there.clone().into()),
        LadderEvent::Released(Some(there.into())),
    ] {
        assert!(update(&mut model, now, Msg::Ladder(event)).is_empty());
    }
    assert!(model.overlays.is_empty());
    assert!(refusal(&model).contains("row moved"), "{}", refusal(&model));
}

#[test]
fn where_bids_and_asks_share_a_column_both_are_dragged() {
    for side in ["buy", "sell"] {
        let mut model = ladder();
        let limit = format!(
            r#""type":"limit","mode":"limit","side":"{side}","size":0.1,"limit_price":64005,
            "filled_size":0,"status":"resting""#
        );
        let own = order("ord-2", "BTC", &limit);
        arrive(&mut model, Answer::Orders(Ok(Page::of(vec![own]))));
        let now = model.account.now;
        let spot = |model: &Model, price| spot(model, price, LadderColumn::Mine);
        let (own, there) = (spot(&model, "64005"), spot(&model, "64007"));
        update(&mut model, now, Msg::Click(ClickTarget::Ladder(own)));
        update(
            &mut model,
            now,
            Msg::Ladder(LadderEvent::Dragged(there.into())),
        );
        assert_eq!(
            model.price_ladder.carried(),
            Some(&"ord-2".into()),
            "{side}"
        );
    }
}

#[test]
fn the_mouse_takes_an_order_anywhere_on_its_row_unless_a_click_there_trades() {
    let carried = |mut model: Model, column| {
        let (own, there) = (spot(&model, "63995", column), spot(&model, "63997", column));
        let now = model.account.now;
        update(&mut model, now, Msg::Click(ClickTarget::Ladder(own)));
        let dragged = Msg::Ladder(LadderEvent::Dragged(there.into()));
        update(&mut model, now, dragged);
        model.price_ladder.carried().cloned()
    };
    let order = Some(OrderId::from("ord-1"));
    for column in [LadderColumn::Price, LadderColumn::Bids, LadderColumn::Asks] {
        assert_eq!(carried(ladder(), column), order, "{column:?}");
    }
    assert_eq!(carried(armed(), LadderColumn::Price), order);
    assert_eq!(carried(armed(), LadderColumn::Bids), None);
}

/// The chart has the keys; its rows are 17 dollars high, so the cursor goes in steps of 10.
fn on_chart(mut model: Model) -> Model {
    let now = model.account.now;
    update(
        &mut model,
        now,
        Msg::Ladder(LadderEvent::ChartDrawn(num("17"))),
    );
    press(&mut model, "0");
    model
}

#[test]
fn on_the_chart_the_cursor_goes_in_round_steps_of_about_a_row() {
    let mut model = on_chart(ladder());
    for (keys, price) in [
        ("k", "64000"),
        ("k", "64010"),
        ("j j", "63990"),
        ("shift-up", "64090"),
    ] {
        press(&mut model, keys);
        assert_eq!(model.price_ladder.cursor(), Some(num(price)), "{keys}");
    }
    press(&mut model, "9 k");
    assert_eq!(
        model.price_ladder.cursor(),
        Some(num("64091")),
        "the same cursor"
    );
    press(&mut model, "0 esc");
    assert_eq!(model.price_ladder.cursor(), None);
    assert_eq!(model.focus.panel, Some(MarketPanel::Chart));
}

#[test]
fn on_the_chart_the_keys_act_at_the_price_as_on_the_ladder() {
    let mut model = on_chart(ladder());
    press(&mut model, "b");
    assert_eq!(
        price_in_form(&model, Field::LimitPrice).unwrap(),
        "",
        "no price is chosen"
    );
    press(&mut model, "esc j b");
    assert_eq!(price_in_form(&model, Field::LimitPrice).unwrap(), "64000");
    press(&mut model, "esc j B");
    assert!(refusal(&model).contains("the trigger is already crossed"));
    let mut model = on_chart(ladder());
    assert_eq!(cancels(&press(&mut model, "' x")), [OrderId::from("ord-1")]);
    let mut model = on_chart(ladder());
    let sent = press(&mut model, "' m j enter");
    let [Effect::Send(_, Command::Modify(modify))] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert_eq!(modify.price, num("63980"));
    let mut model = on_chart(armed());
    let sent = press(&mut model, "j b");
    assert_eq!(orders(&sent), [(Side::Buy, "64000".to_owned())]);
}

#[test]
fn an_alert_begins_at_the_price_of_the_cursor() {
    for panel in ["9", "0"] {
        let mut model = on_chart(ladder());
        press(&mut model, &format!("{panel} j @"));
        let line = model.overlays.last().unwrap().try_as_prompt_ref().unwrap();
        let price = if panel == "9" { "63999" } else { "64000" };
        assert_eq!(line.text(), format!("alert btc crosses {price}"), "{panel}");
    }
}

#[test]
fn a_cancel_acts_on_the_row_of_the_cursor() {
    let mut model = ladder();
    assert!(
        press(&mut model, "j x").is_empty(),
        "nothing of one's own there"
    );
    assert_eq!(cancels(&press(&mut model, "' x")), [OrderId::from("ord-1")]);
    let mut model = ladder();
    press(&mut model, "<");
    assert!(matches!(model.overlays.last(), Some(Overlay::Strip(_))));
    wait(&mut model, 200);
    assert_eq!(cancels(&press(&mut model, "y")), [OrderId::from("ord-1")]);
}

#[test]
fn the_wheel_moves_the_view_and_holds_it() {
    let mut model = ladder();
    let top = |model: &Model| model.price_ladder.prices(21)[0];
    let before = top(&model);
    let now = model.account.now;
    let up = ClickTarget::Panel(crate::app::MarketPanel::Ladder);
    let seen = WHEEL_HOME - 3..WHEEL_HOME + 18;
    update(&mut model, now, Msg::Scrolled(up, seen));
    assert_eq!(top(&model), before.plus(num("3")).unwrap());
    for poll in 0..4 {
        wait(&mut model, 3_000);
        tell(&mut model, book(65_000 + poll, 65_002 + poll));
    }
    assert_eq!(top(&model), before.plus(num("3")).unwrap());
    press(&mut model, ".");
    assert!(top(&model) > num("65000"));
}

#[test]
fn the_other_market_of_a_row_that_moved_under_the_cursor_is_not_traded() {
    let mut model = armed();
    press(&mut model, "j");
    arrive(
        &mut model,
        Answer::Positions(Ok(Page::of(vec![position(
            "pos-2",
            "SOL",
            "-100",
            r#""leverage":5"#,
        )]))),
    );
    model.focus.go(Pane::Positions);
    wait(&mut model, 3_000);
    press(&mut model, "9 b");
    assert!(model.account.store.pending.is_empty() && model.overlays.is_empty());
}

#[test]
fn keys_begin_the_delta_anew_and_set_from_what_size_on_trades_are_large() {
    let mut model = ladder();
    let trade = crate::model::PublicTrade {
        id: Some(1),
        price: num("64000"),
        size: num("0.1"),
        aggressor: Side::Buy,
        at: model.account.service_now(),
        is_own: None,
    };
    let answer = MarketAnswer::Trades(Ok(Some(Dated::undated(Page::of(vec![trade])))));
    let at = RequestTime {
        desk: model.account.now,
        service: model.account.service_now(),
    };
    model.account.market_data.arrive(&btc(), at, answer);
    let known = |model: &Model| {
        let data = &model.account.market_data;
        let tape = data.tape(&btc()).unwrap();
        let large = tape.volume_at_price().values().map(|volume| volume.large);
        (
            data.large_from(&btc()),
            tape.delta().unwrap().0,
            large.sum::<usize>(),
        )
    };
    assert_eq!(known(&model), (None, num("0.1"), 0));
    press(&mut model, "D");
    assert_eq!(known(&model), (None, num("0"), 0));
    press(&mut model, "$");
    assert_eq!(known(&model), (Some(num("5000")), num("0"), 1), "6,400 USD");
    press(&mut model, "$");
    assert_eq!(known(&model).2, 0, "from 10,000 USD on");
    press(&mut model, "$$$$");
    assert_eq!(known(&model).0, None, "all are listed again");
}
