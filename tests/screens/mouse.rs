//! What lies under the pointer, at the sizes people have.

use crate::{desk, dump::press, market};
use perpdeck::{
    app::{
        AccountScope, AccountSet, Model, Msg,
        account::{pane::Pane, row_id::RowId},
        keys::keymap::{Action, Context},
        market::{market_spot::ChartSpot, two_charts::ChartSide},
        tables::click_target::ClickTarget,
        update,
    },
    model::{Interval, Zone, draft::Field},
    ui::{self, DrawState, Theme, Turn, picture},
};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};
use std::collections::BTreeSet;

const SIZES: [(u16, u16); 4] = [(200, 60), (120, 40), (80, 24), (60, 16)];

/// A desk on a screen of some size, and where things are on it.
struct Seen {
    model: Model,
    draw_state: DrawState,
    size: (u16, u16),
    text: String,
}

impl Seen {
    fn of(keys: &str, size: (u16, u16)) -> Self {
        let mut model = desk::full();
        press(&mut model, keys);
        let mut seen = Self {
            model,
            draw_state: DrawState::new(Theme::default(), Zone::utc()),
            size,
            text: String::new(),
        };
        seen.look();
        seen
    }

    fn look(&mut self) {
        let (width, height) = self.size;
        let mut frame = Buffer::empty(Rect::new(0, 0, width, height));
        ui::render(&mut frame, &self.model, &mut self.draw_state);
        self.text = picture::text(&frame);
    }

    fn place(&self, text: &str) -> Position {
        let mut lines = (0..).zip(self.text.lines());
        let found = lines.find_map(|(y, line)| {
            let before = &line[..line.find(text)?];
            let x = u16::try_from(before.chars().count()).unwrap();
            Some(Position::new(x, y))
        });
        assert!(found.is_some(), "{text:?} is not on\n{}", self.text);
        found.unwrap()
    }

    fn under(&self, text: &str) -> Option<ClickTarget> {
        self.draw_state.pointed(self.place(text))
    }

    fn click(&mut self, text: &str) {
        let spot = self.under(text).unwrap();
        let now = self.model.account.now;
        update(&mut self.model, now, Msg::Click(spot));
        self.look();
    }

    fn wheel(&mut self, at: Position, turn: Turn) {
        if let Some((spot, seen)) = self.draw_state.turn(at, turn) {
            let now = self.model.account.now;
            update(&mut self.model, now, Msg::Scrolled(spot, seen));
            self.look();
        }
    }

    fn everything(&self) -> Vec<ClickTarget> {
        let (width, height) = self.size;
        let screen = Rect::new(0, 0, width, height);
        let spots = screen
            .positions()
            .filter_map(|at| self.draw_state.pointed(at));
        spots.collect()
    }

    /// The cells of the chart, with where they are.
    fn chart(&self) -> Vec<(Position, ChartSpot)> {
        let (width, height) = self.size;
        let all = Rect::new(0, 0, width, height).positions();
        let cell = |at| {
            let ClickTarget::Chart(spot) = self.draw_state.pointed(at)? else {
                return None;
            };
            Some((at, spot))
        };
        all.filter_map(cell).collect()
    }

    /// The panes and the rows that can be clicked.
    fn rows(&self) -> BTreeSet<(Pane, RowId)> {
        let spots = self.everything().into_iter();
        let rows = spots.filter_map(|spot| {
            let ClickTarget::Row(pane, row) = spot else {
                return None;
            };
            Some((pane, row))
        });
        rows.collect()
    }
}

