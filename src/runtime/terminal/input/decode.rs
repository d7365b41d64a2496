//! Decodes characters and escape sequences, by [xterm's list](https://invisible-island.net/xterm/ctlseqs/ctlseqs.html)
//! and kitty's `CSI u`.

use super::{event::TerminalInput, sequence::ESC};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Position;

/// The last byte of `CSI … x` and of `SS3 x`.
const LETTERS: &[(u8, KeyCode)] = &[
    (b'A', KeyCode::Up),
    (b'B', KeyCode::Down),
    (b'C', KeyCode::Right),
    (b'D', KeyCode::Left),
    (b'E', KeyCode::KeypadBegin),
    (b'F', KeyCode::End),
    (b'H', KeyCode::Home),
    (b'P', KeyCode::F(1)),
    (b'Q', KeyCode::F(2)),
    (b'R', KeyCode::F(3)),
    (b'S', KeyCode::F(4)),
];

/// The number of `CSI … ~`; function keys are in [`FUNCTIONS`].
const NUMBERS: &[(u32, KeyCode)] = &[
    (1, KeyCode::Home),
    (2, KeyCode::Insert),
    (3, KeyCode::Delete),
    (4, KeyCode::End),
    (5, KeyCode::PageUp),
    (6, KeyCode::PageDown),
    (7, KeyCode::Home),
    (8, KeyCode::End),
];

/// The numbers of F1 to F20, in order.
const FUNCTIONS: &[u32] = &[
    11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34,
];

/// The bits of the modifier parameter minus one.
const MODIFIERS: &[(u32, KeyModifiers)] = &[
    (1, KeyModifiers::SHIFT),
    (2, KeyModifiers::ALT),
    (4, KeyModifiers::CONTROL),
    (8, KeyModifiers::SUPER),
    (16, KeyModifiers::HYPER),
    (32, KeyModifiers::META),
];

/// The bits of a button's number that say which modifiers were held.
const HELD: u32 = 0b1_1100;

/// `None` for what concerns the desk not: focus, answers, the pointer's moves with no button down, keys let go.
pub(crate) fn decode(bytes: &[u8]) -> Option<TerminalInput> {
    match bytes {
        [ESC, b'[', b'[', letter] => linux_console(*letter),
        [ESC, b'[', b'M', button, column, row] => {
            let [button, column, row] =
                [button, column, row].map(|b| u32::from(b.saturating_sub(32)));
            pointed(button, [column, row])
        }
        [ESC, b'[', b'<', inner @ .., b'M'] => match *numbers(inner)?.as_slice() {
            [[button, _], [column, _], [row, _]] => pointed(button, [column, row]),
            _ => None,
        },
        [ESC, b'[', b'<', inner @ .., b'm'] => match *numbers(inner)?.as_slice() {
            [[button, _], [column, _], [row, _]] if button & !HELD == 0 => {
                Some(TerminalInput::Release(place([column, row])))
            }
            _ => None,
        },
        [ESC, b'O', b'M'] => Some(press(KeyCode::Enter, KeyModifiers::NONE)),
        [ESC, b'[' | b'O', inner @ .., last] => key(inner, *last),
        [ESC, rest @ ..] if !rest.is_empty() => alone(rest, KeyModifiers::ALT),
        _ => alone(bytes, KeyModifiers::NONE),
    }
}

fn press(code: KeyCode, modifiers: KeyModifiers) -> TerminalInput {
    TerminalInput::Key(KeyEvent::new(code, modifiers).into())
}

/// One character, or the control character of a key.
fn alone(bytes: &[u8], held: KeyModifiers) -> Option<TerminalInput> {
    let mut chars = str::from_utf8(bytes).ok()?.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else {
        return None;
    };
    let control = held | KeyModifiers::CONTROL;
    let (code, modifiers) = match c {
        '\r' => (KeyCode::Enter, held),
        '\t' => (KeyCode::Tab, held),
        '\u{7f}' => (KeyCode::Backspace, held),
        '\u{1b}' => (KeyCode::Esc, held),
        '\0' => (KeyCode::Char(' '), control),
        '\u{1}'..='\u{1a}' => (offset(c, '\u{1}', 'a')?, control),
        '\u{1c}'..='\u{1f}' => (offset(c, '\u{1c}', '4')?, control),
        _ => (KeyCode::Char(c), held),
    };
    Some(press(code, modifiers))
}

