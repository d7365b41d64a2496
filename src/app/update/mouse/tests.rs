//! Clicks and the wheel in the app.

use super::*;
use crate::{
    app::{
        account::options::CloseAllRule,
        activity::notice,
        core::effect::{Effect, ReadOnce},
        desk::msg::Msg,
        forms::form::{Form, Scroll},
        testing::{arrive, desk, order, press, settle, wait},
        update::router::update,
    },
    model::{Command, OrderId, PositionId, Receipt, Ticket, draft::Draft},
};
use std::time::Duration;

fn clicked(model: &mut Model, spot: ClickTarget) -> Vec<Effect> {
    let now = model.account.now;
    update(model, now, Msg::Click(spot))
}

fn on_position(id: &str) -> ClickTarget {
    ClickTarget::Row(Pane::Positions, RowId::Position(PositionId::from(id)))
}

fn on_order(id: &str) -> ClickTarget {
    ClickTarget::Row(Pane::Orders, RowId::Order(OrderId::from(id)))
}

fn form(model: &Model) -> &Form {
    model.overlays.last().unwrap().try_as_form_ref().unwrap()
}

#[test]
fn a_click_on_an_account_chooses_it_and_a_second_shows_it() {
    let mut model = desk();
    press(&mut model, "A");
    let chosen = |model: &Model| {
        let list = model.overlays.last()?.try_as_accounts_ref()?;
        Some(list.chosen)
    };
    assert_eq!(chosen(&model), Some(0));
    assert_eq!(clicked(&mut model, ClickTarget::Account(1)), vec![]);
    assert_eq!(chosen(&model), Some(1));
    let shown = clicked(&mut model, ClickTarget::Account(1));
    assert_eq!(shown, [Effect::SwitchAccount(Switch::To(1))]);
    assert_eq!(model.overlays, vec![]);
    assert_eq!(
        clicked(&mut model, ClickTarget::Account(0)),
        vec![],
        "the list is gone"
    );
}

mod on_the_desk {
    use super::*;
    use crate::app::keys::keymap::Context;

    #[test]
    fn one_click_on_a_share_closes_that_share_of_the_position_shown() {
        let mut model = desk();
        press(&mut model, "9");
        let half = ClickTarget::Key(Context::PriceLadder, Action::CloseHalf);
        let effects = clicked(&mut model, half);
        let [Effect::Send(_, Command::Close(close))] = effects.as_slice() else {
            panic!("{effects:?}");
        };
        assert_eq!(
            close.size.map(|size| size.to_string()),
            Some("0.25".to_owned())
        );
    }

    #[test]
    fn a_click_on_a_row_selects_it_and_a_second_shows_its_detail() {
        let mut model = desk();
        assert_eq!(clicked(&mut model, on_order("ord-2")), vec![]);
        assert_eq!(model.focus.pane, Pane::Orders);
        assert_eq!(model.selected(), Some(RowId::Order("ord-2".into())));
        assert_eq!(model.overlays, vec![]);
        clicked(&mut model, on_order("ord-2"));
        assert!(matches!(
            model.overlays.as_slice(),
            [Overlay::Detail(detail)] if detail.row == RowId::Order("ord-2".into())
        ));
    }

    #[test]
    fn the_remembered_row_of_another_pane_gets_the_keys_first() {
        let mut model = desk();
        clicked(&mut model, on_order("ord-1"));
        clicked(&mut model, on_position("pos-1"));
        assert_eq!(model.focus.pane, Pane::Positions);
        assert_eq!(model.overlays, vec![]);
    }

    #[test]
    fn a_row_that_went_before_the_click_selects_no_other() {
        let mut model = desk();
        press(&mut model, "2 j 1");
        clicked(&mut model, on_order("ord-9"));
        assert_eq!(model.focus.pane, Pane::Orders);
        assert_eq!(model.selected(), Some(RowId::Order("ord-2".into())));
    }

    #[test]
    fn a_click_on_a_tab_turns_to_it() {
        let mut model = desk();
        clicked(&mut model, ClickTarget::Pane(Pane::Activity));
        assert_eq!(
            (model.focus.pane, model.focus.tab),
            (Pane::Activity, Pane::Activity)
        );
    }

    #[test]
    fn a_click_on_a_hint_presses_its_key_wherever_it_is_bound() {
        let mut model = desk();
        let help = ClickTarget::Key(Context::Positions, Action::Help);
        clicked(&mut model, help);
        assert!(matches!(model.overlays.as_slice(), [Overlay::Help { .. }]));
    }

    #[test]
    fn a_click_on_a_toast_takes_it_away_and_nothing_else() {
        let mut model = desk();
        let now = model.account.now;
        let lost = Msg::Notify(notice::Tone::Alert, "lost".to_owned());
        update(&mut model, now, lost);
        press(&mut model, "z");
        clicked(&mut model, ClickTarget::Toast);
        assert_eq!(model.account.activity.toast(model.account.now), None);
        assert!(model.focus.zoomed);
    }
}