#[test]
fn the_accounts_name_lists_the_accounts_and_each_line_is_its_account() {
    for (width, height) in SIZES {
        let mut account_set = desk::other_account();
        let mut draw_state = DrawState::new(Theme::default(), Zone::utc());
        let look = |account_set: &AccountSet, draw_state: &mut DrawState, text: &str| {
            let mut frame = Buffer::empty(Rect::new(0, 0, width, height));
            ui::render(&mut frame, account_set, draw_state);
            let shown = picture::text(&frame);
            let mut lines = (0..).zip(shown.lines());
            let found = lines.find_map(|(y, line)| {
                let x = line[..line.find(text)?].chars().count();
                draw_state.pointed(Position::new(u16::try_from(x).unwrap(), y))
            });
            found.unwrap_or_else(|| panic!("nothing under {text} on\n{shown}"))
        };
        let chip = look(&account_set, &mut draw_state, "swing");
        assert_eq!(chip, ClickTarget::Key(Context::Positions, Action::Accounts));
        account_set.update(desk::NOW, AccountScope::Shown, Msg::Click(chip));
        for (at, name) in ["chal-1", "swing", "evaluation"].into_iter().enumerate() {
            // The header names the account that is shown.
            let listed = if at == 1 { "▌swing" } else { name };
            let line = look(&account_set, &mut draw_state, listed);
            assert_eq!(line, ClickTarget::Account(at), "{width}x{height}");
        }
    }
}

/// The mark is named beside the row that holds it.
#[test]
fn a_cell_of_the_chart_names_the_candle_and_the_prices_that_are_drawn_there() {
    for size in SIZES {
        let seen = Seen::of("0", size);
        let cells = seen.chart();
        assert!(cells.len() > 100, "{size:?}\n{}", seen.text);
        let newest = cells.iter().map(|(_, spot)| spot.time).max().unwrap();
        assert_eq!(newest, cells[0].1.edge, "{size:?}");
        for (at, spot) in &cells {
            let line = seen.text.lines().nth(at.y.into()).unwrap();
            let marked = line.split('◂').nth(1).filter(|name| name.contains("mark"));
            let price =
                marked.and_then(|name| name.split_whitespace().find(|word| word.contains("64,")));
            if let Some(price) = price {
                let price = desk::num(&price.trim_end_matches('│').replace(',', ""));
                let row = spot.row.low..=spot.row.high;
                assert!(
                    row.contains(&price),
                    "{price} in {row:?} at {size:?}: {line}"
                );
            }
        }
    }
}

#[test]
fn a_click_on_the_chart_reads_the_candle_under_it() {
    for size in SIZES {
        let mut seen = Seen::of("0", size);
        let cells = seen.chart();
        let (at, spot) = cells[cells.len() / 3].clone();
        let now = seen.model.account.now;
        update(
            &mut seen.model,
            now,
            Msg::Click(ClickTarget::Chart(spot.clone())),
        );
        seen.look();
        assert_eq!(
            seen.model.market_screen.chart.cursor,
            Some(spot.time),
            "{size:?}"
        );
        let price = seen.model.price_ladder.cursor().unwrap();
        let row = spot.row.low..=spot.row.high;
        assert!(row.contains(&price), "{price} in {row:?} at {size:?}");
        let after = seen.chart();
        let (_, now_there) = after.iter().find(|(place, _)| *place == at).unwrap();
        assert_eq!(now_there.time, spot.time, "the view stays: {size:?}");
    }
}

#[test]
fn the_wheel_over_the_chart_scrolls_through_time_and_says_so() {
    for size in SIZES {
        let mut seen = Seen::of("0", size);
        let first = |seen: &Seen| seen.chart()[0].clone();
        let (at, before) = first(&seen);
        seen.wheel(at, Turn::Up(2));
        let scrolled = first(&seen).1;
        assert!(scrolled.time < before.time, "{size:?}");
        assert_eq!(before.edge.0 - scrolled.edge.0, 6 * 60_000, "{size:?}");
        if size.1 >= 24 {
            assert!(
                seen.text.contains("scrolled back"),
                "{size:?}\n{}",
                seen.text
            );
        }
        seen.wheel(at, Turn::Down(5));
        assert_eq!(first(&seen).1.edge, before.edge, "{size:?}");
        assert_eq!(
            seen.model.market_screen.chart.edge, None,
            "it follows again"
        );
        assert!(!seen.text.contains("scrolled back"));
    }
}

