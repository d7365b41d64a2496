//! A flatten: rounds of a close-all and cancels, until reads prove that nothing is open (docs/delivery.md 9).
//!
//! Contract: it decides what is ended, when to read again and when to stop; the runtime sends, reads and waits. Stops and
//! targets are ended only once a complete read finds no position: until then they are the only protection. Rounds whose
//! lists cannot be read do not count among the others, up to a limit of their own.

use crate::model::{
    CloseAll, Command, Failure, FailureKind, FlatFinding, FlatProof, Flattening, OpenExposure,
    Proof, Proving, Resource, Text, Timestamp,
    remains::{entries, stops},
};
use std::{collections::HashSet, time::Duration};

/// Rounds whose lists were read and showed something.
const ROUNDS: u32 = 4;
/// Rounds whose lists could not be read, or had no end: five minutes of them.
const UNREAD_ROUNDS: u32 = 16;
/// Failed reads after which a round counts as having proved nothing.
const MOST_FAILED_READS: u32 = 5;

#[derive(Debug, Default)]
pub(crate) struct FlattenRun {
    progress: Flattening,
    rounds: u32,
    unread_rounds: u32,
    /// What the last read found.
    remains: Option<OpenExposure>,
    /// Why the last close-all did not end.
    refusal: Option<Failure>,
    /// What this round has ended.
    ended: HashSet<Resource>,
    proving: Proving,
    failed_reads: u32,
}

/// Whether a read can prove anything: an order on the wire may fill after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadValue {
    Proves,
    OnlyShows,
}

/// What follows a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterRead {
    Flat(FlatProof),
    /// Ends what was found, and reads again after this pause.
    ReadAgain(Duration),
    /// Ends what was found; the round is over.
    RoundOver,
}

impl FlattenRun {
    pub(crate) fn progress(&self) -> &Flattening {
        &self.progress
    }

    /// Begins another round, unless they are used up.
    pub(crate) fn begins_round(&mut self) -> bool {
        match self.remains.as_ref().map(OpenExposure::left) {
            _ if self.progress.round == 0 => {}
            Some(Ok(_)) => self.rounds += 1,
            Some(Err(_)) | None => self.unread_rounds += 1,
        }
        if self.rounds == ROUNDS || self.unread_rounds == UNREAD_ROUNDS {
            return false;
        }
        self.progress = Flattening {
            round: self.rounds + self.unread_rounds + 1,
            left: self.progress.left,
            ..Flattening::default()
        };
        true
    }

    /// Whether the round needs a close-all: a read may have shown that no position is open.
    pub(crate) fn needs_close_all(&self) -> bool {
        let mut read = self.remains.iter();
        !read.any(OpenExposure::is_closed)
    }

    /// The close-all has progressed.
    pub(crate) fn operated(&mut self, operation: CloseAll) {
        self.progress.operation = Some(operation);
    }

    /// The round has ended these, and its close-all, if it needed one, has ended or failed; reads follow.
    pub(crate) fn swept(&mut self, ended: HashSet<Resource>, closed: Result<(), Failure>) {
        self.refusal = closed.err();
        self.ended = ended;
        self.proving = Proving::default();
        self.failed_reads = 0;
    }

    /// These were ended after a read.
    pub(crate) fn ended(&mut self, ended: HashSet<Resource>) {
        self.ended.extend(ended);
    }

    /// Whether the round reads on: not after too many failures.
    pub(crate) fn reads_on(&self) -> bool {
        self.failed_reads < MOST_FAILED_READS
    }

    /// Whether the failure of this read is the first one of the round.
    pub(crate) fn is_first_failure(&self) -> bool {
        self.failed_reads == 0
    }

    /// A read that was begun at `at` found this.
    pub(crate) fn saw(
        &mut self,
        at: Timestamp,
        value: ReadValue,
        remains: OpenExposure,
    ) -> AfterRead {
        let finding = match (remains.left(), value) {
            (Ok(left), value) => {
                let finding = match value {
                    ReadValue::Proves => self.proving.saw(at, left),
                    ReadValue::OnlyShows => FlatFinding::Open,
                };
                self.progress.left = Some(left);
                self.progress.clean_since = self.proving.clean_since();
                finding
            }
            (Err(_), _) => {
                self.failed_reads += 1;
                FlatFinding::Open
            }
        };
        let is_read = remains.left().is_ok();
        self.remains = Some(remains);
        match finding {
            FlatFinding::Proved(proof) => AfterRead::Flat(proof),
            FlatFinding::Left => AfterRead::RoundOver,
            FlatFinding::Open if is_read => AfterRead::ReadAgain(self.proving.pause()),
            FlatFinding::Open => AfterRead::ReadAgain(pause_after(self.failed_reads)),
        }
    }

    /// What the last read found and the round has not ended yet, TWAPs first: a slice opens a position again.
    pub(crate) fn to_end(&self) -> [Vec<Command>; 3] {
        let Some(remains) = &self.remains else {
            return Default::default();
        };
        let protection = if remains.is_closed() {
            remains.protection()
        } else {
            vec![]
        };
        let all = [stops(&remains.twaps), entries(&remains.orders), protection];
        all.map(|mut commands| {
            commands.retain(|command| !self.ended.contains(&command.resource()));
            commands
        })
    }

