//! A restored engine behaves as if nothing had happened.

use std::collections::BTreeMap;

use super::{
    desk::START,
    market::synthetic,
    same_again::{MINUTE, script},
};
use crate::exchange::engine::*;

/// The contents of a directory: the newest core, and the newest chunk of every place.
#[derive(Default)]
pub(super) struct Shelf {
    core: Vec<u8>,
    chunks: BTreeMap<(u8, usize), CheckpointChunk>,
}

impl Shelf {
    /// How many chunks of rows had changed; histories change with every trade.
    pub(super) fn keep(&mut self, checkpoint: Checkpoint) -> usize {
        let is_row = |chunk: &&CheckpointChunk| chunk.table < CheckpointTable::Origins;
        let changed = checkpoint.chunks.iter().filter(is_row).count();
        self.core = checkpoint.core;
        for chunk in checkpoint.chunks {
            self.chunks.insert((chunk.table as u8, chunk.place), chunk);
        }
        changed
    }

    /// Replaces the engine by the one restored from what was stored, and compares them.
    pub(super) fn restart(&mut self, engine: &mut Engine) {
        self.keep(engine.checkpoint().unwrap());
        *engine = self.engine();
        let again = engine.checkpoint().unwrap();
        assert_eq!((again.core, again.chunks), (self.core.clone(), vec![]));
    }

    pub(super) fn engine(&self) -> Engine {
        Engine::restore(&self.core, self.chunks.values().cloned()).unwrap()
    }
}

/// Commands at minutes 1 to 4, then time until minute 10; the engine is stored and restored before each minute.
fn ten_minutes(mut pass: impl FnMut(Engine) -> Engine) -> Engine {
    let mut engine = synthetic(42);
    let me = engine.account("me").unwrap();
    let mut commands = script().into_iter();
    for minute in 1..=10 {
        engine = pass(engine);
        engine.advance_to(START + Millis(minute * MINUTE.0));
        if let Some(command) = commands.next() {
            engine.apply(me, command).unwrap();
        }
    }
    engine
}

#[test]
fn prices_orders_and_strategies_go_on_after_every_interruption_as_without_one() {
    let mut through = ten_minutes(|engine| engine);
    let mut shelf = Shelf::default();
    let mut resumed = ten_minutes(|mut engine| {
        shelf.keep(engine.checkpoint().unwrap());
        shelf.engine()
    });
    assert_eq!(resumed.log_hash(), through.log_hash());
    let (mut whole, rest) = (through.checkpoint().unwrap(), resumed.checkpoint().unwrap());
    whole.chunks.sort_by_key(|chunk| (chunk.table, chunk.place));
    assert_eq!(rest.core, whole.core);
    shelf.keep(rest);
    let chunks: Vec<CheckpointChunk> = shelf.chunks.into_values().collect();
    assert_eq!(chunks, whole.chunks);
}

#[test]
fn a_checkpoint_writes_what_changed_and_not_what_rests() {
    let mut engine = synthetic(7);
    let me = engine.account("me").unwrap();
    let far = |n: i64| OrderParams {
        mode: PlaceMode::Limit {
            price: Px(100_000 + 1_000 * n),
        },
        ..super::same_again::order(Side::Buy, PlaceMode::Market)
    };
    for n in 0..200 {
        engine.apply(me, EngineCommand::Place(far(n))).unwrap();
    }
    let mut shelf = Shelf::default();
    assert_eq!(shelf.keep(engine.checkpoint().unwrap()), 4, "all of it");
    engine.advance_to(START + MINUTE);
    assert_eq!(
        shelf.keep(engine.checkpoint().unwrap()),
        2,
        "markets and accounts"
    );
    let last = engine.working_orders(me).next().unwrap().id;
    engine.apply(me, EngineCommand::Cancel(last)).unwrap();
    let changed = engine.checkpoint().unwrap().chunks;
    let orders = changed
        .iter()
        .filter(|chunk| chunk.table == CheckpointTable::Orders);
    assert_eq!(orders.map(|chunk| chunk.place).collect::<Vec<_>>(), [1]);
}

#[test]
fn a_checkpoint_with_a_piece_missing_or_cut_is_no_engine() {
    let mut engine = ten_minutes(|engine| engine);
    let Checkpoint { core, chunks } = engine.checkpoint().unwrap();
    let without_orders = chunks
        .iter()
        .filter(|chunk| chunk.table != CheckpointTable::Orders);
    let missing = Engine::restore(&core, without_orders.cloned());
    assert!(matches!(
        missing,
        Err(CheckpointFault::Rows { found: 0, .. })
    ));
    let cut = Engine::restore(&core[..core.len() / 2], chunks);
    assert!(matches!(cut, Err(CheckpointFault::Bytes(_))));
}
