//! Compares each assumption of [`crate::api::Dialect`] with what was read.

use super::{
    Assumption, AssumptionStatus,
    asked::{DoctorAnswers, Rest},
    markets::settle,
    rows::RawRow,
};
use crate::{
    api::{Creation, Term},
    client::{Probe, signs},
    config::Connection,
    model::{Failure, FailureKind, MarketId},
};

const UNASKED: &str = "nothing could be read";
const FIRST_ORDER: &str =
    "reads cannot decide it; the answer to the first order with this field will";

const SEEN_MARKS: &str = "the chart is built from the marks seen";
const FIRST_CREATION: &str = "reads cannot decide it; the answer to the first order will";

fn creation(creation: &Creation) -> String {
    creation.path().unwrap_or("none").to_owned()
}

pub(super) type DialectFinding = (AssumptionStatus, String);

/// One assumption.
struct AssumptionCheck {
    what: &'static str,
    setting: Option<&'static str>,
    /// The term that reads can settle.
    term: Option<Term>,
    value: fn(&Connection) -> String,
    settle: fn(&Rest, &DoctorAnswers) -> DialectFinding,
}

const GUESSES: [AssumptionCheck; 16] = [
    AssumptionCheck {
        what: "working filter",
        setting: Some("dialect.working_filter"),
        term: Some(Term::WorkingFilter),
        value: |c| c.dialect.spelling(Term::WorkingFilter),
        settle: working_filter,
    },
    AssumptionCheck {
        what: "positions",
        setting: Some("dialect.position_selector"),
        term: Some(Term::PositionSelector),
        value: |c| c.dialect.spelling(Term::PositionSelector),
        settle: selector,
    },
    AssumptionCheck {
        what: "TWAP account",
        setting: Some("dialect.twaps_account"),
        term: Some(Term::TwapsAccount),
        value: |c| c.dialect.spelling(Term::TwapsAccount),
        settle: twaps_account,
    },
    AssumptionCheck {
        what: "time in force",
        setting: Some("dialect.time_in_force_field"),
        term: None,
        value: |c| c.dialect.time_in_force_field.clone(),
        settle: |rest, asked| answered_with(rest, &asked.dialect().time_in_force_field),
    },
    AssumptionCheck {
        what: "trigger side",
        setting: Some("dialect.trigger_direction_field"),
        term: None,
        value: |c| c.dialect.trigger_direction_field.clone(),
        settle: |rest, asked| answered_with(rest, &asked.dialect().trigger_direction_field),
    },
    AssumptionCheck {
        what: "slippage",
        setting: Some("dialect.slippage_field"),
        term: None,
        value: |c| c.dialect.slippage_field.clone(),
        settle: |_, _| (AssumptionStatus::Assumed, FIRST_ORDER.to_owned()),
    },
    AssumptionCheck {
        what: "TWAP creation",
        setting: Some("dialect.twap_creation"),
        term: None,
        value: |c| creation(&c.dialect.twap_creation),
        settle: |_, _| (AssumptionStatus::Assumed, FIRST_CREATION.to_owned()),
    },
    AssumptionCheck {
        what: "ladder creation",
        setting: Some("dialect.scaled_creation"),
        term: None,
        value: |c| creation(&c.dialect.scaled_creation),
        settle: |_, _| (AssumptionStatus::Assumed, FIRST_CREATION.to_owned()),
    },
    AssumptionCheck {
        what: "timestamps",
        setting: Some("dialect.timestamp_unit"),
        term: Some(Term::TimestampUnit),
        value: |c| c.dialect.spelling(Term::TimestampUnit),
        settle: timestamp_unit,
    },
    AssumptionCheck {
        what: "sizes",
        setting: Some("dialect.signed_sizes"),
        term: Some(Term::SignedSizes),
        value: |c| c.dialect.spelling(Term::SignedSizes),
        settle: signed_sizes,
    },
    AssumptionCheck {
        what: "paging",
        setting: None,
        term: None,
        value: |_| "has_more, next_cursor".to_owned(),
        settle: |rest, _| paging(rest),
    },
    AssumptionCheck {
        what: "prices",
        setting: Some("price_source"),
        term: None,
        value: |c| source(c.prices.as_ref().map(|source| &source.url)),
        settle: |rest, _| prices(rest),
    },
    AssumptionCheck {
        what: "candles",
        setting: Some("candle_source"),
        term: None,
        value: |c| source(c.markets.candles.as_ref().map(|source| &source.url)),
        settle: |rest, _| settle(&rest.markets.candles, SEEN_MARKS),
    },
    AssumptionCheck {
        what: "order book",
        setting: Some("book_source"),
        term: None,
        value: |c| source(c.markets.books.as_ref().map(|source| &source.url)),
        settle: |rest, _| settle(&rest.markets.book, "no ladder and no fill preview"),
    },
    AssumptionCheck {
        what: "trades",
        setting: Some("trade_source"),
        term: None,
        value: |c| source(c.markets.trades.as_ref().map(|source| &source.url)),
        settle: |rest, _| settle(&rest.markets.trades, "no recent trades"),
    },
    AssumptionCheck {
        what: "account figures",
        setting: Some("facts_source"),
        term: None,
        value: |c| source(c.facts.as_ref().map(|source| &source.url)),
        settle: |rest, _| facts(rest),
    },
];

