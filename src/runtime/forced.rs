//! Panics on demand, for the drills of `docs/verification.md`.
//!
//! Contract: only a build with debug assertions reads the variable, which is no setting of perpdeck. A release build
//! ignores it.

use super::terminal::drawing::Render;
use crate::ui;
use std::env;

/// Where the desk panics: `draw` in every frame, `leave` right before it restores the terminal.
const VARIABLE: &str = "DRILL_PANIC";

/// The render function.
pub(super) fn render() -> Render {
    if is_asked("draw") {
        |_, _, _| broken("draw")
    } else {
        |screen, account_set, state| ui::render_changes(screen, account_set, state)
    }
}

/// The desk has ended and still has the terminal.
pub(super) fn leaving() {
    if is_asked("leave") {
        broken("leave");
    }
}

fn is_asked(place: &str) -> bool {
    cfg!(debug_assertions) && env::var(VARIABLE).is_ok_and(|asked| asked == place)
}

#[expect(clippy::panic, reason = "a drill asked for it")]
fn broken(place: &str) -> ! {
    panic!("a drill forced this panic: {place}");
}
