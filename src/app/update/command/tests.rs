use super::*;
use crate::{
    app::{
        account::{pane::Pane, poll::Answer, row_id::RowId},
        activity::notice::Event,
        core::effect::{Effect, SettingsRequest},
        desk::msg::Msg,
        dialogs::{
            overlay::{Overlay, Strip, StripAction as Asked},
            prompt::Prompt,
        },
        keys::keymap::{Chord, Context, Keymap},
        testing::{arrive, bare_desk, desk, num, order, position, press, wait},
        update::router::update,
    },
    model::{
        CloseKind, ClosePosition, Command, Held, Page, PlaceKind, Side,
        draft::{Draft, DraftShape, Field},
    },
};

/// Runs a line after `:`.
fn say(model: &mut Model, line: &str) -> Vec<Effect> {
    let mut effects = press(model, ":");
    for c in line.chars() {
        effects.extend(update(model, model.account.now, Msg::Key(Chord::from(c))));
    }
    effects.extend(press(model, "enter"));
    effects
}

fn line(model: &Model) -> &Prompt {
    match model.overlays.last() {
        Some(Overlay::Prompt(prompt)) => prompt,
        other => panic!("no line but {other:?}"),
    }
}

fn fault(text: &str) -> (std::ops::Range<usize>, String) {
    let mut model = desk();
    assert_eq!(say(&mut model, text), vec![], "{text}");
    let fault = line(&model).fault.clone().unwrap();
    (fault.at, fault.what)
}

fn strip(model: &Model) -> &Strip {
    match model.overlays.as_slice() {
        [Overlay::Strip(strip)] => strip,
        other => panic!("no strip but {other:?}"),
    }
}

fn draft(model: &Model) -> &Draft {
    match model.overlays.as_slice() {
        [Overlay::Form(form)] => &form.draft,
        other => panic!("no form but {other:?}"),
    }
}

#[test]
fn closing_half_of_a_position_asks_for_one_key() {
    let mut model = desk();
    assert_eq!(say(&mut model, "close btc 50%"), vec![]);
    let close = Command::Close(ClosePosition {
        position_id: "pos-1".into(),
        held: Some(Held {
            market_id: "paper|BTC".into(),
            side: Side::Buy,
        }),
        kind: CloseKind::Market,
        size: Some(num("0.25")),
        expected_price: Some(num("64000")),
        slippage_tolerance: None,
        limit_price: None,
        client_order_id: None,
        trigger_price: None,
        trigger_market_id: None,
        trigger_direction: None,
        marketable_limit_acknowledged: false,
    });
    assert_eq!(strip(&model).proposal, close.clone().into());
    wait(&mut model, 150);
    let sent = press(&mut model, "y");
    assert!(matches!(sent.as_slice(), [Effect::Send(_, command)] if *command == close));
}

#[test]
fn a_close_that_is_not_at_the_market_opens_its_form_with_every_flag_in_it() {
    let mut model = desk();
    say(
        &mut model,
        "close btc --size 0.2 --limit-price 63000 --marketable-limit-acknowledged",
    );
    let Draft::Close(limit) = draft(&model) else {
        panic!("no close")
    };
    let texts = [Field::Size, Field::LimitPrice].map(|field| limit.texts.of(field));
    assert_eq!((limit.kind, texts), (CloseKind::Limit, ["0.2", "63000"]));
    assert!(limit.acknowledged);
    let mut model = desk();
    say(
        &mut model,
        "close btc 50% --trigger-price 2900 --trigger-direction below --trigger-market-id eth --slippage-bps 20",
    );
    let sent = press(&mut model, "enter");
    let [Effect::Send(_, Command::Close(close))] = sent.as_slice() else {
        panic!("{sent:?}")
    };
    assert_eq!(close.kind, CloseKind::Conditional);
    assert_eq!(
        (&close.trigger_market_id, close.trigger_price, close.size),
        (
            &Some("paper|ETH".into()),
            Some(num("2900")),
            Some(num("0.25"))
        )
    );
    let mut model = desk();
    say(&mut model, "close btc --slippage-bps 30");
    assert!(
        matches!(&strip(&model).proposal, Asked::One(Command::Close(close))
            if close.slippage_tolerance.is_some_and(|bps| bps.0 == num("30")))
    );
    assert_eq!(
        fault("close btc --trigger-direction above").1,
        "an order of this type takes no --trigger-direction"
    );
    assert_eq!(
        fault("close btc --type market --limit-price 5").1,
        "an order of this type has no limit price"
    );
    assert_eq!(
        fault("close all --size 0.1"),
        (10..16, "this command takes no flags".to_owned())
    );
}

