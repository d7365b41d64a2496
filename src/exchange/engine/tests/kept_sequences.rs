//! The sequences of `sequences.rs` with rows that go an hour after their end (`serve --keep`): every command and every step
//! runs beside rows that are no longer there. A reference to one of them would stop the engine.

use proptest::{prelude::*, test_runner::TestRunner};
use std::cell::Cell;

use super::{
    checkpoint::Shelf,
    desk::{Desk, markets},
    sequences::{Act, Story, act, rules},
};
use crate::exchange::{engine::*, tests::sequences::config};

/// At every whole hour nearly everything that has ended goes.
const KEEP: Millis = Millis::HOUR;

/// A desk whose rows go some time after their end.
pub(super) struct KeptDesk {
    pub(super) desk: Desk,
    shelf: Shelf,
}

impl KeptDesk {
    pub(super) fn new(cash: i64, rules: ChallengeRules) -> Self {
        let mut desk = Desk::with(cash, rules, markets());
        desk.engine.keep_for(Some(KEEP));
        Self {
            desk,
            shelf: Shelf::default(),
        }
    }

    pub(super) fn restart(&mut self) {
        self.shelf.keep(self.desk.engine.checkpoint().unwrap());
        self.desk.engine = self.shelf.engine();
        self.desk.engine.keep_for(Some(KEEP));
    }

    /// The same outcome as where every row stays, unless the command is about a row that is gone.
    pub(super) fn apply(
        &mut self,
        command: &EngineCommand,
        expected: &Result<CommandOutcome, CommandRefusal>,
    ) {
        let is_there = self.has(command);
        let done = self.desk.apply(command.clone());
        if is_there {
            assert_eq!(&done, expected, "{command:?}");
        } else {
            let kind = done.map_err(|refusal| refusal.kind);
            assert_eq!(kind, Err(RefusalKind::NotFound), "{command:?}");
            let is_harmless = matches!(command, EngineCommand::CancelScaled(_));
            assert!(expected.is_err() || is_harmless, "{command:?}");
        }
    }

    /// Whether the row that a command is about is there.
    fn has(&self, command: &EngineCommand) -> bool {
        let (engine, me) = (&self.desk.engine, self.desk.me);
        match command {
            EngineCommand::Cancel(id) | EngineCommand::QueueCancel(id) => {
                engine.order(me, *id).is_some()
            }
            EngineCommand::Modify(modify) => engine.order(me, modify.order).is_some(),
            EngineCommand::ChangeExits(change) => engine.position(me, change.position).is_some(),
            EngineCommand::SetExits(exits) => engine.order(me, exits.order).is_some(),
            EngineCommand::Close(close) => engine.position(me, close.position).is_some(),
            EngineCommand::ForceClose(id) => engine.position(me, *id).is_some(),
            EngineCommand::StopTwap(id) => engine.twap(me, *id).is_some(),
            EngineCommand::CancelScaled(id) => engine.scaled(me, *id).is_some(),
            EngineCommand::SetIsolatedMargin(margin) => {
                engine.position(me, margin.position).is_some()
            }
            EngineCommand::Place(_)
            | EngineCommand::PlaceTwap(_)
            | EngineCommand::PlaceScaled(_) => true,
        }
    }
}

/// Everything that goes on is the same, and what is there is as it was.
fn compare(story: &Story) {
    let (all, kept) = (&story.desk.engine, &story.kept().engine);
    let me = story.desk.me;
    assert_eq!(kept.log_hash(), all.log_hash());
    assert_eq!(kept.account_facts(me), all.account_facts(me));
    assert_eq!(kept.money(), all.money());
    assert_eq!(kept.open_positions(me), all.open_positions(me));
    assert!(kept.working_orders(me).eq(all.working_orders(me)));
    assert!(kept.live_twaps(me).eq(all.live_twaps(me)));
    for row in kept.orders(me, None) {
        assert_eq!(Some(row), all.order(me, row.id));
    }
    for row in kept.closed_positions(me, None) {
        assert_eq!(all.position(me, row.id), Some(row));
    }
    for row in kept.twap_orders(me) {
        assert_eq!(Some(row), all.twap(me, row.id));
    }
    for row in kept.scaled_orders(me) {
        assert_eq!(Some(row), all.scaled(me, row.id));
    }
}

#[test]
fn with_rows_that_go_after_their_end_everything_happens_as_without() {
    let cases = config().cases.div_ceil(4);
    let cash = prop_oneof![Just(3_000_i64), Just(50_000)];
    // Time that passes in earnest, in a fifth of the acts.
    let act = prop_oneof![8 => act(), 1 => Just(Act::Hour), 1 => Just(Act::Midnight)];
    let acts = prop::collection::vec(act, 1..80);
    let stories = (cash, rules(), any::<bool>(), acts);
    let dropped = Cell::new(0);
    let done = TestRunner::new(ProptestConfig { cases, ..config() }).run(
        &stories,
        |(cash, rules, gradual, acts)| {
            let mut kept = KeptDesk::new(cash, rules);
            let mut story = Story::new(cash, rules);
            if gradual {
                for desk in [&mut story.desk, &mut kept.desk] {
                    desk.engine.venue.liquidation = LiquidationMode::Gradual;
                }
            }
            let mut story = story.with_kept(kept);
            for act in acts {
                story.happen(act);
                story.check();
                compare(&story);
            }
            dropped.set(dropped.get() + story.kept().engine.orders.size().dropped);
            Ok(())
        },
    );
    if let Err(why) = done {
        panic!("{why}");
    }
    let wanted = usize::try_from(cases).unwrap();
    assert!(
        dropped.get() >= wanted,
        "only {} orders were dropped",
        dropped.get()
    );
}
