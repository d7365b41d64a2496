//! The account of the desk, and its service.

use crate::{config::Tint, model::AccountId};

/// Where orders go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Paper,
    LiveApi,
}

/// The service, as the header names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub mode: Mode,
    pub account_id: AccountId,
    pub base_url: String,
    pub profile: Profile,
}

/// The name and color that a person gave an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    pub name: Option<String>,
    pub tint: Option<Tint>,
}
