//! The review of closed trades: what was made by day, by market and by hour, against what was risked, and how deep the
//! running total fell. It says how many trades it is of.

use super::quality::{RESULTS, came_to, heading};
use crate::{
    app::{
        DayResult, Model,
        dialogs::{
            overlay::{Review, ReviewTab},
            review::{DrawdownFigures, R_BOUNDS, RiskFigures},
        },
        keys::keymap::{Action, Context},
    },
    model::{Num, ZoneDay},
    view::{
        details::{
            curve::{Curve, FULL},
            lines::{DetailLine, DetailView},
        },
        text::{
            format,
            scene::Scene,
            span::{Span, Tone},
            words::{self, known},
        },
    },
};
use strum::IntoEnumIterator as _;

/// A part of the review, and the curve over its lines if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewView {
    pub lines: DetailView,
    pub curve: Option<Curve>,
}

/// A day of the calendar takes so many columns.
const DAY: usize = 10;
const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/// The longest bar of the counts of R multiples.
const BAR: usize = 30;

pub fn review(model: &Model, review: &Review, scene: &Scene<'_>) -> ReviewView {
    let lines = match review.tab {
        ReviewTab::Days => days(review, scene),
        ReviewTab::Markets => markets(scene),
        ReviewTab::Hours => hours(scene),
        ReviewTab::Risk => risk(&review.risk),
        ReviewTab::Drawdown => drawdown(&review.drawdown, scene),
    };
    let mut all = vec![field("of", read(model))];
    all.extend(lines);
    ReviewView {
        lines: DetailView {
            title: title(review.tab),
            lines: all,
        },
        curve: (review.tab == ReviewTab::Drawdown)
            .then(|| curve(&review.drawdown))
            .flatten(),
    }
}

/// The part that is shown stands in brackets.
fn title(shown: ReviewTab) -> Vec<Span> {
    let mut spans = vec![Span::new("Review ", Tone::Strong)];
    for tab in ReviewTab::iter() {
        let name = match tab {
            ReviewTab::Days => "days",
            ReviewTab::Markets => "markets",
            ReviewTab::Hours => "hours",
            ReviewTab::Risk => "risk",
            ReviewTab::Drawdown => "drawdown",
        };
        spans.push(if tab == shown {
            Span::new(format!(" [{name}]"), Tone::Accent)
        } else {
            Span::muted(format!("  {name} "))
        });
    }
    spans
}

/// How many trades have been read, and how to read more.
fn read(model: &Model) -> Vec<Span> {
    let closed = &model.account.store.closed;
    if closed.head().value().is_none() {
        return vec![Span::muted("not read yet")];
    }
    let count = closed.rows().len();
    let counted = words::counted(count, "closed position", "closed positions");
    if !closed.has_more() {
        return vec![Span::plain(format!("all {counted}"))];
    }
    let more = if closed.is_fetching() {
        "; reading older ones".to_owned()
    } else {
        let key = model.keymap.chord(Context::Review, Action::ReadOlder);
        let key = key.map(|key| format!(", {key} reads them"));
        format!("; there are older ones{}", key.unwrap_or_default())
    };
    vec![
        Span::plain(format!("the last {counted}")),
        Span::new(more, Tone::Warn),
    ]
}

fn field(label: &str, value: Vec<Span>) -> DetailLine {
    DetailLine::Field {
        label: label.to_owned(),
        value,
    }
}

fn cells(label: impl Into<String>, value: Vec<Span>) -> DetailLine {
    DetailLine::Cells {
        label: label.into(),
        value,
        is_chosen: false,
    }
}

