//! TWAP and VWAP orders: as cards with two bars, or as columns if each has only one line.

use crate::{
    app::{EndedBy, RowId, Rows},
    model::{Curve, Num, OrderId, Timestamp, Twap},
    view::text::{
        Align::{Left, Number, Parts},
        Column, Facts, Gauge, Scene, Span, Tone,
        format::{self, whole_percent},
        passing,
        words::{self, known, known_muted},
    },
};

pub const TWAPS: &[Column<Twap>] = &[
    Column::new("market", "market", Left, 0, |t: &Twap, scene| {
        scene.market(&t.market_id).into()
    })
    .short("mkt"),
    Column::new("side", "side", Left, 0, |t, _| {
        words::strategy_side(t.side()).into()
    }),
    Column::new("total_size", "size", Number, 1, |t, scene| {
        known(t.total_size.map(|size| sized(t, size, scene))).into()
    }),
    // Without a bar: with room for one, cards are drawn.
    Column::number("filled", "filled", 0, whole_percent, Twap::filled_share).short("fill"),
    Column::new("elapsed", "time", Number, 5, |t, scene| {
        known(t.elapsed_share(clock(t, scene)).map(whole_percent)).into()
    }),
    Column::new("drift", "drift", Number, 2, |t, scene| {
        drift(t, scene).into()
    }),
    Column::text("slices", "slices", 5, slices).toned(Tone::Muted),
    Column::new("next_run_at", "next", Number, 4, |t, scene| {
        known_muted(next_slice(t, scene).map(|at| scene.until(at, passing::BARE))).into()
    })
    .span(|t, scene| Some(next_slice(t, scene)?.since(scene.served()))),
    Column::new("average_price", "average", Number, 3, |t, scene| {
        known(t.average_price.map(|p| scene.average(p, &t.market_id))).into()
    }),
    Column::new("status", "status", Parts, 0, |t, scene| {
        state(t, scene).into()
    }),
];

/// A bar of a card: name, progress, and the words after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bar {
    pub label: &'static str,
    pub gauge: Gauge,
    pub share: Span,
    /// In a narrow window the last words are dropped.
    pub words: Vec<Span>,
}

/// A TWAP as a block of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TwapCard {
    /// Its identity: dropped last.
    pub name: Vec<Span>,
    pub terms: Vec<Span>,
    /// At the right end of the first line.
    pub state: Vec<Span>,
    /// Where `state` and `terms` do not fit together.
    pub brief_state: Vec<Span>,
    pub bars: Vec<Bar>,
    pub facts: Vec<Span>,
    /// Its current working order, after the facts: shortened as needed, at least its id.
    pub child: Option<String>,
}

/// The cards of the visible rows.
pub fn cards(scene: &Scene<'_>, rows: &[RowId]) -> Vec<TwapCard> {
    twaps(scene, rows).map(|twap| card(twap, scene)).collect()
}

/// The TWAPs of these rows.
pub(crate) fn twaps<'a>(scene: &Scene<'a>, rows: &[RowId]) -> impl Iterator<Item = &'a Twap> {
    let ids = rows.iter().filter_map(RowId::try_as_twap_ref);
    ids.filter_map(|id| scene.store.twap(id))
}

/// The active one furthest from its schedule: in a narrow window there is no `drift` column.
pub(crate) fn foot(rows: &Rows<'_>, scene: &Scene<'_>) -> Vec<Vec<Span>> {
    let all = rows.at(0..rows.len());
    let adrift = twaps(scene, &all)
        .filter(|twap| is_live(twap, scene))
        .filter_map(|twap| Some((twap.drift(clock(twap, scene))?.abs(), twap)));
    let widest = adrift.max_by(|(one, _), (two, _)| one.cmp(two));
    let words = widest.map(|(_, twap)| {
        let (drift, market) = (drift(twap, scene), scene.market(&twap.market_id));
        vec![
            Span::muted("widest drift "),
            drift,
            Span::plain(" "),
            market,
        ]
    });
    words.into_iter().collect()
}

