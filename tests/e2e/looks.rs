//! What leaves for the terminal beside the words: colors as it has them, the bell, notes to the desktop, copies.

use super::{session::Session, *};
use std::{collections::BTreeSet, fs};

type Environment = &'static [(&'static str, &'static str)];

const DEMO: [&str; 3] = ["demo", "--speed", "0.001"];

/// How a color is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    True,
    /// By a number of the 256.
    Indexed,
    /// One of the terminal's own sixteen.
    Basic,
}

/// The parameters of each SGR sequence in what was written.
fn styles(bytes: &[u8]) -> Vec<Vec<u16>> {
    let text = String::from_utf8_lossy(bytes);
    let after = text.split("\u{1b}[").skip(1);
    let styles = after.filter_map(|rest| {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
        let (numbers, rest) = rest.split_at(end);
        rest.starts_with('m')
            .then(|| numbers.split(';').map(|n| n.parse().unwrap_or(0)).collect())
    });
    styles.collect()
}

/// Every way in which a color was asked for; going back to the terminal's own is none.
fn asked(bytes: &[u8]) -> BTreeSet<Asked> {
    let mut found = BTreeSet::new();
    for style in styles(bytes) {
        let mut rest = style.as_slice();
        while let [first, tail @ ..] = rest {
            rest = match (first, tail) {
                (38 | 48 | 58, [2, _, _, _, tail @ ..]) => {
                    found.insert(Asked::True);
                    tail
                }
                (38 | 48 | 58, [5, number, tail @ ..]) => {
                    let is_basic = *number < 16;
                    found.insert(if is_basic {
                        Asked::Basic
                    } else {
                        Asked::Indexed
                    });
                    tail
                }
                (30..=37 | 40..=47 | 90..=97 | 100..=107, tail) => {
                    found.insert(Asked::Basic);
                    tail
                }
                (_, tail) => tail,
            };
        }
    }
    found
}

/// All that a desk writes which is opened, asked for its help and left.
fn written(environment: &[(&str, &str)]) -> Vec<u8> {
    let home = tempfile::tempdir().unwrap();
    let mut session = Session::start_with(home.path(), SIZE, &DEMO, environment);
    session.wait_for("1 Positions 5");
    session.wait_for("LONG");
    session.press("?");
    session.wait_for("CLOSE ALL");
    session.press("\u{3}");
    let end = session.end();
    assert_eq!((end.code, end.kept), (0, vec![]));
    end.bytes
}

#[test]
fn a_terminal_gets_the_colors_it_has_and_no_others() {
    let terminals: [(Environment, &[Asked]); 6] = [
        (&[("COLORTERM", "truecolor")], &[Asked::True]),
        (&[("TERM", "xterm-kitty")], &[Asked::True]),
        (&[("TERM", "xterm-256color")], &[Asked::Indexed]),
        (&[("TERM", "linux")], &[Asked::Basic]),
        (&[("TERM", "xterm-16color")], &[Asked::Basic]),
        (&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")], &[]),
    ];
    for (environment, colors) in terminals {
        let bytes = written(environment);
        let expected: BTreeSet<_> = colors.iter().copied().collect();
        assert_eq!(asked(&bytes), expected, "{environment:?}");
    }
}

#[test]
fn a_setting_counts_before_what_the_terminal_says_of_itself() {
    let settings: [(Environment, &[Asked]); 3] = [
        (
            &[("PERPDECK_COLOR", "16"), ("COLORTERM", "truecolor")],
            &[Asked::Basic],
        ),
        (
            &[("PERPDECK_COLOR", "truecolor"), ("TERM", "linux")],
            &[Asked::True],
        ),
        (
            &[("PERPDECK_COLOR", "never"), ("COLORTERM", "truecolor")],
            &[],
        ),
    ];
    for (environment, colors) in settings {
        let bytes = written(environment);
        let expected: BTreeSet<_> = colors.iter().copied().collect();
        assert_eq!(asked(&bytes), expected, "{environment:?}");
    }
}

#[test]
fn broken_colors_are_explained_and_the_desk_runs_on() {
    let home = tempfile::tempdir().unwrap();
    let theme = home.path().join("theme.toml");
    let save = |text: &str| {
        let fresh = home.path().join("theme.toml~");
        fs::write(&fresh, text).unwrap();
        fs::rename(fresh, &theme).unwrap();
    };
    let light = include_str!("../../assets/themes/light.toml");
    save("text = \"red\"\n");
    let own = [
        ("PERPDECK_THEME_FILE", theme.to_str().unwrap()),
        ("COLORTERM", "truecolor"),
        // At this speed of the market every slice is late.
        ("PERPDECK_ALERTS__TWAP_STALLED", ""),
    ];
    let mut session = Session::start_with(home.path(), SIZE, &DEMO, &own);
    session.wait_for("1 Positions 5");
    // Where it stays to be read.
    session.press("7");
    session.wait_for("theme.toml: ");
    save(light);
    session.wait_for("settings: theme_file changed");
    // The text of the light theme, #2c3444.
    session.wait_for_bytes(b"38;2;44;52;68");
    save("text = 7\n");
    session.wait_for("settings not applied, the old ones stay in force: theme_file");
    session.press("\u{3}");
    assert_given_back(session, 0);
}

/// What is left of the bytes without the sequences that are told to the terminal by name (OSC), which may end in a bell.
fn without_commands(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut parts = text.split("\u{1b}]");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| {
        let end = part
            .find(['\u{7}', '\u{1b}'])
            .map_or(part.len(), |at| at + 1);
        kept + &part[end..]
    })
}