#[test]
fn a_position_goes_by_market_by_id_or_by_being_selected() {
    for text in ["close sol", "close SOL", "close paper|sol", "close pos-2"] {
        let mut model = desk();
        say(&mut model, text);
        let named = matches!(&strip(&model).proposal, Asked::One(Command::Close(close))
            if close.position_id == "pos-2".into() && close.size.is_none());
        assert!(named, "{text}");
    }
    let mut model = desk();
    press(&mut model, "j");
    say(&mut model, "close");
    assert!(
        matches!(&strip(&model).proposal, Asked::One(Command::Close(close))
        if close.position_id == "pos-2".into())
    );
}

#[test]
fn what_raises_risk_opens_the_form_filled_in_and_sends_nothing() {
    for text in [
        "buy eth 0.5 2900",
        "place buy eth 0.5 --limit-price 2900",
        "place --market 'paper|ETH' --side buy --size 0.5 --type limit --limit-price=2900",
    ] {
        let mut model = desk();
        assert_eq!(say(&mut model, text), vec![]);
        let Draft::Entry(draft) = draft(&model) else {
            panic!("{text}")
        };
        let limit = DraftShape::Order(PlaceKind::Limit);
        assert_eq!(
            (draft.market_id.clone(), draft.side, draft.shape),
            (Some("paper|ETH".into()), Side::Buy, limit)
        );
        assert_eq!(
            (
                draft.texts.of(Field::Size),
                draft.texts.of(Field::LimitPrice)
            ),
            ("0.5", "2900"),
            "{text}"
        );
        assert!(matches!(
            press(&mut model, "enter").as_slice(),
            [Effect::Send(..)]
        ));
    }
}

#[test]
fn the_form_opens_where_something_is_still_missing() {
    let mut model = desk();
    say(&mut model, "sell btc");
    let Some(Overlay::Form(form)) = model.overlays.last() else {
        panic!()
    };
    assert_eq!(
        (form.focus, form.draft.text(Field::Size)),
        (Field::Size, Some(""))
    );
}

#[test]
fn exits_and_margin_open_their_forms_filled_in() {
    let mut model = desk();
    say(
        &mut model,
        "exits ord-1 --take-profit 71000 --stop-loss none",
    );
    assert_eq!(draft(&model).text(Field::TakeProfit), Some("71000"));
    assert_eq!(draft(&model).text(Field::StopLoss), Some("none"));
    let mut model = desk();
    say(&mut model, "margin sol +50");
    assert_eq!(draft(&model).text(Field::ExtraMargin), Some("+50"));
}

#[test]
fn cancel_takes_orders_all_of_them_or_those_of_a_market_or_a_side() {
    let mut model = desk();
    say(&mut model, "cancel ord-1");
    assert_eq!(
        strip(&model).proposal,
        Command::Cancel("ord-1".into()).into()
    );
    let mut model = desk();
    say(&mut model, "cancel --all");
    let cancel_all = Command::CancelAll("chal-1".into());
    assert_eq!(strip(&model).proposal, cancel_all.into());
    for (text, ids) in [
        ("cancel --market eth", &["ord-2"][..]),
        ("cancel --side sell", &["ord-2"]),
        ("cancel ord-1 ord-2", &["ord-1", "ord-2"]),
    ] {
        let mut model = desk();
        say(&mut model, text);
        let Some(Overlay::Bulk(list)) = model.overlays.last() else {
            panic!("{text}")
        };
        let commands = list.run.items.iter().map(|item| item.command.clone());
        let cancels = ids.iter().map(|id| Command::Cancel((*id).into()));
        assert_eq!(
            commands.collect::<Vec<_>>(),
            cancels.collect::<Vec<_>>(),
            "{text}"
        );
    }
    assert_eq!(
        fault("cancel --all --side buy").1,
        "--all cancels every order"
    );
    assert_eq!(
        fault("cancel --market sol --side buy").1,
        "no working order matches"
    );
}

