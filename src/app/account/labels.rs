//! The names of the desk's accounts, which one is on the screen, and which is requested.

use crate::{app::account::identity::Identity, config::Tint, model::AccountId};
use strum::VariantArray as _;

/// A hidden account is polled this many times less often.
const HIDDEN_SLOWDOWN: u32 = 3;

/// The account requested for the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    Next,
    To(usize),
}

/// Whether an account is on the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visibility {
    #[default]
    OnScreen,
    Background,
}

impl Visibility {
    /// The factor on its polling intervals.
    pub fn slower(self) -> u32 {
        match self {
            Self::OnScreen => 1,
            Self::Background => HIDDEN_SLOWDOWN,
        }
    }
}

/// The desk's accounts by name, and which one a model is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountLabels {
    pub seats: Vec<AccountLabel>,
    pub at: usize,
}

/// The name of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountLabel {
    /// Its profile's name.
    pub name: Option<String>,
    /// `None` until its service is known.
    pub account_id: Option<AccountId>,
    pub tint: Tint,
}

impl AccountLabel {
    pub(crate) fn of(identity: Option<&Identity>, at: usize) -> Self {
        let own = identity.and_then(|identity| identity.profile.tint);
        let by_place = Tint::VARIANTS.iter().cycle().nth(at);
        Self {
            name: identity.and_then(|identity| identity.profile.name.clone()),
            account_id: identity.map(|identity| identity.account_id.clone()),
            tint: own.or(by_place.copied()).unwrap_or(Tint::Blue),
        }
    }

    /// Its profile's name, otherwise the account id.
    pub fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.id())
    }

    /// Empty until its service is known.
    pub fn id(&self) -> String {
        let id = self.account_id.as_ref().map(ToString::to_string);
        id.unwrap_or_default()
    }

    fn is_called(&self, word: &str) -> bool {
        let id = self.account_id.as_ref().map(AccountId::raw);
        self.name.as_deref() == Some(word) || id == Some(word)
    }
}

impl AccountLabels {
    pub fn own(&self) -> Option<&AccountLabel> {
        self.seats.get(self.at)
    }

    /// Whether there are other accounts.
    pub fn has_others(&self) -> bool {
        self.seats.len() > 1
    }

    /// The index of the account with this name, or a list of the names.
    pub fn find(&self, word: &str) -> Result<usize, String> {
        let at = self.seats.iter().position(|seat| seat.is_called(word));
        at.ok_or_else(|| {
            format!(
                "no account {word}: the desk has {}",
                self.labels().join(", ")
            )
        })
    }

    pub fn labels(&self) -> Vec<String> {
        self.seats.iter().map(AccountLabel::label).collect()
    }
}
