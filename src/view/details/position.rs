//! The detail of a position, open or closed.

use crate::{
    model::{Position, Protection, Text},
    view::{
        details::lines::{DetailFields, DetailView},
        tables::{closed, positions, protection},
        text::{format, scene::Scene, span::Span, words},
    },
};

pub(crate) fn detail(position: &Position, scene: &Scene<'_>) -> DetailView {
    let mut fields = DetailFields::default();
    if position.closed_at.is_some() {
        closed_fields(&mut fields, position, scene);
    } else {
        names(&mut fields, position, scene);
        size(&mut fields, position, scene);
        profit(&mut fields, position);
        open(&mut fields, position, scene);
        times(&mut fields, position, scene);
        trade(&mut fields, position, scene);
    }
    let title = vec![
        words::position_side(position.side()),
        Span::plain(format!(" {} ", words::position_size(position, scene))),
        scene.market(&position.market_id),
    ];
    fields.titled(title)
}

/// First what it cost: the smallest screen shows twelve lines.
fn closed_fields(fields: &mut DetailFields, position: &Position, scene: &Scene<'_>) {
    profit(fields, position);
    size(fields, position, scene);
    fields.section("Times");
    times(fields, position, scene);
    trade(fields, position, scene);
    fields.section("Ids");
    names(fields, position, scene);
}

fn names(fields: &mut DetailFields, position: &Position, scene: &Scene<'_>) {
    fields.text("id", Some(&position.id));
    fields.text("account_id", Some(&position.account_id));
    fields.market((
        &position.market_id,
        &position.provider,
        &position.symbol,
        &position.coin,
    ));
    fields.push("side", vec![positions::side_now(position, scene)]);
}

fn size(fields: &mut DetailFields, position: &Position, scene: &Scene<'_>) {
    fields.section("Price and size");
    fields.number("size", Some(position.quantity()));
    fields.text("size_decimals", position.size_decimals);
    fields.number("entry_price", position.entry_price);
    fields.number("exit_price", position.exit_price);
    match position.liquidation_price.or(position.exit_price) {
        Some(_) => fields.number("liquidation_price", position.liquidation_price),
        None => fields.push("liquidation_price", no_liquidation(position, scene)),
    }
    fields.number("leverage", position.leverage);
    fields.number("isolated_margin_extra", position.isolated_margin_extra);
}

fn profit(fields: &mut DetailFields, position: &Position) {
    fields.section("Profit");
    fields.profit("realized_pnl", position.realized_pnl);
    fields.number("fees", position.fees);
    fields.profit("funding", position.funding);
    if let Some(net) = position.net_pnl() {
        let how = Span::muted("  realized - fees + funding");
        fields.push("net", vec![words::pnl(Some(net)), how]);
    }
    fields.number("realized_margin_basis", position.realized_margin_basis);
    fields.text(
        "return on margin basis",
        closed::return_on_basis(position).map(format::signed_percent),
    );
}

fn times(fields: &mut DetailFields, position: &Position, scene: &Scene<'_>) {
    fields.time("opened_at", position.opened_at, scene);
    fields.time("closed_at", position.closed_at, scene);
}

/// What this desk keeps of the trade beside what the service tells.
fn trade(fields: &mut DetailFields, position: &Position, scene: &Scene<'_>) {
    let trades = &scene.store.trades;
    let review = trades.review(position);
    let record = trades.get(&position.id);
    fields.section("Review");
    let note = Text::from(trades.text(&position.id)).to_string();
    fields.text("note", Some(note).filter(|note| !note.is_empty()));
    let stop = record.and_then(|record| record.first_stop);
    fields.number("first stop", stop.map(|stop| stop.price));
    fields.text("risk at first stop", review.risk.map(format::usd));
    fields.text(
        "R multiple",
        review.r_multiple.map(|multiple| multiple.rounded(2)),
    );
    fields.text("MAE", review.mae.map(format::usd));
    fields.text("MFE", review.mfe.map(format::usd));
    fields.text("marks seen", review.marks_seen.map(format::whole_percent));
}

/// Whether there is none or it was not told cannot be known of a service: the field is optional
/// (`docs/service-api.md 2.2`).
fn no_liquidation(position: &Position, scene: &Scene<'_>) -> Vec<Span> {
    if positions::never_liquidates(position, scene) {
        return vec![
            Span::plain(positions::NEVER),
            Span::muted("  no price above zero liquidates it"),
        ];
    }
    vec![Span::unknown(), Span::muted("  the service reports none")]
}

fn open(fields: &mut DetailFields, position: &Position, scene: &Scene<'_>) {
    fields.section("Now");
    let mark = scene.store.mark(&position.market_id);
    fields.push("mark", vec![words::known(mark.map(format::grouped))]);
    let unrealized = positions::unrealized_pnl(position, scene);
    fields.push("unrealized PnL", vec![words::pnl(unrealized)]);
    let roe = positions::return_on_margin(position, scene);
    fields.push("return on margin", vec![words::pnl_percent(roe)]);
    let margin = position.entry_margin().map(format::usd);
    fields.push("margin at entry", vec![words::known(margin)]);
    let of_liquidation = |text| positions::of_liquidation(position, scene, text);
    let distance = positions::liquidation_distance(position, scene);
    fields.push(
        "mark to liquidation",
        vec![of_liquidation(distance.map(positions::to_liquidation))],
    );
    let from_entry = position.entry_price.zip(position.liquidation_price);
    let from_entry = from_entry.and_then(|(entry, liq)| liq.minus(entry)?.abs().over(entry));
    fields.push(
        "entry to liquidation",
        vec![of_liquidation(from_entry.map(format::percent))],
    );
    let lost = match position.pnl_at_liquidation() {
        Some(lost) => words::pnl(Some(lost)),
        None => of_liquidation(None),
    };
    fields.push("PnL at liquidation", vec![lost]);
    fields.section("Protection");
    fields.push("nearest stop", vec![protection::stop(position, scene)]);
    for stop in protection::each(Protection::Stop, position, scene) {
        fields.push("stop", vec![Span::plain(stop)]);
    }
    if let Some(pnl) = protection::pnl_at_stops(position, scene) {
        let how = Span::muted("  nearest first, the rest at liquidation");
        fields.push("PnL at stops", vec![words::pnl(Some(pnl)), how]);
    }
    let target = protection::target(position, scene);
    if !target.text.is_empty() {
        fields.push("nearest target", vec![target]);
    }
    for target in protection::each(Protection::Target, position, scene) {
        fields.push("target", vec![Span::plain(target)]);
    }
    fields.section("Times");
}