/// Realised profit less fees, with funding, by the day of the close.
fn days(review: &Review, scene: &Scene<'_>) -> Vec<DetailLine> {
    let Some(month) = review.month else {
        return vec![];
    };
    let mut lines = vec![
        field("month", month_total(month, scene)),
        field("zone", vec![Span::plain(scene.zone.name(scene.now))]),
        DetailLine::Section("Net by the day of the close, USD"),
        cells("", WEEKDAYS.map(|day| Span::muted(right(day))).into()),
    ];
    for week in month.weeks() {
        lines.push(cells("", week.map(|day| number(day, scene)).into()));
        lines.push(cells("", week.map(|day| net(day, scene)).into()));
    }
    let oldest = month.weeks().into_iter().flatten().flatten();
    let oldest = oldest
        .filter(|day| scene.store.days.is_oldest(*day))
        .find(|_| scene.store.closed.has_more());
    if let Some(oldest) = oldest {
        let words = format!("{oldest} and earlier days may be incomplete");
        lines.push(field("", vec![Span::new(words, Tone::Warn)]));
    }
    lines
}

fn right(text: &str) -> String {
    format!("{text:>DAY$}")
}

/// The number of the day, and how many trades closed on it.
fn number(day: Option<ZoneDay>, scene: &Scene<'_>) -> Span {
    let Some(day) = day else {
        return Span::plain(right(""));
    };
    let count = scene.store.days.of(day).map_or(0, |result| result.count);
    let trades = if count > 0 {
        format!("{}× ", format::count(count))
    } else {
        String::new()
    };
    Span::muted(right(&format!("{trades}{:>2}", day.number())))
}

/// Whole dollars from this on, so that a large result fits into its day; the pane of closed positions has the cents.
const WHOLE_DOLLARS: i64 = 1_000;

fn net(day: Option<ZoneDay>, scene: &Scene<'_>) -> Span {
    let result = day.and_then(|day| scene.store.days.of(day));
    match (day, result.map(DayResult::net)) {
        (None, _) | (Some(_), None) => Span::plain(right("")),
        (Some(_), Some(None)) => Span::muted(right(format::UNKNOWN)),
        (Some(_), Some(Some(net))) => Span::new(right(&day_result(net)), words::pnl_tone(net)),
    }
}

fn day_result(net: Num) -> String {
    if net.abs() < Num::from(WHOLE_DOLLARS) {
        return format::signed_usd(net);
    }
    format::signed_whole_usd(net)
}

fn month_total(month: ZoneDay, scene: &Scene<'_>) -> Vec<Span> {
    let days = month.weeks().into_iter().flatten().flatten();
    let results: Vec<_> = days.filter_map(|day| scene.store.days.of(day)).collect();
    let net = results
        .iter()
        .try_fold(Num::ZERO, |sum, day| sum.plus(day.net()?));
    let trades: usize = results.iter().map(|day| day.count).sum();
    let won = results
        .iter()
        .filter(|day| day.net().is_some_and(Num::is_positive));
    let won = won.count();
    if results.is_empty() {
        return vec![
            Span::plain(month.month()),
            Span::muted("  no close in the rows read"),
        ];
    }
    vec![
        Span::plain(format!("{}  net ", month.month())),
        words::pnl(net),
        Span::muted(format!(
            "  of {}, {won} of {} won",
            words::counted(trades, "close", "closes"),
            words::counted(results.len(), "day", "days"),
        )),
    ]
}

fn markets(scene: &Scene<'_>) -> Vec<DetailLine> {
    let mut results: Vec<_> = scene.store.market_results.0.iter().collect();
    results.sort_by_key(|(_, results)| std::cmp::Reverse(results.net()));
    let rows = results
        .into_iter()
        .map(|(id, results)| cells(scene.market(id).text, came_to(results)));
    let total = cells("all", came_to(&scene.store.results));
    let head = DetailLine::Section("By market");
    [head, heading(RESULTS)]
        .into_iter()
        .chain(rows)
        .chain([total])
        .collect()
}

/// Hours without a close make no line.
fn hours(scene: &Scene<'_>) -> Vec<DetailLine> {
    let zone = field("zone", vec![Span::plain(scene.zone.name(scene.now))]);
    let hours = scene.store.hours.all();
    let rows = hours.map(|(hour, results)| cells(format!("{hour:02}:00"), came_to(results)));
    [
        zone,
        DetailLine::Section("By the hour of the close"),
        heading(RESULTS),
    ]
    .into_iter()
    .chain(rows)
    .collect()
}

