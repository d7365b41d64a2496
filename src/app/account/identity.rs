//! Whose desk it is, and where.

use crate::{config::Tint, model::AccountId};

/// Where orders go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Paper,
    LiveApi,
}

/// The far end as the header names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub mode: Mode,
    pub account_id: AccountId,
    pub base_url: String,
    pub profile: Profile,
}

/// What a person has given an account to know it by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    pub name: Option<String>,
    pub tint: Option<Tint>,
}
