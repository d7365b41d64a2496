//! The words around the rows of the price ladder: what is out of view, how the rows lie, what the keys do, the trades.

use super::{ladder_form::LadderLines, ladder_scene::LadderScene, title::venue_note};
use crate::{
    app::{
        Model, Motion,
        account::books::KnownBook,
        market::{
            book_state::{BookState, taken_by},
            own_orders::{OwnOrder, OwnOrderKind},
            tape::Tape,
        },
        orders::at_price::{self, PricePoint},
    },
    model::{Book, Num, Protection, PublicTrade, Side},
    view::text::{Scene, Span, Tone, format, joined, passing},
};
use std::time::Duration;

/// Data that is renewed twice a second or once is late after this.
const DATA_LATE: Duration = Duration::from_millis(2_500);

/// A price that matters, for the edge of the rows.
#[derive(Debug)]
struct EdgeMark {
    price: Num,
    /// The row that has it, in view or not.
    row: Num,
    name: &'static str,
    /// The sign that it has in the price cell; in a narrow ladder the name.
    brief: &'static str,
    tone: Tone,
}

impl EdgeMark {
    fn new(
        (price, row): (Num, Num),
        (name, brief): (&'static str, &'static str),
        tone: Tone,
    ) -> Self {
        Self {
            price,
            row,
            name,
            brief,
            tone,
        }
    }
}

/// What the keys would do at the cursor of the chart; nothing before a price is chosen.
pub fn cursor_words(model: &Model, scene: &Scene<'_>) -> Vec<Vec<Span>> {
    let Some(ladder) = LadderScene::new(model, scene.own_now) else {
        return vec![];
    };
    let has_price = model.price_ladder.cursor().is_some();
    let foot = has_price.then(|| ladder.foot());
    let one_key = ladder.one_key(scene).map(|words| vec![words]);
    one_key.into_iter().chain(foot).collect()
}

type Lines = Vec<Vec<Span>>;

