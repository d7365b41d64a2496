//! The tutorials `docs/first-hour.md` and `docs/traders-hour.md`, played: the keys of each row are pressed, and its first words waited for.

use super::{
    session::{Session, at},
    *,
};

use std::{thread, time::Duration};

const FIRST_HOUR: &str = include_str!("../../docs/first-hour.md");
const TRADERS_HOUR: &str = include_str!("../../docs/traders-hour.md");
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

/// The rows of every table of a page that is marked to be played.
fn steps(page: &str) -> Vec<Step> {
    let tables = page.split("<!-- play -->\n").skip(1);
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
        "Ctrl-P" => "\u{10}",
        typed => typed,
    }
}

/// Prices and ages change by themselves, words do not.
fn letters(screen: &str) -> String {
    screen.chars().filter(|c| c.is_alphabetic()).collect()
}

/// Where Esc shows and time does not: the question of a form that would drop what is written, and the two lines at the foot.
fn foot(screen: &str) -> String {
    let asks = screen.lines().filter(|line| line.contains("Esc again"));
    let foot = screen.lines().rev().take(2);
    asks.chain(foot).map(letters).collect()
}

fn play(desk: &mut Session, steps: Vec<Step>) {
    for step in steps {
        let under_the_keys = desk.screen();
        for (at, key) in step.keys.iter().enumerate() {
            if key == "y" {
                desk.wait_for_strip();
            }
            let before = desk.screen();
            desk.press(bytes(key));
            if key == "Esc" {
                // A key right behind it would be read as one with Alt. The last key of a step is pressed again if need be.
                let seen = if at + 1 < step.keys.len() {
                    foot
                } else {
                    letters
                };
                desk.wait_until("what Esc does", |screen| seen(screen) != seen(&before));
            }
        }
        if let Some(words) = &step.shows {
            // A reader whose key is refused, or who sees nothing happen, presses again.
            let is_shown = comes_soon(desk, words, &under_the_keys);
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
}

const TOUR: [(&str, &str); 1] = [("PERPDECK_TOUR", "true")];

#[test]
fn the_first_hour_of_the_documents_goes_as_the_page_says() {
    let steps = steps(FIRST_HOUR);
    assert!(steps.len() > 30, "only {} steps", steps.len());
    let home = TempDir::new().unwrap();
    let mut desk = Session::start_with(home.path(), at(SIZE_OF_THE_PAGE), DEMO, &TOUR);
    desk.wait_for("1 Positions 5");
    play(&mut desk, steps);
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}

#[test]
fn a_traders_hour_goes_as_its_page_says() {
    let steps = steps(TRADERS_HOUR);
    assert!(steps.len() > 20, "only {} steps", steps.len());
    let home = TempDir::new().unwrap();
    let bracket = TRADERS_HOUR.split("bracket = \"").nth(1).unwrap();
    let bracket = bracket.split('"').next().unwrap();
    let settings = [("PERPDECK_BRACKET", bracket)];
    let mut desk = Session::start_with(home.path(), at((120, 40)), DEMO, &settings);
    desk.wait_for("1 Positions 5");
    play(&mut desk, steps);
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}

/// The five minutes of the README, step by step: keys with a blank between, and what they show. What changes an order or a
/// position is in the first hour and in the stories.
const FIVE_MINUTES: &[(&str, &str)] = &[
    ("", "Tour 1/8"),
    ("n", "Tour 2/8"),
    ("Esc", "q quit"),
    ("2", "x cancel order"),
    ("3", "x stop TWAP"),
    ("4", "x cancel"),
    ("6", "i quality"),
    ("7", "E export"),
    ("8", "Enter detail"),
    // The list of calls never stands still, and stays in sight until this.
    ("5", "i by market"),
    ("0", "candle"),
    ("9", "j k choose a price"),
    ("1 j k Enter", "entry_price"),
    ("Esc", "c close"),
    ("?", "where is my stop?"),
    ("Esc", "c close"),
    ("b", "new order BUY BTC"),
    ("0.5", "→ LONG 0.82"),
    ("Esc Esc b $1000", "→ LONG 0.34"),
    ("Esc Esc b 50%", "→ LONG 3."),
    ("Esc Esc s", "new order SELL BTC"),
    ("Esc c", "Enter send"),
    ("Esc e", "stop and target of LONG"),
    ("Esc I", "y yes"),
    ("Esc Z", "break-even"),
    ("2 x", "y yes"),
    ("Esc m", "trigger price"),
    ("Esc 9 j b", "limit price"),
    ("Esc X", "y now"),
    ("Esc", "F FLATTEN"),
    ("1", "1 Positions 5"),
    ("q", "y yes"),
];

#[test]
fn the_first_five_minutes_of_the_readme_go_as_its_list_says() {
    let home = TempDir::new().unwrap();
    let mut desk = Session::start_with(home.path(), at((160, 48)), DEMO, &TOUR);
    for pane in [
        "1 Positions 5",
        "2 Working orders 14",
        "3 TWAP",
        "4 Scaled",
        "5 Closed positions 1",
        "6 Order history 5",
        "Chart BTC",
    ] {
        desk.wait_for(pane);
    }
    let steps = FIVE_MINUTES.iter().map(|(keys, shows)| Step {
        keys: keys.split_whitespace().map(str::to_owned).collect(),
        shows: Some((*shows).to_owned()),
    });
    play(&mut desk, steps.collect());
    desk.agrees();
    assert_given_back(desk, 0);
}
