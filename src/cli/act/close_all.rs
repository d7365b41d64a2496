//! `perpdeck close-all`: closes every open position and proves it by reads.
//!
//! The service closes one target per response and asks to wait in between. "completed" means submitted, not closed, so
//! the open positions are read afterwards. Resting orders can open positions again and are not touched.

use super::{
    consent,
    flatten::still_open,
    prepared::{ActFlags, KeyFlag, PreparedCommand, SendOutcome},
    receipt, sliced,
};
use crate::{
    cli::{
        Exit,
        service::Service,
        voice::{Output, json},
    },
    client::CloseCheck,
    config::Sources,
    model::{CloseAll, Command, Failure, IdempotencyKey, Position, Receipt},
};
use color_eyre::Result;
use serde::Serialize;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CloseAllArgs {
    #[command(flatten)]
    key: KeyFlag,
    #[command(flatten)]
    how: ActFlags,
}

/// The operation, and what a read found open afterwards; absent if that failed.
#[derive(Serialize)]
struct CloseAllReport<'a> {
    data: &'a CloseAll,
    #[serde(skip_serializing_if = "Option::is_none")]
    still_open: Option<&'a [Position]>,
    idempotency_key: Option<&'a str>,
}

pub(in crate::cli) async fn run(args: CloseAllArgs, sources: &Sources) -> Result<Exit> {
    let (service, voice) = (
        consent::service(sources, args.how).await?,
        args.how.output.voice(),
    );
    let command = Command::CloseAll(service.account.clone());
    let (prepared, start) = sliced::prepare(&service, voice, command, args.key.chosen.clone())?;
    let (requests, what) = (
        [&prepared.request],
        "close all positions, at most 2.5 % slippage,",
    );
    if let Some(exit) = consent::withheld(&service, args.how, &requests, what).await? {
        return Ok(exit);
    }
    let note = "positions opened after it started are still open; a new close-all follows";
    let opened_since = async |outcome: &SendOutcome| opened_since(&service, outcome).await;
    let begun = (prepared, start);
    let (prepared, outcome) = sliced::send(&service, voice, begun, (note, opened_since)).await?;
    ended(&service, voice, &prepared, &outcome).await
}

/// Whether positions were opened after a resumed close-all began: it closes only those of its snapshot.
async fn opened_since(service: &Service, outcome: &SendOutcome) -> bool {
    let Ok(Receipt::CloseAll(operation)) = outcome else {
        return false;
    };
    let Ok(CloseCheck::Open(open)) = service.client.check_closed().await else {
        return false;
    };
    open.iter().any(|position| !operation.knew(&position.id))
}

async fn ended(
    service: &Service,
    voice: Output,
    prepared: &PreparedCommand,
    outcome: &SendOutcome,
) -> Result<Exit> {
    let operation = match outcome {
        Ok(Receipt::CloseAll(operation)) => operation,
        outcome => {
            if let Err(why) = outcome
                && let Some(next) = without_snapshot(why)
            {
                voice.note(next);
            }
            return Ok(receipt::print_outcome(voice, prepared, outcome));
        }
    };
    let open = match service.client.check_closed().await {
        Ok(CloseCheck::Closed(_)) => Ok(vec![]),
        Ok(CloseCheck::Open(open)) => Ok(open),
        Err(why) => Err(why),
    };
    let text = if voice.is_json() {
        let closed = CloseAllReport {
            data: operation,
            still_open: open.as_deref().ok(),
            idempotency_key: prepared.kept_key().map(IdempotencyKey::raw),
        };
        format!("{}\n", json(&closed))
    } else {
        report_text(operation, open.as_deref().ok())
    };
    voice.result(&text, prepared.kept_key());
    if let Err(why) = &open {
        voice.note("the positions could not be read, so something may still be open");
        voice.failure(why);
    }
    let (left, failed) = (open.map(|open| open.len()), operation.failed_count);
    let next = match left {
        Ok(0) if failed == 0 => return Ok(Exit::Ok),
        Ok(0) => "the positions whose close failed are closed by now; nothing is left to close",
        Ok(_) => {
            "run the command again under a new key to close the rest; under this key it only repeats this answer"
        }
        Err(_) => "\"perpdeck positions\" lists what is left",
    };
    voice.note(next);
    Ok(Exit::Partial)
}

/// What helps when the service took no snapshot: 503 (`docs/service-api.md 2.4`), for too many positions among others.
fn without_snapshot(why: &Failure) -> Option<&'static str> {
    (why.status == Some(503)).then_some(
        "the service began no close-all. It takes at most 100 positions at once: \"perpdeck positions\" lists them, \
         \"perpdeck close\" closes one",
    )
}

fn report_text(operation: &CloseAll, open: Option<&[Position]>) -> String {
    let mut lines = vec![format!("close-all {operation}")];
    lines.extend(operation.failures().map(|failed| {
        let (id, why) = (&failed.position_id, failed.reason());
        format!("position {id} failed: {why}")
    }));
    lines.extend(open.unwrap_or_default().iter().map(still_open));
    if open.is_some_and(<[Position]>::is_empty) {
        lines.push("no position is open".to_owned());
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FailureKind;

    #[test]
    fn a_close_all_without_a_snapshot_says_how_many_positions_it_takes() {
        let refused = |status| Failure {
            status: Some(status),
            ..Failure::new(FailureKind::Unavailable, "no snapshot")
        };
        let words = without_snapshot(&refused(503)).unwrap();
        assert!(words.contains("at most 100 positions"), "{words}");
        assert_eq!(without_snapshot(&refused(401)), None);
    }
}