pub(super) fn assumptions(asked: &DoctorAnswers) -> Vec<Assumption> {
    let learned = asked.terms.sentences();
    let settled = |guess: &AssumptionCheck| {
        if let Some((term, words)) = guess.term.and_then(|term| learned.get_key_value(&term)) {
            return (of(*term), words.clone());
        }
        match &asked.rest {
            Some(rest) => (guess.settle)(rest, asked),
            None => (AssumptionStatus::Assumed, UNASKED.to_owned()),
        }
    };
    let told = GUESSES.iter().map(|guess| {
        let (settled, how) = settled(guess);
        Assumption {
            what: guess.what,
            value: (guess.value)(&asked.connection),
            settled,
            how,
            setting: guess.setting,
        }
    });
    told.collect()
}

/// How a term was learned.
fn of(term: Term) -> AssumptionStatus {
    match term {
        Term::WorkingFilter | Term::PositionSelector | Term::TwapsAccount => {
            AssumptionStatus::Asked
        }
        Term::TimestampUnit | Term::SignedSizes => AssumptionStatus::Seen,
    }
}

fn source(url: Option<&String>) -> String {
    url.map_or_else(|| "none".to_owned(), Clone::clone)
}

pub(super) fn refused(why: &Failure) -> DialectFinding {
    passing(why).unwrap_or_else(|| (AssumptionStatus::Wrong, format!("refused: {why}")))
}

/// A failure that shows nothing about the dialect.
fn passing(why: &Failure) -> Option<DialectFinding> {
    let again = why.retry_after.map_or_else(
        || "try again later".to_owned(),
        |wait| format!("try again in {} s", wait.as_secs_f32().ceil()),
    );
    let words = match why.kind {
        FailureKind::Limited => "limited",
        FailureKind::Unavailable
        | FailureKind::Unreachable
        | FailureKind::TimedOut
        | FailureKind::Broken => why.kind.word(),
        FailureKind::Invalid
        | FailureKind::Auth
        | FailureKind::NotFound
        | FailureKind::Conflict
        | FailureKind::Unreadable
        | FailureKind::Unknown
        | FailureKind::Contradiction
        | FailureKind::Local
        | FailureKind::DryRun => return None,
    };
    Some((AssumptionStatus::Open, format!("{words}, {again}")))
}

/// The parameter was accepted, and no row shows whether it worked.
fn taken(rest: &Rest) -> DialectFinding {
    if rest.is_strict() {
        let how = "accepted, by a service that rejects unknown parameters";
        return (AssumptionStatus::Asked, how.to_owned());
    }
    let how = "accepted; there was no row that the filter would have removed";
    (AssumptionStatus::Assumed, how.to_owned())
}

fn working_filter(rest: &Rest, _: &DoctorAnswers) -> DialectFinding {
    if let Err(why) = &rest.working.list {
        return refused(why);
    }
    let count = |probe: &Probe| {
        RawRow::all(probe)
            .iter()
            .filter(|row| !row.is_working())
            .count()
    };
    match (count(&rest.working), count(&rest.history)) {
        (0, 0) => taken(rest),
        (0, ended) => {
            let how = format!("works: it removed {ended} ended orders");
            (AssumptionStatus::Asked, how)
        }
        (ended, _) => {
            let how = format!("ignored: the answer has {ended} ended orders");
            (AssumptionStatus::Wrong, how)
        }
    }
}

fn selector(rest: &Rest, asked: &DoctorAnswers) -> DialectFinding {
    if let Err(why) = &rest.closed.list {
        return refused(why);
    }
    if let Some(Err(why)) = asked.first().map(|probe| &probe.list) {
        return refused(why);
    }
    let closed = RawRow::all(&rest.closed);
    let still_open = closed.iter().filter(|row| !row.has("closed_at")).count();
    let open: Vec<RawRow> = asked.first().map(RawRow::all).unwrap_or_default();
    let over = open.iter().filter(|row| row.has("closed_at")).count();
    match (still_open + over, closed.len()) {
        (0, 0) => taken(rest),
        (0, count) => {
            let how = format!(
                "works: it separated {} open and {count} closed positions",
                open.len()
            );
            (AssumptionStatus::Asked, how)
        }
        (mixed, _) => {
            let how = format!("ignored: {mixed} positions were in the wrong list");
            (AssumptionStatus::Wrong, how)
        }
    }
}

fn twaps_account(rest: &Rest, asked: &DoctorAnswers) -> DialectFinding {
    if let Err(why) = &rest.twaps.list {
        return refused(why);
    }
    let own = asked.connection.account_id.raw();
    let is_foreign = |row: &RawRow| row.text("account_id").is_some_and(|id| id != own);
    let foreign = RawRow::all(&rest.twaps)
        .iter()
        .filter(|row| is_foreign(row))
        .count();
    if foreign > 0 {
        let how =
            format!("ignored: the answer has {foreign} of another account (perpdeck removes them)");
        return (AssumptionStatus::Wrong, how);
    }
    taken(rest)
}