#[test]
fn the_stop_and_the_target_of_a_position_are_one_word_and_a_price() {
    for (text, field) in [
        ("stop btc 59000", Field::StopLoss),
        ("target btc 59000", Field::TakeProfit),
    ] {
        let mut model = desk();
        say(&mut model, text);
        assert_eq!(draft(&model).text(field), Some("59000"), "{text}");
    }
    assert_eq!(fault("stop btc"), (8..9, "a price, or none".to_owned()));
}

#[test]
fn strategies_are_listed_shown_and_ended_by_their_verbs() {
    let mut model = desk();
    say(&mut model, "twap list");
    assert_eq!(model.focus.pane, Pane::Twaps);
    let mut model = desk();
    say(&mut model, "scaled list");
    assert_eq!(model.focus.pane, Pane::Scaled);
    assert_eq!(fault("twap").1, "start, list, show or stop");
    assert_eq!(fault("scaled stop").1, "place, list, show or cancel");
    assert_eq!(fault("twap show t-9").1, "there is none of this id here");
    assert_eq!(fault("scaled cancel").1, "which one: an id");
}

#[test]
fn getting_out_is_what_its_key_does() {
    for (text, key) in [("close-all", "X"), ("close all", "X"), ("flatten", "F")] {
        let (mut args, mut pressed) = (desk(), desk());
        say(&mut args, text);
        press(&mut pressed, key);
        assert_eq!(args.overlays, pressed.overlays, "{text}");
    }
    assert_eq!(say(&mut desk(), "q"), vec![Effect::Quit]);
    let mut model = desk();
    say(&mut model, "history");
    assert_eq!(model.focus.pane, Pane::History);
}

#[test]
fn a_switch_takes_no_value_and_is_not_turned_by_one() {
    let (at, what) = fault("buy btc 1 --reduce-only=no");
    assert_eq!((at, &*what), (10..26, "--reduce-only takes no value"));
}

#[test]
fn a_fault_stands_where_it_is_and_nothing_happens() {
    assert_eq!(
        fault("clsoe btc"),
        (0..5, "no command \"clsoe\"; Tab lists them".to_owned())
    );
    assert_eq!(
        fault("c btc").1,
        "\"c\" could be close, cancel, close-all, columns, closed, calls, config"
    );
    assert_eq!(
        fault("close eth"),
        (6..9, "no open position in this market".to_owned())
    );
    assert_eq!(
        fault("close btc 0.9"),
        (10..13, "size: more than the position, 0.5".to_owned())
    );
    assert_eq!(fault("close xyz").0, 6..9);
    assert_eq!(
        fault("cancel ord-9"),
        (
            7..12,
            "no such order here; Tab lists the working ones".to_owned()
        )
    );
    assert_eq!(
        fault("cancel"),
        (
            6..7,
            "which orders: ids, --market, --side or --all".to_owned()
        )
    );
    assert_eq!(
        fault("margin btc +1").1,
        "a cross position has no isolated margin"
    );
    assert_eq!(
        fault("cancel --tif ioc"),
        (7..12, "cancel takes --market, --side, --all".to_owned())
    );
    assert_eq!(fault("buy btc --size"), (8..14, "--size what?".to_owned()));
    assert_eq!(
        fault("buy btc 1 --type market --limit-price 5").1,
        "an order of this type has no limit price"
    );
    assert_eq!(
        fault("buy btc 1 --type chase --tif ioc"),
        (
            29..32,
            "an order of this type has no such time in force".to_owned()
        )
    );
    assert_eq!(
        fault("close 'btc"),
        (6..7, "the quote has no closing mark".to_owned())
    );
    assert_eq!(
        fault("flatten now"),
        (8..11, "this command takes no more arguments".to_owned())
    );
}

