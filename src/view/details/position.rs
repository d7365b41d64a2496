//! The detail of a position, open or closed.

use crate::{
    model::{Position, Protection, Text},
    view::{
        details::{DetailFields, DetailView},
        tables::{closed, positions, protection},
        text::{Scene, Span, format, words},
    },
};

pub(crate) fn detail(position: &Position, scene: &Scene<'_>) -> DetailView {
    let mut fields = DetailFields::new(position, scene);
    if position.closed_at.is_some() {
        closed_fields(&mut fields, position, scene);
    } else {
        fields.push("side", positions::side_now(position, scene));
        open(&mut fields, position, scene);
        size(&mut fields, position, scene);
        profit(&mut fields, position);
        fields.section("Times");
        fields.sent(["opened_at", "closed_at"]);
        trade(&mut fields, position, scene);
    }
    fields.section("Ids");
    fields.names();
    fields.titled(positions::head(position, scene))
}

/// First what it brought: the smallest screen shows twelve lines.
fn closed_fields(fields: &mut DetailFields<'_>, position: &Position, scene: &Scene<'_>) {
    profit(fields, position);
    size(fields, position, scene);
    fields.section("Times");
    fields.sent(["opened_at", "closed_at"]);
    trade(fields, position, scene);
}

fn size(fields: &mut DetailFields<'_>, position: &Position, scene: &Scene<'_>) {
    fields.section("Price and size");
    fields.text("size", Some(format::grouped(position.quantity())));
    fields.sent(["size_decimals", "entry_price", "exit_price"]);
    match position.liquidation_price.or(position.exit_price) {
        Some(_) => fields.sent(["liquidation_price"]),
        None => fields.push("liquidation_price", no_liquidation(position, scene)),
    }
    fields.sent(["leverage", "isolated_margin_extra"]);
}

fn profit(fields: &mut DetailFields<'_>, position: &Position) {
    fields.section("Profit");
    fields.sent(["realized_pnl", "fees", "funding"]);
    if let Some(net) = position.net_pnl() {
        let how = Span::muted("  realized - fees + funding");
        fields.push("net", [words::signed_pnl(net), how]);
    }
    fields.sent(["realized_margin_basis"]);
    let share = closed::return_on_basis(position);
    fields.text("return on margin basis", share.map(format::signed_percent));
}

/// What this desk keeps of the trade beside what the service reports.
fn trade(fields: &mut DetailFields<'_>, position: &Position, scene: &Scene<'_>) {
    let trades = &scene.store.trades;
    let review = trades.review(position);
    let record = trades.get(&position.id);
    fields.section("Review");
    let note = Text::from(trades.text(&position.id)).to_string();
    fields.text("note", Some(note).filter(|note| !note.is_empty()));
    let stop = record.and_then(|record| record.first_stop);
    fields.text("first stop", stop.map(|stop| format::grouped(stop.price)));
    fields.text("risk at first stop", review.risk.map(format::usd));
    let multiple = review.r_multiple.map(|multiple| multiple.rounded(2));
    fields.text("R multiple", multiple);
    fields.text("MAE", review.mae.map(format::usd));
    fields.text("MFE", review.mfe.map(format::usd));
    fields.text("marks seen", review.marks_seen.map(format::whole_percent));
}

/// Whether there is none or it was not reported cannot be known of a service: the field is optional
/// (`docs/service-api.md 2.2`).
fn no_liquidation(position: &Position, scene: &Scene<'_>) -> [Span; 2] {
    if positions::never_liquidates(position, scene) {
        let why = Span::muted("  no price above zero liquidates it");
        return [Span::plain(positions::NEVER), why];
    }
    [Span::unknown(), Span::muted("  the service reports none")]
}

fn open(fields: &mut DetailFields<'_>, position: &Position, scene: &Scene<'_>) {
    fields.section("Now");
    let mark = scene.store.mark(&position.market_id);
    fields.push("mark", words::known(mark.map(format::grouped)));
    let unrealized = positions::unrealized_pnl(position, scene);
    fields.push("unrealized PnL", words::pnl(unrealized));
    let roe = positions::return_on_margin(position, scene);
    fields.push("return on margin", words::pnl_percent(roe));
    let margin = position.entry_margin().map(format::usd);
    fields.push("margin at entry", words::known(margin));
    let of_liquidation = |text| positions::of_liquidation(position, scene, text);
    let distance = positions::liquidation_distance(position, scene);
    let distance = distance.map(positions::to_liquidation);
    fields.push("mark to liquidation", of_liquidation(distance));
    let from_entry = position.entry_price.zip(position.liquidation_price);
    let from_entry = from_entry.and_then(|(entry, liq)| liq.minus(entry)?.abs().over(entry));
    let from_entry = from_entry.map(format::percent);
    fields.push("entry to liquidation", of_liquidation(from_entry));
    let lost = position.pnl_at_liquidation().map(words::signed_pnl);
    let lost = lost.unwrap_or_else(|| of_liquidation(None));
    fields.push("PnL at liquidation", lost);
    fields.section("Protection");
    fields.push("nearest stop", protection::stop(position, scene));
    for stop in protection::each(Protection::Stop, position, scene) {
        fields.push("stop", Span::plain(stop));
    }
    if let Some(pnl) = protection::pnl_at_stops(position, scene) {
        let how = Span::muted("  nearest first, the rest at liquidation");
        fields.push("PnL at stops", [words::signed_pnl(pnl), how]);
    }
    let target = protection::target(position, scene);
    if !target.text.is_empty() {
        fields.push("nearest target", target);
    }
    for target in protection::each(Protection::Target, position, scene) {
        fields.push("target", Span::plain(target));
    }
    if let Some((_, words)) = protection::missing_targets(position, scene) {
        fields.push("not placed", Span::warn(words));
    }
    fields.section("Times");
}
