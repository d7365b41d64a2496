//! Words and their formats: spans with a tone, numbers, ages, sparklines, tables as data. Names no other room.

pub(crate) mod age;
pub(crate) mod drawn_data;
pub mod format;
pub(crate) mod listed;
pub(crate) mod passing;
pub mod scene;
pub mod span;
pub(crate) mod spark;
pub(crate) mod table;
pub(crate) mod words;