mod on_what_acts {
    use super::*;
    use crate::app::keys::keymap::Context;

    const CLOSE_ALL: ClickTarget = ClickTarget::Key(Context::Positions, Action::CloseAll);
    const YES: ClickTarget = ClickTarget::Key(Context::Strip, Action::Confirm);
    const NO: ClickTarget = ClickTarget::Key(Context::Strip, Action::Dismiss);

    #[test]
    fn a_click_opens_the_strip_that_the_key_would_and_esc_there_stops_it() {
        let mut model = desk();
        assert_eq!(clicked(&mut model, CLOSE_ALL), vec![]);
        assert!(model.overlays.last().unwrap().try_as_strip_ref().is_some());
        clicked(&mut model, NO);
        assert_eq!(model.overlays, vec![]);
        assert_eq!(wait(&mut model, 5_000), vec![]);
    }

    // A form shows the hint too, and may close before the next frame.
    #[test]
    fn a_click_on_the_close_all_of_a_form_that_has_just_closed_is_heard() {
        let mut model = desk();
        press(&mut model, "b esc");
        assert_eq!(model.overlays, vec![]);
        clicked(
            &mut model,
            ClickTarget::Key(Context::Form, Action::CloseAll),
        );
        assert!(model.overlays.last().unwrap().try_as_strip_ref().is_some());
    }

    #[test]
    fn a_strip_does_not_hear_a_click_before_it_can_have_been_seen() {
        let mut model = desk();
        model.account.options.close_all = CloseAllRule::Confirmed;
        clicked(&mut model, CLOSE_ALL);
        wait(&mut model, 149);
        assert_eq!(clicked(&mut model, YES), vec![]);
        wait(&mut model, 1);
        let sent = clicked(&mut model, YES);
        assert!(matches!(
            sent.as_slice(),
            [Effect::Send(_, Command::CloseAll(_))]
        ));
    }

    #[test]
    fn a_strip_that_has_disarmed_is_not_loaded_by_a_click() {
        let mut model = desk();
        press(&mut model, "2 x");
        let late = model.account.now.plus(Duration::from_secs(5));
        assert_eq!(update(&mut model, late, Msg::Click(YES)), vec![]);
    }

    #[test]
    fn beside_an_overlay_nothing_is_clicked() {
        for keys in ["X", "b", "?", "enter", "/", "* c"] {
            let mut model = desk();
            press(&mut model, keys);
            wait(&mut model, 200);
            let row = model.selected();
            let (overlays, pane) = (model.overlays.clone(), model.focus.pane);
            let form_context = [
                CLOSE_ALL,
                on_position("pos-2"),
                on_order("ord-1"),
                ClickTarget::Pane(Pane::Orders),
                ClickTarget::Key(Context::Orders, Action::Cancel),
                ClickTarget::Over,
            ];
            for spot in form_context {
                assert_eq!(clicked(&mut model, spot), vec![], "{keys}");
            }
            assert_eq!(
                (&model.overlays, model.focus.pane, model.selected()),
                (&overlays, pane, row),
                "{keys}"
            );
        }
    }

    #[test]
    fn the_keys_of_a_list_under_a_question_are_not_those_of_the_question() {
        let mut model = desk();
        press(&mut model, "* c");
        wait(&mut model, 200);
        let strip = crate::app::dialogs::overlay::Strip::confirm(
            Command::Cancel("ord-1".into()),
            model.account.now,
        );
        model.overlays.push(Overlay::Strip(strip));
        wait(&mut model, 200);
        let send = ClickTarget::Key(Context::Bulk, Action::Confirm);
        assert_eq!(clicked(&mut model, send), vec![]);
        assert_eq!(model.overlays.len(), 2);
    }

    #[test]
    fn a_read_only_desk_sends_nothing_by_clicks_either() {
        let mut model = desk();
        model.account.options.read_only = true;
        clicked(&mut model, CLOSE_ALL);
        wait(&mut model, 200);
        assert_eq!(clicked(&mut model, YES), vec![]);
        assert_eq!(model.overlays, vec![]);
    }
}

mod on_a_form {
    use super::*;
    use crate::{app::keys::keymap::Context, model::draft::Field};

    fn buying() -> Model {
        let mut model = desk();
        press(&mut model, "b");
        model
    }

    fn side(model: &Model) -> String {
        match &form(model).draft {
            Draft::Entry(draft) => draft.side.to_string(),
            Draft::Close(_) | Draft::Exits(_) | Draft::Protect(_) | Draft::Margin(_) => {
                String::new()
            }
        }
    }

    fn on_option(field: Field, words: &str) -> ClickTarget {
        ClickTarget::Choice(field, words.to_owned())
    }

