//! Recordings that are cut, or whose lines are repeated, missing or changed.

use super::{START, Sample, replaying};
use crate::{
    exchange::engine::{AccountIx, PlaceMode, Side},
    feed::recording::compressed,
};
use proptest::prelude::*;
use tempfile::TempDir;

/// What happens to a line, chosen by a number from 0 to 99.
fn harmed(line: &str, draw: u32) -> Vec<String> {
    let whole = line.to_owned();
    match draw {
        0..=4 => vec![],
        5..=9 => vec![whole.clone(), whole],
        10..=13 => vec![line.chars().take(line.len() / 2).collect()],
        14..=17 => vec![whole.replace("px", "pz")],
        18..=20 => vec![whole.replace("\"1", "\"-1")],
        21..=23 => vec![whole.replace("100", "9")],
        _ => vec![whole],
    }
}

fn cut_short(text: &str, cut: usize) -> Vec<u8> {
    let mut bytes = compressed(text).unwrap();
    bytes.truncate(bytes.len().saturating_sub(cut).max(20));
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_damage_makes_a_replay_panic_or_fill_more_than_the_market_showed(
        draws in prop::collection::vec(0_u32..100, 120),
        cut in 0_usize..400,
    ) {
        let home = TempDir::new().unwrap();
        let sample = Sample::default().walk(60);
        let lines = sample.text.lines().zip(&draws).enumerate();
        let text: String = lines
            .flat_map(|(number, (line, draw))| {
                // The first book has to be there.
                let draw = if number == 0 { 99 } else { *draw };
                harmed(line, draw).into_iter().map(|line| line + "\n")
            })
            .collect();
        let path = home.path().join("btc.gz");
        std::fs::write(&path, cut_short(&text, cut)).unwrap();
        let mut exchange = replaying(&[path]);
        let mut placed = vec![];
        for at in (0..30_000).step_by(2_000) {
            exchange.runs_to(at);
            if let Some(price) = exchange.report().bid {
                placed.extend(exchange.places(Side::Buy, 100_000, PlaceMode::Limit { price }));
            }
            placed.extend(exchange.places(Side::Sell, 30_000, PlaceMode::Market));
        }
        prop_assert!(exchange.engine.now().0 >= START);
        let account = AccountIx::from(0);
        let lines = text.lines().count() as u64;
        for evidence in placed.iter().filter_map(|id| exchange.engine.order_evidence(account, *id)) {
            let filled: i64 = evidence.fills.iter().map(|fill| fill.size.0).sum();
            prop_assert_eq!(filled, evidence.filled.0, "a fill without a line");
            prop_assert!(evidence.filled <= evidence.optimistic_filled);
            for fill in evidence.fills {
                prop_assert!(fill.frame.source.line < lines);
                for level in &fill.levels {
                    prop_assert!(level.taken + level.consumed <= level.shown);
                }
            }
        }
    }
}
