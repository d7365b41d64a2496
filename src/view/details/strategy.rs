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
    let mut fields = DetailFields::new(twap, scene);
    fields.push("state", twaps::state(twap, scene));
    fields.sent(["completion_reason"]);
    fields.section("Size and price");
    fields.sent(["total_size", "size_decimals", "filled_size"]);
    fields.text("filled", twap.filled_share().map(format::percent));
    fields.sent(["average_price", "trigger_price", "min_price", "max_price"]);
    fields.section("Schedule");
    fields.sent([
        "duration_minutes",
        "slice_interval_seconds",
        "slice_count",
        "slices_attempted",
    ]);
    let now = twaps::clock(twap, scene);
    fields.text("elapsed", twap.elapsed_share(now).map(format::percent));
    fields.text("drift", twap.drift(now).map(format::signed_percent));
    fields.text("current_child_order_id", twaps::child(twap, scene));
    fields.section("Times");
    fields.sent(["started_at", "activated_at"]);
    fields.time("next_run_at", twaps::next_slice(twap, scene));
    fields.sent(["end_at", "completed_at", "canceled_at"]);
    fields.section("Terms");
    fields.sent(["status", "reduce_only", "randomize", "leverage"]);
    fields.section("Ids");
    fields.names();
    fields.titled(twaps::head(twap, scene))
}

pub(crate) fn scaled(scaled: &Scaled, scene: &Scene<'_>) -> DetailView {
    let mut fields = DetailFields::new(scaled, scene);
    fields.sent([
        "status",
        "total_size",
        "size_decimals",
        "start_price",
        "end_price",
        "rung_count",
        "placed_count",
        "rejected_count",
    ]);
    let average = average(scaled).map(|price| format::average(price, None));
    fields.text("average of the rungs", average);
    fields.section("Times");
    fields.sent(["started_at", "completed_at", "canceled_at"]);
    fields.section("Rungs");
    for line in scaled::rungs(scaled, scene) {
        fields.push("rung", scaled::rung_words(&line, scene));
    }
    fields.section("Terms");
    fields.sent(["reduce_only", "leverage"]);
    fields.section("Ids");
    fields.names();
    fields.titled(scaled::head(scaled, scene))
}

/// The average price if every rung filled at its own price.
fn average(scaled: &Scaled) -> Option<Num> {
    let mut rungs = scaled.rungs.iter();
    let (cost, size) = rungs.try_fold((Num::ZERO, Num::ZERO), |(cost, size), rung| {
        let cost = cost.plus(rung.price.times(rung.size.abs())?)?;
        Some((cost, size.plus(rung.size.abs())?))
    })?;
    cost.over(size)
}
