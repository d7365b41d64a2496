//! Messages under the form: the command's progress, the service's response, and warnings. Warnings never block: only
//! the service knows what it accepts.

use super::{caution, entry, trade::entered_at, words::quantity};
use crate::{
    app::{
        Action, Context, Model,
        forms::form::{Form, FormInput},
        orders::moves::planned,
        rules::{halt, warnings::OrderWarning},
        workflows::plan::MovePlan,
    },
    model::{
        Command, Failure, FailureKind, Num, OrderId, Position, PositionId, Protection, Risk, Side,
        TimeInForce, TriggerDirection,
        draft::{
            CloseDraft, Draft, EntryDraft, ExitsDraft, Field, MarginDraft, OpeningOrder,
            ProtectDraft, Seen,
        },
        estimate,
    },
    view::{
        tables::{activity, protection},
        text::{
            Scene, Span, format,
            words::{self, position_side},
        },
    },
};

pub(crate) fn trouble(form: &Form, model: &Model, seen: &Seen) -> Vec<Span> {
    let mut lines: Vec<Span> = failure(form);
    lines.extend(halted(form, model, seen));
    if let Some(why) = form.refusal {
        lines.push(Span::warn(why));
    }
    if form.hand == FormInput::Leaving {
        let key = words::key(model, Context::Form, Action::Dismiss);
        let words =
            format!("{key} again leaves, and drops what is written here; any other key stays");
        lines.push(Span::warn(words));
    }
    if let Some(old) = &form.replaces {
        let scene = Scene::of(model, &model.account.options.zone);
        lines.push(replaces(form, &old.order, model, seen));
        let unpaired = protection::unpaired(&old.order, &scene);
        lines.extend(unpaired.map(Span::warn));
    }
    if let Draft::Close(draft) = &form.draft {
        let words = guarded_already(draft, model, seen);
        lines.extend(words.map(Span::info));
    }
    let own = match &form.draft {
        Draft::Entry(draft) => entry(draft, model, seen),
        Draft::Close(draft) => close(draft, model, seen),
        Draft::Margin(draft) => margin(draft, model, seen),
        Draft::Exits(draft) => exits(draft, model, seen),
        Draft::Protect(draft) => protect(draft, model, seen),
    };
    let warnings = form.warnings(&model.account);
    let questions = warnings.iter();
    let questions = questions.map(|warning| caution::question(warning, seen));
    let warning = |words| Span::warn(words);
    lines.extend(own.into_iter().chain(questions).map(warning));
    lines.extend(answer_key(form, model, &warnings));
    lines
}

/// The key that answers the question, once the form accepts it. Late data may have arrived since it was asked.
fn answer_key(form: &Form, model: &Model, warnings: &[OrderWarning]) -> Option<Span> {
    let waits = form.accepts_answer(model.account.now) && form.failure.is_none();
    let key = model.keymap.chord(Context::Form, Action::Submit);
    let key = key.filter(|_| waits)?;
    Some(if warnings.is_empty() {
        let words = format!("no question is left: {key} sends it");
        Span::info(words)
    } else {
        Span::alert(format!("{key} again sends it as it is"))
    })
}

/// The service's message, if it names this field.
pub(crate) fn issue_of(form: &Form, field: Field) -> Option<String> {
    let failure = form.failure.as_ref()?;
    // A dry run's message names every field and is about none.
    if failure.kind == FailureKind::DryRun {
        return None;
    }
    let mut issues = failure.fields.iter();
    let entry = issues.find(|entry| field.is_body_field(entry.field.raw()));
    let is_named = || field.is_named_in(failure.message.raw());
    let issue = entry.map(|entry| entry.issue.to_string());
    issue.or_else(|| is_named().then(|| failure.message.to_string()))
}

/// What the service says of fields that this form does not have.
fn issues_elsewhere(form: &Form, failure: &Failure) -> Vec<Span> {
    let fields = form.draft.fields();
    let is_here = |name: &str| fields.iter().any(|field| field.is_body_field(name));
    let elsewhere = failure
        .fields
        .iter()
        .filter(|entry| !is_here(entry.field.raw()));
    let words = elsewhere.map(|entry| format!("{}: {}", entry.field, entry.issue));
    words.map(Span::warn).collect()
}

/// What becomes of the order that the form changes.
fn replaces(form: &Form, old: &OrderId, model: &Model, seen: &Seen) -> Span {
    let plan = match form.draft.command(seen) {
        Ok(Command::Place(wanted)) => planned(&model.account, old, &wanted),
        Ok(_) | Err(_) => return Span::info(format!("changes {old}")),
    };
    match plan {
        Ok(MovePlan::InPlace(_)) => Span::info(format!(
            "Moved in place: {old} stands until the service accepts the change"
        )),
        Ok(MovePlan::Replace) => Span::info(format!(
            "Cancel/replace: cancels {old}, then places the unfilled remainder"
        )),
        Err(why) => Span::warn(why),
    }
}

