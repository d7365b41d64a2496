//! `perpdeck cancel --all`: cancels every working order, and proves it by a read.

use super::several;
use crate::{
    app::workflows::{CancelAllPlan, OperationKind},
    cli::{
        Exit,
        act::{
            consent::ActingService, halts::would_be_halted, operation::PreparedOperation,
            remains::INCOMPLETE,
        },
    },
    model::{Order, Page},
};
use color_eyre::Result;

pub(super) async fn run(service: &ActingService) -> Result<Exit> {
    let page = match service.working_orders().await {
        Ok(page) => page,
        // A stop of an open position may have to stay.
        Err(why) if would_be_halted(service).is_some() => return Err(why.into()),
        // A way out does not depend on a read.
        Err(why) => {
            let words = format!("the working orders could not be read: {why}");
            service.voice.note(&words);
            return at_once(service, None).await;
        }
    };
    let commands = several::cancels(service, &page.rows).await;
    match CancelAllPlan::of(commands, |_| would_be_halted(service).is_some()) {
        CancelAllPlan::AtOnce => at_once(service, Some(&page)).await,
        CancelAllPlan::Each(commands) => {
            let canceled = several::one_by_one(service, commands).await?;
            if page.is_whole() {
                return Ok(canceled);
            }
            service.voice.note(INCOMPLETE);
            Ok(canceled.or(Exit::Partial))
        }
    }
}

/// With one operation; `page` is what works, if that could be read.
async fn at_once(service: &ActingService, page: Option<&Page<Order>>) -> Result<Exit> {
    let operation = PreparedOperation::new(service, OperationKind::CancelAll, None)?;
    let is_none = page.is_some_and(|page| page.is_whole() && page.rows.is_empty());
    if is_none && operation.is_new() && !service.is_dry_run() {
        service.voice.note("there is no working order");
        return Ok(Exit::Ok);
    }
    let orders = page.map_or_else(
        || "all working orders".to_owned(),
        |page| format!("{} working orders", page.rows.len()),
    );
    let what = format!("cancel {orders}");
    operation.carry_out(service, &what).await
}
