//! The demo's morning, played once and shipped with the program: a start reads it and moves it to now, instead of playing
//! 13,680 steps each time.
//!
//! The recorded 57 minutes begin at a full hour, so no funding is paid in them. Moved to another time of day they still
//! have none; the hour in which they end pays for all of it.

use super::super::engine::{Checkpoint, CheckpointFault, Engine, Millis};

const CHECKPOINT: &[u8] = include_bytes!("../../../assets/demo.checkpoint");
/// Virtual time at the end of the recorded morning: three minutes before an hour.
const END: Millis = Millis(1_790_002_620_000);

/// The engine of the demo at `start`: as recorded until its last whole minute, and simulated from there.
pub(super) fn demo_at(start: Millis) -> Result<Engine, CheckpointFault> {
    let recorded: Checkpoint<&[u8]> = postcard::from_bytes(CHECKPOINT)?;
    let mut engine = Engine::from_first_checkpoint(&recorded)?;
    engine.shift_time((start - END).0.div_euclid(Millis::MINUTE.0));
    engine.advance_to(start);
    Ok(engine)
}

#[cfg(test)]
mod tests {
    use super::super::Scenario;
    use super::*;
    use std::{env, fs};

    fn played(start: Millis) -> Engine {
        Scenario::demo().unwrap().played(start).unwrap()
    }

    fn bytes(mut engine: Engine) -> Vec<u8> {
        let mut checkpoint: Checkpoint = engine.checkpoint().unwrap();
        checkpoint
            .chunks
            .sort_by_key(|chunk| (chunk.table, chunk.place));
        postcard::to_stdvec(&checkpoint).unwrap()
    }

    /// `UPDATE_DEMO=1 cargo test --lib recorded` records it anew.
    #[test]
    fn the_recorded_morning_is_what_playing_it_gives() {
        let now = bytes(played(END));
        if env::var_os("UPDATE_DEMO").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo.checkpoint");
            fs::write(path, now).unwrap();
            return;
        }
        assert!(
            now == CHECKPOINT,
            "the demo plays otherwise than recorded: UPDATE_DEMO=1 cargo test --lib recorded"
        );
    }

    /// Every instant moves, or some part of the checkpoint would differ; only the hash covers the times of before.
    #[test]
    fn moved_within_the_hour_it_is_what_playing_it_then_gives() {
        let start = END + Millis(2 * Millis::MINUTE.0);
        let (mut moved, mut played) = (demo_at(start).unwrap(), played(start));
        moved.log.unhash();
        played.log.unhash();
        assert!(bytes(moved) == bytes(played));
    }

    #[test]
    fn moved_to_another_day_every_row_is_of_that_morning() {
        let start = END + Millis(400 * 86_400_000 + 5 * 3_600_000 + 50 * Millis::MINUTE.0);
        let engine = demo_at(start).unwrap();
        let account = engine.account("chal-1").unwrap();
        let morning = start - Millis(57 * Millis::MINUTE.0)..=start;
        let closed = engine.closed_positions(account, None);
        let mut count = 0;
        for position in closed {
            assert!(morning.contains(&position.opened_at), "{position:?}");
            assert!(position.closed_at.is_some_and(|at| morning.contains(&at)));
            count += 1;
        }
        assert!(count > 100, "{count}");
        assert_eq!(engine.now(), start);
    }
}
