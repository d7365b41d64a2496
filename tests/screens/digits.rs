//! Whatever the size: nothing panics, and a number is whole or not there.

use crate::{
    desk,
    dump::{drawn, press},
};
use perpdeck::{
    app::{Model, account::pane::Pane},
    model::Zone,
    ui::{Theme, picture},
    view::{self, Align, RowBody, Scene},
};
use std::collections::BTreeSet;
use strum::IntoEnumIterator as _;

/// Every number the panes may show.
fn numbers(model: &Model) -> BTreeSet<String> {
    let zone = Zone::utc();
    let scene = Scene::of(model, &zone);
    let panes = [
        Pane::Positions,
        Pane::Orders,
        Pane::Scaled,
        Pane::Closed,
        Pane::History,
        Pane::Calls,
    ];
    let mut numbers = BTreeSet::new();
    for pane in panes {
        let rows = model.rows(pane);
        let table = view::pane_table(pane, &rows, 0..rows.len(), &scene);
        for row in table.rows {
            let RowBody::Cells(cells) = row.body else {
                continue;
            };
            let cells = cells.iter().zip(&table.headings);
            let numeric =
                cells.filter(|(_, heading)| !matches!(heading.align, Align::Words | Align::Parts));
            numbers.extend(numeric.map(|(cell, _)| cell.text()));
        }
    }
    numbers
}

#[test]
fn no_digit_is_ever_cut() {
    every_digit_is_whole(desk::full);
}

#[test]
fn no_digit_of_chosen_columns_is_ever_cut() {
    every_digit_is_whole(turned_round);
}

fn every_digit_is_whole(desk: impl Fn() -> Model) {
    let keys = ["1", "2", "4", "5", "6", "8"];
    for key in keys {
        let mut model = desk();
        press(&mut model, &format!("\u{1b}{key}z"));
        let whole = numbers(&desk::full());
        for width in 60..=220 {
            let text = picture::text(&drawn(&model, width, 30, Theme::default()));
            for line in text.lines().skip(3).filter(|line| line.starts_with('│')) {
                for word in line.split([' ', '│', '▌', '┃']).filter(|w| is_number(w)) {
                    let is_whole = whole.iter().any(|n| n.split(' ').any(|part| part == word));
                    assert!(
                        is_whole || is_known_word(line, word),
                        "{word} at width {width} in {line}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_ends_in_an_ellipsis_is_never_a_number_begun() {
    for key in ["1", "2", "3", "4", "5", "6", "7", "8"] {
        let mut model = desk::full();
        press(&mut model, key);
        for width in 60..=220 {
            let text = picture::text(&drawn(&model, width, 30, Theme::default()));
            for word in text.split_whitespace() {
                let cut = word.trim_end_matches(['│', '┃']).strip_suffix('…');
                let of_number = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.');
                let is_begun = cut.is_some_and(|cut| {
                    cut.contains(|c: char| c.is_ascii_digit()) && cut.chars().all(of_number)
                });
                assert!(!is_begun, "{word} at width {width}\n{text}");
            }
        }
    }
}

/// Digits with separators, as only numbers are written.
fn is_number(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) && word.contains([',', '.'])
}

/// Numbers inside words: triggers, protection, ladder heads. They are whole when a blank ends them.
fn is_known_word(line: &str, word: &str) -> bool {
    line.contains(&format!(" {word} ")) || line.contains(&format!(" {word}│"))
}

/// The columns of every pane the other way round, without the first that there were.
fn turned_round() -> Model {
    let mut model = desk::full();
    for (pane, key) in Pane::iter().zip(1..) {
        let ids = (view::READING.columns)(pane).into_iter().skip(1).rev();
        let ids: Vec<_> = ids.map(|name| name.id).collect();
        press(&mut model, &format!("{key}:columns {}\n", ids.join(" ")));
    }
    model
}

#[test]
fn every_size_can_be_drawn() {
    let mut models = vec![desk::full(), desk::empty(), desk::connecting()];
    for keys in ["X", "2?", "\n", "3", "4z", "7"] {
        let mut model = desk::full();
        press(&mut model, keys);
        models.push(model);
    }
    for model in &models {
        for width in (0..=200).step_by(9).chain([1, 2, 3, 59, 60, 80, 100, 160]) {
            for height in (0..=60).step_by(7).chain([1, 2, 3, 15, 16, 17]) {
                drawn(model, width, height, Theme::default());
            }
        }
    }
}

#[test]
fn without_colors_no_cell_has_one() {
    let screen = drawn(&desk::full(), 160, 48, Theme::colorless());
    for cell in screen.content() {
        assert_eq!((cell.fg, cell.bg), Default::default());
    }
}
