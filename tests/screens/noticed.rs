//! What a trader noticed on the screen in half an hour, so that it stays mended.

use crate::{
    desk,
    dump::{drawn, press},
    words::footer,
};
use perpdeck::{
    app::{
        Model, Msg,
        account::{pane::Pane, poll::Answer},
        update,
    },
    model::{
        Command, Exits, Failure, FailureKind, FollowUp, Leg, Order, Page, Progress, Receipt, Risk,
        Ticket, Timestamp, Zone,
    },
    ui::{self, DrawState, Theme, picture},
    view,
};
use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::json;

fn shown(model: &Model, width: u16, height: u16) -> String {
    picture::text(&drawn(model, width, height, Theme::default()))
}

/// The same screen frame after frame, as a session has it.
struct Session {
    model: Model,
    draw_state: DrawState,
    size: (u16, u16),
}

impl Session {
    fn of(model: Model, size: (u16, u16)) -> Self {
        Self {
            model,
            draw_state: DrawState::new(Theme::default(), Zone::utc()),
            size,
        }
    }

    fn look(&mut self) -> String {
        let mut frame = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        ui::render(&mut frame, &self.model, &mut self.draw_state);
        picture::text(&frame)
    }

    fn headings(&mut self) -> Vec<String> {
        let text = self.look();
        let line = text.lines().find(|line| line.contains("to liq"));
        let words = line.unwrap().split_whitespace();
        words.map(str::to_owned).collect()
    }

    fn orders(&mut self, orders: Vec<Order>) {
        desk::arrive(&mut self.model, 0, Answer::Orders(Ok(Page::of(orders))));
    }
}

fn second_stop() -> Order {
    desk::order(
        "ord_99",
        "BTC",
        &json!({"type": "stop_market", "mode": "stop_market", "side": "sell", "size": 0.25,
            "initial_size": 0.25, "trigger_price": 59500, "trigger_direction": "below", "status": "pending",
            "reduce_only": true, "target_position_id": "pos_1"}),
    )
}

#[test]
fn a_second_stop_costs_no_risk_column_and_what_it_costs_comes_back_when_it_goes() {
    for size in [(200, 60), (120, 40), (100, 30), (80, 24)] {
        let mut session = Session::of(desk::full(), size);
        let before = session.headings();
        session.orders(desk::working().into_iter().chain([second_stop()]).collect());
        let with_two = session.look();
        // Together they close more than there is.
        assert!(with_two.contains("60,000 133%"), "{size:?}\n{with_two}");
        let during = session.headings();
        for column in ["uPnL", "stop", "liq"] {
            let column = column.to_owned();
            assert!(during.contains(&column), "{size:?}: {during:?}");
        }
        // How long it has been open goes before what it would lose.
        let has = |column: &str| during.contains(&column.to_owned());
        assert!(has("at") || !has("age"), "{size:?}: {during:?}");
        session.orders(desk::working());
        assert_eq!(session.headings(), before, "{size:?}");
    }
}

/// The words of the line of headings that has these.
fn headings(text: &str, known: &str) -> Vec<String> {
    let line = text.lines().find(|line| line.contains(known));
    let pane = line.and_then(|line| line.split("││").next());
    let words = pane.unwrap_or_default();
    let words = words.trim_matches(['│', ' ']).split_whitespace();
    words.map(str::to_owned).collect()
}

#[test]
fn what_never_goes_is_beside_the_market_at_160_columns() {
    let text = shown(&desk::full(), 160, 48);
    let positions = headings(&text, "mark     liq");
    for column in [
        "mkt", "side", "size", "entry", "mark", "liq", "to", "uPnL", "stop",
    ] {
        assert!(positions.contains(&column.to_owned()), "{column}\n{text}");
    }
    let orders = headings(&text, "price  trigger");
    for column in [
        "side", "type", "state", "size", "price", "trigger", "tif", "RO",
    ] {
        assert!(orders.contains(&column.to_owned()), "{column}\n{text}");
    }
}

#[test]
fn every_column_that_a_trader_decides_by_is_there_at_160_columns_in_the_layout_of_risk() {
    let text = shown(&pressed("V"), 160, 48);
    let positions = headings(&text, "mark     liq");
    for column in [
        "mkt", "side", "size", "entry", "mark", "liq", "to", "uPnL", "loss", "stop", "target",
        "margin",
    ] {
        assert!(positions.contains(&column.to_owned()), "{column}\n{text}");
    }
    let orders = headings(&text, "price  trigger");
    for column in [
        "side", "type", "state", "size", "price", "trigger", "tif", "RO", "SL/TP",
    ] {
        assert!(orders.contains(&column.to_owned()), "{column}\n{text}");
    }
    assert!(
        text.contains("60,000/70,000") && text.contains("gtd 2h05m"),
        "{text}"
    );
}

