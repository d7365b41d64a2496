//! The mouse, as a terminal reports it.

use super::{session::Session, *};

/// The line of the screen that says so.
fn line(screen: &str, row: u16) -> &str {
    screen.lines().nth(usize::from(row)).unwrap_or_default()
}

#[test]
fn the_mouse_chooses_scrolls_and_presses_what_is_written() {
    let (mut session, _home) = desk();
    assert!(session.hears_mouse());

    let (column, title) = session.place("2 Working orders 14");
    let row = title + 4;
    session.click_at(column + 10, row);
    session.wait_until("the clicked order selected", |screen| {
        line(screen, row).contains('▌')
    });
    session.click_at(column + 10, row);
    session.wait_for("requested");
    // The last hint to come stands to the left of the one that is clicked.
    session.wait_for("p chart  Esc back");
    session.click("Esc back");
    session.wait_until("the desk", |screen| !screen.contains("Esc back"));

    // The count of the closed positions grows page by page, and moves the titles to its right.
    session.wait_for("5 Closed positions 139");
    session.click("6 Order history 50+");
    // Its footer has its own hints, in other places.
    session.wait_until("the history and its footer", |screen| {
        screen.contains("i quality")
    });
    session.click("z zoom");
    session.wait_until("the history alone", |screen| {
        screen.contains("bps  maker") && !screen.contains("╮╭")
    });
    let thumb = |screen: &str| screen.lines().position(|line| line.contains('┃'));
    session.wait_until("the history from its top", |screen| {
        thumb(screen) == Some(4)
    });
    for _ in 0..20 {
        session.wheel_at(20, 20);
    }
    session.wait_until("the history further down", |screen| thumb(screen) > Some(4));

    session.click("b buy");
    session.wait_for("new order BUY");
    session.click("Esc leave");
    session.click("X CLOSE ALL");
    session.click("Esc stops it");
    session.wait_until("the strip gone", |screen| !screen.contains("Esc stops it"));
    session.click("1 Pos");
    // Its footer, too, has hints in places of its own.
    session.wait_until("the positions and their footer", |screen| {
        screen.contains("uPnL") && !screen.contains("i quality")
    });
    session.click("q quit");
    session.wait_for("quit? this paper exchange ends with");
    session.press("\u{3}");
    assert_given_back(session, 0);
}

#[test]
fn without_the_mouse_the_terminal_keeps_it() {
    let home = tempfile::tempdir().unwrap();
    let session = Session::start(home.path(), SIZE, &["demo", "--no-mouse"]);
    session.wait_for("1 Positions 5");
    assert!(!session.hears_mouse());
    session.signal("TERM");
    assert_given_back(session, 143);
}
