//! The basic values: numbers, instants, text and ids as on the wire. Names no other file of `model`.

pub(super) mod ids;
pub(super) mod lenient;
pub(super) mod num;
pub(super) mod text;
pub(super) mod tick;
pub(super) mod time;
pub(super) mod words;
pub(super) mod zone;
