//! `perpdeck margin POSITION_ID`: the extra margin of an isolated position.

use super::{
    consent,
    perform::perform,
    prepared::{ActFlags, PreparedCommand},
    readings::listed,
    typed::{self, id},
};
use crate::{
    app::{Store, account::poll::Answer},
    cli::{Exit, disk_wait::JOURNAL_OPEN_TIMEOUT, exit::UsageError, service::arrive},
    config::Sources,
    model::{
        PositionId,
        draft::{Draft, Field, MarginDraft, Seen, Texts},
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
    let draft = Draft::Margin(MarginDraft {
        position_id: id.clone(),
        texts: Texts::default().with(Field::ExtraMargin, args.extra.clone()),
    });
    let voice = args.how.output.voice();
    let (_, command) = typed::read(&draft, &seen, voice, |draft| draft.command(&seen))?;
    let prepared = PreparedCommand::new(command, None)?;
    perform(&service, args.how, prepared).await
}

/// A change needs the current total.
fn found(store: &Store, id: &PositionId) -> Result<()> {
    let missing = || format!("there is no open position {id}");
    let position = listed(store.positions.trouble(), store.position(id), missing)?;
    if !position.is_isolated() {
        let why =
            format!("--extra: {id} has cross margin; only an isolated position has its own margin");
        return Err(UsageError(why).into());
    }
    Ok(())
}
