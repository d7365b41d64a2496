//! Finding one's way: filters, sorts, and what the line at the bottom says.

use crate::{
    desk,
    dump::{changes, drawn, plain, press},
};
use perpdeck::{
    app::{
        AccountScope, Model, Msg,
        account::pane::Pane,
        keys::keymap::Keymap,
        tables::table_view::{Fact, Kind},
        update,
    },
    ui::{Theme, picture},
    view::{self, READING, title},
};
use strum::IntoEnumIterator;

fn pressed(keys: &str) -> Model {
    let mut model = desk::full();
    press(&mut model, keys);
    model
}

macro_rules! screens {
    ($($name:ident: $keys:literal, $width:literal x $height:literal;)+) => {$(
        #[test]
        fn $name() {
            let base = plain(&desk::full(), $width, $height);
            let changed = changes(&base, &plain(&pressed($keys), $width, $height));
            insta::assert_snapshot!(stringify!($name), changed);
        }
    )+};
}

screens! {
    filter_200x60: "2/btc side:buy", 200 x 60;
    filter_120x40: "2/btc side:buy\n", 120 x 40;
    filter_80x24: "2/btc size>x", 80 x 24;
    filter_60x16: "2/s\t\t", 60 x 16;
    filter_without_hits_80x24: "2/nobody", 80 x 24;
    sorted_120x40: "1ooooooooO", 120 x 40;
}

#[test]
fn the_first_step_of_the_tour_speaks_of_what_is_on_the_screen() {
    for (width, height) in [(60, 16), (80, 24), (120, 40), (200, 60)] {
        let mut model = desk::full();
        press(&mut model, ":tour\n");
        let words = crate::words::text(&view::tour(&model).unwrap().words);
        let (_, named) = words.split_once('(').unwrap();
        let (column, _) = named.split_once(')').unwrap();
        let text = picture::text(&drawn(&model, width, height, Theme::default()));
        let headings = text.lines().find(|line| line.contains(" side ")).unwrap();
        assert!(headings.contains(column), "{width}: {headings}");
        assert!(headings.contains("stop"), "{width}: {headings}");
    }
}

const SIZES: [(u16, u16); 4] = [(60, 16), (80, 24), (120, 40), (200, 60)];

fn text(keys: &str, (width, height): (u16, u16)) -> String {
    picture::text(&drawn(&pressed(keys), width, height, Theme::default()))
}

// Each question of a newcomer is answered within two keys.
#[test]
fn the_help_begins_with_the_questions_of_a_newcomer_at_every_size() {
    for size in SIZES {
        let help = text("?", size);
        for (key, question) in [
            ("1", "where is my stop?"),
            ("5", "what did that trade"),
            ("r", "is this number old?"),
            ("q", "what happens if I"),
            ("F", "how do I start over?"),
        ] {
            let line = format!("{key}  {question}");
            assert!(help.contains(&line), "{size:?}: {line}\n{help}");
        }
    }
}

#[test]
fn the_keys_of_those_questions_show_the_answers() {
    for size in SIZES {
        let headings = |keys, column: &str| {
            let frame = text(keys, size);
            let line = frame.lines().find(|line| line.contains(column));
            line.unwrap_or_default().to_owned()
        };
        assert!(headings("1", " side ").contains("stop"), "{size:?}");
        assert!(headings("5", " net ").contains("net"), "{size:?}");
        let title = headings("1", "Positions");
        assert!(title.contains(" 1s "), "{size:?}: the age: {title}");
    }
    // Narrower panes drop fees and funding before the net, and shorter details have them further down.
    for size in [(120, 40), (200, 60)] {
        let cost = text("5\n", size);
        for part in ["fees", "funding", "net"] {
            assert!(cost.contains(part), "{size:?}: {part}\n{cost}");
        }
    }
}

#[test]
fn a_search_of_the_accounts_shows_what_it_finds_and_says_if_it_finds_nothing() {
    for (width, height) in SIZES {
        let searched = |keys: &str| {
            let mut account_set = desk::accounts();
            for key in keys.chars() {
                account_set.update(desk::NOW, AccountScope::Shown, Msg::Key(key.into()));
            }
            picture::text(&drawn(&account_set, width, height, Theme::default()))
        };
        let found = searched("/evl");
        assert!(found.contains("Accounts 1/3  /evl▏"), "{found}");
        assert!(found.contains("▌evaluation"), "{found}");
        let none = searched(&format!("/{}", "x".repeat(500)));
        assert!(none.contains("Accounts 0/3"), "{none}");
        assert!(none.contains("no account is called"), "{none}");
    }
}

#[test]
fn a_column_that_has_no_room_is_not_called_shown_alone() {
    let listed = |width, height| {
        let mut model = desk::full();
        press(&mut model, "C");
        let text = picture::text(&drawn(&model, width, height, Theme::default()));
        let line = text
            .lines()
            .find(|line| line.contains(" pnl_at_liquidation"));
        line.unwrap().to_owned()
    };
    assert!(listed(80, 24).contains(" shown, no room  liq loss "));
    assert!(listed(200, 60).contains(" shown  liq loss "));
}