#[test]
fn a_click_gives_the_other_chart_the_keys_and_the_wheel_moves_what_is_under_it() {
    let mut seen = Seen {
        model: market::two_charts(),
        draw_state: DrawState::new(Theme::default(), Zone::utc()),
        size: (200, 60),
        text: String::new(),
    };
    seen.look();
    let on = |seen: &Seen, side| {
        let mut cells = seen.chart().into_iter();
        cells.find(|(_, spot)| spot.side == side).unwrap()
    };
    let [left, right] = [ChartSide::Left, ChartSide::Right].map(|side| on(&seen, side));
    assert_eq!(left.1.interval, Interval::Minute1);
    assert_eq!(right.1.interval, Interval::Minute5);
    seen.wheel(right.0, Turn::Up(2));
    let [before, after] = [right.1.edge, on(&seen, ChartSide::Right).1.edge];
    assert_eq!(before.0 - after.0, 6 * 300_000);
    assert_eq!(on(&seen, ChartSide::Left).1.edge, left.1.edge);
    let spot = on(&seen, ChartSide::Right).1;
    let now = seen.model.account.now;
    update(
        &mut seen.model,
        now,
        Msg::Click(ClickTarget::Chart(spot.clone())),
    );
    let chart = &seen.model.market_screen.chart;
    assert_eq!(
        (chart.interval, chart.cursor),
        (Interval::Minute5, Some(spot.time))
    );
    seen.look();
    assert_eq!(on(&seen, ChartSide::Left).1.interval, Interval::Minute1);
}

#[test]
fn a_button_of_the_position_strip_that_was_drawn_under_a_dialog_works_once_that_is_closed() {
    let mut seen = Seen::of("0c", (200, 60));
    let half = seen.place("¼ ½");
    seen.click("¼ ½");
    assert_eq!(seen.model.overlays.len(), 1, "the form has the keys");
    press(&mut seen.model, "\u{1b}");
    seen.look();
    assert_eq!(
        seen.draw_state.pointed(half),
        Some(ClickTarget::Key(Context::MarketChart, Action::CloseQuarter))
    );
}

#[test]
fn a_row_that_is_seen_is_the_row_that_is_clicked() {
    let panes = [
        Pane::Positions,
        Pane::Orders,
        Pane::Twaps,
        Pane::Scaled,
        Pane::History,
    ];
    for size in SIZES {
        for (pane, key) in panes.into_iter().zip(["1", "2", "3", "4", "6"]) {
            let mut seen = Seen::of(key, size);
            let rows = seen.rows().into_iter().filter(|(of, _)| *of == pane);
            for (_, row) in rows.collect::<Vec<_>>() {
                let spot = ClickTarget::Row(pane, row);
                let now = seen.model.account.now;
                update(&mut seen.model, now, Msg::Click(spot.clone()));
                seen.model.overlays.clear();
                seen.look();
                assert_eq!(
                    seen.under("│▌"),
                    Some(ClickTarget::Pane(pane)),
                    "the border"
                );
                let marked = seen.place("│▌");
                let inside = Position::new(marked.x + 4, marked.y);
                assert_eq!(seen.draw_state.pointed(inside), Some(spot), "{}", seen.text);
            }
        }
    }
}

#[test]
fn a_hint_of_the_footer_is_a_button_at_every_size() {
    for size in SIZES {
        let seen = Seen::of("", size);
        let key = |action| Some(ClickTarget::Key(Context::Positions, action));
        assert_eq!(seen.under("X CLOSE ALL"), key(Action::CloseAll), "{size:?}");
        assert_eq!(seen.under("CLOSE ALL"), key(Action::CloseAll), "{size:?}");
        assert_eq!(seen.under("F FLATTEN"), key(Action::Flatten), "{size:?}");
        assert_eq!(seen.under("q quit"), key(Action::Quit), "{size:?}");
    }
}

#[test]
fn a_tab_leads_to_its_pane_zoomed_or_not() {
    for (keys, size) in [
        ("", (200, 60)),
        ("", (120, 40)),
        ("z", (120, 40)),
        ("z", (200, 60)),
    ] {
        let mut seen = Seen::of(keys, size);
        seen.click("8 Calls");
        assert_eq!(seen.model.focus.pane, Pane::Calls, "{keys} {size:?}");
    }
    let mut narrow = Seen::of("2", (80, 24));
    narrow.click("3 │ 4");
    assert_eq!(narrow.model.focus.pane, Pane::Twaps);
}

