//! Getting out, again and again: positions, orders, a TWAP and a scaled order, a network that breaks, and one key.
//!
//! `PERPDECK_DRILLS=1000 cargo test --release --test faults drill`; the ordinary run takes [`DRILLS`].

use crate::{
    kind::{Kind, Plan, Reads},
    ledger::Estate,
    proxy::Proxy,
    run::{HURRY, in_time, metronome, outbox},
    stage::{Stage, account},
};
use futures_util::{StreamExt, stream};
use perpdeck::{
    app::Msg,
    model::{Command, Failure, Progress, Receipt, Ticket},
};
use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};
use strum::VariantArray;
use tokio::{
    sync::mpsc::Receiver,
    time::{Instant, timeout},
};

const DRILLS: usize = 96;
const ABREAST: usize = 96;
const TICKET: Ticket = Ticket(1);
/// Nothing takes longer than twenty minutes of a trader's, or it hangs.
const HANGS: Duration = Duration::from_secs(20 * 60 / HURRY as u64);

/// How long the machine was slower than a clock while they ran.
static LAG: AtomicU64 = AtomicU64::new(0);

/// How one ended, and what was broken.
struct Verdict {
    end: &'static str,
    broken: Vec<String>,
    /// A promise about time, which a machine without a free processor cannot keep for anybody.
    late: Option<String>,
}

/// There is no getting out over a line that stays dead.
fn kinds() -> Vec<Kind> {
    let kinds = Kind::VARIANTS.iter().copied();
    kinds.filter(|kind| kind.heals()).collect()
}

fn plan(n: usize) -> Plan {
    let kinds = kinds();
    Plan {
        kind: kinds[n % kinds.len()],
        times: u32::try_from(n / kinds.len() % 4).unwrap(),
        reads: if n % 3 == 2 {
            Reads::Hit
        } else {
            Reads::Spared
        },
        seed: n as u64,
    }
}

async fn drill(stage: &Stage, n: usize) -> Verdict {
    let estate = Estate::build(stage, n).await;
    let dir = tempfile::tempdir().unwrap();
    let proxy = Proxy::open(plan(n), stage.addr()).await;
    let url = format!("http://{}", proxy.addr);
    let (mut outbox, mut events) = outbox(stage, n, url, dir.path());
    let id = account(n).as_str().into();
    let flattens = n.is_multiple_of(2);
    outbox.send(
        TICKET,
        if flattens {
            Command::Flatten(id)
        } else {
            Command::CloseAll(id)
        },
    );
    let mut end = timeout(HANGS, ended(&mut events)).await.ok();
    if let Some(End::Asked) = end {
        proxy.calm();
        outbox.again(TICKET);
        end = timeout(HANGS, ended(&mut events)).await.ok();
    }
    proxy.delivered().await;
    let left = estate.left(stage).await;
    let mut broken = vec![];
    let word = match end {
        Some(End::Over(Ok(Receipt::Flat(_)))) => {
            if left.positions + left.orders + left.twaps > 0 {
                broken.push(format!("proved flat with {left:?}"));
            }
            "flat"
        }
        Some(End::Over(Ok(Receipt::CloseAll(_)))) if !flattens => {
            if left.positions > 0 {
                broken.push(format!("closed all with {left:?}"));
            }
            "closed"
        }
        other => {
            broken.push(format!("ended with {other:?} and {left:?}"));
            "not out"
        }
    };
    let late = match proxy.silence().early {
        0 => None,
        early => Some(format!("{early} requests before their time")),
    };
    if left.closed_twice > 0 {
        broken.push(format!("{} positions turned around", left.closed_twice));
    }
    Verdict {
        end: word,
        broken,
        late,
    }
}

#[derive(Debug)]
enum End {
    Over(Result<Receipt, Failure>),
    Asked,
}

async fn ended(events: &mut Receiver<Msg>) -> End {
    loop {
        match events.recv().await.unwrap() {
            Msg::Settled(TICKET, result) => return End::Over(result),
            Msg::Progress(TICKET, Progress::Parked { .. }) => return End::Asked,
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_drill_gets_out_whole_whatever_the_network_does() {
    let metronome = tokio::spawn(metronome(&LAG));
    let began = Instant::now();
    let asked = std::env::var("PERPDECK_DRILLS").ok();
    let drills = asked.map_or(DRILLS, |text| text.parse().unwrap());
    let stage = Arc::new(Stage::open(drills, 7).await);
    let verdicts: Vec<(usize, Verdict)> = stream::iter(0..drills)
        .map(|n| {
            let stage = Arc::clone(&stage);
            async move { (n, drill(&stage, n).await) }
        })
        .buffer_unordered(ABREAST)
        .collect()
        .await;
    let mut ends: BTreeMap<&'static str, usize> = BTreeMap::new();
    metronome.abort();
    let (mut broken, mut late) = (vec![], vec![]);
    for (n, verdict) in &verdicts {
        late.extend(verdict.late.iter().map(|why| format!("{n}: {why}")));
        *ends.entry(verdict.end).or_default() += 1;
        let kind = plan(*n).kind;
        broken.extend(
            verdict
                .broken
                .iter()
                .map(|why| format!("{n} {kind}: {why}")),
        );
    }
    eprintln!("{} drills: {ends:?}", verdicts.len());
    assert_eq!(broken, Vec::<String>::new());
    in_time(began, &LAG, &late);
}