impl LadderScene<'_> {
    /// The lines above the headings, and those below the rows: in one line each where lines are short.
    pub(super) fn around(
        &self,
        scene: &Scene<'_>,
        lines: LadderLines,
        room: usize,
    ) -> (Lines, Lines) {
        let (mut head, foot) = (self.head(scene), self.foot());
        let delta = self.delta(scene).into_iter().flatten();
        let between = if head.is_empty() { "" } else { " · " };
        let fitting =
            |delta: &Span| spans_width(&head) + width(between) + width(&delta.text) <= room;
        let delta = delta.into_iter().find(fitting);
        head.extend(
            delta
                .into_iter()
                .flat_map(|delta| [Span::muted(between), delta]),
        );
        if lines.head > 1 {
            let (above, below) = self.edges([room; 2]);
            return (vec![head, above], vec![below, foot]);
        }
        let beside = [&head, &foot].map(|line| room.saturating_sub(spans_width(line) + GAP.len()));
        let (above, below) = self.edges(beside);
        let one = |line: Vec<Span>, edge: Vec<Span>| {
            let has_room = spans_width(&line) + GAP.len() + spans_width(&edge) <= room;
            let edge = Some(edge).filter(|edge| has_room && !edge.is_empty());
            let gap = edge.as_ref().map(|_| Span::plain(GAP));
            let edge = gap.into_iter().chain(edge.into_iter().flatten());
            vec![line.into_iter().chain(edge).collect()]
        };
        (one(head, above), one(foot, below))
    }

    /// What is out of view, above and below, the nearest first, each in so many columns.
    fn edges(&self, [room_above, room_below]: [usize; 2]) -> (Vec<Span>, Vec<Span>) {
        let Some((low, high)) = self.range() else {
            return (vec![], vec![]);
        };
        let mut named = self.named();
        named.sort_by_key(|mark| mark.price);
        let above: Vec<_> = named.iter().filter(|mark| mark.row > high).collect();
        let below = named.iter().rev().filter(|mark| mark.row < low);
        let below: Vec<_> = below.collect();
        let edge = |arrow, marks: &[&EdgeMark], room: usize| {
            let whole = edge(arrow, self.marks(marks, |mark| mark.name), " · ");
            if spans_width(&whole) <= room {
                return whole;
            }
            let mut brief = self.marks(marks, |mark| mark.brief);
            let all = brief.len();
            loop {
                let hidden = all.saturating_sub(brief.len());
                let mut spans = edge(arrow, brief.clone(), "  ");
                if hidden > 0 {
                    spans.push(Span::muted(format!(" +{hidden}")));
                }
                if spans_width(&spans) <= room || brief.len() <= 1 {
                    return spans;
                }
                brief.pop();
            }
        };
        (edge("▲", &above, room_above), edge("▼", &below, room_below))
    }

    fn marks(&self, marks: &[&EdgeMark], name: fn(&EdgeMark) -> &'static str) -> Vec<Span> {
        let words = |mark: &&EdgeMark| {
            let price = format::average(mark.price, self.market);
            Span::new(format!("{} {price}", name(mark)), mark.tone)
        };
        marks.iter().map(words).collect()
    }

    fn named(&self) -> Vec<EdgeMark> {
        let middle = self.book.and_then(Book::mid);
        let middle = middle.or_else(|| self.market?.mid());
        let near = |price| (price, self.spacing.near(price));
        let [entry, liquidation] = self.position_prices();
        let facts = [
            (middle, ("market", "M"), Tone::Strong),
            (entry, ("entry", "E"), Tone::Plain),
            (liquidation, ("liq", "L"), Tone::Alert),
        ];
        let facts = facts
            .into_iter()
            .filter_map(|(price, names, tone)| Some(EdgeMark::new(near(price?), names, tone)));
        let own = self.own.iter().map(|own| {
            let names = match (own.kind, own.side) {
                (OwnOrderKind::Protects(Protection::Stop), _) => ("stop", "S"),
                (OwnOrderKind::Protects(Protection::Target), _) => ("target", "T"),
                (_, Side::Buy) => ("buy", "b"),
                (_, Side::Sell) => ("sell", "s"),
            };
            EdgeMark::new((own.price, own.row), names, Tone::Accent)
        });
        let alerts = self.alerts();
        let alerts = alerts.map(|price| EdgeMark::new(near(price), ("alert", "@"), Tone::Info));
        facts.chain(own).chain(alerts).collect()
    }

    /// `FEED GAP 12s`: no newer book comes, because the exchange itself gets none.
    fn stale(&self, age: Duration, scene: &Scene<'_>) -> String {
        let market = self.model.account.store.market(self.market_id);
        match market.and_then(|market| market.gap_since) {
            Some(since) => format!("FEED GAP {}", scene.age(scene.since(since))),
            None => format!("STALE {}", scene.age(age)),
        }
    }

    fn head(&self, scene: &Scene<'_>) -> Vec<Span> {
        let ladder = &self.model.price_ladder;
        let mut parts: Vec<_> = self.one_key(scene).into_iter().collect();
        if let Some(word) = self.state.word() {
            let words = match self.state {
                BookState::Stale(age) => self.stale(age, scene),
                BookState::Missing | BookState::Empty | BookState::Crossed | BookState::Live => {
                    word.to_owned()
                }
            };
            parts.push(Span::alert(words));
        }
        parts.extend(self.late_book(scene));
        parts.extend(venue_note(self.model, self.market_id));
        parts.extend(self.unreadable());
        // Why no newer book comes: the service does not answer, or its book was refused.
        let known = self.model.account.store.books.of(self.market_id);
        if let Some(why) = known.and_then(KnownBook::trouble) {
            parts.push(Span::warn(why.kind.word()));
        }
        if let Some(age) = &self.late_mark {
            parts.push(Span::new(format!("mark {}", age.text), age.tone));
        }
        if ladder.is_leaving() {
            parts.push(Span::warn("market is at the edge"));
        }
        let step = format::grouped(self.spacing.step());
        parts.push(Span::muted(format!("by {step}")));
        parts.extend(self.spread());
        joined(parts, " · ")
    }

    /// What the paper exchange received about the venue and could not use.
    fn unreadable(&self) -> Option<Span> {
        let market = self.model.account.store.market(self.market_id)?;
        let count = Some(market.unreadable_lines).filter(|count| *count > 0)?;
        Some(Span::warn(format!("{count} unreadable")))
    }

    /// The age of a book that is late, and not yet too old to trade by.
    fn late_book(&self, scene: &Scene<'_>) -> Option<Span> {
        let age = self
            .model
            .account
            .store
            .books
            .age(self.market_id, self.now)?;
        (self.state == BookState::Live).then(|| late_data(age, scene))?
    }

    /// That one key sends, and for how long.
    fn one_key(&self, scene: &Scene<'_>) -> Option<Span> {
        let ladder = &self.model.price_ladder;
        let is_armed = self.model.account.options.ladder_one_key && ladder.is_armed(scene.own_now);
        let end = ladder.disarms_at().filter(|_| is_armed)?;
        let left = passing::left(end.since(scene.own_now), scene.motion);
        Some(Span::alert(format!("! ONE-KEY ON {left}")))
    }

    fn spread(&self) -> Option<Span> {
        let book = self.book.filter(|_| self.state == BookState::Live)?;
        let spread = book.best(Side::Sell)?.minus(book.best(Side::Buy)?)?;
        let words = format::grouped(spread.normalized());
        Some(Span::muted(format!("spread {words}")))
    }

    /// What the keys would do at the cursor.
    fn foot(&self) -> Vec<Span> {
        let ladder = &self.model.price_ladder;
        if ladder.carried().is_some() {
            return vec![Span::accent("Enter drops it, Esc stops")];
        }
        let Some(price) = ladder.cursor() else {
            return vec![Span::muted("j k choose a price")];
        };
        let at = PricePoint {
            market_id: self.market_id.clone(),
            price,
        };
        let size = format::or_unknown(at_price::size(self.model, &at));
        let mut parts = vec![Span::plain(format!("size {size}"))];
        for (side, word) in [(Side::Buy, "buy"), (Side::Sell, "sell")] {
            let taken = self.book.and_then(|book| taken_by(book, side, price));
            if taken.is_some() && self.state == BookState::Live {
                parts.push(Span::warn(format!("{word} fills now")));
            }
        }
        let here = |own: &&OwnOrder<'_>| own.row == price && own.kind == OwnOrderKind::Resting;
        for own in self.own.iter().filter(here) {
            let queue = format::or_unknown(self.queue(own));
            parts.push(Span::plain(format!("{queue} before your {}", own.side)));
        }
        parts.extend(self.bracket());
        joined(parts, " · ")
    }

    /// What goes with an order from here.
    fn bracket(&self) -> Option<Span> {
        let account = &self.model.account;
        let context = account.form_context();
        let preset = context
            .brackets
            .in_market(self.market_id, &account.store.names);
        match context.bracket(self.market_id) {
            Some(bracket) => Some(Span::plain(bracket.to_string())),
            None => preset.is_attached().then(|| Span::warn("bracket OFF")),
        }
    }

    /// `14:03:22 65,617 0.12 ▲`; a trade of one's own has a dot. Where a size of large trades is set, only those, and one's
    /// own.
    pub(super) fn trades(&self, scene: &Scene<'_>, lines: u16) -> Vec<Vec<Span>> {
        let trades = self.tape.into_iter().flat_map(Tape::trades);
        let decimals = self.decimals();
        let is_stale = self.tape.is_some_and(|tape| tape.is_stale(self.now));
        let large_from = self.model.account.market_data.large_from(self.market_id);
        let is_own = |trade: &PublicTrade| {
            // A stream does not say whose a trade is; the account's fills do.
            trade.is_own.unwrap_or_else(|| {
                let fills = self.model.account.store.prices.get(self.market_id);
                fills.is_some_and(|fills| fills.has_fill(trade.at, trade.price))
            })
        };
        let is_listed = |trade: &&PublicTrade| {
            large_from.is_none()
                || self.tape.is_some_and(|tape| tape.is_large(trade))
                || is_own(trade)
        };
        let line = |trade: &PublicTrade| {
            let (sign, tone) = match trade.aggressor {
                Side::Buy => ("▲", Tone::Good),
                Side::Sell => ("▼", Tone::Bad),
            };
            // What is not live is dim.
            let tone = if is_stale { Tone::Muted } else { tone };
            let own = if is_own(trade) { "●" } else { " " };
            vec![
                Span::muted(format!("{} ", scene.zone.time_of_day(trade.at))),
                Span::new(format!("{sign} {}", self.label(trade.price)), tone),
                Span::plain(format!(" {}", format::size(trade.size, Some(decimals)))),
                Span::accent(own),
            ]
        };
        let listed = trades.filter(is_listed).take(usize::from(lines));
        listed.map(line).collect()
    }
}

