//! The desk's response to keys, polls, outcomes and passing time.

mod any_keys;
mod desk;
mod market;
mod one_key;
mod operations;
mod panic_path;
mod review;
mod rows;
mod scaled;
mod streamed;
mod strip;
mod user_alerts;
mod ways_out;

use super::{Motion, testing::*};
use crate::{
    app::{
        account::{
            options::CloseAllRule,
            pane::Pane,
            poll::{Answer, Source},
            row_id::RowId,
        },
        activity::notice::{Event, Tone},
        core::effect::Effect,
        desk::{model::Model, msg::Msg},
        dialogs::overlay::{Arm, Detail, Overlay},
        keys::keymap::Context,
        update::{router::update, wake::wake},
    },
    model::{CloseAll, Command, Cursor, Failure, FailureKind, Page, Progress, Receipt, Ticket},
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
    match model.account.activity.lines.back().map(|line| &line.event) {
        Some(Event::Message(tone, words)) => (*tone, words),
        other => panic!("nothing was said but {other:?}"),
    }
}
