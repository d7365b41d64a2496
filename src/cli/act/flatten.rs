//! `perpdeck flatten`: closes everything and proves it by reads.
//!
//! Stops TWAPs, cancels scaled orders and orders, closes positions, and repeats until two complete reads find nothing,
//! with the desk's own flatten. Exits 0 if flat, 15 if something is left (it is named), 14 if that is unknown.
//! `--running` has a paper desk do it, whose exchange only that desk reaches; a configured service is reached from here.

use super::{
    consent::ActingService,
    prepared::{ActFlags, PreparedCommand, SendOutcome},
    send_and_report::send,
};
use crate::{
    api::Request,
    cli::{
        Exit,
        desk::running,
        service::{Service, patiently},
        voice::Output,
    },
    config::{Sources, load},
    model::{Command, FlatProof, OpenExposure, Order, Position, Proof, Receipt, Timestamp, TwapId},
};
use color_eyre::Result;
use serde::Serialize;
use serde_json::json;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FlattenArgs {
    /// Without a configured service: makes the only running paper desk flatten the account that it shows, and does not wait
    /// for it
    #[arg(long, conflicts_with = "dry_run")]
    running: bool,
    #[command(flatten)]
    how: ActFlags,
}

/// The result as JSON.
#[derive(Debug, Default, Serialize)]
struct FlattenReport {
    /// `null` if unknown.
    flat: Option<bool>,
    /// The two reads that found nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    proved_at: Option<[Timestamp; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<RemainingRows>,
    /// Why more than that may be left.
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<String>,
}

/// The rows that were read.
#[derive(Debug, Serialize)]
struct RemainingRows {
    positions: Vec<Position>,
    orders: Vec<Order>,
    twaps: Vec<TwapId>,
}

pub(in crate::cli) async fn run(args: FlattenArgs, sources: &Sources) -> Result<Exit> {
    let (how, voice) = (args.how, args.how.output.voice());
    if args.running && load(sources)?.settings.base_url.is_none() {
        return running::flatten(voice);
    }
    let service = ActingService::open(sources, how).await?;
    let rehearsed = if service.is_dry_run() {
        rehearsed(&service).await?
    } else {
        vec![]
    };
    let requests: Vec<_> = rehearsed.iter().map(|one| &one.request).collect();
    let what = "stop every TWAP, cancel every scaled order and order, close every position (at most 2.5 % slippage)";
    if let Some(exit) = service.withheld(&requests, what).await? {
        return Ok(exit);
    }
    let prepared = PreparedCommand::flatten(&service);
    match send(&service, &prepared).await? {
        Ok(Receipt::Flat(proof)) => Ok(flat(voice, proof)),
        outcome => Ok(not_flat(&service, &outcome).await),
    }
}

fn flat(voice: Output, proof: FlatProof) -> Exit {
    let end = FlattenReport {
        flat: Some(true),
        proved_at: Some([proof.first, proof.second]),
        ..FlattenReport::default()
    };
    voice.answer(&json!({ "data": end }), &format!("flat: {proof}"), None);
    Exit::Ok
}

/// The reason, and what is open at this moment.
async fn not_flat(service: &Service, outcome: &SendOutcome) -> Exit {
    let voice = service.voice;
    let remains = service.client.remains().await;
    let left = RemainingRows::from(&remains);
    let unread = remains.left().err().map(|why| why.to_string());
    let words = left.words(unread.as_deref());
    // An incomplete list that shows nothing proves nothing.
    let is_known = unread.is_none() || !left.is_empty();
    let exit = match outcome {
        // Nothing was done, or nothing more can be.
        Err(why) if why.proves == Proof::Unsent || Exit::from(why) == Exit::Auth => Exit::from(why),
        Ok(_) | Err(_) if is_known => Exit::Partial,
        Ok(_) | Err(_) => Exit::Unknown,
    };
    if let Err(why) = outcome {
        voice.failed_with(exit, why, None);
    }
    let end = FlattenReport {
        // One read that finds nothing is no proof.
        flat: (!left.is_empty()).then_some(false),
        left: Some(left),
        unread,
        ..FlattenReport::default()
    };
    voice.answer(&json!({ "data": end }), &words, None);
    if exit == Exit::Partial {
        voice.note("run the same command again to continue");
    }
    exit
}

impl From<&OpenExposure> for RemainingRows {
    fn from(remains: &OpenExposure) -> Self {
        Self {
            positions: remains.positions().to_vec(),
            orders: remains.orders().to_vec(),
            twaps: remains.twaps().iter().map(|twap| twap.id.clone()).collect(),
        }
    }
}

/// With its sign where its side is known.
pub(super) fn still_open(position: &Position) -> String {
    let (id, market) = (&position.id, &position.market_id);
    let size = position.signed_size().unwrap_or(position.size);
    format!("position {id} is still open: {size} {market}")
}

impl RemainingRows {
    fn is_empty(&self) -> bool {
        self.positions.is_empty() && self.orders.is_empty() && self.twaps.is_empty()
    }

    fn words(&self, unread: Option<&str>) -> String {
        let positions = self.positions.iter().map(still_open);
        let orders = self.orders.iter();
        let orders = orders.map(|order| format!("order {} is still {}", order.id, order.status));
        let twaps = self.twaps.iter();
        let twaps = twaps.map(|id| format!("TWAP {id} is still active"));
        let rest = unread.map(|why| format!("whether anything else is left is unknown: {why}"));
        let lines: Vec<_> = positions.chain(orders).chain(twaps).chain(rest).collect();
        if lines.is_empty() {
            return "nothing is left now, but two reads have not confirmed it".to_owned();
        }
        lines.join("\n")
    }
}

/// The commands of a successful flatten, as of now.
async fn rehearsed(service: &Service) -> Result<Vec<PreparedCommand>> {
    let read = || async {
        let remains = service.client.remains().await;
        remains.left().map(|_| remains)
    };
    let remains = patiently(read).await?;
    PreparedCommand::all(remains.risk_reducing(service.account.clone()))
}

impl PreparedCommand {
    /// Many requests, each with a key of its own.
    fn flatten(service: &Service) -> Self {
        Self {
            command: Command::Flatten(service.account.clone()),
            request: Request::flatten(&service.account),
            key: None,
            is_key_chosen: false,
            time_dependent: vec![],
            later_targets: vec![],
        }
    }
}
