//! `perpdeck margin POSITION_ID`: the extra margin of an isolated position.

use super::consent;
use super::typed::{self, FlagFaults, id};
use crate::cli::act::perform::perform;
use crate::cli::act::prepared::ActFlags;
use crate::cli::act::prepared::PreparedCommand;
use crate::{
    app::{Store, account::poll::Answer},
    cli::{Exit, disk_wait::JOURNAL_OPEN_TIMEOUT, exit::UsageError, service::arrive},
    config::Sources,
    model::{
        Failure, FailureKind, PositionId,
        draft::{Field, MarginDraft, Seen, Texts},
    },
};
use color_eyre::Result;
use tokio::time::timeout;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct MarginArgs {
    /// As `positions` shows it, or its market: btc
    #[arg(value_parser = id::<PositionId>)]
    position_id: PositionId,
    /// The total in USD (200), or a change (+50, -50)
    #[arg(long, value_name = "USD", allow_hyphen_values = true)]
    extra: String,
    #[command(flatten)]
    how: ActFlags,
}

pub(in crate::cli) async fn run(args: MarginArgs, sources: &Sources) -> Result<Exit> {
    let service = consent::service(sources, args.how).await?;
    let mut store = Store::default();
    let is_change = args.extra.trim().starts_with(['+', '-']);
    if is_change || typed::is_word(args.position_id.raw()) {
        service.take_positions(&mut store).await;
    } else {
        // A total may increase or reduce the margin; a reduction waits when new entries do. It is sent even if the
        // current one is unknown.
        let look = service.client.open_positions(&service.account);
        if let Ok(positions) = timeout(JOURNAL_OPEN_TIMEOUT, look).await {
            arrive(&mut store, Answer::Positions(positions));
        }
    }
    let id = typed::position(args.position_id.clone(), &store)?;
    if is_change {
        found(&store, &id)?;
    }
    let seen = Seen {
        position: store.position(&id),
        ..Seen::default()
    };
    let draft = MarginDraft {
        position_id: id,
        texts: Texts::default().with(Field::ExtraMargin, args.extra.clone()),
    };
    let mut typed = FlagFaults::default();
    let command = typed.faults(draft.margin(&seen));
    let prepared = PreparedCommand::new(typed.finish(command)?, None)?;
    perform(&service, args.how, prepared, &[]).await
}

/// A change needs the current total.
fn found(store: &Store, id: &PositionId) -> Result<()> {
    if let Some(why) = store.positions.trouble() {
        return Err(why.clone().into());
    }
    let Some(position) = store.position(id) else {
        let why = format!("there is no open position {id}");
        return Err(Failure::new(FailureKind::NotFound, why).into());
    };
    if !position.is_isolated() {
        let why =
            format!("--extra: {id} has cross margin; only an isolated position has its own margin");
        return Err(UsageError(why).into());
    }
    Ok(())
}