/// A field name in responses is very likely the name in requests.
fn answered_with(rest: &Rest, field: &str) -> DialectFinding {
    let count = rest.rows().iter().filter(|row| row.has(field)).count();
    if count == 0 {
        return (AssumptionStatus::Assumed, FIRST_ORDER.to_owned());
    }
    (
        AssumptionStatus::Seen,
        format!("{count} orders have a field of this name"),
    )
}

fn timestamp_unit(rest: &Rest, asked: &DoctorAnswers) -> DialectFinding {
    let units: Vec<_> = rest.rows().iter().filter_map(RawRow::unit).collect();
    let set = asked.dialect().timestamp_unit;
    match units.first() {
        None => (
            AssumptionStatus::Assumed,
            "no row has a timestamp".to_owned(),
        ),
        Some(seen) if units.iter().any(|unit| unit != seen) => {
            let how =
                "timestamps of different magnitudes: each is read by its own magnitude".to_owned();
            (AssumptionStatus::Assumed, how)
        }
        Some(seen) if *seen == set => {
            let how = format!("{} timestamps have that magnitude", units.len());
            (AssumptionStatus::Seen, how)
        }
        Some(seen) => (
            AssumptionStatus::Wrong,
            format!("timestamps have the magnitude of {seen}"),
        ),
    }
}

fn signed_sizes(rest: &Rest, asked: &DoctorAnswers) -> DialectFinding {
    let prices = rest.prices.as_ref().and_then(|read| read.as_ref().ok());
    let mark = |row: &RawRow| {
        let market = row.text("market_id").map(MarketId::from)?;
        let mut markets = prices?.rows.iter();
        markets.find(|known| known.id == market)?.mark
    };
    // The last response is nearest to the prices.
    let open = asked.open.last().map(RawRow::all).unwrap_or_default();
    let is_open = |row: &RawRow| !row.has("closed_at");
    let rows = open.into_iter().chain(RawRow::all(&rest.closed));
    let facts = rows.map(|row| {
        let mark = is_open(&row).then(|| mark(&row)).flatten();
        (row.number("size"), row.number("liquidation_price"), mark)
    });
    let signs = signs(facts);
    let settled = match signs.verdict() {
        None => AssumptionStatus::Assumed,
        Some(signed) if signed == asked.dialect().signed_sizes => AssumptionStatus::Seen,
        Some(_) => AssumptionStatus::Wrong,
    };
    (settled, signs.words())
}

fn paging(rest: &Rest) -> DialectFinding {
    let pages = [Some(&rest.history), rest.second.as_ref()].into_iter();
    let mut troubles = pages.flatten().filter_map(|page| page.list.as_ref().err());
    if let Some(finding) = troubles.find_map(passing) {
        return finding;
    }
    let first = rest.history.list.as_ref().ok();
    let says = first.is_some_and(|list| list.has_more.is_some());
    let closed = rest
        .closed
        .list
        .as_ref()
        .ok()
        .is_some_and(|list| list.has_more.is_some());
    let lists = match (says, closed) {
        (true, true) => "orders and closed positions",
        (true, false) => "orders",
        (false, true) => "closed positions",
        (false, false) => {
            let how =
                "no list says whether there are more rows: a full page is shown as incomplete";
            return (AssumptionStatus::Assumed, how.to_owned());
        }
    };
    match &rest.second {
        Some(page) if page.list.as_ref().is_ok_and(|list| !list.data.is_empty()) => (
            AssumptionStatus::Asked,
            format!("{lists} have them, and a cursor returned the next page"),
        ),
        Some(_) => (
            AssumptionStatus::Wrong,
            "the cursor of a page returned nothing".to_owned(),
        ),
        None => (
            AssumptionStatus::Seen,
            format!("{lists} have them; there was no second page"),
        ),
    }
}

fn prices(rest: &Rest) -> DialectFinding {
    match &rest.prices {
        None => (
            AssumptionStatus::Assumed,
            "no source: what needs a price shows –".to_owned(),
        ),
        Some(Err(why)) if why.kind == FailureKind::Local => (
            AssumptionStatus::Assumed,
            format!("{}: what needs a price shows –", why.message),
        ),
        Some(Err(why)) => refused(why),
        Some(Ok(page)) if page.rows.is_empty() => (
            AssumptionStatus::Wrong,
            "the source has no market".to_owned(),
        ),
        Some(Ok(page)) => (
            AssumptionStatus::Asked,
            format!("{} markets have a price", page.rows.len()),
        ),
    }
}

fn facts(rest: &Rest) -> DialectFinding {
    match &rest.facts {
        None => (
            AssumptionStatus::Assumed,
            "no source: equity and losses show –".to_owned(),
        ),
        Some(Err(why)) if why.kind == FailureKind::Local => (
            AssumptionStatus::Assumed,
            format!("{}: equity and losses show –", why.message),
        ),
        Some(Err(why)) => refused(why),
        Some(Ok(_)) => (
            AssumptionStatus::Asked,
            "the account's figures were read".to_owned(),
        ),
    }
}
