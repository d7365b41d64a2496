//! The channel between the loop and the thread that reloads the settings.

use crate::{
    app::{LayoutPreset, Msg, WidthTier, account::pane::Pane, market::chart_lines::ChartLine},
    model::MarketId,
    ui::ThemeSet,
};
use std::sync::mpsc::{Sender, channel};
use tokio::sync::mpsc::Receiver;

/// What the loop requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsRequest {
    /// Read the settings now, and report the result in any case.
    Read,
    /// Store these columns of the pane for the next session; `None` means all, in the default order.
    Keep(Pane, Option<Vec<usize>>),
    /// Keep the layout of screens of this size for the next session.
    KeepLayout(WidthTier, LayoutPreset),
    /// Keep the lines of this market for the next session.
    KeepLines(MarketId, Vec<ChartLine>),
}

/// The thread's answer.
#[derive(Debug)]
pub struct SettingsReply {
    /// The new theme; `None` if it does not change.
    pub looks: Option<ThemeSet>,
    pub msg: Msg,
}

#[derive(Debug)]
pub struct SettingsThread {
    pub requests: Sender<SettingsRequest>,
    pub news: Receiver<SettingsReply>,
}

impl SettingsThread {
    /// For a desk that does not reload its settings.
    pub fn none() -> Self {
        Self {
            requests: channel().0,
            news: tokio::sync::mpsc::channel(1).1,
        }
    }
}
