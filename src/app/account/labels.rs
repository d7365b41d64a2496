//! The accounts of one desk by name, which of them is on the screen, and which is wanted there.

use crate::{app::account::identity::Identity, config::Tint, model::AccountId};
use strum::VariantArray as _;

/// So many times more seldom an account is asked about while it is not on the screen.
const ASIDE: u32 = 3;

/// Which account is wanted on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    Next,
    To(usize),
}

/// Whether an account is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visibility {
    #[default]
    OnScreen,
    Background,
}

impl Visibility {
    /// How many times its intervals it is polled at.
    pub fn slower(self) -> u32 {
        match self {
            Self::OnScreen => 1,
            Self::Background => ASIDE,
        }
    }
}

/// The accounts of the desk by name, and which of them a model is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountLabels {
    pub seats: Vec<AccountLabel>,
    pub at: usize,
}

/// What an account is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountLabel {
    /// Its profile's.
    pub name: Option<String>,
    /// `None` until its far end is known.
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

    /// The name a person gave it, else the account's.
    pub fn label(&self) -> String {
        let id = || self.account_id.as_ref().map(ToString::to_string);
        self.name.clone().or_else(id).unwrap_or_default()
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

    /// Whether there is another account to go to.
    pub fn has_others(&self) -> bool {
        self.seats.len() > 1
    }

    /// Where the account of this name is, or what there is.
    pub fn find(&self, word: &str) -> Result<usize, String> {
        let at = self.seats.iter().position(|seat| seat.is_called(word));
        at.ok_or_else(|| {
            let labels = self.labels();
            let are = if labels.len() == 1 { "is" } else { "are" };
            format!("no account {word}; there {are} {}", labels.join(", "))
        })
    }

    pub fn labels(&self) -> Vec<String> {
        self.seats.iter().map(AccountLabel::label).collect()
    }
}
