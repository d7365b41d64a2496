//! The limits of the challenge: short in the header, in full over the desk.

use super::{
    Gauge, Share, Span, Tone,
    detail::{DetailLine, DetailView},
    format,
    header::Segment,
};
use crate::{
    app::{
        Model,
        guard::{self, Level, Limit, Origin},
        keymap::{Action, Context},
    },
    model::Num,
};
use strum::IntoEnumIterator as _;

/// The gauges beside the daily loss, and the word when new risk is locked.
pub(super) fn segments(model: &Model) -> Vec<Segment> {
    let gauges = [(Limit::Drawdown, 6), (Limit::Target, 7)];
    let mut segments: Vec<_> = gauges
        .into_iter()
        .filter_map(|(limit, priority)| Some(segment(model.guard.gauge(limit)?, priority)))
        .collect();
    if let Some(gauge) = model.guard.reached() {
        let words = if guard::locked(model).is_some() {
            format!("LOCKED: {}", gauge.limit)
        } else {
            format!("{} reached", gauge.limit)
        };
        segments.push(Segment::new(0, vec![Span::new(words, Tone::Alert)]));
    }
    segments
}

pub(super) fn segment(gauge: &guard::Gauge, priority: u8) -> Segment {
    let tone = tone(gauge);
    let share = if gauge.limit.is_loss() {
        left(gauge)
    } else {
        gauge.used
    };
    let words = if gauge.limit.is_loss() {
        "left"
    } else {
        "there"
    };
    let local = local(gauge);
    let words = vec![
        Span::muted(format!("{}{local} ", gauge.limit)),
        Span::new(
            format!("{} ", format::whole_percent(share)),
            plain_if(tone, Tone::Info),
        ),
        Span::muted(words),
    ];
    Segment {
        gauge: Some(Gauge {
            share: Share::of(share),
            tone,
        }),
        ..Segment::new(priority, words)
    }
}

fn plain_if(tone: Tone, usual: Tone) -> Tone {
    if tone == usual { Tone::Plain } else { tone }
}

fn left(gauge: &guard::Gauge) -> Num {
    let left = Num::from(1_u32).minus(gauge.used);
    left.unwrap_or(Num::ZERO).max(Num::ZERO)
}

pub(super) fn local(gauge: &guard::Gauge) -> &'static str {
    match gauge.origin {
        Origin::Service => "",
        Origin::Local => " (local)",
    }
}

fn tone(gauge: &guard::Gauge) -> Tone {
    let is_goal = matches!(gauge.limit, Limit::Target | Limit::TradingDays);
    match gauge.level() {
        Level::Reached if is_goal => Tone::Good,
        Level::Reached if gauge.limit.is_loss() => Tone::Alert,
        Level::Near if gauge.limit.is_loss() => Tone::Warn,
        Level::Reached => Tone::Warn,
        Level::Near | Level::Fine => Tone::Info,
    }
}

/// Every limit with its figures and who tells them, and what the lock does.
pub fn limits(model: &Model) -> DetailView {
    let field = |label: &str, value| DetailLine::Field {
        label: label.to_owned(),
        value,
    };
    let mut lines: Vec<_> = Limit::iter()
        .map(|limit| field(name(limit), of(model.guard.gauge(limit))))
        .collect();
    lines.push(DetailLine::Section("Lock"));
    lines.push(field("new risk", lock(model)));
    lines.push(field("exits", vec![Span::plain("never locked")]));
    let account = model
        .identity
        .as_ref()
        .map(|identity| identity.account_id.to_string());
    let age = super::title::age_of(model, crate::app::poll::Source::Account);
    lines.push(field(
        "account",
        vec![Span::plain(account.unwrap_or_default())],
    ));
    lines.extend(age.map(|age| field("read", vec![age, Span::muted(" ago")])));
    DetailView {
        title: vec![Span::new("Challenge limits", Tone::Accent)],
        lines,
        chart: None,
    }
}

fn name(limit: Limit) -> &'static str {
    match limit {
        Limit::DailyLoss => "daily loss",
        Limit::Drawdown => "drawdown",
        Limit::Target => "target",
        Limit::TradingDays => "trading days",
        Limit::Consistency => "consistency",
    }
}

fn of(gauge: Option<&guard::Gauge>) -> Vec<Span> {
    let Some(gauge) = gauge else {
        return vec![
            Span::unknown(),
            Span::muted("  neither the service nor [guard] in the settings tells it"),
        ];
    };
    let origin = match gauge.origin {
        Origin::Service => "service",
        Origin::Local => "local",
    };
    let verb = if gauge.limit.is_loss() {
        "used"
    } else {
        "reached"
    };
    let mut spans = vec![Span::new(
        format!("{} {verb}", format::percent(gauge.used)),
        plain_if(tone(gauge), Tone::Info),
    )];
    if let Some((value, bound)) = gauge.figures {
        let shown = |number: Num| figure(gauge, number);
        let of = if gauge.limit.is_loss() && gauge.origin == Origin::Service {
            "floor"
        } else {
            "of"
        };
        spans.push(Span::plain(format!(
            "  {} {of} {}",
            shown(value),
            shown(bound)
        )));
    }
    spans.push(Span::muted(format!("  {origin}")));
    spans
}

fn figure(gauge: &guard::Gauge, number: Num) -> String {
    match (gauge.limit, gauge.origin) {
        (Limit::TradingDays, _) => format::grouped(number.rounded(0)),
        (Limit::Consistency, Origin::Service) => format::percent(number),
        (Limit::Consistency, Origin::Local) => format!("{}%", number.rounded(2)),
        (Limit::DailyLoss | Limit::Drawdown | Limit::Target, _) => format::usd(number),
    }
}

fn lock(model: &Model) -> Vec<Span> {
    let lift = model.keymap.chord(Context::Limits, Action::Lift);
    match (model.guard.reached(), guard::locked(model)) {
        (Some(gauge), Some(_)) => {
            let mut spans = vec![Span::new(
                format!("LOCKED by the {}", gauge.limit),
                Tone::Alert,
            )];
            spans.extend(lift.into_iter().flat_map(|key| {
                [
                    Span::plain("   "),
                    Span::new(key.to_string(), Tone::Accent),
                    Span::plain(" lifts it"),
                ]
            }));
            spans
        }
        (Some(_), None) if model.guard.is_lifted() => {
            vec![Span::new(
                "lifted by you until the limit has been left again",
                Tone::Warn,
            )]
        }
        (Some(_), None) => vec![Span::new("not locked: [guard] lock is false", Tone::Warn)],
        (None, _) => vec![Span::plain(
            "open; locked when the daily loss or the drawdown is used up",
        )],
    }
}
