//! Whether the positions are gone after a close-all: its `completed` only means submitted, so perpdeck reads them.

use super::Client;
use crate::model::{
    Failure, FailureKind, Fallible, FlatFinding, FlatProof, Leftovers, Page, Position, Proving,
};
use tokio::time::sleep;

/// Inconclusive reads before it gives up.
const READS: u32 = 20;

/// What complete reads of the open positions show.
#[derive(Debug, Clone, PartialEq)]
pub enum CloseCheck {
    /// Two reads found none.
    Closed(FlatProof),
    /// These are open, and not only because their closes are still filling.
    Open(Vec<Position>),
}

impl Client {
    /// Reads the open positions until the result is certain; fails if it stays uncertain.
    pub async fn check_closed(&self) -> Fallible<CloseCheck> {
        let account = &self.connection().account_id;
        let mut proving = Proving::default();
        let mut trouble = incomplete();
        for _ in 0..READS {
            sleep(self.pause_left()).await;
            let at = self.now();
            match self.open_positions(account).await {
                Ok(page) if page.is_whole() => match proving.saw(at, found(&page)) {
                    FlatFinding::Proved(proof) => return Ok(CloseCheck::Closed(proof)),
                    FlatFinding::Left => return Ok(CloseCheck::Open(page.rows)),
                    FlatFinding::Open => {}
                },
                Ok(_) => trouble = incomplete(),
                Err(why) if why.kind == FailureKind::Auth => return Err(why),
                Err(why) => trouble = why,
            }
            sleep(self.timeouts().scaled(proving.pause())).await;
        }
        Err(trouble)
    }
}

fn found(page: &Page<Position>) -> Leftovers {
    Leftovers {
        positions: page.rows.len(),
        ..Leftovers::default()
    }
}

fn incomplete() -> Failure {
    let why = "the list of open positions is not complete";
    Failure::new(FailureKind::Unreadable, why)
}
