//! The panels over the desk, as an enum, so that the compiler lists what a new one must handle; code for one kind uses
//! `try_as_form_ref` and the like.

pub use super::{
    accounts::Accounts,
    bulk::{Bulk, Stage},
    columns::{ColumnVisibility, Columns},
    detail::Detail,
    glossary::Glossary,
    markets::{Markets, MarketsPurpose},
    review::{Review, ReviewTab},
    search::ListSearch,
    strip::{Arm, Strip, StripAction},
    user_alerts::UserAlertList,
};

use super::{export::Export, next::Next, prompt::Prompt};
use crate::app::{
    account::{labels::AccountLabels, row_id::RowId},
    core::account::Account,
    forms::form::{Form, Scroll},
    keys::keymap::{Action, Context},
};
use strum::{EnumDiscriminants, EnumIter, EnumTryAs};

/// A panel over the panes that has the keys. A question contains its commands: what was shown is what is done.
#[derive(Debug, Clone, PartialEq, EnumDiscriminants, EnumTryAs, derive_more::From)]
#[strum_discriminants(name(OverlayKind), derive(EnumIter))]
pub enum Overlay {
    /// The keys of the place it was opened from; `offset` is the first visible line, `search` the search text.
    Help {
        of: Context,
        offset: usize,
        search: String,
    },
    /// What the words of trading mean.
    #[from]
    Glossary(Glossary),
    #[from]
    Detail(Detail),
    /// Execution quality.
    #[from]
    Quality(super::quality::Report),
    /// The state of the settings files.
    Settings { offset: usize },
    /// The challenge limits.
    Limits { offset: usize },
    #[from]
    Strip(Strip),
    #[from(Form, Box<Form>)]
    Form(Box<Form>),
    /// Many commands: the list, and each outcome.
    #[from]
    Bulk(Bulk),
    /// The command line or a filter.
    #[from]
    Prompt(Prompt),
    #[from]
    Export(Export),
    /// Which columns a pane shows, and in which order.
    #[from]
    Columns(Columns),
    /// The list of accounts.
    #[from]
    Accounts(Accounts),
    /// The list of markets.
    #[from]
    Markets(Markets),
    /// The alerts that the trader has set.
    #[from]
    UserAlerts(UserAlertList),
    /// What the closed trades came to.
    #[from(Review)]
    Review(Box<Review>),
}

/// What a panel is open for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PanelPurpose {
    /// To be read or chosen from.
    Read,
    /// The same, and its key overrides a lock by the state of now.
    ReadOrUnlock,
    /// Commands and filters.
    Type,
    /// Reads what is current when it begins.
    Export,
    Send,
}

/// What keys over a panel look at beside the panel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DialogContext<'a> {
    pub(crate) account: &'a Account,
    /// The accounts of the desk.
    pub(crate) accounts: &'a AccountLabels,
    /// What the open detail leads to.
    pub(crate) links: &'a [RowId],
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
            Self::Accounts(list) => list.search.context(Context::Accounts),
            Self::Markets(list) => list.search.context(Context::Markets),
            Self::UserAlerts(_) => Context::UserAlerts,
            Self::Review(_) => Context::Review,
        }
    }

    /// What a key of its own does.
    pub(crate) fn act(&mut self, action: Action, context: DialogContext<'_>) -> Next {
        match self {
            Self::Markets(list) => list.act(action, &context.account.store),
            Self::Strip(strip) => strip.act(action, context.account.now),
            Self::Bulk(bulk) => bulk.act(action, context.account.now),
            Self::Export(export) => export.act(action),
            Self::Columns(columns) => columns.act(action),
            Self::Accounts(list) => list.act(action, context.accounts),
            Self::Help { offset, .. }
            | Self::Glossary(Glossary { offset, .. })
            | Self::Settings { offset }
            | Self::Limits { offset } => scroll(offset, action),
            Self::UserAlerts(list) => list.act(
                action,
                (&context.account.user_alerts, &context.account.store.names),
            ),
            Self::Review(review) => review.act(action),
            Self::Quality(report) => report.act(action, &context.account.store),
            Self::Detail(detail) => detail.act(action, context.links),
            // They read their keys themselves.
            Self::Form(_) | Self::Prompt(_) => Next::Stay,
        }
    }

    /// What it is open for.
    fn purpose(&self) -> PanelPurpose {
        match self {
            Self::Strip(_) | Self::Form(_) | Self::Bulk(_) => PanelPurpose::Send,
            Self::Export(_) => PanelPurpose::Export,
            Self::Prompt(_) => PanelPurpose::Type,
            Self::Limits { .. } => PanelPurpose::ReadOrUnlock,
            Self::Help { .. }
            | Self::Glossary(_)
            | Self::Detail(_)
            | Self::Quality(_)
            | Self::Settings { .. }
            | Self::Columns(_)
            | Self::Accounts(_)
            | Self::UserAlerts(_)
            | Self::Review(_)
            | Self::Markets(_) => PanelPurpose::Read,
        }
    }

    /// Whether it is only read or chosen from: a key that dismisses a toast over it does not close it, too.
    pub(crate) fn is_read(&self) -> bool {
        matches!(
            self.purpose(),
            PanelPurpose::Read | PanelPurpose::ReadOrUnlock
        )
    }

    /// Whether its only purpose is to send: a read-only desk does not open it.
    pub(crate) fn only_sends(&self) -> bool {
        let is_question = self.try_as_strip_ref().is_some_and(|strip| !strip.sends());
        self.purpose() == PanelPurpose::Send && !is_question
    }

    /// Whether it can send something.
    pub(crate) fn acts(&self) -> bool {
        !matches!(self.purpose(), PanelPurpose::Read | PanelPurpose::Type)
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
}

/// Lines that the movement keys scroll.
const STEPS: &[(Action, isize)] = &[
    (Action::Down, 1),
    (Action::Up, -1),
    (Action::PageDown, 10),
    (Action::PageUp, -10),
];

fn scroll(offset: &mut usize, action: Action) -> Next {
    if action == Action::Dismiss {
        return Next::Close;
    }
    let step = STEPS.iter().find(|(of, _)| *of == action);
    *offset = offset.saturating_add_signed(step.map_or(0, |(_, lines)| *lines));
    Next::Stay
}
