//! The channel between the loop and the thread that reloads the settings.

use crate::{
    app::{Msg, SettingsRequest},
    ui::ThemeSet,
};
use std::sync::mpsc::{Sender, channel};
use tokio::sync::mpsc::Receiver;

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
