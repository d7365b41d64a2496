//! Death in the middle of a flip: the client, the exchange or both are gone at a point of either command, or between them.

use super::{
    disk::left_behind,
    moment::{Class, Gate, Phase, Prelude, Victim},
    wire::Port,
};
use crate::{
    flip::{FlipDesk, FlipEnd, journaled, judge, set},
    stage::Stage,
};
use futures_util::{StreamExt, stream};
use perpdeck::journal::IntentRow;
use std::{collections::BTreeMap, path::Path, time::Duration};
use strum::VariantArray;
use tokio::time::{Instant, sleep, timeout};

/// How much faster than life a desk is here.
const HURRY: u32 = super::HURRY;
const ABREAST: usize = 16;
/// Beyond any moment's coming.
const NEVER: Duration = Duration::from_secs(8);

#[derive(Debug, Clone, Copy)]
struct FlipCase {
    gate: Gate,
    victim: Victim,
}

impl FlipCase {
    /// Both commands at every phase, and the reads between them.
    fn all() -> Vec<Self> {
        let mut gates = vec![];
        for nth in [1, 2] {
            let class = Class::Mutation;
            gates.extend(Phase::VARIANTS.iter().map(|phase| Gate {
                class,
                nth,
                phase: *phase,
            }));
        }
        for nth in 1..=4 {
            let class = Class::Read;
            let phases = [Phase::RequestLost, Phase::Committed];
            gates.extend(phases.map(|phase| Gate { class, nth, phase }));
        }
        let mut cases = vec![];
        for gate in gates {
            cases.extend(Victim::VARIANTS.iter().map(|victim| Self {
                gate,
                victim: *victim,
            }));
        }
        cases
    }

    fn name(self) -> String {
        let Gate { class, nth, phase } = self.gate;
        format!("{class:?}-{nth}-{phase}:Flip:{}", self.victim)
    }

    /// Whether the moment came, how it ended, and every promise that was broken.
    async fn play(self) -> (bool, Option<FlipEnd>, Vec<String>) {
        let home = tempfile::tempdir().unwrap();
        let mut exchange = home.path().join("exchange");
        let mut dir = home.path().join("desk");
        let mut stage = Stage::kept(&exchange).await;
        set(&stage, 0).await;
        let port = Port::open();
        let gate = (Prelude::Nothing, Some(self.gate));
        let wire = port.wire((stage.addr(), exchange.clone()), dir.clone(), gate);
        let how = || (format!("http://{}", port.addr), HURRY);
        let mut desk = FlipDesk::open(&stage, 0, how(), &dir).await;
        desk.flip().await;
        let came = tokio::select! {
            () = wire.reached() => true,
            _ = timeout(NEVER, desk.go_on()) => false,
        };
        // Death.
        if self.victim.client() {
            port.cut();
        }
        if self.victim.server() {
            wire.lead_to(None);
            let uncommitted = wire.uncommitted();
            exchange = uncommitted.unwrap_or_else(|| left_behind(&exchange));
            stage = Stage::kept(&exchange).await;
        }
        let there = (stage.addr(), exchange.clone());
        let mut broken = vec![];
        if self.victim.client() {
            wire.lead_to(Some(there.clone()));
            wire.go_on();
            dir = left_behind(&dir);
            drop(desk);
            port.emptied().await;
            let before = entries(&dir);
            let wire = port.wire(there, dir.clone(), (Prelude::Nothing, None));
            desk = FlipDesk::open(&stage, 0, how(), &dir).await;
            settle(&mut desk, &dir).await;
            if desk.openings() > 0 || entries(&dir).len() > before.len() {
                broken.push("a later life opens the other way by itself".to_owned());
            }
            wire.go_on();
        } else {
            let next = port.wire(there, dir.clone(), (Prelude::Nothing, None));
            wire.go_on();
            if desk.go_on().await.is_none() {
                broken.push("never came to an end".to_owned());
            }
            next.go_on();
        }
        desk.send_again().await;
        if desk.waits_for_a_person() > 0 {
            // Its question would hold the journal.
            broken.push("in doubt although all is well".to_owned());
            return (came, None, broken);
        }
        drop(desk);
        let (end, wrong) = judge(&stage, 0, &journaled(&dir).await).await;
        broken.extend(wrong);
        (came, end, broken)
    }
}

fn entries(dir: &Path) -> Vec<IntentRow> {
    super::desk::entries(dir)
}

/// Until everything that was left open is settled, or the desk asks a person about it.
async fn settle(desk: &mut FlipDesk, dir: &Path) {
    let began = Instant::now();
    let patience = super::A_MINUTE;
    while began.elapsed() < patience {
        desk.step().await;
        let entries = entries(dir);
        let open = entries.iter().filter(|entry| entry.state.is_open());
        if began.elapsed() > Duration::from_millis(400) && open.count() == desk.waits_for_a_person()
        {
            break;
        }
        sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flip_whose_desk_or_exchange_dies_ends_as_a_close_or_a_flip_and_never_as_twice_the_size()
{
    let wish = std::env::var("PERPDECK_KILLS").ok();
    let wish = wish.filter(|wish| wish != "all");
    let is_asked = |case: &FlipCase| wish.as_ref().is_none_or(|name| case.name().contains(name));
    let cases = FlipCase::all().into_iter().filter(is_asked);
    let verdicts: Vec<_> = stream::iter(cases)
        .map(|case| async move { (case.name(), Box::pin(case.play()).await) })
        .buffer_unordered(ABREAST)
        .collect()
        .await;
    let mut ends: BTreeMap<Option<FlipEnd>, usize> = BTreeMap::new();
    let (mut broken, mut all) = (vec![], 0);
    for (name, (came, end, wrong)) in &verdicts {
        *ends.entry(*end).or_default() += 1;
        all += usize::from(*came);
        broken.extend(wrong.iter().map(|why| format!("{name}: {why}")));
    }
    eprintln!(
        "{} flips, {all} deaths at their moment: {ends:?}",
        verdicts.len()
    );
    assert_eq!(broken, Vec::<String>::new());
    assert!(
        all * 10 >= verdicts.len() * 8,
        "{all} of {}",
        verdicts.len()
    );
}
