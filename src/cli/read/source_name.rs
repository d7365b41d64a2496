//! Where a service has no list of its own for something, a setting names the source.

use crate::cli::exit::UsageError;
use color_eyre::Report;

/// What a source is of, and the setting that names it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceName {
    what: &'static str,
    setting: &'static str,
}

pub(super) const BOOKS: SourceName = SourceName::new("order book", "book_source");
pub(super) const CANDLES: SourceName = SourceName::new("candles", "candle_source");
pub(super) const TRADES: SourceName = SourceName::new("trades", "trade_source");

impl SourceName {
    const fn new(what: &'static str, setting: &'static str) -> Self {
        Self { what, setting }
    }

    /// No source is set.
    pub(super) fn unset(self) -> Report {
        let Self { what, setting } = self;
        Report::new(UsageError(format!(
            "no source of {what} is set: set {setting} to \"paper\" for a paper exchange, or to a table with the address of your service's {what} (\"perpdeck config init\" writes an example)"
        )))
    }
}
