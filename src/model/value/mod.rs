//! The values that every other part of the vocabulary is made of: numbers, instants, text and ids as the wire has them.
//! Names `order` for a side alone.

pub(super) mod ids;
pub(super) mod lenient;
pub(super) mod num;
pub(super) mod text;
pub(super) mod tick;
pub(super) mod time;
pub(super) mod zone;