/// `DATA 2.5s`: what is shown as live is this late.
fn late_data(age: Duration, scene: &Scene<'_>) -> Option<Span> {
    let words = match scene.motion {
        Motion::Full => format!("{}.{}s", age.as_secs(), age.subsec_millis() / 100),
        Motion::Reduced => scene.age(age),
    };
    (age >= DATA_LATE).then(|| Span::warn(format!("DATA {words}")))
}

/// Over the trades: since when they and the volumes count, where that is shorter than the window of the volumes, or what
/// is wrong with them.
pub(super) fn over_trades(tape: &Tape, large_from: Option<Num>, scene: &Scene<'_>) -> Vec<Span> {
    let since = tape.counts_since(scene.served());
    let age = tape
        .age(scene.own_now)
        .filter(|_| tape.is_stale(scene.own_now));
    let trouble = tape.trouble().map(|why| why.kind.word().to_owned());
    let unreadable = tape.unreadable();
    let unreadable = (unreadable > 0).then(|| format!("{unreadable} unreadable"));
    let name = large_from.map(|from| format!("trades ≥{} USD", format::short_usd(from)));
    let name = name.unwrap_or_else(|| "trades".to_owned());
    let mut parts = vec![Span::muted(name.clone())];
    parts.extend(age.map(|age| Span::alert(format!("STALE {}", scene.age(age)))));
    let wrong = trouble.into_iter().chain(unreadable);
    parts.extend(wrong.map(Span::warn));
    match (since, parts.as_slice()) {
        (Some(since), [_]) => {
            let since = scene.zone.time_of_day(since);
            vec![Span::muted(format!("{name} since {since} "))]
        }
        _ => joined(parts, " · "),
    }
}

fn edge(arrow: &str, marks: Vec<Span>, between: &str) -> Vec<Span> {
    let mut spans = joined(marks, between);
    if !spans.is_empty() {
        spans.insert(0, Span::muted(format!("{arrow} ")));
    }
    spans
}

/// Between what is said in one line.
const GAP: &str = "  ";

fn width(words: &str) -> usize {
    words.chars().count()
}

fn spans_width(spans: &[Span]) -> usize {
    spans.iter().map(|span| width(&span.text)).sum()
}
