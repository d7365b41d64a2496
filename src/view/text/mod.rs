//! Words and their formats: spans with a tone, numbers, ages, sparklines, tables as data. Names no other room.

pub(crate) mod age;
pub(crate) mod drawn_data;
pub mod format;
pub(crate) mod listed;
pub(crate) mod passing;
mod scene;
mod span;
mod spark;
mod table;
pub(crate) mod words;

pub use scene::Scene;
pub use span::{Span, Tone};
pub(crate) use span::{joined, plain_text};
pub(crate) use spark::spark;
pub use table::{
    Align, Cell, Column, Facts, Gauge, Heading, Lead, RowBody, Share, Table, TableRow, Widest,
};
