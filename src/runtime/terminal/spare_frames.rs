//! A frame that is no longer shown, for the next one: its cells need not be allocated again.

use crate::runtime::base::lock::locked;
use ratatui::{buffer::Buffer, layout::Rect};
use std::sync::{Arc, Mutex};

#[derive(Debug, Clone, Default)]
pub(crate) struct SpareFrames(Arc<Mutex<Option<Buffer>>>);

impl SpareFrames {
    pub(super) fn give(&self, frame: Buffer) {
        *locked(&self.0) = Some(frame);
    }

    /// An empty frame of this size.
    pub(crate) fn take(&self, area: Rect) -> Buffer {
        let spare = locked(&self.0).take();
        match spare {
            Some(mut frame) if frame.area == area => {
                frame.reset();
                frame
            }
            Some(_) | None => Buffer::empty(area),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spare_frame_is_empty_and_of_the_size_of_the_screen() {
        let frames = SpareFrames::default();
        let used = Buffer::with_lines(["abc"]);
        frames.give(used.clone());
        assert_eq!(frames.take(used.area), Buffer::empty(used.area));
        frames.give(used);
        let wider = Rect::new(0, 0, 5, 2);
        assert_eq!(frames.take(wider), Buffer::empty(wider));
    }
}