/// Shown before anything is typed if the form can only increase exposure.
fn halted(form: &Form, model: &Model, seen: &Seen) -> Option<Span> {
    let raises = match (&form.draft, form.draft.command(seen)) {
        (_, Ok(command)) => command.risk() == Risk::Increasing,
        (Draft::Entry(draft), Err(_)) => !draft.only_reduces(),
        (Draft::Close(_) | Draft::Exits(_) | Draft::Protect(_) | Draft::Margin(_), Err(_)) => false,
    };
    let words = halt::words(&model.account);
    let words = words.filter(|_| raises && form.failure.is_none())?;
    Some(Span::alert(words))
}

fn failure(form: &Form) -> Vec<Span> {
    let Some(failure) = &form.failure else {
        return vec![];
    };
    let tone = activity::failure_tone(failure);
    let mut lines = vec![Span::new(failure.to_string(), tone)];
    lines.extend(issues_elsewhere(form, failure));
    let references = failure.references().into_iter();
    let references = references.map(|(name, value)| Some(format!("{name} {value}")));
    let references = words::listed(references, " · ");
    lines.extend((!references.is_empty()).then(|| Span::muted(references)));
    if failure.is_doubtful() {
        let words = "it may have executed: check before you send it again";
        lines.push(Span::alert(words));
    }
    lines
}

fn entry(draft: &EntryDraft, model: &Model, seen: &Seen) -> Vec<String> {
    let trigger = draft.known(Field::TriggerPrice);
    let reduced = entry::reduced(draft, seen).filter(|_| draft.watched().is_none());
    let entry = entered_at(draft, seen);
    let own = [
        available(draft, model, seen),
        caution::past_the_challenge(draft, model, seen),
        caution::too_large(draft, model, seen),
        caution::too_small(draft, model, seen),
        releverages(draft, seen),
        flips(draft, seen),
        nothing_to_reduce(draft, seen),
        no_fill(draft, seen),
        chases_nothing(draft, seen),
        fires_at_once(trigger, draft.direction(), reduced, seen),
        losing_target(draft.side, entry, draft.known(Field::TakeProfit)),
        winning_stop(draft.side, entry, draft.known(Field::StopLoss)),
    ];
    own.into_iter().flatten().collect()
}

/// Moving a stop must not leave two.
fn guarded_already(draft: &CloseDraft, model: &Model, seen: &Seen) -> Option<String> {
    let waits = draft.has(Field::TriggerPrice) && draft.watched(seen).is_none();
    let position = seen.position.filter(|_| waits)?;
    let side = Protection::of(position.side()?, draft.trigger_direction?);
    let scene = Scene::of(model, &model.account.options.zone);
    let there = protection::known(side, position, &scene)?;
    let what = side.word();
    Some(format!(
        "a {what} is already there, {there}: this adds another; move that one in the working orders"
    ))
}

fn close(draft: &CloseDraft, model: &Model, seen: &Seen) -> Vec<String> {
    let fires = draft.has(Field::TriggerPrice).then(|| {
        let own = seen.position.filter(|_| draft.watched(seen).is_none());
        let price = draft.trigger_price().ok();
        fires_at_once(price, draft.trigger_direction, own, seen)
    });
    let mut lines = still_open(&draft.position_id, model);
    lines.extend(caution::too_small_a_part(draft, model, seen));
    lines.extend(fires.flatten());
    lines
}

/// The warnings of a new order's exits also apply to attached ones.
fn exits(draft: &ExitsDraft, model: &Model, seen: &Seen) -> Vec<String> {
    let mut lines = still_working(&draft.order_id, model);
    let Some((order, side)) = seen.order.and_then(|o| Some((o, o.side.known()?))) else {
        return lines;
    };
    let [target, stop] = [draft.take_profit(), draft.stop_loss()].map(|leg| leg.ok().flatten());
    let late = stop.and_then(|stop| {
        let liquidation = OpeningOrder::of(order)?.liquidation(seen);
        caution::unreached_stop(liquidation, side, stop, seen)
    });
    let own = [
        losing_target(side, order.limit_price, target),
        winning_stop(side, order.limit_price, stop),
        late,
    ];
    lines.extend(own.into_iter().flatten());
    lines
}

/// A stop or target that the mark has passed fires at once.
fn protect(draft: &ProtectDraft, model: &Model, seen: &Seen) -> Vec<String> {
    let side = seen.position.and_then(Position::side);
    let fires = |field, against: Option<Side>| {
        let price = draft.price(field).ok().flatten();
        let direction = against.map(TriggerDirection::losing);
        fires_at_once(price, direction, seen.position, seen)
    };
    let mut lines = still_open(&draft.position_id, model);
    lines.extend(fires(Field::StopLoss, side));
    lines.extend(fires(Field::TakeProfit, side.map(Side::opposite)));
    lines
}

/// Less margin than now brings liquidation nearer: a bare number was often meant as an addition.
fn margin(draft: &MarginDraft, model: &Model, seen: &Seen) -> Vec<String> {
    let now = seen.position.and_then(|p| p.isolated_margin_extra);
    let less = now
        .zip(draft.total(seen).ok())
        .and_then(|(now, total)| now.minus(total));
    let less = less.filter(|less| less.is_positive());
    let mut lines = still_open(&draft.position_id, model);
    lines.extend(less.map(|less| {
        let less = format::usd(less);
        format!("removes {less} USD of margin: the liquidation price comes closer; + adds")
    }));
    lines
}