/// A desk on which positions are as near to liquidation as the settings call near.
fn alarmed(home: &TempDir, ways: &str, more: &[(&str, &str)]) -> Session {
    let alarm = [
        ("PERPDECK_ALERTS__LIQUIDATION_WITHIN", "99"),
        ("PERPDECK_ALERTS__LIQUIDATION", ways),
        ("PERPDECK_ALERTS__GUARD", ""),
    ];
    let environment = [&alarm[..], more].concat();
    Session::start_with(home.path(), SIZE, &DEMO, &environment)
}

#[test]
fn an_alert_rings_and_goes_to_the_desktop_in_the_words_the_terminal_knows() {
    let escapes: [(Environment, &[u8]); 4] = [
        (&[], b"\x1b]9;LIQUIDATION NEAR: "),
        (
            &[("PERPDECK_ALERTS__DESKTOP_ESCAPE", "osc777")],
            b"\x1b]777;notify;perpdeck;LIQUIDATION NEAR: ",
        ),
        (
            &[("PERPDECK_ALERTS__DESKTOP_ESCAPE", "kitty")],
            b"\x1b]99;;LIQUIDATION NEAR: ",
        ),
        (
            &[("TMUX", "/tmp/tmux-1000/default,1,0")],
            b"\x1bPtmux;\x1b\x1b]9;LIQUIDATION NEAR: ",
        ),
    ];
    for (environment, note) in escapes {
        let home = tempfile::tempdir().unwrap();
        let mut session = alarmed(&home, "toast bell desktop", environment);
        session.wait_for("LIQUIDATION NEAR");
        session.wait_for_bytes(note);
        session.press("\u{3}");
        let end = session.end();
        assert_eq!((end.code, end.kept), (0, vec![]));
        assert!(without_commands(&end.bytes).contains('\u{7}'), "it rang");
    }
}

#[test]
fn what_is_switched_off_neither_rings_nor_leaves_the_screen() {
    let home = tempfile::tempdir().unwrap();
    let mut session = alarmed(&home, "toast", &[]);
    session.wait_for("LIQUIDATION NEAR");
    session.press("\u{3}");
    let end = session.end();
    assert_eq!((end.code, end.kept), (0, vec![]));
    let all = String::from_utf8_lossy(&end.bytes);
    let told: Vec<_> = ["\u{7}", "\u{1b}]9;", "\u{1b}]777;", "\u{1b}]99;"]
        .into_iter()
        .filter(|sequence| all.contains(sequence))
        .collect();
    assert_eq!(told, Vec::<&str>::new());
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let chunks = bytes.chunks(3).map(|chunk| {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        let letters = [18, 12, 6, 0].map(|shift| {
            let at = usize::try_from((bits >> shift) & 63).unwrap();
            char::from(LETTERS[at])
        });
        let known: String = letters.iter().take(chunk.len() + 1).collect();
        format!("{known:=<4}")
    });
    chunks.collect()
}

#[test]
fn a_copy_goes_into_the_clipboard_of_the_terminal() {
    let (mut session, _home) = desk();
    session.press("2");
    session.press("y");
    session.wait_for("copied ");
    let screen = session.screen();
    let (_, copied) = screen.split_once("copied ").unwrap();
    let id = copied.split_whitespace().next().unwrap();
    let sequence = format!("\u{1b}]52;c;{}\u{1b}\\", base64(id.as_bytes()));
    session.wait_for_bytes(sequence.as_bytes());
    session.press("\u{3}");
    assert_given_back(session, 0);
}
