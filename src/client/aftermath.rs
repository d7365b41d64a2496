//! What a close-all has left: its `completed` means submitted, so reads say whether the positions are gone.

use super::Client;
use crate::model::{Failure, FailureKind, Finding, FlatProof, Leftovers, Page, Position, Proving};
use tokio::time::sleep;

/// Reads that may come to nothing before it is given up.
const READS: u32 = 20;

/// What complete reads of the open positions found.
#[derive(Debug, Clone, PartialEq)]
pub enum Aftermath {
    /// None is open, on two of them.
    Closed(FlatProof),
    /// These are, and not only because their closes are on their way.
    Open(Vec<Position>),
}

impl Client {
    /// Reads the open positions until they tell; fails with why they do not.
    pub async fn aftermath(&self) -> Result<Aftermath, Failure> {
        let account = &self.connection().account_id;
        let mut proving = Proving::default();
        let mut trouble = incomplete();
        for _ in 0..READS {
            sleep(self.pause_left()).await;
            let at = self.now();
            match self.open_positions(account).await {
                Ok(page) if page.is_whole() => match proving.saw(at, found(&page)) {
                    Finding::Proved(proof) => return Ok(Aftermath::Closed(proof)),
                    Finding::Left => return Ok(Aftermath::Open(page.rows)),
                    Finding::Open => {}
                },
                Ok(_) => trouble = incomplete(),
                Err(why) if why.kind == FailureKind::Auth => return Err(why),
                Err(why) => trouble = why,
            }
            sleep(self.tempo().of(proving.pause())).await;
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
