//! The challenge limits: short in the header, in full in a panel.

use crate::{
    app::{
        Action, Context, Model, Source,
        account::guard::{Gauge as LimitGauge, Lack, Level, Limit, Missing, Origin, Verdict},
        rules::{guard, policy},
    },
    model::{AccountFacts, Num, TradingLimits},
    view::{
        details::{DetailLine, DetailView},
        panels::segment::Segment,
        tables::alert,
        text::{Gauge, Span, Tone, age, format, words},
    },
};
use strum::IntoEnumIterator as _;

/// The gauges beside the daily loss, and a word if entries are locked.
pub(crate) fn segments(model: &Model) -> Vec<Segment> {
    let won = won(model);
    let shown = [Limit::Drawdown, Limit::Target].into_iter();
    let has_won = won.is_some();
    let shown = shown.filter(|limit| !has_won || *limit != Limit::Target);
    let gauge = |limit| {
        Some(segment(
            model.account.guard.gauge(limit)?,
            rank(model, limit),
        ))
    };
    let lock = match (guard::breach(&model.account), model.account.guard.reached()) {
        (Some(rule), _) => Some(format!("BREACHED: {rule}")),
        (None, Some(gauge)) if guard::locked(&model.account).is_some() => {
            Some(format!("LOCKED: {}", gauge.limit))
        }
        (None, reached) => reached.map(|gauge| format!("{} reached", gauge.limit)),
    };
    let lock = lock.map(|words| Segment::new(0, Span::alert(words)));
    shown.filter_map(gauge).chain(lock).chain(won).collect()
}

/// Shown if the challenge is passed or its target reached.
fn won(model: &Model) -> Option<Segment> {
    let target = model.account.guard.gauge(Limit::Target);
    let reached = target.filter(|gauge| gauge.level() == Level::Reached);
    let words = match guard::verdict(&model.account) {
        Some(Verdict::Breached(_)) => return None,
        Some(Verdict::Passed) => "PASSED".to_owned(),
        None => format!("target{} reached", alert::local(reached?)),
    };
    Some(Segment::new(1, Span::good(words)))
}

/// Which limit leaves the header first: a near one stays longest. A reached one has words of its own.
pub(crate) fn rank(model: &Model, limit: Limit) -> u8 {
    let of = &model.account.guard;
    let level = |limit| of.gauge(limit).map_or(Level::Fine, LimitGauge::level);
    let is_shown = of.reached().is_some_and(|gauge| gauge.limit == limit);
    match (limit, level(limit)) {
        (Limit::DailyLoss | Limit::Drawdown, _) if is_shown => 6,
        (Limit::DailyLoss, Level::Fine) if level(Limit::Drawdown) > Level::Fine => 6,
        (Limit::DailyLoss, _) | (Limit::Drawdown, Level::Near | Level::Reached) => 1,
        (Limit::Drawdown, Level::Fine) => 6,
        (Limit::Target | Limit::TradingDays | Limit::Consistency, _) => 7,
    }
}

pub(crate) fn segment(gauge: &LimitGauge, priority: u8) -> Segment {
    let tone = tone(gauge);
    let (share, words) = if gauge.limit.is_loss() {
        (left(gauge), "left")
    } else {
        (gauge.used, "reached")
    };
    let percent = format!("{} ", format::whole_percent(share));
    let words = [
        Span::muted(format!("{}{} ", gauge.limit, alert::local(gauge))),
        Span::new(percent, plain_if(tone, Tone::Info)),
        Span::muted(words),
    ];
    Segment::new(priority, words).gauge(Gauge::new(share, tone))
}

pub(crate) fn plain_if(tone: Tone, usual: Tone) -> Tone {
    if tone == usual { Tone::Plain } else { tone }
}

fn left(gauge: &LimitGauge) -> Num {
    let left = Num::ONE.minus(gauge.used);
    left.unwrap_or(Num::ZERO).max(Num::ZERO)
}

fn tone(gauge: &LimitGauge) -> Tone {
    let is_goal = matches!(gauge.limit, Limit::Target | Limit::TradingDays);
    match gauge.level() {
        Level::Reached if is_goal => Tone::Good,
        Level::Reached if gauge.limit.is_loss() => Tone::Alert,
        Level::Near if gauge.limit.is_loss() => Tone::Warn,
        Level::Reached => Tone::Warn,
        Level::Near | Level::Fine => Tone::Info,
    }
}