/// `TWAP BTC BUY 0.50000`, above its slices.
pub(crate) fn head(twap: &Twap, scene: &Scene<'_>) -> Vec<Span> {
    Facts::whole(facts(twap, scene))
}

/// The same in parts, for narrow windows.
pub(crate) fn facts(twap: &Twap, scene: &Scene<'_>) -> Vec<Facts> {
    let filled = format::or_unknown(twap.filled_share().map(whole_percent));
    let strategy = if is_vwap(twap) { "VWAP " } else { "TWAP " };
    let mut named = vec![Span::muted(strategy)];
    named.extend(name(twap, scene));
    let mut facts = vec![
        Facts::new(0, named),
        Facts::new(3, terms(twap)),
        Facts::new(2, Span::muted(format!("  {filled} filled"))),
    ];
    let mut state = state(twap, scene);
    if let Some(first) = state.first_mut() {
        first.text.insert_str(0, "  ");
    }
    facts.extend(state.into_iter().map(|part| Facts::new(1, part)));
    facts
}

fn is_vwap(twap: &Twap) -> bool {
    let strategy = twap.strategy.as_ref();
    strategy.is_some_and(|strategy| strategy.is(&Curve::Vwap))
}

/// `BTC BUY 0.50000`
fn name(twap: &Twap, scene: &Scene<'_>) -> Vec<Span> {
    let size = twap.total_size.map(|size| sized(twap, size, scene));
    vec![
        scene.market(&twap.market_id),
        Span::plain(" "),
        words::strategy_side(twap.side()),
        Span::plain(" "),
        known(size),
    ]
}

/// `  5×  RO`
fn terms(twap: &Twap) -> Vec<Span> {
    let leverage = twap.leverage.map(|leverage| {
        let leverage = format::grouped(leverage.normalized());
        Span::muted(format!("  {leverage}×"))
    });
    let only = (twap.reduce_only == Some(true)).then(|| Span::plain("  RO"));
    leverage.into_iter().chain(only).collect()
}

fn card(twap: &Twap, scene: &Scene<'_>) -> TwapCard {
    TwapCard {
        name: card_name(twap, scene),
        terms: terms(twap),
        state: card_state(twap, scene, "triggers at"),
        brief_state: card_state(twap, scene, "trig"),
        bars: vec![filled_bar(twap, scene), time_bar(twap, scene)],
        facts: progress(twap, scene),
        child: child(twap, scene).map(ToString::to_string),
    }
}

/// A VWAP says so: its schedule is not even.
fn card_name(twap: &Twap, scene: &Scene<'_>) -> Vec<Span> {
    let vwap = is_vwap(twap).then(|| Span::muted("VWAP "));
    vwap.into_iter().chain(name(twap, scene)).collect()
}

/// The status, and when the next slice runs.
fn card_state(twap: &Twap, scene: &Scene<'_>, triggers_at: &'static str) -> Vec<Span> {
    let mut spans = state_in(twap, scene, triggers_at);
    if let Some(at) = next_slice(twap, scene) {
        let next = scene.until(at, passing::NEXT);
        spans.push(Span::muted(format!("  next {next}")));
    }
    spans
}

fn filled_bar(twap: &Twap, scene: &Scene<'_>) -> Bar {
    let share = twap.filled_share();
    let size = |size: Option<Num>| format::or_unknown(size.map(|size| sized(twap, size, scene)));
    let words = format!("{} of {}", size(twap.filled_size), size(twap.total_size));
    let words = [Span::muted(words)].into_iter().chain(due(twap, scene));
    Bar {
        label: "filled",
        gauge: Gauge::new(share.unwrap_or(Num::ZERO), Tone::Info),
        share: known(share.map(whole_percent)),
        words: words.collect(),
    }
}

fn time_bar(twap: &Twap, scene: &Scene<'_>) -> Bar {
    let share = twap.elapsed_share(clock(twap, scene));
    let share = share.map(|share| passing::share(share, scene.motion));
    let left = twap
        .end_at
        .filter(|_| share.is_some() && is_live(twap, scene))
        .map(|end| scene.until(end, passing::LEFT));
    let mut words = drift_words(drift(twap, scene));
    words.extend(left.into_iter().flat_map(|left| left_words(&left)));
    Bar {
        label: "time",
        gauge: Gauge::new(share.unwrap_or(Num::ZERO), Tone::Muted),
        share: known(share.map(whole_percent)),
        words,
    }
}