    #[test]
    fn a_field_gets_the_keys() {
        let mut model = buying();
        clicked(&mut model, ClickTarget::Field(Field::Leverage));
        assert_eq!(form(&model).focus, Field::Leverage);
        press(&mut model, "end 1");
        assert_eq!(form(&model).draft.text(Field::Leverage), Some("101"));
    }

    #[test]
    fn a_field_that_the_form_does_not_have_gets_none() {
        let mut model = buying();
        clicked(&mut model, ClickTarget::Field(Field::Rungs));
        assert_eq!(form(&model).focus, Field::Size);
    }

    #[test]
    fn an_option_is_chosen_by_its_words_and_the_only_one_shown_gives_way_to_the_next() {
        let mut model = buying();
        clicked(&mut model, on_option(Field::Side, "sell"));
        assert_eq!(side(&model), "sell");
        clicked(&mut model, on_option(Field::Side, "neither"));
        assert_eq!(side(&model), "sell");
        clicked(&mut model, ClickTarget::NextChoice(Field::Side));
        assert_eq!(side(&model), "buy");
    }

    #[test]
    fn a_click_on_send_sends_what_enter_would() {
        let mut model = buying();
        press(&mut model, "0.1");
        let sent = clicked(&mut model, ClickTarget::Key(Context::Form, Action::Submit));
        assert!(matches!(
            sent.as_slice(),
            [Effect::Send(Ticket(1), Command::Place(_))]
        ));
        let gone: Result<Receipt, _> = Err(crate::model::Failure::new(
            crate::model::FailureKind::Unavailable,
            "down",
        ));
        settle(&mut model, Ticket(1), gone);
        press(&mut model, "U");
        assert_eq!(form(&model).draft.text(Field::Size), Some("0.1"));
    }
}

mod the_wheel {
    use super::*;
    use crate::{
        app::account::poll::Answer,
        model::{Cursor, Order, Page},
    };

    fn scroll(model: &mut Model, spot: ClickTarget, seen: std::ops::Range<usize>) -> Vec<Effect> {
        let now = model.account.now;
        update(model, now, Msg::Scrolled(spot, seen))
    }

    /// Fifty history orders, and more to come.
    fn with_history() -> Model {
        let mut model = desk();
        let done = r#""type":"limit","mode":"limit","side":"buy","size":1,"status":"filled""#;
        let rows: Vec<Order> = (0..50)
            .map(|n| order(&format!("h-{n:03}"), "BTC", done))
            .collect();
        let page = Page {
            next: Some(Cursor::from("p2".to_owned())),
            ..Page::of(rows)
        };
        arrive(&mut model, Answer::History(Ok(page)));
        model
    }

    #[test]
    fn it_moves_the_pane_under_it_and_leaves_the_keys_where_they_are() {
        let mut model = with_history();
        let history = ClickTarget::Pane(Pane::History);
        assert_eq!(scroll(&mut model, history, 3..13), vec![]);
        assert_eq!(model.focus.pane, Pane::Positions);
        assert_eq!(model.selected(), Some(RowId::Position("pos-1".into())));
    }

    #[test]
    fn the_selected_row_changes_only_when_it_would_go_out_of_sight() {
        let mut model = with_history();
        press(&mut model, "6 j j j j j");
        let at = |n: usize| Some(RowId::Order(format!("h-{n:03}").as_str().into()));
        let history = || ClickTarget::Pane(Pane::History);
        scroll(&mut model, history(), 3..13);
        assert_eq!(model.selected(), at(5));
        scroll(&mut model, history(), 6..16);
        assert_eq!(model.selected(), at(6));
        scroll(&mut model, history(), 0..5);
        assert_eq!(model.selected(), at(4));
    }

    #[test]
    fn near_the_end_of_a_history_it_asks_for_more_of_it_once() {
        let mut model = with_history();
        let history = || ClickTarget::Pane(Pane::History);
        let more = Effect::Read(ReadOnce::MoreHistory(Cursor::from("p2".to_owned())));
        assert_eq!(scroll(&mut model, history(), 9..29), vec![more]);
        assert_eq!(scroll(&mut model, history(), 12..32), vec![]);
    }

    #[test]
    fn over_a_help_or_a_form_it_scrolls_that_and_changes_no_field() {
        let mut model = desk();
        press(&mut model, "?");
        scroll(&mut model, ClickTarget::Over, 6..20);
        assert!(matches!(
            model.overlays.as_slice(),
            [Overlay::Help { offset: 6, .. }]
        ));
        press(&mut model, "esc b");
        let mut scrolled = form(&model).clone();
        scrolled.scroll = Scroll::From(6);
        scroll(&mut model, ClickTarget::Over, 6..20);
        assert_eq!(form(&model), &scrolled);
    }
}