/// Every limit with its figures, their source, and what the lock does.
pub fn limits(model: &Model) -> DetailView {
    let mut lines = vec![];
    for limit in Limit::iter() {
        let gauge = model.account.guard.gauge(limit);
        let words = gauge.map_or_else(|| unmeasured(model.account.guard.missing(limit)), of);
        lines.push(DetailLine::field(name(limit), words));
        let lacks = gauge.into_iter().flat_map(|gauge| &gauge.lacks);
        lines.extend(lacks.map(|of| DetailLine::field("without", Span::warn(lack(*of)))));
    }
    let facts = model.account.store.account.value();
    lines.extend(facts.into_iter().flat_map(rules));
    lines.push(DetailLine::section("Lock"));
    let standing = facts.and_then(|facts| facts.standing.as_ref());
    let standing = standing.map(|word| Span::plain(word.to_string()));
    lines.extend(standing.map(|word| DetailLine::field("challenge", word)));
    lines.push(DetailLine::field("new entries", lock(model)));
    lines.push(DetailLine::field("exits", Span::plain("never locked")));
    lines.push(DetailLine::section("Orders"));
    lines.extend(question_limits(model));
    let account = model.account.identity.as_ref();
    let account = account.map_or_else(String::new, |known| known.account_id.to_string());
    lines.push(DetailLine::field("account", Span::plain(account)));
    let age = age::age_of(model, Source::Account);
    lines.extend(age.map(|age| DetailLine::field("read", [age, Span::muted(" ago")])));
    DetailView {
        title: Span::accent("Challenge limits").into(),
        lines,
    }
}

/// Beyond which figures a new order is asked about once, or refused.
fn question_limits(model: &Model) -> impl Iterator<Item = DetailLine> {
    let checks = &model.account.options.checks;
    let asks = |limit: Option<Num>, of: &str| limit.map(|limit| format!("{limit}{of} asks"));
    let refused = checks.refuse_through_market;
    let refused = refused.map(|limit| format!("{limit} % is refused"));
    let rows = [
        (
            "through market",
            asks(checks.ask_through_market, " %"),
            refused,
        ),
        ("from market", asks(checks.ask_away_from_market, " %"), None),
        (
            "notional",
            asks(checks.ask_order_of_equity, " % of the equity"),
            asks(checks.ask_notional, " % of equity × highest leverage"),
        ),
        (
            "leverage after",
            asks(checks.ask_leverage, " × the equity"),
            None,
        ),
        (
            "liquidation",
            asks(checks.ask_liquidation_within, " % from the mark"),
            asks(checks.ask_liquidation_ranges, " mean 1m ranges"),
        ),
        (
            "loss at stop",
            asks(checks.ask_loss_at_stop, " % of the equity"),
            None,
        ),
        (
            "size",
            asks(checks.ask_size_times, " × the largest recent one"),
            None,
        ),
        (
            "no price",
            checks.ask_without_price.then(|| "asks".to_owned()),
            None,
        ),
    ];
    rows.into_iter().map(|(name, first, second)| {
        let words = words::listed([first, second], " · ");
        let is_limited = !words.is_empty();
        let words = if is_limited {
            words
        } else {
            "no limit".to_owned()
        };
        DetailLine::field(name, Span::plain(words))
    })
}

