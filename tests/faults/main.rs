//! The proof that nothing is lost and nothing doubled: every fault kind × every mutation × seeds, between the real
//! client and outbox and the real paper exchange, over real sockets with a proxy that breaks them in between.
//!
//! A history checker compares what the desk said, what its journal holds and what the exchange's ledger shows. The
//! ordinary run takes [`SEEDS`] seeds; `PERPDECK_FAULT_SEEDS=50 cargo test --release --test faults` is the long one
//! (15,600 runs), and `PERPDECK_FAULT_ONLY=ReplyLate:Place:3` repeats one.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::wildcard_enum_match_arm,
    clippy::match_same_arms,
    reason = "a failed helper is a failed test, a long proof says how far it is, and each fault names only the kinds it is about"
)]

mod cases;
mod damage;
mod drill;
mod flip;
mod kill;
mod kind;
mod ledger;
mod power;
mod proxy;
mod run;
mod stage;

use futures_util::{StreamExt, stream};
use kind::{Kind, Mutation};
use run::{Run, Verdict};
use stage::Stage;
use std::{collections::BTreeMap, sync::Arc};
use strum::VariantArray;
use tokio::sync::OnceCell;

/// 24 kinds × 13 mutations × 11 seeds are 3,432 runs.
const SEEDS: u64 = 11;
/// Runs at a time: nearly all of a run is waiting.
const ABREAST: usize = 320;

fn seeds() -> u64 {
    let asked = std::env::var("PERPDECK_FAULT_SEEDS").ok();
    asked.map_or(SEEDS, |text| text.parse().unwrap())
}

/// The runs of one seed; each has an account of its own.
fn runs(seed: u64) -> Vec<Run> {
    let only = std::env::var("PERPDECK_FAULT_ONLY").ok();
    let mut runs = vec![];
    for kind in Kind::VARIANTS {
        for mutation in Mutation::VARIANTS {
            let run = Run {
                kind: *kind,
                mutation: *mutation,
                seed,
                account: runs.len(),
            };
            runs.push(run);
        }
    }
    runs.retain(|run| only.as_ref().is_none_or(|name| *name == run.name()));
    runs
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_and_nothing_doubled_whatever_the_network_does() {
    let metronome = tokio::spawn(run::metronome(&run::LAG));
    let began = tokio::time::Instant::now();
    let accounts = Kind::VARIANTS.len() * Mutation::VARIANTS.len();
    let verdicts: Vec<(String, Verdict)> = stream::iter(0..seeds())
        .flat_map(|seed| {
            // One exchange per seed, opened by the first of its runs and gone with the last.
            let stage = Arc::new(OnceCell::new());
            let on_stage = move |run: Run| (Arc::clone(&stage), run);
            stream::iter(runs(seed)).map(on_stage)
        })
        .map(|(stage, run)| async move {
            let stage = stage.get_or_init(|| Stage::open(accounts, run.seed)).await;
            run.play(stage).await
        })
        .buffer_unordered(ABREAST)
        .collect()
        .await;
    metronome.abort();
    let mut ends: BTreeMap<&'static str, usize> = BTreeMap::new();
    let (mut broken, mut late) = (vec![], vec![]);
    for (name, verdict) in &verdicts {
        late.extend(verdict.late.iter().map(|why| format!("{name}: {why}")));
        *ends.entry(verdict.end).or_default() += 1;
        broken.extend(verdict.broken.iter().map(|why| format!("{name}: {why}")));
    }
    let doubt = verdicts.iter().map(|(_, verdict)| verdict.doubt).max();
    let waits: u32 = verdicts.iter().map(|(_, verdict)| verdict.waits).sum();
    eprintln!("{} runs: {ends:?}", verdicts.len());
    eprintln!(
        "longest doubt after the last trouble: {:.1} s; {waits} waits asked for",
        doubt.unwrap_or_default().as_secs_f32()
    );
    assert_eq!(broken, Vec::<String>::new());
    run::in_time(began, &run::LAG, &late);
}
