//! View models: the screen as words and tones, shared by the desk, the command line and exports. Names `api`,
//! `app` and `model`.
//!
//! Contract: pure functions of the model without terminal types. Only the requested rows are formatted; an unknown
//! value is [`text::format::UNKNOWN`]. Words carry every meaning, tones only repeat it.

pub(crate) mod details;
pub(crate) mod dialogs;
pub mod forms;
pub mod market;
pub(crate) mod panels;
mod reading;
pub mod tables;
pub mod text;

pub use crate::model::{Timestamp, Zone};
pub use details::curve::{Curve, FULL, curve};
pub use details::detail::{detail, detail_text};
pub use details::{DetailLine, DetailLineKind, DetailView};
pub use dialogs::accounts::accounts;
pub use dialogs::bulk::{BulkItem, BulkView, bulk};
pub use dialogs::column_list::column_list;
pub use dialogs::export::{export, file, file_stem};
pub use dialogs::glossary::glossary;
pub use dialogs::help::{HelpSection, help, help_hint};
pub use dialogs::markets::markets;
pub use dialogs::quality::quality;
pub use dialogs::review::{ReviewView, review};
pub use dialogs::settings::settings;
pub use dialogs::user_alerts::user_alerts;
pub use market::ladder::{LadderCell, LadderView, PriceRow, TradeMark, price_ladder};
pub use market::ladder_form::{LadderForm, LadderPart, LadderSides};
pub use market::ladder_words::cursor_words;
pub use market::title::{chart_title, panel_title};
pub use panels::footer::{Hint, following, footer};
pub use panels::guard::limits;
pub use panels::header::{Chip, Header, header};
pub use panels::notices::notices;
pub use panels::panes::{emptiness, foot, pane_table};
pub use panels::prompt::{PromptView, Under, prompt};
pub use panels::segment::Segment;
pub use panels::strip::{PendingCommandView, StripView, pending_commands, strip};
pub use panels::title::{Title, arrow, newer, title};
pub use panels::toast::{NoticeView, toast};
pub use panels::tour::tour;
pub use panels::unseen::out_of_sight;
pub use reading::READING;
pub use tables::activity::{EventRow, notification};
pub use tables::days::DayLines;
pub use tables::scaled::{RungLine, head as scaled_head, rungs};
pub use tables::twaps::{Bar, TwapCard, cards};
pub use text::drawn_data::{DataKey, MarketKey};
pub use text::listed::ListView;
pub use text::{
    Align, Cell, Column, Facts, Gauge, Heading, Lead, RowBody, Scene, Share, Span, Table, TableRow,
    Tone, Widest,
};
pub(crate) use text::{format::UNKNOWN, joined, plain_text};

/// The columns of every resource, for the desk and the command line.
pub mod columns {
    pub use crate::view::tables::{
        activity::ACTIVITY,
        calls::CALLS,
        closed::{CLOSED, CLOSED_AS_STATED},
        history::HISTORY,
        orders::WORKING,
        positions::OPEN,
        scaled::{RUNGS, SCALED},
        twaps::TWAPS,
    };
}
