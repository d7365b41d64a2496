//! When time alone next changes the screen. The runtime sleeps until then; without movement there is no wake.

use crate::{
    app::{
        account::poll::Source,
        desk::model::Model,
        dialogs::overlay::Arm,
        update::{market_data, press},
    },
    config::Motion,
    model::{Progress, Timestamp},
};
use std::time::Duration;
use strum::IntoEnumIterator;

const SECOND: Duration = Duration::from_secs(1);
/// A countdown in tenths of a second.
const TENTH: Duration = Duration::from_millis(100);

/// How often a countdown changes on the screen.
pub(crate) fn beat(motion: Motion) -> Duration {
    match motion {
        Motion::Full => TENTH,
        Motion::Reduced => SECOND,
    }
}

/// When the desk must be woken: for the next visible change, or to request what is shown of the markets.
pub fn wake(model: &Model) -> Option<Timestamp> {
    let wakes = redraw(model).into_iter().chain(market_data::due(model));
    wakes
        .min()
        .map(|at| at.max(model.account.now.plus(Duration::from_millis(1))))
}

/// The instant of the next visible change, if time alone brings one.
pub fn redraw(model: &Model) -> Option<Timestamp> {
    [
        strip,
        question,
        share,
        toast,
        press::prefix_ends_at,
        pending,
        retry,
        age,
        list_filters,
        workflows,
        one_key,
        cursor_rests,
    ]
    .into_iter()
    .filter_map(|change| change(model))
    .min()
}

/// One-key trading ends by itself.
fn one_key(model: &Model) -> Option<Timestamp> {
    model.price_ladder.disarms_at()
}

/// The market under the cursor is shown.
fn cursor_rests(model: &Model) -> Option<Timestamp> {
    model.market_screen.follows_at()
}

/// A toast that has disappeared needs no wake.
fn toast(model: &Model) -> Option<Timestamp> {
    model
        .account
        .activity
        .toast_ends_at()
        .filter(|end| *end > model.account.now)
}

fn strip(model: &Model) -> Option<Timestamp> {
    let top = model.overlays.last()?;
    if let Some(bulk) = top.try_as_bulk_ref() {
        return Some(bulk.ends_at()?.min(model.account.now.plus(SECOND)));
    }
    if top.try_as_accounts_ref().is_some() {
        return Some(model.account.now.plus(SECOND));
    }
    let strip = top.try_as_strip_ref()?;
    let ends_at = strip.ends_at();
    let motion = model.account.options.motion;
    let next = match (strip.arm, motion) {
        (Arm::Question { .. }, _) => model.account.now.plus(SECOND),
        (Arm::Confirm | Arm::Countdown { .. }, Motion::Full) => {
            model.account.now.plus(beat(motion))
        }
        (Arm::Confirm | Arm::Countdown { .. }, Motion::Reduced) => {
            whole_second(ends_at, model.account.now)
        }
    };
    Some(ends_at.min(next))
}

/// A form names the confirming key once it accepts it.
fn question(model: &Model) -> Option<Timestamp> {
    let form = model.overlays.last()?.try_as_form_ref()?;
    form.accepts_answer_from()
        .filter(|from| *from > model.account.now)
}

/// A close sends the share that a digit chose.
fn share(model: &Model) -> Option<Timestamp> {
    model.overlays.last()?.try_as_form_ref()?.closes_share_at()
}

/// When a whole number of seconds is left until `end`.
fn whole_second(end: Timestamp, now: Timestamp) -> Timestamp {
    let left = i64::try_from(end.since(now).as_millis()).unwrap_or(i64::MAX);
    Timestamp(end.0 - left.saturating_sub(1) / 1_000 * 1_000)
}

/// A long list continues to filter with every update.
fn list_filters(model: &Model) -> Option<Timestamp> {
    model.table_views.are_sifting().then_some(model.account.now)
}

/// Flips, replacements and moves request reads.
fn workflows(model: &Model) -> Option<Timestamp> {
    model.account.workflows.look_at()
}

/// Waiting commands show a countdown in seconds.
fn pending(model: &Model) -> Option<Timestamp> {
    let waits = |progress: &Progress| !matches!(progress, Progress::Sending { .. });
    model
        .account
        .store
        .pending
        .values()
        .any(|pending| waits(&pending.progress))
        .then(|| model.account.now.plus(SECOND))
}

/// The seconds until the service is retried.
fn retry(model: &Model) -> Option<Timestamp> {
    let counts = model.account.store.health.next_try(model.account.now);
    counts.map(|_| model.account.now.plus(SECOND))
}

/// Ages are shown in whole seconds and all change together, whole seconds after the newest answer: that is when the
/// next ones are requested, so that both are one frame.
fn age(model: &Model) -> Option<Timestamp> {
    let is_known = Source::iter().any(|source| model.account.store.polled_at(source).is_some());
    is_known.then(|| model.account.shown_second().plus(SECOND))
}