    /// Why the account is not called flat.
    pub(crate) fn failure(&self) -> Failure {
        let message = match &self.remains {
            Some(remains) => self.describe(remains),
            None => "whether anything is left was not read".to_owned(),
        };
        // An unreadable list shows no conflict.
        let unread = self.remains.as_ref().and_then(OpenExposure::unread);
        let kind = unread.map_or(FailureKind::Conflict, |why| why.kind);
        let rounds = self.progress.round;
        let refusal = self.refusal.as_ref();
        let closing = refusal.map(|why| format!("its close-all: {why}; "));
        let closing = closing.unwrap_or_default();
        let not_flat = not_flat(
            kind,
            format!("not confirmed flat after {rounds} rounds; {closing}{message}"),
        );
        // Another key has to be used.
        match refusal.filter(|why| why.shows_read_only_key()) {
            Some(why) => Failure {
                kind: why.kind,
                status: why.status,
                code: why.code.clone(),
                ..not_flat
            },
            None => not_flat,
        }
    }

    /// What the last read found, and what the last close-all reported.
    fn describe(&self, remains: &OpenExposure) -> String {
        let operation = self.progress.operation.as_ref();
        let positions = remains.positions().iter();
        let positions = positions.map(|position| position.left_by(operation));
        let orders = remains.orders().iter();
        let orders = orders.map(|order| format!("order {}", order.id));
        let twaps = remains.twaps().iter();
        let twaps = twaps.map(|twap| format!("TWAP {}", twap.id));
        let left: Vec<_> = positions.chain(orders).chain(twaps).collect();
        let left = (!left.is_empty()).then(|| format!("still there: {}", left.join(", ")));
        let unread = remains.left().err();
        let unread =
            unread.map(|why| format!("whether anything else is left could not be read: {why}"));
        let parts: Vec<_> = left.into_iter().chain(unread).collect();
        parts.join("; ")
    }
}

/// The service refuses the key: more rounds would be refused too.
pub(crate) fn key_refused() -> Failure {
    let why = "the service refuses the key: nothing can be closed or read with it";
    not_flat(FailureKind::Auth, why)
}

/// The flatten was begun and did not end flat.
fn not_flat(kind: FailureKind, why: impl Into<Text>) -> Failure {
    Failure {
        proves: Proof::Refused,
        ..Failure::new(kind, why)
    }
}

/// Pause after this many failed reads: 1, 2, then 4 s.
fn pause_after(failed: u32) -> Duration {
    Duration::from_secs(1 << failed.clamp(1, 3).saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing,
        model::{Order, Page, Position},
    };

    fn orders() -> Vec<Order> {
        let more = r#""side":"sell","type":"limit","mode":"limit","size":1,"filled_size":0,"status":"resting""#;
        let stop = Order {
            reduce_only: true,
            ..testing::order("stop", "BTC", more)
        };
        vec![testing::order("entry", "BTC", more), stop]
    }

    fn position() -> Position {
        let position = r#"{"id":"pos-1","market_id":"paper|BTC","size":1}"#;
        serde_json::from_str(position).unwrap()
    }

    fn exposure(positions: Vec<Position>, orders: Vec<Order>) -> OpenExposure {
        OpenExposure {
            positions: Ok(Page::of(positions)),
            orders: Ok(Page::of(orders)),
            twaps: Ok(Page::of(vec![])),
        }
    }

    fn unread() -> OpenExposure {
        let why = Failure::new(FailureKind::Unavailable, "no");
        OpenExposure {
            positions: Err(why.clone()),
            orders: Err(why.clone()),
            twaps: Err(why),
        }
    }

    fn ids(commands: &[Vec<Command>; 3]) -> Vec<String> {
        let all = commands.iter().flatten();
        all.filter_map(|command| Some(command.cancels()?.to_string()))
            .collect()
    }

    #[test]
    fn a_stop_stays_until_a_read_finds_no_position() {
        let mut run = FlattenRun::default();
        assert!(run.begins_round() && run.needs_close_all());
        run.swept(HashSet::new(), Ok(()));
        let held = exposure(vec![position()], orders());
        run.saw(Timestamp(0), ReadValue::Proves, held);
        assert_eq!(ids(&run.to_end()), ["entry"]);
        run.ended(HashSet::from([Command::Cancel("entry".into()).resource()]));
        let closed = exposure(vec![], orders());
        run.saw(Timestamp(1_000), ReadValue::Proves, closed);
        assert_eq!(ids(&run.to_end()), ["stop"]);
        assert!(!run.needs_close_all());
    }

    #[test]
    fn reads_while_an_order_is_unanswered_prove_nothing() {
        let mut run = FlattenRun::default();
        run.begins_round();
        let mut saw = |at, value| run.saw(Timestamp(at), value, exposure(vec![], vec![]));
        for at in [0, 3_000, 6_000] {
            let next = saw(at, ReadValue::OnlyShows);
            assert!(matches!(next, AfterRead::ReadAgain(_)), "{next:?}");
        }
        saw(9_000, ReadValue::Proves);
        let next = saw(12_000, ReadValue::Proves);
        assert!(matches!(next, AfterRead::Flat(_)), "{next:?}");
    }

    #[test]
    fn rounds_that_cannot_be_read_do_not_use_up_the_others() {
        let mut run = FlattenRun::default();
        let mut rounds = 0;
        while run.begins_round() {
            rounds += 1;
            run.swept(HashSet::new(), Ok(()));
            let mut pauses = vec![];
            while run.reads_on() {
                pauses.push(run.saw(Timestamp(0), ReadValue::Proves, unread()));
            }
            let pauses_in_seconds = [1, 2, 4, 4, 4].map(Duration::from_secs);
            assert_eq!(pauses, pauses_in_seconds.map(AfterRead::ReadAgain));
        }
        assert_eq!(rounds, UNREAD_ROUNDS);
        assert_eq!(run.failure().kind, FailureKind::Unavailable);
    }
}