fn pressed(keys: &str) -> Model {
    let mut model = desk::full();
    press(&mut model, keys);
    model
}

#[test]
fn the_price_a_twap_waits_for_and_the_prices_of_a_scaled_order_are_read_where_room_is_short() {
    let text = shown(&pressed("3"), 100, 30);
    assert!(text.contains("trig 160.00"), "{text}");
    assert!(text.contains("2,980.0 → 2,880.0"), "{text}");
}

#[test]
fn a_twap_that_drifts_is_told_at_every_size() {
    for (columns, rows) in [
        (200, 60),
        (160, 48),
        (120, 40),
        (100, 30),
        (80, 24),
        (60, 16),
    ] {
        let text = shown(&pressed("3"), columns, rows);
        assert!(
            text.contains("widest drift +2.00% BTC"),
            "{columns}x{rows}\n{text}"
        );
    }
}

/// A command of the last session, and how it stands now.
fn under_way(command: Command, progress: Progress) -> Model {
    let mut model = desk::full();
    update(&mut model, desk::NOW, Msg::Resumed(Ticket(9), command));
    let told = Msg::Progress(Ticket(9), progress);
    update(&mut model, desk::NOW, told);
    model
}

#[test]
fn what_is_on_its_way_says_what_happens_to_it_however_narrow_the_screen() {
    let why = "no answer in 10 s, and none to the three requests before it";
    let waiting = Progress::Waiting {
        why: Failure::new(FailureKind::TimedOut, why),
        retry_at: Timestamp(desk::NOW.0 + 2_000),
        then: FollowUp::Again,
    };
    let model = under_way(Command::Flatten("chal-1".into()), waiting);
    for width in [60, 80, 120] {
        let text = shown(&model, width, 24);
        assert!(text.contains("no answer in 10 s"), "{text}");
    }
}

#[test]
fn a_question_shows_all_of_its_keys_and_its_reason_at_every_width() {
    let parked = Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: Timestamp(desk::NOW.0 + 900_000),
    };
    let model = under_way(Command::CloseAll("chal-1".into()), parked);
    for width in 60..=200 {
        let text = shown(&model, width, 24);
        let lines = text.lines().map(|line| line.trim_matches(['│', ' ']));
        let words = lines.collect::<Vec<_>>().join(" ");
        for kept in [
            "on chal-1 may have executed:",
            "y same request again (15m00s left)",
            "g give it up",
            "Esc later",
        ] {
            assert!(words.contains(kept), "{kept} at {width}\n{text}");
        }
    }
}

#[test]
fn an_armed_order_is_called_armed_wherever_it_is_named() {
    let text = shown(&pressed("\n"), 120, 40);
    let (links, _) = text.split_once("Fields").unwrap();
    assert!(
        links.contains("armed") && !links.contains("pending"),
        "{text}"
    );
}

#[test]
fn more_calls_than_are_kept_are_said_to_be_more() {
    let mut model = desk::empty();
    let counted = |model: &Model| view::title(model, Pane::Calls).count;
    let before = model.account.store.calls.len();
    for _ in before..500 {
        let call = desk::call("GET", "/v1/orders", Ok(200), 4);
        update(&mut model, desk::NOW, Msg::CallEnded(call));
    }
    assert_eq!(counted(&model), "500");
    let call = desk::call("GET", "/v1/orders", Ok(200), 4);
    update(&mut model, desk::NOW, Msg::CallEnded(call));
    assert_eq!(counted(&model), "500+");
}

#[test]
fn calls_are_filtered_by_the_number_of_their_status_and_by_its_words() {
    let found = |filter: &str| {
        let mut model = desk::full();
        let limited = desk::call("GET", "/v1/orders", Ok(429), 5);
        update(&mut model, desk::NOW, Msg::CallEnded(limited));
        let silent = desk::call("GET", "/v1/orders", Err(FailureKind::TimedOut), 5);
        update(&mut model, desk::NOW, Msg::CallEnded(silent));
        press(&mut model, &format!("8/{filter}\n"));
        view::title(&model, Pane::Calls).count
    };
    assert_eq!(found("status>=400"), "2/7");
    assert_eq!(found("status=429"), "1/7");
    assert_eq!(found("status:limited"), "1/7");
    assert_eq!(
        found("status!=200"),
        "3/7",
        "with the one without an answer"
    );
    assert_eq!(found("limited"), "1/7");
}