fn offset(c: char, from: char, to: char) -> Option<KeyCode> {
    let moved = u32::from(c).checked_sub(u32::from(from))?;
    char::from_u32(u32::from(to) + moved).map(KeyCode::Char)
}

fn linux_console(letter: u8) -> Option<TerminalInput> {
    let number = letter.checked_sub(b'A').filter(|number| *number < 5)?;
    Some(press(KeyCode::F(number + 1), KeyModifiers::NONE))
}

/// Parameters separated by `;`, each with an optional `:` subparameter; a missing one is 1.
fn numbers(inner: &[u8]) -> Option<Vec<[u32; 2]>> {
    let number = |text: &str| {
        if text.is_empty() {
            Some(1)
        } else {
            text.parse().ok()
        }
    };
    let one = |part: &str| {
        let mut parts = part.split(':');
        Some([number(parts.next()?)?, number(parts.next().unwrap_or(""))?])
    };
    str::from_utf8(inner).ok()?.split(';').map(one).collect()
}

fn key(inner: &[u8], last: u8) -> Option<TerminalInput> {
    let numbers = numbers(inner)?;
    let (code, held) = match (last, numbers.as_slice()) {
        (b'~', [[27, _], held, [character, _]]) => (character_key(*character)?, Some(held)),
        (b'~', [[number, _], rest @ ..]) => (numbered(*number)?, rest.first()),
        (b'u', [[character, _], rest @ ..]) => (character_key(*character)?, rest.first()),
        (b'Z', _) => return Some(press(KeyCode::BackTab, KeyModifiers::SHIFT)),
        (letter, [[1, _], rest @ ..]) => (by(LETTERS, &letter)?, rest.first()),
        // Some terminals send `SS3 5 P`.
        (letter, [held]) => (by(LETTERS, &letter)?, Some(held)),
        _ => return None,
    };
    let [held, kind] = held.copied().unwrap_or([1, 1]);
    // Only a press: a repeat or a release must not confirm anything.
    (kind == 1).then(|| press(code, modifiers(held)))
}

fn by<K: PartialEq, V: Copy>(table: &[(K, V)], key: &K) -> Option<V> {
    let found = table.iter().find(|(known, _)| known == key);
    found.map(|(_, value)| *value)
}

fn numbered(number: u32) -> Option<KeyCode> {
    let function = || {
        let at = FUNCTIONS.iter().position(|known| *known == number)?;
        u8::try_from(at + 1).ok().map(KeyCode::F)
    };
    by(NUMBERS, &number).or_else(function)
}

/// Control characters stand for their keys.
fn character_key(character: u32) -> Option<KeyCode> {
    let c = char::from_u32(character)?;
    Some(match c {
        '\r' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        '\u{1b}' => KeyCode::Esc,
        '\u{7f}' => KeyCode::Backspace,
        // Kitty's numbers for keys without a character.
        '\u{e000}'..='\u{f8ff}' => return None,
        c => KeyCode::Char(c),
    })
}

fn modifiers(number: u32) -> KeyModifiers {
    let bits = number.saturating_sub(1);
    let held = MODIFIERS.iter().filter(|(bit, _)| bits & bit != 0);
    held.fold(KeyModifiers::NONE, |all, (_, one)| all | *one)
}

/// The left button pressed, moved or let go (in the old form no button is named then), or a notch of the wheel.
/// Modifiers do not matter.
fn pointed(button: u32, at: [u32; 2]) -> Option<TerminalInput> {
    let at = place(at);
    match button & !HELD {
        0 => Some(TerminalInput::Click(at)),
        1 | 2 => Some(TerminalInput::OtherButton),
        3 => Some(TerminalInput::Release(at)),
        32 => Some(TerminalInput::Drag(at)),
        64 => Some(TerminalInput::Wheel(at, -1)),
        65 => Some(TerminalInput::Wheel(at, 1)),
        _ => None,
    }
}