#[test]
fn a_strip_has_two_buttons_and_everything_around_them_is_none() {
    for size in SIZES {
        let mut seen = Seen::of("X", size);
        let strip = |action| Some(ClickTarget::Key(Context::Strip, action));
        assert_eq!(seen.under("y now"), strip(Action::Confirm), "{size:?}");
        assert_eq!(seen.under("Esc stops"), strip(Action::Dismiss), "{size:?}");
        assert_eq!(seen.under("slippage"), Some(ClickTarget::Over), "{size:?}");
        let buttons: BTreeSet<_> = seen
            .everything()
            .into_iter()
            .filter_map(|spot| {
                let ClickTarget::Key(place, action) = spot else {
                    return None;
                };
                Some((place, action))
            })
            .collect();
        let only = [Action::Confirm, Action::Dismiss].map(|action| (Context::Strip, action));
        assert_eq!(buttons, only.into_iter().collect(), "{size:?}");
        seen.click("Esc stops");
        assert!(seen.model.overlays.is_empty());
    }
}

#[test]
fn the_second_click_of_a_double_click_on_close_all_finds_no_button() {
    for size in SIZES {
        let before = Seen::of("", size);
        let at = before.place("X CLOSE ALL");
        let after = Seen::of("X", size);
        assert_eq!(
            after.draw_state.pointed(at),
            Some(ClickTarget::Over),
            "{size:?}"
        );
    }
}

#[test]
fn fields_and_options_of_a_form_can_be_pointed_at_and_the_desk_behind_it_not() {
    for size in SIZES {
        let mut seen = Seen::of("b", size);
        assert_eq!(
            seen.under("leverage"),
            Some(ClickTarget::Field(Field::Leverage))
        );
        let isolated = ClickTarget::Choice(Field::MarginMode, "isolated".to_owned());
        assert_eq!(seen.under("isolated"), Some(isolated), "{size:?}");
        seen.click("isolated");
        assert_eq!(seen.text.matches("[isolated]").count(), 1, "{}", seen.text);
        let kind = seen.under("market ›").or_else(|| seen.under("[market]"));
        assert!(kind.is_some());
    }
}

#[test]
fn the_wheel_scrolls_what_is_under_it_and_its_rows_are_the_ones_clicked() {
    let mut seen = Seen::of("1", (120, 40));
    let title = seen.place("2 Working orders");
    let at = Position::new(title.x, title.y + 3);
    let before = seen.rows();
    seen.wheel(at, Turn::Down(1));
    assert_eq!(seen.model.focus.pane, Pane::Positions);
    let after = seen.rows();
    let first = |rows: &BTreeSet<(Pane, RowId)>| {
        let orders = rows.iter().filter(|(pane, _)| *pane == Pane::Orders);
        orders.cloned().collect::<BTreeSet<_>>()
    };
    let room = first(&before).len();
    if room < seen.model.rows(Pane::Orders).len() {
        assert_ne!(first(&before), first(&after));
        seen.wheel(at, Turn::Up(1));
        assert_eq!(first(&before), first(&seen.rows()));
    } else {
        assert_eq!(first(&before), first(&after));
    }
}

#[test]
fn the_wheel_over_the_help_scrolls_it_to_its_end_and_no_further() {
    let mut seen = Seen::of("?", (60, 16));
    let middle = Position::new(30, 8);
    let top = seen.text.clone();
    for _ in 0..200 {
        seen.wheel(middle, Turn::Down(1));
    }
    let end = seen.text.clone();
    assert_ne!(top, end);
    seen.wheel(middle, Turn::Up(1));
    assert_ne!(seen.text, end, "the way back begins at once");
    for _ in 0..200 {
        seen.wheel(middle, Turn::Up(1));
    }
    assert_eq!(seen.text, top);
}