/// `  due 9%`: how much of it should have filled. The drift is the difference.
fn due(twap: &Twap, scene: &Scene<'_>) -> Option<Span> {
    let due = twap.due_share(clock(twap, scene));
    let due = due.filter(|_| is_live(twap, scene))?;
    Some(Span::muted(format!("  due {}", whole_percent(due))))
}

/// As wide with a sign as without one.
fn drift_words(drift: Span) -> Vec<Span> {
    let blank = if drift.text == "0.00%" { " " } else { "" };
    vec![Span::muted(format!("drift {blank}")), drift]
}

/// `  45m00s` and ` left`; in a narrow window the number is enough.
fn left_words(left: &str) -> Vec<Span> {
    let (time, word) = match left.strip_suffix(" left") {
        Some(time) => (time, " left"),
        None => (left, ""),
    };
    vec![Span::muted(format!("  {time}")), Span::muted(word)]
}

fn progress(twap: &Twap, scene: &Scene<'_>) -> Vec<Span> {
    let average = twap
        .average_price
        .map(|price| scene.average(price, &twap.market_id));
    let mut spans = vec![
        Span::muted(format!("slices {}", slices(twap))),
        Span::muted("  avg "),
        known(average),
    ];
    spans.extend(band(twap, scene));
    spans
}

/// Its price limits, highlighted if the average is outside.
fn band(twap: &Twap, scene: &Scene<'_>) -> Option<Span> {
    let priced = |price| scene.average(price, &twap.market_id);
    let words = match (twap.min_price, twap.max_price) {
        (None, None) => return None,
        (Some(min), None) => format!(" ≥ {}", priced(min)),
        (None, Some(max)) => format!(" ≤ {}", priced(max)),
        (Some(min), Some(max)) => format!(" in {}…{}", priced(min), priced(max)),
    };
    let is_outside = twap.average_price.is_some_and(|average| {
        twap.min_price.is_some_and(|min| average < min)
            || twap.max_price.is_some_and(|max| average > max)
    });
    let tone = if is_outside { Tone::Warn } else { Tone::Muted };
    Some(Span::new(words, tone))
}

/// The service's status; for an ended one also how, when and why, in separate parts.
pub(crate) fn state(twap: &Twap, scene: &Scene<'_>) -> Vec<Span> {
    state_in(twap, scene, "trig")
}

/// With the words before the trigger price of one that has not started.
fn state_in(twap: &Twap, scene: &Scene<'_>, triggers_at: &'static str) -> Vec<Span> {
    if let Some(end) = end(twap, scene) {
        return end_words(twap, end, scene).map(Span::muted).collect();
    }
    if let (None, Some(trigger)) = (twap.activated_at, twap.trigger_price) {
        let price = scene.average(trigger, &twap.market_id);
        return vec![Span::warn(triggers_at), Span::warn(format!(" {price}"))];
    }
    let status = known(twap.status.as_ref().map(words::spaced));
    match &twap.completion_reason {
        Some(why) => {
            let why = format!(": {}", words::spaced(why));
            vec![Span::warn(status.text), Span::warn(why)]
        }
        None => Span::info(status.text).into(),
    }
}

/// How a TWAP is known to have ended.
#[derive(Debug, Clone, Copy)]
enum TwapEnd {
    Stopped(Timestamp),
    Completed(Timestamp),
    /// It left the list; this is when it was last seen, in the desk's own time.
    LastSeen(Timestamp, EndedBy),
    /// It left the list, and its orders show that all of it filled.
    Filled(Timestamp),
}

