//! The mouse as the terminal reports it.
//!
//! Contract: perpdeck requests only presses, moves with a button down and the wheel: a pointer that only moves must not
//! wake the loop. With the setting off it requests nothing, and the terminal selects text as usual.

use crate::{
    app::{Msg, tables::click_target::ClickTarget},
    ui::{DrawState, Turn},
};
use crossterm::Command;
use ratatui::layout::Position;
use std::fmt;

/// Who handles the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    Desk,
    Terminal,
}

/// Presses, moves with a button down and the wheel (1002), in decimal places of any size (1006); on a terminal without
/// 1002, presses and the wheel (1000). crossterm's own sequence requests every move, too.
pub(crate) struct Take;

impl Command for Take {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\u{1b}[?1000h\u{1b}[?1002h\u{1b}[?1006h")
    }
}

/// Undoes [`Take`]; no effect if it was not taken.
pub(crate) struct GiveBack;

impl Command for GiveBack {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1000l")
    }
}

/// The message for a turn of the wheel over what the last frame showed there.
pub(crate) fn turned(at: Position, notches: i32, draw_state: &mut DrawState) -> Msg {
    let count = usize::try_from(notches.unsigned_abs()).unwrap_or(usize::MAX);
    let turn = match notches {
        ..0 => Turn::Up(count),
        0.. => Turn::Down(count),
    };
    let nothing = || (ClickTarget::Nothing, 0..0);
    let (spot, seen) = draw_state.turn(at, turn).unwrap_or_else(nothing);
    Msg::Scrolled(spot, seen)
}