#[test]
fn a_line_that_was_wrong_can_be_put_right_and_earlier_ones_come_back() {
    let mut model = desk();
    say(&mut model, "sort size");
    say(&mut model, "filter btcx");
    press(&mut model, ": up");
    assert_eq!(line(&model).text(), "filter btcx");
    press(&mut model, "up");
    assert_eq!(line(&model).text(), "sort size");
    press(&mut model, "down down");
    assert_eq!(line(&model).text(), "");
    press(&mut model, "up backspace enter");
    assert_eq!(model.overlays, vec![]);
    assert_eq!(
        model
            .table_views
            .of(Pane::Positions)
            .and_then(crate::app::tables::table_view::TableView::hits),
        Some(1)
    );
}

#[test]
fn tab_ends_verbs_markets_and_flags() {
    let mut model = desk();
    press(&mut model, ": c l o tab");
    assert_eq!(line(&model).text(), "close");
    press(&mut model, "space s tab");
    assert_eq!(line(&model).text(), "close sol");
    press(&mut model, "space - - s tab");
    assert_eq!(line(&model).text(), "close sol --size");
}

#[test]
fn filters_sorts_and_columns_can_be_said() {
    let mut model = desk();
    say(&mut model, "filter side:short");
    let rows = model.rows(Pane::Positions);
    assert_eq!(rows.at(0..9), [RowId::Position("pos-2".into())]);
    assert_eq!(fault("filter sde:short").0, 7..10);
    say(&mut model, "filter");
    assert_eq!(model.rows(Pane::Positions).len(), 2);
    say(&mut model, "sort size asc");
    assert_eq!(
        model.rows(Pane::Positions).get(0),
        Some(RowId::Position("pos-1".into()))
    );
    say(&mut model, "sort size");
    assert_eq!(
        model.rows(Pane::Positions).get(0),
        Some(RowId::Position("pos-2".into()))
    );
    let chosen = |model: &Model| {
        model
            .table_views
            .of(Pane::Positions)
            .and_then(|l| l.columns.clone())
    };
    say(&mut model, "columns size market");
    assert_eq!(chosen(&model), Some(vec![2, 0]));
    say(&mut model, "columns +side -size");
    assert_eq!(chosen(&model), Some(vec![0, 1]));
    say(&mut model, "columns");
    let kept = press(&mut model, "r enter");
    assert_eq!(
        kept,
        [Effect::Settings(SettingsRequest::Keep(
            Pane::Positions,
            None
        ))]
    );
    assert_eq!(chosen(&model), None);
}

fn held(model: &Model) -> usize {
    model.rows(Pane::Positions).len()
}

