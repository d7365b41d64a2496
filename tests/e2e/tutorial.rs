//! The tutorial `docs/first-hour.md`, played: the keys of each row are pressed, and its first words waited for.

use super::{
    session::{Session, at},
    *,
};

use std::{thread, time::Duration};

const PAGE: &str = include_str!("../../docs/first-hour.md");
/// The page asks for at least this.
const SIZE_OF_THE_PAGE: (u16, u16) = (100, 30);
/// So slow that no order of the demo fills meanwhile, and so fast that its order books are current.
const DEMO: &[&str] = &["demo", "--speed", "0.2"];

/// One row of a table: keys, and what the desk then shows.
struct Step {
    keys: Vec<String>,
    shows: Option<String>,
}

impl Step {
    /// A yes or an `F` may be under way: nobody presses these again.
    fn is_repeatable(&self) -> bool {
        let last = self.keys.last().map(String::as_str);
        !matches!(last, None | Some("y" | "F" | "R"))
    }
}

/// How the desk refuses a key that comes within a moment of a row or a price that has moved under it.
const REFUSED: &str = "press again";
/// A key pressed twice in a row does not count as pressed again.
const LOOKED: Duration = Duration::from_millis(400);

/// Whether `words` come before the desk refuses the key, where `before`, the screen under the key, has no refusal yet, or
/// 10 s pass.
fn comes_soon(desk: &Session, words: &str, before: &str) -> bool {
    let already = before.contains(REFUSED);
    // A message that another one replaces is there for a moment only.
    let pause = Duration::from_millis(20);
    for _ in 0..500 {
        let screen = desk.screen();
        if screen.contains(words) {
            return true;
        }
        if !already && screen.contains(REFUSED) {
            thread::sleep(LOOKED);
            return desk.screen().contains(words);
        }
        thread::sleep(pause);
    }
    false
}

/// The words between backticks.
fn code(cell: &str) -> Vec<String> {
    let parts = cell.split('`').skip(1).step_by(2);
    parts.map(str::to_owned).collect()
}

/// The rows of every table that is marked to be played.
fn steps() -> Vec<Step> {
    let tables = PAGE.split("<!-- play -->\n").skip(1);
    let rows = tables.flat_map(|table| {
        let rows = table.lines().skip(2);
        rows.take_while(|line| line.starts_with('|'))
    });
    let step = |row: &str| {
        let cells: Vec<_> = row.split('|').collect();
        Step {
            keys: code(cells[1]),
            shows: code(cells[2]).into_iter().next(),
        }
    };
    rows.map(step).collect()
}

fn bytes(key: &str) -> &str {
    match key {
        "Enter" => "\r",
        "Tab" => "\t",
        "Esc" => "\u{1b}",
        typed => typed,
    }
}

/// Prices and ages change by themselves, words do not.
fn letters(screen: &str) -> String {
    screen.chars().filter(|c| c.is_alphabetic()).collect()
}

#[test]
fn the_first_hour_of_the_documents_goes_as_the_page_says() {
    let steps = steps();
    assert!(steps.len() > 30, "only {} steps", steps.len());
    let home = TempDir::new().unwrap();
    let tour = [("PERPDECK_TOUR", "true")];
    let mut desk = Session::start_with(home.path(), at(SIZE_OF_THE_PAGE), DEMO, &tour);
    desk.wait_for("1 Positions 5");
    for step in steps {
        let under_the_keys = desk.screen();
        for key in &step.keys {
            if key == "y" {
                desk.wait_for_strip();
            }
            let before = letters(&desk.screen());
            desk.press(bytes(key));
            if key == "Esc" {
                // A key right behind it would be read as one with Alt.
                desk.wait_until("what Esc does", |screen| letters(screen) != before);
            }
        }
        if let Some(words) = &step.shows {
            // A reader whose key is refused, or who sees nothing happen, presses again.
            let is_shown = comes_soon(&desk, words, &under_the_keys);
            if let Some(key) = step
                .keys
                .last()
                .filter(|_| !is_shown && step.is_repeatable())
            {
                desk.press(bytes(key));
            }
            desk.wait_for(words);
        }
    }
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}