#[test]
fn the_tour_names_the_keys_as_they_are_bound_and_gives_way_to_what_asks() {
    let mut model = desk::full();
    let own = "[desk]\norders = \"f2\"\nnext_step = \"f9\"";
    model.set_keymap(Keymap::with(&[own]).unwrap());
    press(&mut model, ":tour\n");
    let now = model.account.now;
    for _ in 0..2 {
        update(&mut model, now, Msg::Key("f9".parse().unwrap()));
    }
    let tour = view::tour(&model).unwrap();
    assert_eq!(tour.head, "Tour 3/8");
    let words = crate::words::text(&tour.words);
    assert!(words.starts_with("F2 goes to"), "{words}");
    let keys = "  F9 next · Esc ends the tour";
    assert!(words.ends_with(keys), "{words}");
    press(&mut model, "X");
    assert_eq!(view::tour(&model), None);
}

#[test]
fn after_the_first_of_two_keys_what_can_follow_stands_above_the_footer() {
    let chained = || {
        let mut model = desk::full();
        press(&mut model, "2g");
        model
    };
    for (width, height) in [(200, 60), (120, 40), (80, 24), (60, 16)] {
        let name = format!("chained_{width}x{height}");
        let base = plain(&desk::full(), width, height);
        let changed = changes(&base, &plain(&chained(), width, height));
        insta::assert_snapshot!(name, changed);
        let text = picture::text(&drawn(&chained(), width, height, Theme::default()));
        for hint in [
            "g first row",
            "p positions",
            "a activity",
            "Esc back",
            "X CLOSE ALL",
        ] {
            assert!(text.contains(hint), "{width}x{height} hides {hint}\n{text}");
        }
    }
    let mut model = chained();
    press(&mut model, "\u{1b}");
    assert_eq!(view::following(&model), None);
    assert!(view::footer(&model).len() > 4);
}

#[test]
fn a_filtered_pane_says_how_many_of_how_many_and_by_what() {
    let model = pressed("2/btc\n");
    let title = title(&model, Pane::Orders);
    assert_eq!(title.count, "5/10");
    assert_eq!(title.freshness[0].text, "/btc");
}

/// A cell by its pane and column, and what it reads as.
type Read = (Pane, &'static str, Kind, Fact);

/// Every row of every pane, column by column.
fn facts(model: &Model) -> Vec<Read> {
    let mut facts = vec![];
    for pane in Pane::iter() {
        for (at, column) in (READING.columns)(pane).iter().enumerate() {
            for row in 0..model.rows(pane).len() {
                let fact = (READING.fact)(model, pane, row, at);
                facts.push((pane, column.id, column.kind, fact));
            }
        }
    }
    facts
}

#[test]
fn every_column_reads_as_what_it_is() {
    let model = desk::full();
    for (pane, id, kind, fact) in facts(&model) {
        let fits = match kind {
            Kind::Words => matches!(fact, Fact::Words(_) | Fact::Unknown),
            // A market order has a word where others have a price; what no price liquidates, too.
            Kind::Number => {
                matches!(fact, Fact::Number(_) | Fact::Unknown)
                    || [
                        Fact::Words("market".to_owned()),
                        Fact::Words("none".to_owned()),
                    ]
                    .contains(&fact)
            }
            Kind::Code => matches!(fact, Fact::Code(..) | Fact::Words(_)),
            Kind::Span => matches!(fact, Fact::Span(_) | Fact::Unknown),
            Kind::Moment => matches!(fact, Fact::Moment(_) | Fact::Unknown),
        };
        assert!(fits, "{pane:?} {id}: {fact:?}");
    }
}

#[test]
fn column_ids_are_words_that_can_be_typed_and_each_pane_has_each_once() {
    for pane in Pane::iter() {
        let columns = (READING.columns)(pane);
        for (at, column) in columns.iter().enumerate() {
            let plain = |c: char| c.is_ascii_lowercase() || c == '_';
            assert!(column.id.chars().all(plain), "{pane:?} {}", column.id);
            let others = columns.iter().skip(at + 1);
            assert!(others.into_iter().all(|other| other.id != column.id));
        }
    }
}

#[test]
fn a_filter_that_takes_nothing_says_so_and_how_to_see_all() {
    let model = pressed("2/nobody\n");
    let words = view::emptiness(Pane::Orders, &model);
    assert_eq!(
        crate::words::text(&words),
        "no row matches /nobody/, Esc clears"
    );
}

#[test]
fn enter_on_a_line_of_the_execution_quality_shows_its_orders_or_positions() {
    let mut model = desk::full();
    press(&mut model, "ijjjjjjjj\n");
    let table_view = model.table_views.of(Pane::History).unwrap();
    let filter = table_view
        .filter
        .as_ref()
        .map(|filter| filter.text.as_str());
    assert_eq!(filter, Some("status:rejected reason:\"max_order_value\""));
    assert_eq!(
        (model.focus.pane, table_view.hits()),
        (Pane::History, Some(1))
    );
    press(&mut model, "ij\n");
    let table_view = model.table_views.of(Pane::History).unwrap();
    let filter = table_view
        .filter
        .as_ref()
        .map(|filter| filter.text.as_str());
    assert_eq!(
        (filter, table_view.hits()),
        (Some("market=\"BTC\""), Some(37))
    );
    press(&mut model, "i\n");
    assert_eq!(model.table_views.of(Pane::History).unwrap().filter, None);
    // What was closed in the market that made the most of it.
    press(&mut model, "ijjjj\n");
    let table_view = model.table_views.of(Pane::Closed).unwrap();
    let filter = table_view
        .filter
        .as_ref()
        .map(|filter| filter.text.as_str());
    assert_eq!(
        (filter, table_view.hits()),
        (Some("market=\"SOL\""), Some(10))
    );
    assert_eq!(model.focus.pane, Pane::Closed);
}
