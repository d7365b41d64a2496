//! Cash, margin, liquidation, funding and the rules of a challenge. Names `core`, `market` and `state`.

pub(crate) mod cash;
pub(crate) mod checks;
pub(crate) mod funding;
pub(crate) mod isolated;
pub(crate) mod liquidation;
pub(crate) mod margin;

pub(crate) mod rules;