#[test]
fn what_a_filter_shows_is_added_up() {
    let foot = |keys: &str, of: &str| {
        let text = shown(&pressed(keys), 160, 40);
        let line = text.lines().find(|line| line.contains(of));
        line.unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    let all = foot("5", "last 40: net");
    let btc = foot("5/btc\n", "shown 10: net");
    assert!(btc.contains("won ") && btc.contains("expectancy "), "{btc}");
    assert_ne!(all, btc);
    let day = foot("5/btc\n", "Mon 2026-09-21");
    assert!(
        day.contains(" of all 13"),
        "the line of a day is of all of it: {day}"
    );
    let sol = foot("6/sol\n", "shown ");
    assert!(sol.contains("1 rejected"), "{sol}");
    assert!(!foot("6/eth\n", "shown ").contains("rejected"));
}

#[test]
fn the_key_of_the_observed_price_is_offered_only_where_it_fills_something() {
    let market = pressed("c");
    assert!(!footer(&market).contains("= mid"), "{}", footer(&market));
    let mut order = pressed("b");
    assert!(!footer(&order).contains("= mid"), "none must be written");
    press(&mut order, "\t");
    assert!(footer(&order).contains("= mid"), "on a take profit");
}

#[test]
fn the_help_finds_a_command_by_its_name_and_cuts_none() {
    for width in [60, 80, 120, 200] {
        let text = shown(&pressed("?flat"), width, 40);
        assert!(text.contains(":flatten"), "{text}");
        let text = shown(&pressed("?new"), width, 40);
        assert!(text.contains("TWAP, filled in"), "{text}");
    }
}

#[test]
fn the_detail_of_what_the_desk_did_is_not_said_to_be_from_the_service() {
    let mut model = pressed("2x");
    let later = Timestamp(desk::NOW.0 + 300);
    update(&mut model, later, Msg::Key('y'.into()));
    press(&mut model, "7\n");
    let text = shown(&model, 120, 40);
    assert!(
        text.contains("Leads to") && text.contains("What happened"),
        "{text}"
    );
    assert!(!text.contains("Fields"), "{text}");
}

#[test]
fn the_signs_of_the_chart_are_explained_in_its_help() {
    let text = shown(&pressed("p?own"), 120, 40);
    assert!(text.contains("▲▼ own fills"), "{text}");
}

#[test]
fn quality_is_not_told_of_orders_nobody_has_read() {
    let mut model = desk::opened();
    press(&mut model, "i");
    let text = shown(&model, 120, 40);
    assert!(text.contains("not read yet"), "{text}");
    assert!(!text.contains("no order was refused"), "{text}");
}

#[test]
fn a_line_of_before_is_found_sorted_and_opened_like_any_other() {
    let mut model = desk::recalled();
    let count = |model: &Model| view::title(model, Pane::Activity).count;
    assert_eq!(count(&model), "9+");
    press(&mut model, "7/kind:rejected\n");
    assert_eq!(count(&model), "1/9+");
    press(&mut model, "\n");
    let text = shown(&model, 120, 40);
    for words in [
        "2026-09-19 14:13:20.000 UTC",
        "margin would exceed the limit",
        "409",
        "POST /v1/orders",
        "6f1c0000-0000-4000-8000-000000000002",
        "part_of",
        "In the journal",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

#[test]
fn a_journal_that_cannot_be_read_is_said_in_the_pane() {
    let mut model = desk::empty();
    let why = "the journal is damaged".to_owned();
    update(&mut model, desk::NOW, Msg::Recalled(Err(why)));
    press(&mut model, "7 z");
    let text = shown(&model, 120, 40);
    assert!(text.contains("earlier lines unread"), "{text}");
    assert!(
        text.contains("cannot be shown: the journal is damaged"),
        "{text}"
    );
}

/// The words of a screen, however they are broken into lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn settled(mut model: Model, command: Command, result: Result<Receipt, Failure>) -> Model {
    update(&mut model, desk::NOW, Msg::Resumed(Ticket(9), command));
    update(&mut model, desk::NOW, Msg::Settled(Ticket(9), result));
    model
}

#[test]
fn a_toast_is_read_whole_and_covers_nothing_that_tells() {
    for (width, height) in [(200, 60), (160, 48), (100, 30), (80, 24), (60, 16)] {
        for pane in ["1", "2", "5", "6"] {
            let before = shown(&pressed(pane), width, height);
            let cancel = Command::Cancel("ord_12".into());
            let refused = settled(pressed(pane), cancel, Err(desk::refusal()));
            let after = shown(&refused, width, height);
            let read = words(&after);
            for part in [
                "cancel order ord_12 on chal-1: order ord_12 does not exist",
                "8f14e45f-ceea-467f-9c3b-1f0a6f0a1b2c",
                "Esc dismiss",
            ] {
                assert!(read.contains(part), "{part}\n{after}");
            }
            // A second list on a small screen is there only while nothing else needs its lines.
            let lists = if width < 80 { 1 } else { usize::MAX };
            let feet = before.lines().filter(|line| line.starts_with('╰'));
            for foot in feet.take(lists) {
                // What is beside it is not what the toast takes its lines from.
                let foot = foot.split_inclusive('╯').next().unwrap_or_default();
                assert!(after.contains(foot), "{foot}\n{after}");
            }
        }
    }
}

#[test]
fn a_long_reason_is_broken_into_lines_rather_than_cut() {
    let why = "the order value of 4,800,000.00 USD is above the 100,000.00 USD that this account may have in one order";
    let failure = Failure::new(FailureKind::Conflict, why);
    let cancel = Command::Cancel("ord_12".into());
    let text = shown(&settled(desk::full(), cancel, Err(failure)), 60, 16);
    assert!(words(&text).contains(why), "{text}");
}

#[test]
fn setting_exits_says_what_was_set_and_on_what() {
    let order = desk::working().into_iter().next();
    let exits = Exits {
        order_id: "ord_90".into(),
        take_profit: Leg::Remove,
        stop_loss: Leg::Set(desk::num("58000")),
        risk: Risk::Neutral,
    };
    let receipt = Receipt::Order {
        order: Box::new(order.unwrap()),
        queued: false,
    };
    let model = settled(desk::full(), Command::Exits(exits), Ok(receipt));
    let toast = view::toast(&model).unwrap();
    assert_eq!(toast.head, "exits set");
    assert_eq!(
        crate::words::text(&toast.words),
        "stop 58,000 set, target removed on BUY 0.15000 BTC limit @ 62,500 on chal-1"
    );
}

#[test]
fn the_footer_offers_nothing_new_while_everything_is_being_closed() {
    let account = || "chal-1".into();
    let sending = || Progress::Sending { attempt: 1 };
    let closing = footer(&under_way(Command::CloseAll(account()), sending()));
    let flattening = footer(&under_way(Command::Flatten(account()), sending()));
    for shown in [&closing, &flattening] {
        for key in ["b buy", "s sell", "t TWAP", "l scaled", "X CLOSE ALL"] {
            assert!(!shown.contains(key), "{shown}");
        }
        assert!(shown.contains("r refresh"), "{shown}");
    }
    assert!(closing.starts_with("F FLATTEN"), "{closing}");
    assert!(!flattening.contains("F FLATTEN"), "{flattening}");
}

#[test]
fn the_command_line_and_the_limits_are_offered_where_there_is_room() {
    let last = |width, height| {
        let text = shown(&desk::full(), width, height);
        text.lines().last().unwrap_or_default().to_owned()
    };
    for (width, height) in [(200, 60), (160, 48), (100, 30), (80, 24)] {
        let line = last(width, height);
        assert_eq!(line.contains(": command"), width >= 100, "{width}: {line}");
        assert_eq!(line.contains("L limits"), width >= 160, "{width}: {line}");
        assert!(line.contains("? help"), "{width}: {line}");
    }
}

#[test]
fn what_a_trade_cost_is_seen_on_the_smallest_screen_without_scrolling() {
    let mut model = desk::full();
    press(&mut model, "5\n");
    let text = shown(&model, 60, 16);
    for field in ["realized_pnl", "fees", "funding", "net"] {
        assert!(text.contains(field), "{field}: {text}");
    }
}

#[test]
fn every_pane_and_panel_has_its_key_in_the_titles_of_the_smallest_screen() {
    for key in "1234567890".chars() {
        let mut model = desk::full();
        press(&mut model, &key.to_string());
        let text = shown(&model, 60, 16);
        let titles = text.lines().nth(1).unwrap();
        for other in "1234567890".chars() {
            assert!(titles.contains(&format!(" {other} ")), "{other}: {titles}");
        }
    }
}

#[test]
fn what_an_order_may_do_to_a_position_is_seen_on_the_smallest_screen() {
    let mut model = desk::full();
    press(&mut model, "2");
    let text = shown(&model, 60, 16);
    let headings = text.lines().nth(2).unwrap();
    for heading in ["type", "size", "price", "trigger", "RO"] {
        assert!(headings.contains(heading), "{heading}: {headings}");
    }
}

#[test]
fn the_panels_of_the_market_do_not_move_when_its_first_list_comes() {
    let titles = |model: &Model| -> Vec<String> {
        let text = shown(model, 200, 60);
        let lines = text.lines().map(|line| line.chars().collect::<Vec<_>>());
        let has_title = |line: &Vec<char>| {
            let line: String = line.iter().collect();
            ["0 Chart", "9 Ladder", "1 Positions", "2 Working"]
                .iter()
                .any(|title| line.contains(title))
        };
        let corners = |line: &Vec<char>| {
            let corners = line.iter().enumerate().filter(|(_, sign)| **sign == '╭');
            format!("{:?}", corners.map(|(at, _)| at).collect::<Vec<_>>())
        };
        let numbered = lines.enumerate().filter(|(_, line)| has_title(line));
        numbered
            .map(|(at, line)| format!("{at}: {}", corners(&line)))
            .collect()
    };
    let mut model = desk::connecting();
    assert!(
        !shown(&model, 200, 60).contains("0 Chart"),
        "a service may have no market"
    );
    model.account.options.lists_markets = true;
    let before = titles(&model);
    assert!(shown(&model, 200, 60).contains("loading 1m candles"));
    desk::arrive(&mut model, 0, Answer::Markets(Ok(desk::markets())));
    assert_eq!(titles(&model), before);
    assert!(shown(&model, 200, 60).contains("9 Ladder BTC"));
    let mut none = desk::connecting();
    none.account.options.lists_markets = true;
    desk::arrive(&mut none, 0, Answer::Markets(Ok(vec![])));
    assert!(!shown(&none, 200, 60).contains("0 Chart"));
}

#[test]
fn a_challenge_that_is_passed_says_so_in_the_header_at_every_size() {
    let mut model = desk::full();
    let mut facts = desk::challenge("0.61");
    facts.standing = Some("passed".into());
    desk::arrive(&mut model, 0, Answer::Account(Ok(facts)));
    for (width, height) in [(200, 60), (120, 40), (80, 24), (60, 16)] {
        let text = shown(&model, width, height);
        let header = text.lines().next().unwrap_or_default();
        assert!(header.contains("PASSED"), "{width}: {header}");
    }
    let toast = view::toast(&model);
    assert!(toast.is_none(), "the settings of this desk tell of none");
}

#[test]
fn a_held_display_says_at_every_size_which_key_lets_it_go_on() {
    for (columns, rows) in [(200, 60), (120, 40), (100, 30), (80, 24), (60, 16)] {
        for pane in ["1", "2", "3", "7"] {
            let text = shown(&pressed(&format!("{pane}f")), columns, rows);
            assert!(
                text.contains("f unfreeze"),
                "{pane} {columns}x{rows}\n{text}"
            );
        }
        let text = shown(&pressed("C"), columns, rows);
        assert!(text.contains("Enter keep"), "{columns}x{rows}\n{text}");
    }
}

#[test]
fn what_an_order_filled_at_is_read_where_room_is_short() {
    let text = shown(&pressed("7"), 60, 16);
    assert!(text.contains("SELL BTC…: filled at 63,985.5"), "{text}");
}

#[test]
fn what_a_scaled_order_has_no_room_for_goes_whole_and_leaves_no_sign() {
    for (pane, columns, rows) in [("2", 60, 16), ("2", 100, 30), ("4", 100, 30)] {
        let text = shown(&pressed(pane), columns, rows);
        let heads = text
            .lines()
            .filter(|line| line.contains("2,980.0 → 2,880.0"));
        let heads: Vec<_> = heads.collect();
        assert!(!heads.is_empty(), "{pane} {columns}x{rows}\n{text}");
        assert!(heads.iter().all(|head| !head.contains('…')), "{heads:?}");
    }
}
