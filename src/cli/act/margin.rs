//! `perpdeck margin POSITION_ID…`: the extra margin of isolated positions.

use super::{
    consent::ActingService,
    prepared::{ActFlags, PreparedCommand},
    readings::listed,
    send_and_report::send_and_report,
    typed,
};
use crate::{
    app::{Store, account::poll::Answer},
    cli::{
        Exit,
        exit::UsageError,
        named::{self, id},
        service::{arrive, in_time},
    },
    config::Sources,
    model::{
        PositionId,
        draft::{Draft, Field, MarginDraft, Seen, Texts},
    },
};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct MarginArgs {
    /// As `positions` shows them, or their markets: btc
    #[arg(required = true, value_name = "POSITION_ID", value_parser = id::<PositionId>)]
    position_ids: Vec<PositionId>,
    /// The total in USD (200), or a change (+50, -50)
    #[arg(long, value_name = "USD", allow_hyphen_values = true)]
    extra: String,
    #[command(flatten)]
    how: ActFlags,
}

pub(in crate::cli) async fn run(args: MarginArgs, sources: &Sources) -> Result<Exit> {
    let MarginArgs {
        position_ids,
        extra,
        how,
    } = args;
    let service = ActingService::open(sources, how).await?;
    let one = async |named, _| margin(&service, named, &extra).await;
    service.each(&position_ids, one).await
}

async fn margin(service: &ActingService, named: PositionId, extra: &str) -> Result<Exit> {
    let mut store = Store::default();
    let is_change = extra.trim().starts_with(['+', '-']);
    if is_change || named::is_word(named.raw()) {
        service.take_positions(&mut store).await;
    } else {
        // A total may increase or reduce the margin; a reduction waits when new entries do. It is sent even if the
        // current one is unknown.
        let look = service.client.open_positions();
        if let Some(positions) = in_time(look).await {
            arrive(&mut store, Answer::Positions(positions));
        }
    }
    let id = named::position(named, &store)?;
    if is_change {
        found(&store, &id)?;
    }
    let seen = Seen {
        position: store.position(&id),
        ..Seen::default()
    };
    let draft = Draft::Margin(MarginDraft {
        position_id: id.clone(),
        texts: Texts::default().with(Field::ExtraMargin, extra),
    });
    let (_, command) = typed::read(service, &draft, &seen, |draft| draft.command(&seen))?;
    let prepared = PreparedCommand::new(command, None)?;
    send_and_report(service, prepared).await
}

/// A change needs the current total.
fn found(store: &Store, id: &PositionId) -> Result<()> {
    let missing = || format!("there is no open position {id}");
    let position = listed(&store.positions, store.position(id), missing)?;
    if !position.is_isolated() {
        let why =
            format!("--extra: {id} has cross margin; only an isolated position has its own margin");
        return Err(UsageError(why).into());
    }
    Ok(())
}
