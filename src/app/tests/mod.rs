//! What the desk does with a key, a poll, an outcome and the passing of time.

mod any_keys;
mod desk;
mod ladders;
mod one_key;
mod rows;
mod strip;
mod ways_out;

use super::{
    CloseAllRule, Effect, Model, Motion, Msg,
    notice::{Event, Tone},
    overlay::{Arm, Detail, Overlay},
    pane::{Pane, RowId},
    poll::{Answer, Source},
    testing::*,
    update, wake,
};
use crate::model::{
    CloseAll, Command, Cursor, Failure, FailureKind, Page, Progress, Receipt, Ticket,
};
use std::time::Duration;
use strum::IntoEnumIterator;

fn close_all() -> Command {
    Command::CloseAll("chal-1".into())
}

fn cancel() -> Command {
    Command::Cancel("ord-1".into())
}

fn sent(ticket: u64, command: Command) -> Vec<Effect> {
    vec![Effect::Send(Ticket(ticket), command)]
}

fn last_said(model: &Model) -> (Tone, &str) {
    match model.activity.lines.back().map(|line| &line.event) {
        Some(Event::Said(tone, words)) => (*tone, words),
        other => panic!("nothing was said but {other:?}"),
    }
}
