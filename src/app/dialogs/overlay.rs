//! What can lie over the desk. An enum, so the compiler lists what a new one must do; who is concerned with one kind
//! only asks for that (`try_as_form_ref`).

pub use super::{
    accounts::Accounts,
    bulk::{Bulk, Item, Stage, State},
    chart::Chart,
    columns::{Columns, Sight},
    detail::Detail,
    markets::Markets,
    review::{Review, ReviewTab},
    strip::{Arm, DEAF, Deed, Strip},
    user_alerts::UserAlertList,
};

use super::{export::Export, prompt::Prompt};
use crate::app::{
    forms::form::{Form, Scroll},
    keys::keymap::Context,
};
use strum::{EnumDiscriminants, EnumIter, EnumTryAs};

/// What lies over the panes and has the keys. One that asks holds what it asks about: what was shown is what is done.
#[derive(Debug, Clone, PartialEq, EnumDiscriminants, EnumTryAs)]
#[strum_discriminants(name(OverlayKind), derive(EnumIter))]
pub enum Overlay {
    /// The keys of the place it was opened from; `offset` is the first line shown, `search` what is typed to find
    /// one.
    Help {
        of: Context,
        offset: usize,
        search: String,
    },
    Detail(Detail),
    Chart(Chart),
    /// How well orders were filled.
    Quality(super::quality::Report),
    /// Whether the settings on disk are in force.
    Settings {
        offset: usize,
    },
    /// The limits of the challenge.
    Limits {
        offset: usize,
    },
    Strip(Strip),
    Form(Box<Form>),
    /// Many commands: before, and what came of each.
    Bulk(Bulk),
    /// A line that is being typed.
    Prompt(Prompt),
    Export(Export),
    /// Which columns a pane shows, in which order.
    Columns(Columns),
    /// Every account of the desk.
    Accounts(Accounts),
    /// Every market that the price source lists.
    Markets(Markets),
    /// The alerts that the trader has set.
    UserAlerts(UserAlertList),
    /// What the closed trades came to.
    Review(Box<Review>),
}

impl Overlay {
    pub fn context(&self) -> Context {
        match self {
            Self::Help { .. } | Self::Settings { .. } => Context::Help,
            Self::Detail(_) | Self::Quality(_) => Context::Detail,
            Self::Chart(_) => Context::Chart,
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

    /// Shows it from this line on, if it has more than fit.
    pub(crate) fn scroll_to(&mut self, first: usize) {
        match self {
            Self::Help { offset, .. } | Self::Limits { offset } | Self::Settings { offset, .. } => {
                *offset = first;
            }
            Self::Detail(detail) => detail.offset = first,
            Self::Bulk(bulk) => bulk.offset = first,
            Self::Form(form) => form.scroll = Scroll::From(first),
            Self::Review(review) => review.offset = first,
            Self::Chart(_)
            | Self::Quality(_)
            | Self::Strip(_)
            | Self::Prompt(_)
            | Self::Columns(_)
            | Self::Accounts(_)
            | Self::Markets(_)
            | Self::UserAlerts(_)
            | Self::Export(_) => {}
        }
    }

    /// Whether all it is for is to send: a desk that may only look does not open it.
    pub(crate) fn only_sends(&self) -> bool {
        match self {
            Self::Strip(strip) => strip.sends(),
            Self::Bulk(_) | Self::Form(_) => true,
            Self::Help { .. }
            | Self::Detail(_)
            | Self::Chart(_)
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

    /// Whether something can be sent from it.
    pub(crate) fn acts(&self) -> bool {
        match self {
            // An export reads, and a lock is lifted, by what is so now.
            Self::Strip(_)
            | Self::Bulk(_)
            | Self::Form(_)
            | Self::Limits { .. }
            | Self::Export(_) => true,
            Self::Help { .. }
            | Self::Detail(_)
            | Self::Chart(_)
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
