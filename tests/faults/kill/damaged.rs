//! `kill -9` of a real verb, then a disk that damages what it left of its journal, then the real program again: the
//! same verb, typed again, and the way out.
//!
//! `PERPDECK_KILLS=all cargo test --release --test faults damaged_behind` plays all.

use super::{Verdict, asked, moment, process::Play, report};
use crate::{
    damage::{Damage, complaints},
    kind::Mutation,
};
use futures_util::{StreamExt, stream};
use moment::{Case, Class, Gate, Moment, Phase, Place, Prelude, Victim};
use perpdeck::journal::Journal;
use std::{fs, path::Path};
use strum::VariantArray as _;
use tempfile::TempDir;

/// Every so manieth is played in the ordinary run.
const SAMPLE: usize = 29;
const ABREAST: usize = 6;

/// On its way, arrived and carried out, answered and not noted.
const PHASES: [Phase; 3] = [Phase::RequestLost, Phase::Committed, Phase::Noting];

fn cases() -> Vec<Case> {
    let mut cases = vec![];
    for damage in Damage::VARIANTS {
        for phase in PHASES {
            for mutation in Mutation::VERBS {
                let gate = Gate {
                    class: Class::Mutation,
                    nth: 1,
                    phase,
                };
                let moment = Moment {
                    name: format!("{phase}-then-{damage}"),
                    prelude: Prelude::Nothing,
                    places: vec![Place::Wire(gate)],
                };
                cases.push(Case {
                    moment,
                    mutation,
                    victim: Victim::Client,
                });
            }
        }
    }
    cases
}

fn damage(case: &Case) -> Damage {
    let mut all = Damage::VARIANTS.iter().copied();
    let name = |damage: &Damage| case.moment.name.ends_with(&format!("-then-{damage}"));
    all.find(name).unwrap()
}

/// The files of a journal.
fn copy(dir: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(dir).unwrap() {
        let from = entry.unwrap().path();
        if from.is_file() {
            fs::copy(&from, copy.path().join(from.file_name().unwrap())).unwrap();
        }
    }
    copy
}

async fn play(case: Case) -> Verdict {
    let damage = damage(&case);
    let mut play = Play::open(case).await;
    let dir = play.journal();
    let arrived = play.dies().await;
    let whole = copy(&dir);
    let before = Journal::open(whole.path()).unwrap().recent(99).unwrap();
    let happened = damage.befall(&dir);
    let judged = if happened { damage } else { Damage::None };
    let looked = copy(&dir);
    play.broken
        .extend(complaints(&before, looked.path(), judged));
    play.goes_on_with(&before, judged).await;
    Verdict {
        came: arrived,
        broken: play.broken,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_damaged_behind_a_kill_9_is_said_and_nothing_is_sent_twice_and_the_way_out_is_open()
{
    let verdicts: Vec<(Case, Verdict)> = stream::iter(asked(cases(), SAMPLE))
        .map(|case| async move { (case.clone(), play(case).await) })
        .buffer_unordered(ABREAST)
        .collect()
        .await;
    report(&verdicts);
}
