//! View models: the screen as words and tones, shared by the desk, the command line and exports. Names `app` and
//! `model`.
//!
//! Contract: pure functions of the model without terminal types. Only the requested rows are formatted; an unknown
//! value is [`text::format::UNKNOWN`]. Words carry every meaning, tones only repeat it.

pub(crate) mod details;
pub mod forms;
pub mod market;
pub(crate) mod panels;
pub mod tables;
pub mod text;

pub use crate::model::Zone;
pub use details::curve::{Curve, FULL, curve};
pub use details::detail::{detail, detail_text};
pub use details::{DetailLine, DetailLineKind, DetailView};
pub use market::ladder::{LadderCell, LadderView, PriceRow, price_ladder};
pub use market::ladder_form::{LadderForm, LadderSides};
pub use market::ladder_words::cursor_words;
pub use market::title::panel_title;
pub use panels::accounts::accounts;
pub use panels::bulk::{BulkItem, BulkView, bulk};
pub use panels::column_list::column_list;
pub use panels::export::{export, file, file_stem};
pub use panels::footer::{Following, Hint, following, footer};
pub use panels::glossary::glossary;
pub use panels::guard::limits;
pub use panels::header::{Chip, Header, header};
pub use panels::help::{HelpSection, help, help_hint};
pub use panels::markets::markets;
pub use panels::panes::{emptiness, foot, pane_table};
pub use panels::prompt::{PromptView, Under, prompt};
pub use panels::quality::quality;
pub use panels::review::{ReviewView, review};
pub use panels::segment::Segment;
pub use panels::settings::settings;
pub use panels::strip::{PendingCommandView, StripView, flights, strip};
pub use panels::title::{Title, arrow, newer, title};
pub use panels::toast::{ToastView, toast};
pub use panels::tour::{TourView, tour};
pub use panels::unseen::out_of_sight;
pub use panels::user_alerts::user_alerts;
pub use tables::activity::{EventLine, event_line, notification};
pub use tables::csv::field as csv_field;
pub use tables::days::DayLines;
pub use tables::reading::READING;
pub use tables::scaled::{RungLine, head as ladder_head, rungs};
pub use tables::twaps::{Bar, TwapCard, cards};
pub use text::drawn_data::{DataKey, MarketKey};
pub use text::listed::ListView;
pub use text::{
    Align, Cell, Column, Facts, Gauge, Heading, Lead, RowBody, Scene, Share, Span, Table, TableRow,
    Tone, Widest,
};
pub(crate) use text::{joined, plain_text};

/// The columns of every resource, for the desk, the command line and exports.
pub mod columns {
    pub use crate::view::tables::{
        activity::ACTIVITY,
        calls::CALLS,
        closed::{CLOSED, CLOSED_AS_TOLD},
        history::HISTORY,
        orders::WORKING,
        positions::OPEN,
        scaled::RUNGS,
        twaps::TWAPS,
    };
}
