//! The review of closed trades: what was made by day, by market and by hour, against what was risked, and how deep the
//! running total fell. It says how many trades it is of.

use super::quality::{RESULTS, came_to, heading};
use crate::{
    app::{
        Action, Context, DayResult, Model,
        dialogs::{
            overlay::{Review, ReviewTab},
            review::{DrawdownFigures, R_BOUNDS, RiskFigures},
        },
    },
    model::{Num, ZoneDay},
    view::{
        details::{
            DetailLine, DetailView,
            curve::{Curve, FULL},
        },
        text::{
            Scene, Span, format,
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
    let of = DetailLine::field("of", read(model));
    let is_curved = review.tab == ReviewTab::Drawdown;
    ReviewView {
        lines: DetailView {
            title: title(review.tab),
            lines: std::iter::once(of).chain(lines).collect(),
        },
        curve: is_curved.then(|| curve(&review.drawdown)).flatten(),
    }
}

/// The part that is shown stands in brackets.
fn title(shown: ReviewTab) -> Vec<Span> {
    let mut spans = vec![Span::strong("Review ")];
    for tab in ReviewTab::iter() {
        let name = match tab {
            ReviewTab::Days => "days",
            ReviewTab::Markets => "markets",
            ReviewTab::Hours => "hours",
            ReviewTab::Risk => "risk",
            ReviewTab::Drawdown => "drawdown",
        };
        spans.push(if tab == shown {
            Span::accent(format!(" [{name}]"))
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
        return Span::muted("not read yet").into();
    }
    let count = closed.rows().len();
    let counted = words::counted(count, "closed position", "closed positions");
    if !closed.has_more() {
        return Span::plain(format!("all {counted}")).into();
    }
    let more = if closed.is_fetching() {
        "; reading older ones".to_owned()
    } else {
        let key = model.keymap.chord(Context::Review, Action::ReadOlder);
        let key = key.map(|key| format!(", {key} reads them"));
        format!("; there are older ones{}", key.unwrap_or_default())
    };
    vec![Span::plain(format!("the last {counted}")), Span::warn(more)]
}

/// Realised profit less fees, with funding, by the day of the close.
fn days(review: &Review, scene: &Scene<'_>) -> Vec<DetailLine> {
    let Some(month) = review.month else {
        return vec![];
    };
    let mut lines = vec![
        DetailLine::field("month", month_total(month, scene)),
        DetailLine::field("zone", Span::plain(scene.zone.name(scene.now))),
        DetailLine::section("Net by the day of the close, USD"),
        DetailLine::cells("", WEEKDAYS.map(|day| Span::muted(right(day)))),
    ];
    for week in month.weeks() {
        lines.push(DetailLine::cells("", week.map(|day| number(day, scene))));
        lines.push(DetailLine::cells("", week.map(|day| net(day, scene))));
    }
    let oldest = month.weeks().into_iter().flatten().flatten();
    let oldest = oldest
        .filter(|day| scene.store.days.is_oldest(*day))
        .find(|_| scene.store.closed.has_more());
    if let Some(oldest) = oldest {
        let words = format!("{oldest} and earlier days may be incomplete");
        lines.push(DetailLine::field("", Span::warn(words)));
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
    let trades = (count > 0).then(|| format!("{}× ", format::count(count)));
    let trades = trades.unwrap_or_default();
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
    let is_won = |day: &&&DayResult| day.net().is_some_and(Num::is_positive);
    let won = results.iter().filter(is_won).count();
    if results.is_empty() {
        let none = Span::muted("  no close in the rows read");
        return vec![Span::plain(month.month()), none];
    }
    let closes = words::counted(trades, "close", "closes");
    let days = words::counted(results.len(), "day", "days");
    vec![
        Span::plain(format!("{}  net ", month.month())),
        words::pnl(net),
        Span::muted(format!("  of {closes}, {won} of {days} won")),
    ]
}

fn markets(scene: &Scene<'_>) -> Vec<DetailLine> {
    let mut results: Vec<_> = scene.store.market_results.0.iter().collect();
    results.sort_by_key(|(_, results)| std::cmp::Reverse(results.net()));
    let rows = results
        .into_iter()
        .map(|(id, results)| DetailLine::cells(scene.market(id).text, came_to(results)));
    let head = [DetailLine::section("By market"), heading(RESULTS)];
    let total = DetailLine::cells("all", came_to(&scene.store.results));
    head.into_iter().chain(rows).chain([total]).collect()
}

/// Hours without a close make no line.
fn hours(scene: &Scene<'_>) -> Vec<DetailLine> {
    let head = [
        DetailLine::field("zone", Span::plain(scene.zone.name(scene.now))),
        DetailLine::section("By the hour of the close"),
        heading(RESULTS),
    ];
    let rows = scene
        .store
        .hours
        .all()
        .map(|(hour, results)| DetailLine::cells(format!("{hour:02}:00"), came_to(results)));
    head.into_iter().chain(rows).collect()
}

fn in_r(multiple: Option<Num>) -> Span {
    let multiple = multiple.map(words::multiple);
    multiple.map_or_else(
        || Span::plain(format::UNKNOWN),
        |shown| Span::new(format!("{} R", shown.text), shown.tone),
    )
}

/// What was made and lost for what was risked, and how far trades went before.
fn risk(figures: &RiskFigures) -> Vec<DetailLine> {
    let of = |count: usize| {
        let trades = words::counted(figures.trades, "trade", "trades");
        Span::plain(format!("{} of {trades} ", format::count(count)))
    };
    let extremes = [
        in_r(figures.worst_r),
        Span::muted("  "),
        in_r(figures.best_r),
    ];
    let mut lines = vec![
        DetailLine::section("R multiples: net over |entry − first stop| × size"),
        DetailLine::field("first stop seen", of(figures.with_risk)),
        DetailLine::field("mean", in_r(figures.mean_r)),
        DetailLine::field("worst, best", extremes),
    ];
    let most = figures.ranges.iter().max().copied().unwrap_or(0).max(1);
    for (at, count) in figures.ranges.iter().enumerate() {
        let bar = Span::info("█".repeat(count * BAR / most));
        let count = Span::plain(format!(" {}", format::count(*count)));
        lines.push(DetailLine::field(range(at), [bar, count]));
    }
    let seen = known(figures.marks_seen.map(format::whole_percent));
    let excursions = [
        in_r(figures.mean_mae.map(Num::negated)),
        Span::muted("  "),
        in_r(figures.mean_mfe),
        Span::muted(format!("  of {}", format::count(figures.with_both))),
    ];
    lines.extend([
        DetailLine::section("Maximum adverse and favourable excursion of the mark"),
        DetailLine::field("marks seen", of(figures.with_marks)),
        DetailLine::field("share of time", seen),
        DetailLine::field("mean MAE, MFE", excursions),
    ]);
    lines
}

/// `-1 to -0.5 R`.
fn range(at: usize) -> String {
    let bound = |at| {
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
    let won = known(results.win_rate().map(format::rate));
    let factor = known(results.profit_factor().map(format::ratio));
    vec![
        DetailLine::field("deepest", words::pnl(figures.deepest)),
        DetailLine::field("now", words::pnl(figures.now)),
        DetailLine::field("net", words::pnl(results.net())),
        DetailLine::field("expectancy", words::pnl(results.expectancy())),
        DetailLine::field("won", won),
        DetailLine::field("profit factor", factor),
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
