//! The details of a TWAP and a scaled order.

use crate::{
    model::{Num, Scaled, Twap},
    view::{
        details::{DetailFields, DetailView},
        tables::{scaled, twaps},
        text::{Scene, format},
    },
};

pub(crate) fn twap(twap: &Twap, scene: &Scene<'_>) -> DetailView {
    let mut fields = DetailFields::default();
    fields.text("id", Some(&twap.id));
    fields.text("account_id", Some(&twap.account_id));
    fields.market((&twap.market_id, &twap.provider, &twap.symbol, &twap.coin));
    fields.text("status", twap.status.as_ref());
    fields.push("state", twaps::state(twap, scene));
    fields.text("completion_reason", twap.completion_reason.as_ref());
    fields.flag("reduce_only", twap.reduce_only);
    fields.flag("randomize", twap.randomize);
    fields.number("leverage", twap.leverage);
    fields.section("Size and price");
    fields.number("total_size", twap.total_size);
    fields.number("size_decimals", twap.size_decimals);
    fields.number("filled_size", twap.filled_size);
    fields.text("filled", twap.filled_share().map(format::percent));
    fields.number("average_price", twap.average_price);
    fields.number("trigger_price", twap.trigger_price);
    fields.number("min_price", twap.min_price);
    fields.number("max_price", twap.max_price);
    fields.section("Schedule");
    fields.number("duration_minutes", twap.duration_minutes);
    fields.number("slice_interval_seconds", twap.slice_interval_seconds);
    fields.number("slice_count", twap.slice_count);
    fields.number("slices_attempted", twap.slices_attempted);
    fields.text(
        "elapsed",
        twap.elapsed_share(twaps::clock(twap, scene))
            .map(format::percent),
    );
    let drift = twap.drift(twaps::clock(twap, scene));
    fields.text("drift", drift.map(format::signed_percent));
    fields.text("current_child_order_id", twaps::child(twap, scene));
    fields.section("Times");
    fields.time("started_at", twap.started_at, scene);
    fields.time("activated_at", twap.activated_at, scene);
    fields.time("next_run_at", twaps::next_slice(twap, scene), scene);
    fields.time("end_at", twap.end_at, scene);
    fields.time("completed_at", twap.completed_at, scene);
    fields.time("canceled_at", twap.canceled_at, scene);
    fields.titled(twaps::head(twap, scene))
}

pub(crate) fn ladder(ladder: &Scaled, scene: &Scene<'_>) -> DetailView {
    let mut fields = DetailFields::default();
    fields.text("id", Some(&ladder.id));
    fields.text("account_id", Some(&ladder.account_id));
    fields.market((
        &ladder.market_id,
        &ladder.provider,
        &ladder.symbol,
        &ladder.coin,
    ));
    fields.text("status", ladder.status.as_ref());
    fields.flag("reduce_only", ladder.reduce_only);
    fields.number("leverage", ladder.leverage);
    fields.number("total_size", ladder.total_size);
    fields.number("size_decimals", ladder.size_decimals);
    fields.number("start_price", ladder.start_price);
    fields.number("end_price", ladder.end_price);
    fields.number("rung_count", ladder.rung_count);
    fields.number("placed_count", ladder.placed_count);
    fields.number("rejected_count", ladder.rejected_count);
    fields.text(
        "average of the rungs",
        average(ladder).map(|price| format::average(price, None)),
    );
    fields.section("Times");
    fields.time("started_at", ladder.started_at, scene);
    fields.time("completed_at", ladder.completed_at, scene);
    fields.time("canceled_at", ladder.canceled_at, scene);
    fields.section("Rungs");
    for number in 0..ladder.rungs.len() {
        if let Some(line) = scaled::rung_line(ladder, number, scene) {
            fields.push("rung", scaled::rung_words(&line, scene));
        }
    }
    fields.titled(scaled::head(ladder, scene))
}

/// The average price if every rung filled at its own price.
fn average(ladder: &Scaled) -> Option<Num> {
    let sums = ladder
        .rungs
        .iter()
        .try_fold((Num::ZERO, Num::ZERO), |(cost, size), rung| {
            let cost = cost.plus(rung.price.times(rung.size.abs())?)?;
            Some((cost, size.plus(rung.size.abs())?))
        });
    let (cost, size) = sums?;
    cost.over(size)
}
