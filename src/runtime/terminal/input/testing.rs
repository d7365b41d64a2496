//! What the fuzz target `terminal_input` calls.

use super::{Framer, Keyboard, TerminalInput};
use crate::{
    app::{Model, Msg, update},
    runtime::base::lock::locked,
};
use std::time::Duration;
use tokio::time::Instant;

/// Feeds a desk these bytes, each with the milliseconds before it. For the fuzz target `terminal_input`. Mouse reports
/// need a drawn frame and are left out.
pub fn typed<'a>(bursts: impl Iterator<Item = (u64, &'a [u8])>, model: &mut Model) {
    let keyboard = Keyboard::default();
    let mut now = Instant::now();
    let mut framer = Framer::new(now);
    for (pause, bytes) in bursts {
        now += Duration::from_millis(pause);
        keyboard.update_bindings(model);
        keyboard.put(framer.take(bytes, now), now);
        keyboard.desk_takes(model);
    }
    now += Duration::from_secs(5);
    keyboard.put(framer.lapse(now), now);
    keyboard.desk_takes(model);
}

impl Keyboard {
    fn desk_takes(&self, model: &mut Model) {
        loop {
            let next = locked(&self.0).queue.take();
            let msg = match next {
                None => return,
                Some(TerminalInput::Key(chord)) => Msg::Key(chord),
                Some(TerminalInput::Paste(text)) => Msg::Paste(text),
                Some(
                    TerminalInput::Click(_)
                    | TerminalInput::OtherButton
                    | TerminalInput::Drag(_)
                    | TerminalInput::Release(_)
                    | TerminalInput::Wheel(..)
                    | TerminalInput::Resize(_)
                    | TerminalInput::Lost
                    | TerminalInput::DroppedPaste,
                ) => continue,
            };
            drop(update(model, model.account.now, msg));
        }
    }
}