/// What the service refuses by.
fn rules(facts: &AccountFacts) -> Vec<DetailLine> {
    let policy = facts.policy.as_ref();
    let limits = policy.and_then(|policy| policy.limits.as_ref());
    let limit = |of: fn(&TradingLimits) -> Option<Num>| limits.and_then(of);
    let usd = |number: Num| format!("{} USD", format::usd(number));
    let count = |number: Num| format::grouped(number.normalized());
    let counted = |number: Option<Num>, unit: &str| number.map(|n| format!("{}{unit}", count(n)));
    let largest = facts.largest_position().map(|(value, most)| match value {
        Some(value) => format!("{} of {}", format::usd(value), usd(most)),
        None => usd(most),
    });
    let rates = [
        counted(limit(|limits| limits.trades_per_minute), " a minute"),
        counted(limit(|limits| limits.trades_per_hour), " an hour"),
        counted(limit(|limits| limits.trades_per_day), " a day"),
    ];
    let rates = Some(words::listed(rates, " · ")).filter(|rates| !rates.is_empty());
    let total = policy.and_then(|policy| policy.maximum_total_notional_usd);
    let open = limit(|limits| limits.max_open_positions);
    let resting = limit(|limits| limits.max_resting_orders);
    let pause = limit(|limits| limits.order_cooldown_ms);
    let rows = [
        ("largest position", largest),
        ("smallest order", facts.smallest_order().map(usd)),
        ("all positions", total.map(usd)),
        ("open positions", counted(open, "")),
        ("resting orders", counted(resting, "")),
        ("trades", rates),
        ("pause", counted(pause, " ms")),
    ];
    let rows = rows
        .into_iter()
        .filter(|(_, words)| policy.is_some() || words.is_some());
    rows.map(|(name, words)| match words {
        Some(words) => DetailLine::field(name, [Span::plain(words), Span::muted("  service")]),
        None => DetailLine::field(name, Span::muted("not set")),
    })
    .collect()
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

/// Why there is no figure, and what to do about it.
fn unmeasured(missing: Option<Missing>) -> Vec<Span> {
    let why = match missing {
        None => "nothing has been read yet".to_owned(),
        Some(Missing::Unset) => {
            "neither the service nor [guard] in the settings states it".to_owned()
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
            format!("{of}: no price is known")
        }
        Lack::Open => "open positions that have not been read".to_owned(),
        Lack::Unread(count) => {
            let here = format::count(count);
            format!("closed positions that are still to be read, {here} so far")
        }
        Lack::Unknown(count) => {
            let of = words::counted(count, "closed position", "closed positions");
            format!("{of}: the service does not report its outcome")
        }
        Lack::Cut => "closed positions that the service does not list".to_owned(),
        Lack::Peak => {
            "the peak that the limit may trail: the service does not report it, so perpdeck takes the highest equity seen here".to_owned()
        }
    }
}

fn of(gauge: &LimitGauge) -> Vec<Span> {
    let origin = match gauge.origin {
        Origin::Service => "service",
        Origin::Local => "local",
    };
    let used = format::percent(gauge.used);
    // A goal is "reached"; a limit is not.
    let head = match gauge.limit {
        Limit::DailyLoss | Limit::Drawdown => format!("{used} used"),
        Limit::Target | Limit::TradingDays => format!("{used} reached"),
        Limit::Consistency if gauge.used > Num::ONE => "NOT KEPT".to_owned(),
        Limit::Consistency => "kept".to_owned(),
    };
    let mut spans = vec![Span::new(head, plain_if(tone(gauge), Tone::Info))];
    if let Some((value, bound)) = gauge.figures {
        let shown = |number: Num| figure(gauge, number);
        let of = match (gauge.limit, gauge.origin) {
            (Limit::DailyLoss | Limit::Drawdown, Origin::Service) => " floor",
            (Limit::Consistency, _) => ", at most",
            (
                Limit::DailyLoss | Limit::Drawdown | Limit::Target | Limit::TradingDays,
                Origin::Service | Origin::Local,
            ) => " of",
        };
        let words = format!("  {}{of} {}", shown(value), shown(bound));
        spans.push(Span::plain(words));
    }
    spans.push(Span::muted(format!("  {origin}")));
    spans
}

fn figure(gauge: &LimitGauge, number: Num) -> String {
    match (gauge.limit, gauge.origin) {
        (Limit::TradingDays, _) => format::grouped(number.rounded(0)),
        (Limit::Consistency, Origin::Service) => format::percent(number),
        (Limit::Consistency, Origin::Local) => format!("{}%", number.rounded(2)),
        (Limit::DailyLoss | Limit::Drawdown | Limit::Target, _) => format::usd(number),
    }
}

fn lock(model: &Model) -> Vec<Span> {
    if let Some(rule) = guard::breach(&model.account) {
        let words = format!("BREACHED by {rule}: the service accepts reducing orders only");
        return Span::alert(words).into();
    }
    if let Some(why) = policy::refuses(&model.account.store, None) {
        return Span::alert(why).into();
    }
    match (model.account.guard.reached(), guard::locked(&model.account)) {
        (Some(gauge), Some(_)) => {
            let mut spans = vec![Span::alert(format!("LOCKED by the {}", gauge.limit))];
            if let Some(key) = model.keymap.chord(Context::Limits, Action::Lift) {
                let key = Span::accent(key.to_string());
                spans.extend([Span::plain("   "), key, Span::plain(" overrides it")]);
            }
            spans
        }
        (Some(_), None) if model.account.guard.is_lifted() => {
            Span::warn("overridden by you until the figure is within the limit again").into()
        }
        (Some(_), None) => Span::warn("not locked: [guard] lock is false").into(),
        (None, _) => {
            Span::plain("allowed; locked when the daily loss or the drawdown is used up").into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{account::poll::Answer, testing::*},
        model::{Page, Position, RuleFact},
        view::text::plain_text,
    };

    /// The panel as lines of `label: words`.
    fn shown(model: &Model) -> Vec<String> {
        let line = |line: &DetailLine| {
            let words = plain_text(&line.value);
            (!line.is_section()).then(|| format!("{}: {words}", line.label))
        };
        limits(model).lines.iter().filter_map(line).collect()
    }

    fn closed(net: &str) -> Position {
        let at = NOON.0 - 60_000;
        let more = format!(r#""closed_at":{at},"realized_pnl":{net},"fees":0,"funding":0"#);
        position("c", "BTC", "1", &more)
    }

    #[test]
    fn an_account_that_is_breached_is_told_as_such_and_offers_no_lock_to_lift() {
        let mut model = desk();
        model.account.options.guard.lock = true;
        let rule = |id: &str, value, limit| RuleFact {
            id: id.into(),
            value: Some(num(value)),
            limit: num(limit),
            from: None,
        };
        let facts = AccountFacts {
            daily_loss_left: Some(Num::ZERO),
            rules: vec![rule("consistency", "1", "0.4")],
            standing: Some("breached".into()),
            broken_rule: Some("max_daily_loss".into()),
            ..AccountFacts::default()
        };
        arrive(&mut model, Answer::Account(Ok(facts)));
        let shown = shown(&model);
        assert_eq!(
            shown[4],
            "consistency: NOT KEPT  100.00%, at most 40.00%  service"
        );
        assert_eq!(
            shown[5..7],
            [
                "challenge: breached",
                "new entries: BREACHED by max daily loss: the service accepts reducing orders only",
            ]
        );
        let words = |segment: &Segment| segment.words.iter().map(|s| &*s.text).collect::<String>();
        let header: Vec<_> = segments(&model).iter().map(words).collect();
        assert!(
            header.contains(&"BREACHED: max daily loss".to_owned()),
            "{header:?}"
        );
        press(&mut model, "L o");
        assert_eq!(model.overlays.len(), 1, "there is nothing to lift");
        press(&mut model, "esc b");
        assert_eq!(model.overlays, [], "no form opens");
        press(&mut model, "c");
        assert_eq!(model.overlays.len(), 1, "a close does");
    }

    #[test]
    fn the_rules_that_the_service_refuses_by_are_told_where_it_tells_them() {
        let mut model = desk();
        let none = shown(&model).len();
        let rule = |id: &str, value, limit| RuleFact {
            id: id.into(),
            value: Some(num(value)),
            limit: num(limit),
            from: None,
        };
        let facts = AccountFacts {
            rules: vec![
                rule("max_position_notional", "32000", "200000"),
                rule("min_order_notional", "10", "10"),
            ],
            ..AccountFacts::default()
        };
        arrive(&mut model, Answer::Account(Ok(facts)));
        let shown = shown(&model);
        let told = [
            "largest position: 32,000.00 of 200,000.00 USD  service",
            "smallest order: 10.00 USD  service",
        ];
        assert_eq!(shown[5..7], told);
        assert!(shown.len() >= none + 2, "{shown:?}");
    }

    #[test]
    fn the_limit_that_is_near_stays_in_sight_before_one_that_is_not() {
        let ranks = |daily_loss: &str, equity: &str| {
            let mut model = bare_desk();
            model.account.options.guard.start_balance = Some(num("10000"));
            model.account.options.guard.daily_loss = Some(num("100"));
            model.account.options.guard.drawdown = Some(num("1000"));
            let facts = AccountFacts {
                equity: Some(num(equity)),
                day_pnl: Some(num(daily_loss)),
                ..AccountFacts::default()
            };
            arrive(&mut model, Answer::Account(Ok(facts)));
            [Limit::DailyLoss, Limit::Drawdown].map(|limit| rank(&model, limit))
        };
        assert_eq!(ranks("-1", "9990"), [1, 6]);
        assert_eq!(ranks("-1", "9070"), [6, 1], "93 % of the drawdown is used");
        assert_eq!(ranks("-90", "9070"), [1, 1]);
        assert_eq!(ranks("-100", "9070"), [6, 1], "LOCKED says it");
    }

    #[test]
    fn a_figure_that_is_not_whole_says_what_it_is_without() {
        let mut model = bare_desk();
        model.account.options.guard.daily_loss = Some(num("100"));
        model.account.options.guard.drawdown = Some(num("1000"));
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
                "without: 1 open position: no price is known",
                "drawdown: –  without closed positions that are still to be read, 1 so far",
                "target: –  neither the service nor [guard] in the settings states it",
            ]
        );
    }
}
