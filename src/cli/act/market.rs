//! Finds the market by its id or symbol.
//!
//! Contract: if a list of markets can be read, an unknown name is refused, with similar ones. Without a list the
//! service decides about an id, and always for a reducing order: no close depends on a list. A possible symbol is never
//! sent as an id while the list is unavailable.

use crate::{
    app::Store,
    cli::{exit::UsageError, named::unknown_market, service::Service},
    model::{MarketId, ambiguous},
};
use color_eyre::Result;

/// The purpose of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarketPurpose {
    Opens,
    OnlyReduces,
}

/// The id of the market that a flag names; a dry run says if no list could confirm it.
pub(super) fn named(
    flag: &str,
    name: MarketId,
    purpose: MarketPurpose,
    store: &Store,
    service: &Service,
) -> Result<MarketId> {
    let found = store.markets_named(name.raw());
    let why = match (found.as_slice(), store.markets.trouble()) {
        ([id], _) => return Ok(id.clone()),
        ([_, _, ..], _) => {
            let words = format!("{flag}: {}", ambiguous(name.raw(), &found));
            return Err(UsageError(words).into());
        }
        ([], Some(why)) if !may_be_id(&name) => {
            return Err(why.saying(format!(
                "the list of markets could not be read ({}), so {name} is unknown; nothing was sent; write the market id, as in paper|SOL",
                why.message
            )).into());
        }
        ([], Some(why)) => format!("the markets could not be read ({})", why.message),
        ([], None) if !is_listed(store) && !may_be_id(&name) => {
            let words = format!(
                "{flag}: the service lists no market, so {name} is unknown; write the market id, as in paper|SOL"
            );
            return Err(UsageError(words).into());
        }
        ([], None) if !is_listed(store) => "no list of markets is available".to_owned(),
        ([], None) if purpose == MarketPurpose::Opens => {
            let words = format!("{flag}: {}", unknown_market(&name, store));
            return Err(UsageError(words).into());
        }
        ([], None) => "no list of markets has it; a reducing order is sent anyway".to_owned(),
    };
    if service.is_dry_run() {
        service
            .voice
            .note(&format!("{flag} {name} was not checked: {why}"));
    }
    Ok(name)
}

/// An id has a provider; a symbol or a coin alone (`BTC`, `xyz:TSLA`, `@107`) has none.
fn may_be_id(name: &MarketId) -> bool {
    name.raw().contains('|')
}

fn is_listed(store: &Store) -> bool {
    let markets = store.markets.value();
    markets.is_some_and(|markets| !markets.is_empty())
}
