//! Sequences that control the terminal and draw nothing: the bell, desktop notifications, the clipboard.
//!
//! Contract: whatever the text, the bytes hold exactly one of our sequences. Text is shown as [`Text`] shows it,
//! without control characters, and cut to a safe length.

use crate::{
    app::{Clip, Model, TerminalOut, dialogs::overlay::Detail},
    config::Escape,
    model::{Text, Zone},
    view::{self, Scene},
};
use crossterm::{Command as _, clipboard::CopyToClipboard};

/// A notification is one line.
const LONGEST_NOTE: usize = 240;
/// Many terminals accept no more for the clipboard.
const LONGEST_COPY: usize = 64 * 1024;

/// What reads the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    Plain,
    /// tmux forwards only wrapped sequences, and only with `allow-passthrough`.
    Tmux,
}

pub(crate) fn bytes(
    signal: &TerminalOut,
    model: &Model,
    zone: &Zone,
    terminal: Terminal,
) -> Vec<u8> {
    match signal {
        TerminalOut::Bell => b"\x07".to_vec(),
        // tmux handles a copy itself.
        TerminalOut::Copy(clip) => copy(&clip_text(clip, model, zone)),
        // The painter does it.
        TerminalOut::Repaint => vec![],
        TerminalOut::Notify(notice) => {
            let alert = view::notification(notice);
            let note = note(model.account.options.alerts.desktop_escape, &alert);
            match terminal {
                Terminal::Plain => note.into_bytes(),
                Terminal::Tmux => wrapped(&note).into_bytes(),
            }
        }
    }
}

fn clip_text(clip: &Clip, model: &Model, zone: &Zone) -> String {
    match clip {
        Clip::Text(text) => Text::from(text.as_str()).to_string(),
        Clip::Lines(lines) => {
            let lines: Vec<_> = lines
                .iter()
                .map(|l| Text::from(l.as_str()).to_string())
                .collect();
            lines.join("\n")
        }
        Clip::Detail(row) => {
            let detail = Detail::of(row.clone());
            view::detail_text(&view::detail(model, &detail, &Scene::of(model, zone)))
        }
    }
}

fn copy(text: &str) -> Vec<u8> {
    let (text, _) = text.split_at(text.floor_char_boundary(LONGEST_COPY));
    let mut bytes = String::new();
    // Writing to a string cannot fail.
    let _written = CopyToClipboard::to_clipboard_from(text).write_ansi(&mut bytes);
    bytes.into_bytes()
}

fn note(escape: Escape, words: &str) -> String {
    let words: String = Text::from(words)
        .to_string()
        .chars()
        .take(LONGEST_NOTE)
        .collect();
    match escape {
        Escape::Osc9 => format!("\x1b]9;{words}\x07"),
        // Its fields are separated by semicolons.
        Escape::Osc777 => format!("\x1b]777;notify;perpdeck;{}\x07", words.replace(';', ",")),
        Escape::Kitty => format!("\x1b]99;;{words}\x1b\\"),
    }
}

fn wrapped(sequence: &str) -> String {
    format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_terminal_is_asked_in_its_own_words_and_hostile_text_stays_text() {
        let hostile = "filled \x1b]52;c;aGk=\x07;x";
        let shown = "filled \u{fffd}]52;c;aGk=\u{fffd}";
        let expected = [
            (Escape::Osc9, format!("\x1b]9;{shown};x\x07")),
            (
                Escape::Osc777,
                format!("\x1b]777;notify;perpdeck;{},x\x07", shown.replace(';', ",")),
            ),
            (Escape::Kitty, format!("\x1b]99;;{shown};x\x1b\\")),
        ];
        for (escape, bytes) in expected {
            assert_eq!(note(escape, hostile), bytes);
        }
        assert_eq!(wrapped("\x1b]9;a\x07"), "\x1bPtmux;\x1b\x1b]9;a\x07\x1b\\");
        assert!(note(Escape::Osc9, &"x".repeat(10_000)).len() < 300);
    }

    #[test]
    fn what_is_copied_goes_whole_and_encoded() {
        assert_eq!(copy("ord_90"), b"\x1b]52;c;b3JkXzkw\x1b\\");
        assert!(copy(&"ä".repeat(LONGEST_COPY)).len() < 100_000);
    }
}