/// Places are counted from 1.
fn place(at: [u32; 2]) -> Position {
    let [x, y] = at.map(|from_1| u16::try_from(from_1.saturating_sub(1)).unwrap_or(u16::MAX));
    Position::new(x, y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::keys::keymap::Chord;

    fn key(text: &str) -> TerminalInput {
        TerminalInput::Key(text.parse::<Chord>().unwrap())
    }

    #[test]
    fn every_key_is_read_as_terminals_send_it() {
        let table: &[(&[u8], &str)] = &[
            (b"F", "F"),
            (b"\x03", "ctrl-c"),
            (b"\x18", "ctrl-x"),
            (b"\x06", "ctrl-f"),
            (b"\r", "enter"),
            (b"\n", "ctrl-j"),
            (b"\t", "tab"),
            (b"\x7f", "backspace"),
            (b"\x08", "ctrl-h"),
            (b"\0", "ctrl-space"),
            (b"\x1b", "esc"),
            ("ä".as_bytes(), "ä"),
            (b"\x1bx", "alt-x"),
            (b"\x1b\r", "alt-enter"),
            (b"\x1b[A", "up"),
            (b"\x1bOB", "down"),
            (b"\x1b[F", "end"),
            (b"\x1bOF", "end"),
            (b"\x1b[4~", "end"),
            (b"\x1b[8~", "end"),
            (b"\x1b[1;3F", "alt-end"),
            (b"\x1b[1;2A", "shift-up"),
            (b"\x1b[5~", "pageup"),
            (b"\x1b[6;2~", "shift-pagedown"),
            (b"\x1b[Z", "shift-tab"),
            (b"\x1bOP", "f1"),
            (b"\x1b[[E", "f5"),
            (b"\x1b[15~", "f5"),
            (b"\x1b[24~", "f12"),
            (b"\x1b[1;5R", "ctrl-f3"),
            (b"\x1b[27;5;99~", "ctrl-c"),
            (b"\x1b[99;5u", "ctrl-c"),
            (b"\x1b[27u", "esc"),
            (b"\x1b[97;2u", "A"),
        ];
        for (bytes, name) in table {
            assert_eq!(decode(bytes), Some(key(name)), "{bytes:?}");
        }
    }

    #[test]
    fn keys_held_or_let_go_focus_and_answers_are_no_keys() {
        let nothing: &[&[u8]] = &[
            b"\x1b[99;5:3u",
            b"\x1b[99;5:2u",
            b"\x1b[I",
            b"\x1b[O",
            b"\x1b[201~",
            b"\x1b[12;40R",
            b"\x1b[?62;4c",
            b"\x1b[57358u",
            b"\x1b]11;rgb:FFFF/FFFF/FFFF\x07",
            b"\x1b[<35;4;4M",
            b"\x1b[<34;4;4M",
            b"\x1b[<2;4;4m",
            b"\x1b[<66;4;4M",
            b"\x1b[<6M",
            b"\x1b[999999999999F",
        ];
        for bytes in nothing {
            assert_eq!(decode(bytes), None, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn the_mouse_is_read_in_both_of_its_forms() {
        let at = Position::new(9, 4);
        for (bytes, input) in [
            (&b"\x1b[<0;10;5M"[..], TerminalInput::Click(at)),
            (b"\x1b[<16;10;5M", TerminalInput::Click(at)),
            (b"\x1b[<2;10;5M", TerminalInput::OtherButton),
            (b"\x1b[<32;10;5M", TerminalInput::Drag(at)),
            (b"\x1b[<0;10;5m", TerminalInput::Release(at)),
            (b"\x1b[M#*%", TerminalInput::Release(at)),
            (b"\x1b[<64;10;5M", TerminalInput::Wheel(at, -1)),
            (b"\x1b[<65;10;5M", TerminalInput::Wheel(at, 1)),
            (b"\x1b[M *%", TerminalInput::Click(at)),
            (b"\x1b[Ma*%", TerminalInput::Wheel(at, 1)),
        ] {
            assert_eq!(decode(bytes), Some(input));
        }
    }
}