fn in_r(multiple: Option<Num>) -> Span {
    let text = multiple.map(|multiple| {
        let sign = if multiple.is_positive() { "+" } else { "" };
        format!("{sign}{} R", multiple.rounded(2))
    });
    let tone = multiple.map_or(Tone::Plain, words::pnl_tone);
    Span {
        tone,
        ..known(text)
    }
}

/// What was made and lost for what was risked, and how far trades went before.
fn risk(figures: &RiskFigures) -> Vec<DetailLine> {
    let of = |count: usize, what: &str| {
        vec![Span::plain(format!(
            "{} of {} {what}",
            format::count(count),
            words::counted(figures.trades, "trade", "trades")
        ))]
    };
    let mut lines = vec![
        DetailLine::Section("R multiples: net over |entry − first stop| × size"),
        field("first stop seen", of(figures.with_risk, "")),
        field("mean", vec![in_r(figures.mean_r)]),
        field(
            "worst, best",
            vec![
                in_r(figures.worst_r),
                Span::muted("  "),
                in_r(figures.best_r),
            ],
        ),
    ];
    let most = figures.ranges.iter().max().copied().unwrap_or(0).max(1);
    for (at, count) in figures.ranges.iter().enumerate() {
        let bar = "█".repeat(count * BAR / most);
        let value = vec![
            Span::new(bar, Tone::Info),
            Span::plain(format!(" {}", format::count(*count))),
        ];
        lines.push(field(&range(at), value));
    }
    lines.extend([
        DetailLine::Section("Maximum adverse and favourable excursion of the mark"),
        field("marks seen", of(figures.with_marks, "")),
        field(
            "share of time",
            vec![known(figures.marks_seen.map(format::whole_percent))],
        ),
        field(
            "mean MAE, MFE",
            vec![
                in_r(figures.mean_mae.map(Num::negated)),
                Span::muted("  "),
                in_r(figures.mean_mfe),
                Span::muted(format!("  of {}", format::count(figures.with_both))),
            ],
        ),
    ]);
    lines
}

/// `-1 to -0.5 R`.
fn range(at: usize) -> String {
    let bound = |at: usize| {
        R_BOUNDS
            .get(at)
            .map(|tenths| Num::new(*tenths, 1).normalized())
    };
    let below = at.checked_sub(1).and_then(bound);
    match (below, bound(at)) {
        (None, Some(above)) => format!("below {above} R"),
        (Some(below), Some(above)) => format!("{below} to {above} R"),
        (Some(below), None) => format!("{below} R and more"),
        (None, None) => String::new(),
    }
}

fn drawdown(figures: &DrawdownFigures, scene: &Scene<'_>) -> Vec<DetailLine> {
    let results = &scene.store.results;
    vec![
        field("deepest", vec![words::pnl(figures.deepest)]),
        field("now", vec![words::pnl(figures.now)]),
        field("net", vec![words::pnl(results.net())]),
        field("expectancy", vec![words::pnl(results.expectancy())]),
        field("won", vec![known(results.win_rate().map(format::rate))]),
        field(
            "profit factor",
            vec![known(results.profit_factor().map(format::ratio))],
        ),
    ]
}

/// `None` until there is something to join, or where the total never fell.
fn curve(figures: &DrawdownFigures) -> Option<Curve> {
    let deepest = figures.deepest.filter(|deepest| deepest.is_negative())?;
    if figures.depths.len() < 2 {
        return None;
    }
    let height = |depth: &Num| {
        let left = Num::ONE.minus(depth.over(deepest)?)?;
        let height = left.times(Num::from(u32::from(FULL)))?;
        u16::try_from(height.to_i64()?).ok()
    };
    Some(Curve {
        title: vec![Span::muted("below the highest total, oldest first")],
        heights: figures.depths.iter().map(height).collect::<Option<_>>()?,
        zero: FULL,
        high: Span::plain("0"),
        low: words::pnl(Some(deepest)),
    })
}
