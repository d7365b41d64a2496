//! The limits of the challenge: short in the header, in full over the desk.

use super::{
    Gauge, Share, Span, Tone,
    detail::{DetailLine, DetailView},
    format,
    header::Segment,
    words,
};
use crate::{
    app::{
        Model,
        guard::{self, Lack, Level, Limit, Missing, Origin},
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
        Origin::Local if gauge.lacks.is_empty() => " (local)",
        Origin::Local => " (local, in part)",
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
    let mut lines = vec![];
    for limit in Limit::iter() {
        let gauge = model.guard.gauge(limit);
        let words = gauge.map_or_else(|| unmeasured(model.guard.missing(limit)), of);
        lines.push(field(name(limit), words));
        let lacks = gauge.into_iter().flat_map(|gauge| &gauge.lacks);
        lines.extend(lacks.map(|of| field("without", vec![Span::new(lack(*of), Tone::Warn)])));
    }
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

/// Why there is no figure, and what to do where something can be done.
fn unmeasured(missing: Option<Missing>) -> Vec<Span> {
    let why = match missing {
        None => "nothing has been read yet".to_owned(),
        Some(Missing::Unset) => {
            "neither the service nor [guard] in the settings tells it".to_owned()
        }
        Some(Missing::Lacks(of)) => format!("without {}", lack(of)),
        Some(Missing::TooLarge) => "its figures have too many digits".to_owned(),
    };
    vec![Span::unknown(), Span::muted(format!("  {why}"))]
}

fn lack(lack: Lack) -> String {
    match lack {
        Lack::Unpriced(count) => {
            let of = words::counted(count, "open position", "open positions");
            format!("{of}: no price is known, price_source tells one")
        }
        Lack::Open => "open positions that have not been read".to_owned(),
        Lack::Unread(count) => {
            let here = format::count(count);
            format!("closed positions that are still to be read, {here} so far")
        }
        Lack::Untold(count) => {
            let of = words::counted(count, "closed position", "closed positions");
            format!("{of}: what came of it is not told")
        }
        Lack::Cut => "closed positions the service has and does not say where".to_owned(),
    }
}

fn of(gauge: &guard::Gauge) -> Vec<Span> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{poll::Answer, testing::*},
        model::{Page, Position},
    };

    /// The panel as lines of `label: words`.
    fn shown(model: &Model) -> Vec<String> {
        let line = |line: &DetailLine| {
            let DetailLine::Field { label, value } = line else {
                return None;
            };
            let words: String = value.iter().map(|span| &*span.text).collect();
            Some(format!("{label}: {words}"))
        };
        limits(model).lines.iter().filter_map(line).collect()
    }

    fn closed(net: &str) -> Position {
        let at = NOON.0 - 60_000;
        let more = format!(r#""closed_at":{at},"realized_pnl":{net},"fees":0,"funding":0"#);
        position("c", "BTC", "1", &more)
    }

    #[test]
    fn a_figure_that_is_not_whole_says_what_it_is_without() {
        let mut model = bare_desk();
        model.options.guard.daily_loss = Some(num("100"));
        model.options.guard.drawdown = Some(num("1000"));
        let open = position("pos-1", "BTC", "0.5", r#""leverage":10"#);
        arrive(&mut model, Answer::Positions(Ok(Page::of(vec![open]))));
        let page = Page {
            next: Some("more".to_owned().into()),
            ..Page::of(vec![closed("-270")])
        };
        arrive(&mut model, Answer::Closed(Ok(page)));
        assert_eq!(
            shown(&model)[..5],
            [
                "daily loss: 270.00% used  270.00 of 100.00  local",
                "without: closed positions that are still to be read, 1 so far",
                "without: 1 open position: no price is known, price_source tells one",
                "drawdown: –  without closed positions that are still to be read, 1 so far",
                "target: –  neither the service nor [guard] in the settings tells it",
            ]
        );
    }
}
