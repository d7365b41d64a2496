//! What the desk needs of the view, which it does not name.

use super::{
    forms::caution,
    tables::reading::{columns, fact, numbers, words},
};
use crate::app::desk::model::Reading;

/// Gives the desk access to the columns, so that it can filter and sort by them, and to the words of its questions.
pub const READING: Reading = Reading {
    columns,
    fact,
    words,
    numbers,
    question: caution::question,
};
