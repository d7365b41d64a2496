//! The finished requests of a verb: reported once, and the source of the service's clock.

use crate::{app::Clocks, model::Call};
use tokio::sync::mpsc::UnboundedReceiver;

#[derive(Debug)]
pub(super) struct CallLog {
    finished: UnboundedReceiver<Call>,
    /// Since they were last taken.
    recent: Vec<Call>,
    clocks: Clocks,
    has_answer: bool,
}

impl CallLog {
    pub(super) fn new(finished: UnboundedReceiver<Call>) -> Self {
        Self {
            finished,
            recent: vec![],
            clocks: Clocks::default(),
            has_answer: false,
        }
    }

    /// The requests since the last call.
    pub(super) fn take(&mut self) -> Vec<Call> {
        self.read();
        std::mem::take(&mut self.recent)
    }

    /// What their answers reported of the service's clock, and its own figures as far as they are added.
    pub(super) fn clocks(&mut self) -> &mut Clocks {
        self.read();
        &mut self.clocks
    }

    /// Whether no request has finished yet.
    pub(super) fn is_silent(&mut self) -> bool {
        self.read();
        !self.has_answer
    }

    fn read(&mut self) {
        while let Ok(call) = self.finished.try_recv() {
            self.clocks.called(&call);
            self.recent.push(call);
            self.has_answer = true;
        }
    }
}
