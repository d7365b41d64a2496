//! The panels over the desk, as an enum, so that the compiler lists what a new one must handle; code for one kind uses
//! `try_as_form_ref` and the like.

pub use super::{
    accounts::Accounts,
    bulk::{Bulk, Item, Stage, State},
    columns::{ColumnVisibility, Columns},
    detail::Detail,
    glossary::Glossary,
    markets::Markets,
    review::{Review, ReviewTab},
    strip::{Arm, DEAF, Strip, StripAction},
    user_alerts::UserAlertList,
};

use super::{export::Export, prompt::Prompt};
use crate::app::{
    forms::form::{Form, Scroll},
    keys::keymap::Context,
};
use strum::{EnumDiscriminants, EnumIter, EnumTryAs};

/// A panel over the panes that has the keys. A question contains its commands: what was shown is what is done.
#[derive(Debug, Clone, PartialEq, EnumDiscriminants, EnumTryAs)]
#[strum_discriminants(name(OverlayKind), derive(EnumIter))]
pub enum Overlay {
    /// The keys of the place it was opened from; `offset` is the first visible line, `search` the search text.
    Help {
        of: Context,
        offset: usize,
        search: String,
    },
    /// What the words of trading mean.
    Glossary(Glossary),
    Detail(Detail),
    /// Execution quality.
    Quality(super::quality::Report),
    /// The state of the settings files.
    Settings {
        offset: usize,
    },
    /// The challenge limits.
    Limits {
        offset: usize,
    },
    Strip(Strip),
    Form(Box<Form>),
    /// Many commands: the list, and each outcome.
    Bulk(Bulk),
    /// The command line or a filter.
    Prompt(Prompt),
    Export(Export),
    /// Which columns a pane shows, and in which order.
    Columns(Columns),
    /// The list of accounts.
    Accounts(Accounts),
    /// The list of markets.
    Markets(Markets),
    /// The alerts that the trader has set.
    UserAlerts(UserAlertList),
    /// What the closed trades came to.
    Review(Box<Review>),
}

impl Overlay {
    pub fn context(&self) -> Context {
        match self {
            Self::Help { .. } | Self::Glossary(_) | Self::Settings { .. } => Context::Help,
            Self::Detail(_) | Self::Quality(_) => Context::Detail,
            Self::Limits { .. } => Context::Limits,
            Self::Strip(_) => Context::Strip,
            Self::Form(_) => Context::Form,
            Self::Bulk(_) => Context::Bulk,
            Self::Prompt(_) => Context::Prompt,
            Self::Export(_) => Context::Export,
            Self::Columns(_) => Context::Columns,
            Self::Accounts(_) => Context::Accounts,
            Self::Markets(list) => list.context(),
            Self::UserAlerts(_) => Context::UserAlerts,
            Self::Review(_) => Context::Review,
        }
    }

    /// Shows it from this line on, if it is longer than the screen.
    pub(crate) fn scroll_to(&mut self, first: usize) {
        match self {
            Self::Help { offset, .. } | Self::Limits { offset } | Self::Settings { offset, .. } => {
                *offset = first;
            }
            Self::Glossary(open) => open.offset = first,
            Self::Detail(detail) => detail.offset = first,
            Self::Bulk(bulk) => bulk.offset = first,
            Self::Form(form) => form.scroll = Scroll::From(first),
            Self::Review(review) => review.offset = first,
            Self::Quality(_)
            | Self::Strip(_)
            | Self::Prompt(_)
            | Self::Columns(_)
            | Self::Accounts(_)
            | Self::Markets(_)
            | Self::UserAlerts(_)
            | Self::Export(_) => {}
        }
    }

    /// Whether its only purpose is to send: a read-only desk does not open it.
    pub(crate) fn only_sends(&self) -> bool {
        match self {
            Self::Strip(strip) => strip.sends(),
            Self::Bulk(_) | Self::Form(_) => true,
            Self::Help { .. }
            | Self::Glossary(_)
            | Self::Detail(_)
            | Self::Quality(_)
            | Self::Settings { .. }
            | Self::Limits { .. }
            | Self::Prompt(_)
            | Self::Export(_)
            | Self::Columns(_)
            | Self::Accounts(_)
            | Self::UserAlerts(_)
            | Self::Review(_)
            | Self::Markets(_) => false,
        }
    }

    /// Whether it can send something.
    pub(crate) fn acts(&self) -> bool {
        match self {
            // An export reads current data, and a lock override uses the current state.
            Self::Strip(_)
            | Self::Bulk(_)
            | Self::Form(_)
            | Self::Limits { .. }
            | Self::Export(_) => true,
            Self::Help { .. }
            | Self::Glossary(_)
            | Self::Detail(_)
            | Self::Quality(_)
            | Self::Settings { .. }
            | Self::Columns(_)
            | Self::Accounts(_)
            | Self::Markets(_)
            | Self::UserAlerts(_)
            | Self::Review(_)
            | Self::Prompt(_) => false,
        }
    }
}