fn end(twap: &Twap, scene: &Scene<'_>) -> Option<TwapEnd> {
    let stopped = twap.canceled_at.map(TwapEnd::Stopped);
    let completed = || twap.completed_at.map(TwapEnd::Completed);
    let gone = || {
        let ended = scene.store.ended_twap(&twap.id)?;
        Some(if ended.is_whole() {
            TwapEnd::Filled(ended.last_seen)
        } else {
            TwapEnd::LastSeen(ended.last_seen, ended.by)
        })
    };
    stopped.or_else(completed).or_else(gone)
}

/// `stopped` ` 14:03:22`, `completed` ` 14:03:22` `: filled`, `ended` ` (last seen 14:03:22)`; if its orders show that
/// all of it filled, `ended` `: filled` ` (last seen 14:03:22)`.
fn end_words(twap: &Twap, end: TwapEnd, scene: &Scene<'_>) -> impl Iterator<Item = String> {
    let at = |at| Some(format!(" {}", scene.moment(at)));
    let last_seen = |own| {
        let seen = scene.moment(scene.on_wall(own));
        Some(format!(" (last seen {seen})"))
    };
    let reason = twap.completion_reason.as_ref().map(words::spaced);
    let has_reason = reason.is_some();
    let because = reason.map(|why| format!(": {why}"));
    let (word, parts) = match end {
        TwapEnd::Stopped(instant) => ("stopped", [at(instant), because]),
        TwapEnd::Completed(instant) => ("completed", [at(instant), because]),
        TwapEnd::LastSeen(own, EndedBy::Flatten) if !has_reason => (
            "stopped",
            [Some(" by this desk's F".to_owned()), last_seen(own)],
        ),
        TwapEnd::LastSeen(own, EndedBy::Unknown | EndedBy::Flatten) => {
            ("ended", [because, last_seen(own)])
        }
        TwapEnd::Filled(own) => {
            let filled = because.or_else(|| Some(": filled".to_owned()));
            ("ended", [filled, last_seen(own)])
        }
    };
    std::iter::once(word.to_owned()).chain(parts.into_iter().flatten())
}

fn is_live(twap: &Twap, scene: &Scene<'_>) -> bool {
    end(twap, scene).is_none()
}

/// The instant of its progress by the service's clock: when its fills were read, so that the drift does not grow
/// without new data. An ended one does not move.
pub(crate) fn clock(twap: &Twap, scene: &Scene<'_>) -> Timestamp {
    match end(twap, scene) {
        Some(TwapEnd::Stopped(at) | TwapEnd::Completed(at)) => at,
        Some(TwapEnd::LastSeen(own, _)) => scene.served_at(own),
        Some(TwapEnd::Filled(own)) => twap.end_at.unwrap_or_else(|| scene.served_at(own)),
        None => scene.served_at(scene.store.twaps.at().unwrap_or(scene.own_now)),
    }
}

/// When its next slice runs, if there is one.
pub(crate) fn next_slice(twap: &Twap, scene: &Scene<'_>) -> Option<Timestamp> {
    twap.next_run_at.filter(|_| is_live(twap, scene))
}

/// Its current working order.
pub(crate) fn child<'a>(twap: &'a Twap, scene: &Scene<'_>) -> Option<&'a OrderId> {
    let child = twap.current_child_order_id.as_ref();
    child.filter(|_| is_live(twap, scene))
}

/// Ahead of schedule (+) or behind (−).
fn drift(twap: &Twap, scene: &Scene<'_>) -> Span {
    let Some(drift) = twap.drift(clock(twap, scene)) else {
        return Span::unknown();
    };
    let is_late = drift < Num::new(-5, 2);
    let tone = if is_late { Tone::Warn } else { Tone::Plain };
    let drift = passing::share(drift, scene.motion);
    Span::new(format::signed_percent(drift), tone)
}

fn slices(twap: &Twap) -> String {
    let counts = [twap.slices_attempted, twap.slice_count];
    counts
        .map(|count| format::or_unknown(count.map(format::grouped)))
        .join("/")
}

pub(crate) fn sized(twap: &Twap, size: Num, scene: &Scene<'_>) -> String {
    format::size(size, scene.decimals(twap.size_decimals, &twap.market_id))
}