#[test]
fn a_held_display_changes_only_when_it_goes_on() {
    let mut model = desk();
    press(&mut model, "f");
    wait(&mut model, 3_000);
    let one = vec![position("pos-3", "BTC", "1", r#""leverage":2"#)];
    assert_eq!(
        arrive(&mut model, Answer::Positions(Ok(Page::of(one)))),
        vec![]
    );
    assert_eq!(held(&model), 2);
    press(&mut model, "f");
    assert_eq!((held(&model), model.frozen.is_none()), (1, true));
}

#[test]
fn whoever_acts_sees_the_present_first() {
    let mut model = desk();
    press(&mut model, "2 f");
    let gone = order(
        "ord-7",
        "SOL",
        r#""type":"limit","mode":"limit","side":"buy","size":1,"limit_price":1,"status":"resting""#,
    );
    wait(&mut model, 1_000);
    arrive(&mut model, Answer::Orders(Ok(Page::of(vec![gone]))));
    press(&mut model, "X");
    assert!(model.frozen.is_none());
    assert_eq!(
        model.rows(Pane::Orders).get(0),
        Some(RowId::Order("ord-7".into()))
    );
}

#[test]
fn what_has_lost_its_key_is_named_in_the_help_and_done_by_its_name() {
    let mut model = desk();
    model.set_keymap(Keymap::with(&["[desk]\nrefresh = \"i\""]).unwrap());
    let lost = crate::view::help(&model, Context::Positions, "quality");
    let lines: Vec<_> = lost.into_iter().flat_map(|section| section.lines).collect();
    assert_eq!(lines, [(":quality".to_owned(), "execution quality")]);
    press(&mut model, ": quali tab enter");
    assert!(matches!(model.overlays.last(), Some(Overlay::Quality(_))));
    press(&mut model, "esc : cancel-all enter");
    assert!(matches!(model.overlays.last(), Some(Overlay::Strip(_))));
}

#[test]
fn what_is_typed_over_the_help_finds_keys() {
    let mut model = desk();
    press(&mut model, "? c l o s e");
    let Some(Overlay::Help { of, search, .. }) = model.overlays.last() else {
        panic!()
    };
    assert_eq!(search, "close");
    let found: Vec<_> = crate::view::help(&model, *of, search)
        .into_iter()
        .flat_map(|section| section.lines)
        .map(|(key, _)| key)
        .collect();
    assert_eq!(
        found,
        [
            ":close",
            ":close-all",
            ":closed",
            ":flip",
            ":flatten",
            "c",
            "X",
            "5 gc",
            "^x ⌥X",
            "F"
        ]
    );
    press(&mut model, "backspace esc");
    assert_eq!(model.overlays, vec![]);
}

#[test]
fn a_twap_and_a_scaled_order_are_filled_in_by_words_and_by_flags_alike() {
    for text in [
        "twap start sell btc 0.3 30m --randomize --reduce-only",
        "twap start --side sell --market btc --size 0.3 --duration 30m --randomize --reduce-only",
    ] {
        let mut model = desk();
        assert_eq!(say(&mut model, text), vec![]);
        let Draft::Entry(draft) = draft(&model) else {
            panic!("{text}")
        };
        let shape = DraftShape::Sliced(crate::model::Curve::Twap);
        let read = (draft.shape, draft.side, draft.randomize, draft.reduce_only);
        assert_eq!(read, (shape, Side::Sell, true, true), "{text}");
        let texts = [Field::Size, Field::Duration].map(|field| draft.texts.of(field));
        assert_eq!(texts, ["0.3", "30m"], "{text}");
    }
    let mut model = desk();
    say(
        &mut model,
        "scaled place buy eth 1 2900 2800 5 --distribution ascending",
    );
    let Draft::Entry(scaled) = draft(&model) else {
        panic!("no scaled order")
    };
    let fields = [Field::StartPrice, Field::EndPrice, Field::Rungs];
    assert_eq!(scaled.distribution, crate::model::Distribution::Ascending);
    assert_eq!(scaled.shape, DraftShape::Scaled);
    assert_eq!(
        fields.map(|field| scaled.texts.of(field)),
        ["2900", "2800", "5"]
    );
    assert_eq!(fault("twap start btc 1 30m").0, 11..14);
    assert_eq!(fault("scaled place buy eth 1 2900 2800 5 6").0, 35..36);
    let sent = press(&mut model, "enter");
    assert!(
        matches!(sent.as_slice(), [Effect::Send(_, Command::PlaceScaled(_))]),
        "{sent:?}"
    );
}

#[test]
fn a_price_may_be_called_the_limit_it_is() {
    let typed = |text| {
        let mut model = desk();
        say(&mut model, text);
        draft(&model).clone()
    };
    assert_eq!(
        typed("buy btc 0.01 limit 60000"),
        typed("buy btc 0.01 60000")
    );
    assert_eq!(fault("buy btc 1 limit").1, "a price: limit 60000");
    assert_eq!(
        fault("buy btc 1 limit 5 5").1,
        "this command takes no more arguments"
    );
}

#[test]
fn what_fires_an_order_and_what_it_is_for_can_be_typed() {
    let mut model = desk();
    say(
        &mut model,
        "buy eth 1 --type conditional --trigger-price 60000 --trigger-direction below --trigger-market-id btc",
    );
    let Draft::Entry(waiting) = draft(&model) else {
        panic!("no order")
    };
    assert_eq!(waiting.trigger_market, Some("paper|BTC".into()));
    let below = crate::model::TriggerDirection::Below;
    assert_eq!(waiting.trigger_direction, Some(below));
    let mut model = desk();
    say(
        &mut model,
        "buy sol 10 --type take_profit --trigger-price 120 --target-position-id pos-2",
    );
    let Draft::Entry(exit) = draft(&model) else {
        panic!("no take profit")
    };
    assert_eq!(exit.target, Some("pos-2".into()));
    let (at, what) = fault("buy btc 1 --trigger-direction above");
    assert_eq!(
        (at, what.as_str()),
        (10..29, "an order of this type takes no --trigger-direction")
    );
    assert_eq!(
        fault("sell sol 1 --type take_profit --target-position-id pos-9").1,
        "no open position has this id"
    );
}

#[test]
fn what_is_pasted_from_a_shell_does_the_same_or_says_what_to_write() {
    let mut model = desk();
    say(&mut model, "alert add btc above 70000");
    assert_eq!(model.account.user_alerts.all().len(), 1);
    say(&mut model, "alert list");
    assert!(matches!(
        model.overlays.last(),
        Some(Overlay::UserAlerts(_))
    ));
    for (text, what) in [
        (
            "alert remove 1",
            "# lists your alerts, and x removes one there",
        ),
        (
            "close btc --yes",
            "leave it out: the desk asks before it sends",
        ),
        ("watch orders", "no command \"watch\"; Tab lists them"),
    ] {
        assert_eq!(fault(text).1, what, "{text}");
    }
}

#[test]
fn an_export_takes_the_words_of_the_shell() {
    use crate::app::core::sheet::{Format, SheetRows};
    for (text, format, to) in [
        ("export", Format::Csv, None),
        ("export positions -o json", Format::Json, None),
        ("export --to ~/out.json", Format::Csv, Some("~/out.json")),
        (
            "export positions --output=json --to out.json",
            Format::Json,
            Some("out.json"),
        ),
    ] {
        let mut model = desk();
        let effects = say(&mut model, text);
        let [Effect::Write(sheet)] = effects.as_slice() else {
            panic!("{text}: {effects:?}")
        };
        let expected = (format, to.map(ToOwned::to_owned));
        assert_eq!((sheet.format, sheet.to.clone()), expected, "{text}");
        assert!(matches!(sheet.rows, SheetRows::Positions(_)), "{text}");
    }
    let mut model = desk();
    let [Effect::Write(sheet)] = &say(&mut model, "export orders")[..] else {
        panic!("another list than the pane's is not written")
    };
    assert!(matches!(sheet.rows, SheetRows::Working(_)));
    for (text, at, what) in [
        ("export json", 7..11, "one of positions, orders, twaps"),
        ("export -o xml", 10..13, "one of csv, json"),
        ("export closed --since soon", 22..26, "write how long ago"),
        (
            "export orders --since 7d",
            22..24,
            "only closed and history take --since",
        ),
    ] {
        let (place, said) = fault(text);
        assert_eq!(place, at, "{text}");
        assert!(said.starts_with(what), "{text}: {said}");
    }
}

#[test]
fn a_theme_is_worn_by_its_name_and_taken_off_without_one() {
    use crate::config::Theme;
    let mut model = desk();
    let toast = |model: &Model| {
        let shown = model.account.activity.toast(model.account.now).unwrap();
        let Event::Message(_, words) = &shown.event else {
            panic!("{shown:?}")
        };
        words.clone()
    };
    for text in ["theme light", "theme LIGHT"] {
        assert_eq!(
            say(&mut model, text),
            [Effect::SetTheme(Some(Theme::Light))]
        );
        assert_eq!(
            toast(&model),
            "theme light for this session; `:theme` alone restores the settings"
        );
    }
    assert_eq!(say(&mut model, "theme"), [Effect::SetTheme(None)]);
    assert_eq!(toast(&model), "the theme of the settings applies again");
    assert_eq!(
        say(&mut model, "reload"),
        [Effect::Settings(SettingsRequest::Read)]
    );
    let (at, what) = fault("theme drak");
    let known = "no such theme; the themes are dark, light, contrast, blue_orange, red_up";
    assert_eq!((at, what.as_str()), (6..10, known));
}

/// A desk with a resting limit order that has filled nothing.
fn movable() -> Model {
    let mut model = desk();
    let resting = r#""type":"limit","mode":"limit","side":"buy","size":0.1,"filled_size":0,"limit_price":60000,
        "status":"resting""#;
    let armed = r#""type":"stop_market","mode":"stop_market","side":"sell","size":2,"trigger_price":2800,
        "status":"pending""#;
    let orders = vec![order("ord-1", "BTC", resting), order("ord-2", "ETH", armed)];
    arrive(&mut model, Answer::Orders(Ok(Page::of(orders))));
    model
}

#[test]
fn an_order_is_moved_by_its_id_and_the_price_it_waits_for() {
    let text = |model: &Model, field| draft(model).text(field).unwrap().to_owned();
    let mut model = movable();
    assert_eq!(offers(&model, "move ", ""), ["ord-1", "ord-2"]);
    // An order is recognized by its market, side, type and price.
    assert_eq!(offers(&model, "move ", "eth"), ["ord-2"]);
    assert_eq!(offers(&model, "move ", "2,8"), ["ord-2"]);
    assert_eq!(offers(&model, "move ", "sol"), [""; 0]);
    let about = super::about(&model, "ord-2");
    assert_eq!(about.as_deref(), Some("ETH SELL stop mkt 2800"));
    say(&mut model, "move ord-1 60500 --size 0.2");
    assert_eq!(text(&model, Field::LimitPrice), "60500");
    assert_eq!(text(&model, Field::Size), "0.2");
    let moved = |model: &mut Model| match press(model, "enter").as_slice() {
        [Effect::Send(_, Command::Modify(modify))] => modify.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(moved(&mut model), "move order ord-1 to 60,500, size 0.2");
    let mut model = movable();
    say(&mut model, "move ord-2 --trigger-price 2850");
    assert_eq!(text(&model, Field::TriggerPrice), "2850");
    assert_eq!(moved(&mut model), "move order ord-2 to 2,850");
    let mut model = movable();
    say(&mut model, "move ord-2 2850");
    assert_eq!(text(&model, Field::TriggerPrice), "2850");
}

#[test]
fn what_cannot_be_moved_says_so_where_it_is_named() {
    for (line, at, what) in [
        (
            "move ord-9 1",
            5..10,
            "no such order here; Tab lists those that can be moved",
        ),
        ("move", 4..5, "which order: an id"),
        (
            "move ord-1 1 --trigger-price 2",
            29..30,
            "an order of this type has no trigger price",
        ),
        (
            "move ord-1 1 2",
            13..14,
            "this command takes no more arguments",
        ),
    ] {
        let mut model = movable();
        assert_eq!(say(&mut model, line), vec![], "{line}");
        let fault = self::line(&model).fault.clone().unwrap();
        assert_eq!((fault.at, fault.what), (at, what.to_owned()), "{line}");
    }
    let mut model = desk();
    let rung = crate::model::Order {
        scaled_order_id: Some("lad-1".into()),
        ..order(
            "ord-3",
            "BTC",
            r#""type":"limit","mode":"limit","side":"buy","size":1,"filled_size":0,"limit_price":1,"status":"resting""#,
        )
    };
    arrive(&mut model, Answer::Orders(Ok(Page::of(vec![rung]))));
    assert_eq!(offers(&model, "move ", ""), [""; 0]);
    say(&mut model, "move ord-3 2");
    let why = line(&model).fault.clone().unwrap().what;
    assert!(
        why.starts_with("an order of a TWAP or scaled order"),
        "{why}"
    );
}

#[test]
fn a_market_in_a_line_is_unknown_for_one_of_two_reasons() {
    let (_, why) = fault("buy 1 XYZ");
    assert_eq!(why, "no such market is known; Tab lists them");
    let mut early = bare_desk();
    say(&mut early, "alert btc > 70000");
    let fault = line(&early).fault.clone().unwrap();
    assert_eq!(fault.what, "the markets have not been read yet");
}
