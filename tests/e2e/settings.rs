//! Settings, keys and colors that change under a running desk.

use super::{session::Session, *};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The user's own settings file.
fn config(home: &Path) -> PathBuf {
    let dir = home.join(".config/perpdeck");
    fs::create_dir_all(&dir).unwrap();
    dir.join("config.toml")
}

/// As an editor saves: a new file moved over the old one.
fn save(file: &Path, text: &str) {
    let fresh = file.with_extension("toml~");
    fs::write(&fresh, text).unwrap();
    fs::rename(fresh, file).unwrap();
}

#[test]
fn a_file_edited_under_a_running_desk_is_in_force_when_good_and_refused_when_not() {
    let home = tempfile::tempdir().unwrap();
    let file = config(home.path());
    save(
        &file,
        "close_all_confirm = true\n[checks]\nmax_size = \"1\"\n",
    );
    let mut session = Session::start(home.path(), SIZE, &["demo", "--speed", "0.001"]);
    session.wait_for("1 Positions 5");

    save(
        &file,
        "close_all_confirm = true\ntheme = \"light\"\n[checks]\nmax_size = \"1\"\n",
    );
    session.wait_for("settings: theme = light (was dark)");

    save(
        &file,
        "close_all_confirm = true\nread_only = true\ntheme = \"light\"\n[checks]\nmax_size = \"1\"\n",
    );
    session.wait_for("settings: needs a restart: read_only");

    save(
        &file,
        "close_all_confirm = true\nread_only = perhaps\ntheme = \"light\"\n",
    );
    session.wait_for("settings not applied, the old ones stay in force");
    session.press("\u{1b}");
    session.wait_until("the toast gone", |screen| {
        !screen.contains("settings not applied")
    });
    session.press(":config\r");
    session.wait_for("as before: the changed files are not applied");
    session.wait_for("line 2:");
    session.press("\u{1b}");

    save(
        &file,
        "close_all_confirm = true\ntheme = \"light\"\nbase_url = \"http://127.0.0.1:1\"\n",
    );
    session.wait_for("api_key: is missing, and base_url asks for a service");
    save(&file, "close_all_confirm = true\ntheme = \"light\"\n");
    session.wait_for("checks.max_size = none (was 1), LOOSER");

    fs::remove_file(&file).unwrap();
    session.wait_for("is missing or empty");
    save(&file, "close_all_confirm = true\ntheme = \"light\"\n");
    session.wait_for("settings are valid again");
    session.press(":reload\r");
    session.wait_for("settings: nothing has changed");

    session.press("X");
    session.agrees();
    session.wait_until("the first position closed", |screen| {
        screen.contains("1 Positions") && !screen.contains("1 Positions 5")
    });
    session.press("\u{3}");
    assert_given_back(session, 0);
}

#[test]
fn columns_that_were_chosen_are_there_at_the_next_start_and_a_broken_file_is_said_and_ignored() {
    let home = tempfile::tempdir().unwrap();
    let demo = ["demo", "--speed", "0.001"];
    let headed = |screen: &str, first: &str, then: &str| {
        let mut lines = screen.lines().filter(|line| line.contains("uPnL"));
        lines.any(|line| {
            line.find(first)
                .is_some_and(|at| Some(at) < line.find(then))
        })
    };
    let is_own = |screen: &str| headed(screen, "mkt", "side");
    let is_chosen = |screen: &str| headed(screen, "side", "mkt");
    let mut session = Session::start(home.path(), SIZE, &demo);
    session.wait_for("1 Positions 5");
    session.wait_until("the columns as built in", is_own);
    session.press("C");
    session.wait_for("Columns  Positions");
    // The market goes one place down, and what is kept is kept although the desk is left at once.
    session.press("J\r\u{3}");
    assert_given_back(session, 0);

    let mut session = Session::start(home.path(), SIZE, &demo);
    session.wait_until("the chosen columns", is_chosen);
    session.press("\u{3}");
    assert_given_back(session, 0);

    let file = home.path().join(".local/state/perpdeck/columns.json");
    fs::write(&file, "{").unwrap();
    let mut session = Session::start(home.path(), SIZE, &demo);
    session.wait_for("columns.json: EOF while parsing");
    session.wait_until("the columns as built in", is_own);
    session.press("\u{3}");
    assert_given_back(session, 0);
}

#[test]
fn keys_of_an_edited_file_work_at_once_and_a_broken_one_takes_none_away() {
    let home = tempfile::tempdir().unwrap();
    let keys = config(home.path()).with_file_name("keys.toml");
    save(&keys, "[desk]\nhelp = \"f1\"\n");
    save(
        &config(home.path()),
        "keys_file = \"~/.config/perpdeck/keys.toml\"\n",
    );
    let mut session = Session::start(home.path(), SIZE, &["demo", "--speed", "0.001"]);
    session.wait_for("F1 help");
    save(&keys, "[desk]\nhelp = \"f2\"\nquit = \"Q\"\n");
    session.wait_for("keys_file changed");
    session.wait_for("F2 help");
    save(&keys, "[desk]\nhelp = \"f2\"\nquit = \"Q\"\nbye = \"Z\"\n");
    session.wait_for("[desk] bye: no such action");
    session.press("Q");
    session.wait_for("quit? this paper exchange ends with 5 positions");
    session.press("\u{3}");
    assert_given_back(session, 0);
}
