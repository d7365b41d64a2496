//! The line between the loop and whoever reads the settings, on a thread of its own.

use crate::{
    app::{LayoutPreset, Msg, WidthTier, tables::pane::Pane},
    ui::Looks,
};
use std::sync::mpsc::{Sender, channel};
use tokio::sync::mpsc::Receiver;

/// What the loop asks of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Read the settings now, and say what came of it in any case.
    Read,
    /// Keep these columns of the pane for the next session; `None` for all in their own order.
    Keep(Pane, Option<Vec<usize>>),
    /// Keep the layout of screens of this size for the next session.
    KeepLayout(WidthTier, LayoutPreset),
}

/// What it tells the loop.
#[derive(Debug)]
pub struct News {
    /// The colours from now on; `None` where they stay.
    pub looks: Option<Looks>,
    pub msg: Msg,
}

#[derive(Debug)]
pub struct Renewals {
    pub wishes: Sender<Wish>,
    pub news: Receiver<News>,
}

impl Renewals {
    /// Of a desk whose settings nobody reads again.
    pub fn none() -> Self {
        Self {
            wishes: channel().0,
            news: tokio::sync::mpsc::channel(1).1,
        }
    }
}
