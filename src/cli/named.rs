//! What the ids and names in arguments mean.

use super::{exit::UsageError, service::Service};
use crate::{
    app::{Store, several_positions},
    model::{Failure, FailureKind, MarketId, MarketNames, PositionId, Text, ambiguous},
};
use color_eyre::Result;

/// Suggestions for an unknown name.
const NEAR: usize = 3;
/// The least similarity of a suggestion; equal names have 1.
const ALIKE: f64 = 0.6;

/// An id as typed. An empty one would address the whole list, and one of dots another path.
pub(in crate::cli) fn id<T: From<String>>(text: &str) -> Result<T, String> {
    match text.trim() {
        "" => Err("an id is not empty".to_owned()),
        "." | ".." => Err("this is no id".to_owned()),
        _ => Ok(T::from(text.to_owned())),
    }
}

/// A name for people: no id consists of letters alone.
pub(in crate::cli) fn is_word(name: &str) -> bool {
    name.chars().all(char::is_alphabetic)
}

/// The open position with this id or in this market; the service decides about any other id. A market's name is never
/// sent as an id.
pub(in crate::cli) fn position(named: PositionId, store: &Store) -> Result<PositionId> {
    let found = store.positions_named(named.raw());
    let is_market = is_word(named.raw())
        || named.raw().contains('|')
        || !store.markets_named(named.raw()).is_empty();
    match (found.as_slice(), store.positions.gap()) {
        ([position], _) => Ok(position.id.clone()),
        ([], None) if is_market => {
            let words = format!(
                "there is no open position in {named}; \"perpdeck positions\" lists them"
            );
            Err(Failure::new(FailureKind::NotFound, words).into())
        }
        ([], Some(why)) if is_market => Err(why.saying(format!(
            "the positions could not be read ({}); nothing was sent; write the position id, or use close-all",
            why.message
        )).into()),
        ([], _) => Ok(named),
        (several, _) => Err(UsageError(several_positions(named.raw(), several)).into()),
    }
}

/// What an unknown name may have meant.
pub(in crate::cli) fn unknown_market(name: &MarketId, store: &Store) -> String {
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

/// The purpose of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum MarketPurpose {
    Opens,
    OnlyReduces,
}

/// The id of the market that a flag names; a dry run says if no list could confirm it.
///
/// Contract: if a list of markets can be read, an unknown name is refused, with similar ones. Without a list the
/// service decides about an id, and always for a reducing order: no close depends on a list. A possible symbol is never
/// sent as an id while the list is unavailable.
pub(in crate::cli) fn market(
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
        let told = |name: &str| unknown_market(&name.into(), &store);
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
