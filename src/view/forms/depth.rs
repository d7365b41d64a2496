//! Previews a fill against the known book: quantity filled now, average price, and what rests. Without a book the
//! service's own estimate stands for it.

use crate::{
    app::{Model, UnusableBook},
    model::{Book, Num, Side, Sweep, TimeInForce, draft::Seen, spoken},
    view::{
        forms::words::{PreviewLine, quantity},
        text::{Span, format, passing, words},
    },
};

/// The parts of an order that matter for the book.
pub(crate) struct Taker {
    pub(crate) side: Side,
    pub(crate) size: Option<Num>,
    /// Its worst price; `None` accepts any.
    pub(crate) limit: Option<Num>,
    pub(crate) lasting: TimeInForce,
}

/// One line; `None` without book and quote. If the book is old or does not match the observed price, the line says only
/// that.
pub(crate) fn depth(taker: &Taker, model: &Model, seen: &Seen) -> Option<PreviewLine> {
    let (size, market) = (taker.size?, seen.market?);
    let book = match model.account.store.books.fit(market, model.account.now) {
        None => return Some(("quote", quoted(taker, model, seen)?)),
        Some(Ok(book)) => book,
        Some(Err(unfit)) => return Some(("book", unmeasured(unfit, model, seen))),
    };
    let sweep = book.sweep(taker.side, size, taker.limit)?;
    let words = met(&sweep, taker, book, seen);
    Some(("book", by_book(&words, model, seen)?))
}

/// `all fills at est. 64,010, est. fee 4.41 USD, from a quote 1s old`; `None` for a quote of another order.
fn quoted(taker: &Taker, model: &Model, seen: &Seen) -> Option<Span> {
    let size = taker.size?;
    let (sized, age) = model
        .account
        .store
        .ticket_quote
        .of(&seen.market?.id, model.account.now)?;
    if (sized.side, sized.size) != (taker.side, size) {
        return None;
    }
    let age = passing::age(age, model.account.options.motion);
    if sized.quote.fillable == Some(false) {
        let why = sized.quote.unfillable_reason.as_ref();
        let why = why.map_or_else(|| "no reason given".to_owned(), spoken);
        let words = format!("the service cannot fill it now: {why}, from a quote {age} old");
        return Some(Span::warn(words));
    }
    let price = sized.fills_at(taker.side, size, taker.limit)?;
    let price = format::average(price, seen.market);
    let fee = sized.quote.estimated_fee;
    let fee = fee.map(|fee| format!(", est. fee {} USD", format::usd(fee)));
    let fee = fee.unwrap_or_default();
    Some(Span::plain(format!(
        "all fills at est. {price}{fee}, from a quote {age} old"
    )))
}

/// Estimates from the book state its age.
pub(crate) fn by_book(words: &str, model: &Model, seen: &Seen) -> Option<Span> {
    let market = seen.market?;
    model
        .account
        .store
        .books
        .fit(market, model.account.now)?
        .ok()?;
    let age = model
        .account
        .store
        .books
        .age(&market.id, model.account.now)?;
    let age = passing::age(age, model.account.options.motion);
    Some(Span::plain(format!("{words}, from a book {age} old")))
}

fn unmeasured(unfit: UnusableBook, model: &Model, seen: &Seen) -> Span {
    let why = match unfit {
        UnusableBook::Old(age) => {
            let age = passing::age(age, model.account.options.motion);
            format!("the last book is {age} old")
        }
        UnusableBook::Apart(middle) => {
            let middle = format::average(middle, seen.market);
            format!("the middle of the book, {middle}, is not the observed price")
        }
    };
    Span::warn(format!("{}, {why}", format::UNKNOWN))
}

/// `0.10000 fills at est. 64,010, 0.9 bps from mid, 0.23147 rests`.
fn met(sweep: &Sweep, taker: &Taker, book: &Book, seen: &Seen) -> String {
    let left = sweep.rest.is_positive();
    let Some(average) = sweep.average else {
        return format!("nothing fills, all {}", rest(taker));
    };
    let part = left.then(|| quantity(sweep.filled, seen));
    let part = part.unwrap_or_else(|| "all".to_owned());
    let price = format::average(average, seen.market);
    let parts = [
        Some(format!("{part} fills at est. {price}")),
        slippage(average, book).map(|bps| format!("{} bps from mid", bps.rounded(1))),
        left.then(|| format!("{} {}", quantity(sweep.rest, seen), rest(taker))),
    ];
    words::listed(parts, ", ")
}

/// The distance of the average from the mid of the same book, in basis points.
fn slippage(average: Num, book: &Book) -> Option<Num> {
    let mid = book.mid()?;
    let away = average.minus(mid)?.abs().over(mid)?;
    away.times(Num::from(10_000_u32))
}

/// What happens to the part that no level fills.
fn rest(taker: &Taker) -> &'static str {
    match (taker.limit, taker.lasting) {
        (None, _) => "beyond the known levels",
        (Some(_), TimeInForce::Gtc | TimeInForce::Gtd) => "rests",
        (Some(_), TimeInForce::Ioc) => "is not filled",
        (Some(_), TimeInForce::Fok) => "missing: fok fills all or nothing",
    }
}