fn available(draft: &EntryDraft, model: &Model, seen: &Seen) -> Option<String> {
    let available = model.account.store.account.value()?.available_margin?;
    let margin = draft.initial_margin(seen)?;
    (margin > available).then(|| {
        let (needed, there) = (format::usd(margin), format::usd(available));
        format!("needs {needed} USD of margin; {there} is available")
    })
}

/// A small order can change the leverage of a large position.
fn releverages(draft: &EntryDraft, seen: &Seen) -> Option<String> {
    draft.opens(seen).filter(|size| size.is_positive())?;
    let (before, after) = draft.releverages(seen)?;
    Some(format!("leverage of the position {before}× → {after}×"))
}

fn flips(draft: &EntryDraft, seen: &Seen) -> Option<String> {
    let held = seen.position?.side()?;
    let opens = draft.opens(seen).filter(|size| size.is_positive())?;
    let (after, coin) = (position_side(Some(draft.side)), quantity(opens, seen));
    (held != draft.side).then(|| format!("flips the position to {} {coin}", after.text))
}

fn nothing_to_reduce(draft: &EntryDraft, seen: &Seen) -> Option<String> {
    if !draft.only_reduces() {
        return None;
    }
    let Some(held) = seen.position else {
        let words = "reduce-only, but there is no position for it to reduce";
        return seen.lists_all.then(|| words.to_owned());
    };
    let side = held.side().filter(|side| *side == draft.side)?;
    Some(format!(
        "the open position is {}: a {side} does not reduce it, a {} does",
        position_side(Some(side)).text,
        side.opposite()
    ))
}

fn no_fill(draft: &EntryDraft, seen: &Seen) -> Option<String> {
    let tif = draft.lasting();
    let is_immediate = matches!(tif, TimeInForce::Ioc | TimeInForce::Fok);
    let limit = draft.known(Field::LimitPrice)?;
    let crosses = estimate::crosses(seen.market?, draft.side, limit)?;
    (is_immediate && !crosses && !draft.has(Field::TriggerPrice))
        .then(|| format!("{tif} would not fill: the limit does not reach the market"))
}

/// A cap on the wrong side of the followed price keeps the order where it is.
fn chases_nothing(draft: &EntryDraft, seen: &Seen) -> Option<String> {
    let follows = draft.chases_nothing(seen)?;
    let cap = draft.known(Field::ChaseCap)?;
    let side = match draft.side {
        Side::Buy => "below",
        Side::Sell => "above",
    };
    let [cap, follows] = [cap, follows].map(|price| format::price(price, seen.market));
    Some(format!(
        "the cap {cap} is {side} {follows}, the price it would follow: the order rests fixed at its cap and does not \
         chase"
    ))
}

/// For a new order and a close; for a stop or target of `held`, says on which side of the mark it belongs.
fn fires_at_once(
    price: Option<Num>,
    direction: Option<TriggerDirection>,
    held: Option<&Position>,
    seen: &Seen,
) -> Option<String> {
    let (price, direction) = (price?, direction?);
    let market = seen.market_of(Field::TriggerPrice)?;
    let mark = market.mark?;
    let is_there = match direction {
        TriggerDirection::Above => mark >= price,
        TriggerDirection::Below => mark <= price,
    };
    let Some(side) = held.and_then(Position::side).filter(|_| is_there) else {
        let words = "the trigger is already crossed: the service will refuse it";
        return is_there.then(|| words.to_owned());
    };
    let purpose = Protection::of(side, direction);
    let place = match direction {
        TriggerDirection::Above => "above",
        TriggerDirection::Below => "below",
    };
    Some(format!(
        "a {} of a {} is {place} the mark, {}: the trigger is already crossed",
        purpose.word(),
        position_side(Some(side)).text,
        format::price(mark, Some(market))
    ))
}

fn winning_stop(side: Side, entry: Option<Num>, stop: Option<Num>) -> Option<String> {
    let gain = estimate::gain(side, entry?, stop?)?;
    (!gain.is_negative())
        .then(|| "a long's stop must be below its entry (a short's above)".to_owned())
}

fn losing_target(side: Side, entry: Option<Num>, target: Option<Num>) -> Option<String> {
    let gain = estimate::gain(side, entry?, target?)?;
    (!gain.is_positive())
        .then(|| "a long's target must be above its entry (a short's below)".to_owned())
}

fn still_open(id: &PositionId, model: &Model) -> Vec<String> {
    match model.account.store.position(id) {
        Some(_) => vec![],
        None => vec!["not in the latest list of open positions".to_owned()],
    }
}

fn still_working(id: &OrderId, model: &Model) -> Vec<String> {
    match model.account.store.order(id) {
        Some(order) if order.is_working() => vec![],
        Some(_) | None => vec!["not in the latest list of working orders".to_owned()],
    }
}
