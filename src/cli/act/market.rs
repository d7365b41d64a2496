//! Finds the market by its id or symbol.
//!
//! Contract: if a list of markets can be read, an unknown name is refused, with similar ones. Without a list the
//! service decides about an id, and always for a reducing order: no close depends on a list. A possible symbol is never
//! sent as an id while the list is unavailable.

use crate::{
    app::Store,
    cli::{exit::UsageError, service::Service, voice::Output},
    model::{Failure, MarketId, MarketNames, Text, ambiguous},
};
use color_eyre::{Report, Result};

/// Suggestions for an unknown name.
const NEAR: usize = 3;
/// The least similarity of a suggestion; equal names have 1.
const ALIKE: f64 = 0.6;

/// The purpose of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarketPurpose {
    Opens,
    OnlyReduces,
}

/// The id of the market that a flag names; a dry run says if no list could confirm it.
pub(super) fn named(
    (flag, name): (&str, MarketId),
    purpose: MarketPurpose,
    (store, service, voice): (&Store, &Service, Output),
) -> Result<MarketId> {
    let found = store.markets_named(name.raw());
    let why = match (found.as_slice(), store.markets.trouble()) {
        ([id], _) => return Ok(id.clone()),
        ([_, _, ..], _) => {
            let words = format!("{flag}: {}", ambiguous(name.raw(), &found));
            return Err(Report::new(UsageError(words)));
        }
        ([], Some(why)) if !may_be_id(&name) => return Err(Report::new(unread(&name, why))),
        ([], Some(why)) => format!("the markets could not be read ({})", why.message),
        ([], None) if !is_listed(store) => "no list of markets is available".to_owned(),
        ([], None) if purpose == MarketPurpose::Opens => {
            let words = format!("{flag}: {}", unknown(&name, store));
            return Err(Report::new(UsageError(words)));
        }
        ([], None) => "no list of markets has it; a reducing order is sent anyway".to_owned(),
    };
    if service.is_dry_run() {
        voice.note(&format!("{flag} {name} was not checked: {why}"));
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

fn unread(name: &MarketId, why: &Failure) -> Failure {
    Failure {
        message: format!(
            "the list of markets could not be read ({}), so {name} is unknown; nothing was sent; write the market id, as in paper|SOL",
            why.message
        )
        .into(),
        ..why.clone()
    }
}

/// What an unknown name may have meant.
pub(in crate::cli) fn unknown(name: &MarketId, store: &Store) -> String {
    let known = &store.known_markets();
    let listed = |ids: &[&MarketId]| {
        let first = ids.iter().take(NEAR);
        first.map(|id| id.raw()).collect::<Vec<_>>().join(", ")
    };
    let near = near(name, known, &store.names);
    if !near.is_empty() {
        let near = listed(&near);
        return format!("there is no market {name}; did you mean {near}?");
    }
    let all: Vec<_> = known.iter().collect();
    let more = match all.len().saturating_sub(NEAR) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let first = listed(&all);
    format!("there is no market {name}; the markets are {first}{more}")
}

/// Those with a similar symbol or coin, the most similar first.
fn near<'a>(name: &MarketId, known: &'a [MarketId], names: &MarketNames) -> Vec<&'a MarketId> {
    let typed = name.coin();
    let alike = |own: &Text| {
        let [own, typed] = [own, &typed].map(|text| text.raw().to_lowercase());
        strsim::normalized_damerau_levenshtein(&own, &typed)
    };
    let likeness = |id: &MarketId| alike(&names.shown(id)).max(alike(&id.coin()));
    let like = known.iter().map(|id| (likeness(id), id));
    let mut like: Vec<_> = like.filter(|(like, _)| *like >= ALIKE).collect();
    like.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    like.into_iter().map(|(_, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::account::poll::{Answer, Poll},
        model::{Market, Timestamp},
    };

    #[test]
    fn a_name_that_is_none_is_told_with_those_it_may_have_been_meant_for_else_with_what_there_is() {
        let known = ["BTC", "DOGE", "ETH", "SOL", "kPEPE"];
        let known = known.map(|symbol| MarketId::from(format!("paper|{symbol}")));
        let mut store = Store::default();
        store.arrive(Poll {
            at: Timestamp(0),
            answer: Answer::Markets(Ok(known.map(Market::new).into())),
        });
        let told = |name: &str| unknown(&name.into(), &store);
        for (name, end) in [
            ("bct", "there is no market bct; did you mean paper|BTC?"),
            (
                "paper|DOGGE",
                "there is no market paper|DOGGE; did you mean paper|DOGE?",
            ),
            ("pepe", "there is no market pepe; did you mean paper|kPEPE?"),
            (
                "nope",
                "there is no market nope; the markets are paper|BTC, paper|DOGE, paper|ETH and 2 more",
            ),
        ] {
            assert_eq!(told(name), end);
        }
    }
}
