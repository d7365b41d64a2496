//! The rows of each resource as a program reads them: one type each, for JSON and CSV, on the command line and in exports.
//!
//! Contract: what the service sent keeps its name and its digits; what follows from it beside prices and orders stands in
//! the same row, unrounded: shares are of 1, spans in seconds. What is not known is absent, and empty in CSV. CSV has the
//! same values under the same names, but instants are RFC 3339 in UTC there, and milliseconds since 1970 in JSON.

use super::{closed, csv, order_words, orders, positions as open, protection, scaled, twaps};
use crate::{
    model::{
        Lenient, MarginMode, Num, Order, OrderEvidence, OrderId, Position, PositionSide,
        Protection, Scaled, ScaledId, Text, Timestamp, Twap, Zone,
    },
    view::text::Scene,
};
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// An open position; its size has no sign, whether the service sent one or not.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PositionRow {
    #[serde(flatten)]
    pub sent: Position,
    /// The mark of its market, USD.
    pub mark_price: Option<Num>,
    /// From the mark to the liquidation price, as a share of the mark.
    pub liquidation_distance: Option<Num>,
    /// USD at the mark.
    pub unrealized_pnl: Option<Num>,
    /// `unrealized_pnl` over the margin posted at entry, as a share.
    pub roe: Option<Num>,
    /// The profit or loss at the liquidation price, USD.
    pub pnl_at_liquidation: Option<Num>,
    /// The price of the nearest order that stops it.
    pub stop: Option<Num>,
    /// The share of the position that its stops close before liquidation; absent where the working orders are
    /// unknown.
    pub stop_coverage: Option<Num>,
    /// The price of the nearest order that takes its profit.
    pub target: Option<Num>,
    /// Seconds since it was opened.
    pub age: Option<Num>,
}

/// A closed position; its size has no sign, whether the service sent one or not.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ClosedPositionRow {
    #[serde(flatten)]
    pub sent: Position,
    /// `realized_pnl` less `fees`, `funding` added, USD.
    pub net_pnl: Option<Num>,
    /// `net_pnl` over `realized_margin_basis`, as a share.
    pub roi: Option<Num>,
    /// Seconds from its opening to its close.
    pub held: Option<Num>,
}

/// A closed position with what this desk keeps of the trade.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TradeRow {
    #[serde(flatten)]
    pub closed: ClosedPositionRow,
    pub note: Option<String>,
    /// With blanks between.
    pub tags: Option<String>,
    /// `net_pnl` over what was risked at the first stop; absent where this desk did not see that.
    pub r_multiple: Option<Num>,
    /// Maximum adverse excursion of the marks that were seen, USD.
    pub mae: Option<Num>,
    /// Maximum favourable excursion of the marks that were seen, USD.
    pub mfe: Option<Num>,
    /// The share of its time in which marks were seen.
    pub marks_seen: Option<Num>,
}

/// An order, working or ended.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OrderRow {
    #[serde(flatten)]
    pub sent: Order,
    /// Whether it waits for its trigger price.
    pub armed: bool,
    /// The share that is filled.
    pub filled: Option<Num>,
    /// Of a working order: from the mark to its price, as a share of the mark.
    pub distance: Option<Num>,
    /// Basis points against the expected or the trigger price; below 0 is worse.
    pub slippage_bps: Option<Num>,
    /// Of a working order: seconds since its request.
    pub age: Option<Num>,
    /// Seconds from the request to its end.
    pub settle_time: Option<Num>,
    /// Of a single order on a received market: what each fill rests on.
    pub evidence: Option<OrderEvidence>,
}

/// A TWAP or VWAP order; its sizes have no sign, whether the service sent one or not.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TwapRow {
    #[serde(flatten)]
    pub sent: Twap,
    /// The share that is filled.
    pub filled: Option<Num>,
    /// The share of its time that is over.
    pub elapsed: Option<Num>,
    /// The share that is filled less the share that is due.
    pub drift: Option<Num>,
}

/// One price of a scaled order.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RungRow {
    /// The scaled order.
    pub scaled_order_id: ScaledId,
    /// A market: `<provider>|<coin>`.
    pub market_id: Text,
    /// USD.
    pub price: Num,
    /// In coin.
    pub size: Num,
    /// Absent where the rung was rejected.
    pub order_id: Option<OrderId>,
    /// Of its order, as far as that is known.
    pub status: Option<Text>,
    /// The share that is filled.
    pub filled: Option<Num>,
    /// From the mark to its price, as a share of the mark.
    pub distance: Option<Num>,
    /// Why the rung was refused.
    pub reject_reason: Option<Text>,
}

/// A scaled order, its rungs in it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ScaledRow(pub Scaled);

impl PositionRow {
    pub fn new(position: &Position, scene: &Scene<'_>) -> Self {
        let guard = |side| protection::cover(side, position, scene);
        let stop = guard(Protection::Stop);
        let bare = scene.store.orders.value().map(|_| Num::ZERO);
        Self {
            mark_price: scene.store.mark(&position.market_id),
            liquidation_distance: open::liquidation_distance(position, scene),
            unrealized_pnl: open::unrealized_pnl(position, scene),
            roe: open::return_on_margin(position, scene),
            pnl_at_liquidation: position.pnl_at_liquidation(),
            stop: stop.map(|(price, _)| price),
            stop_coverage: match stop {
                Some((_, share)) => share.or(Some(Num::ZERO)),
                None => bare,
            },
            target: guard(Protection::Target).map(|(price, _)| price),
            age: position.opened_at.map(|at| csv::seconds(scene.since(at))),
            sent: Position {
                margin_mode: Some(margin_mode(position)),
                ..unsigned(position)
            },
        }
    }
}

impl ClosedPositionRow {
    pub fn new(position: &Position, _: &Scene<'_>) -> Self {
        Self {
            net_pnl: position.net_pnl(),
            roi: closed::return_on_basis(position),
            held: closed::held(position).map(csv::seconds),
            sent: unsigned(position),
        }
    }
}

impl TradeRow {
    pub fn new(position: &Position, scene: &Scene<'_>) -> Self {
        let trades = &scene.store.trades;
        let review = trades.review(position);
        let record = trades.get(&position.id);
        let note = record.map(|record| record.note.clone());
        let tags = record.map(|record| {
            let tags: Vec<_> = record.tags.iter().map(String::as_str).collect();
            tags.join(" ")
        });
        Self {
            closed: ClosedPositionRow::new(position, scene),
            note: note.filter(|note| !note.is_empty()),
            tags: tags.filter(|tags| !tags.is_empty()),
            r_multiple: review.r_multiple,
            mae: review.mae,
            mfe: review.mfe,
            marks_seen: review.marks_seen,
        }
    }
}

impl OrderRow {
    pub fn new(order: &Order, scene: &Scene<'_>) -> Self {
        let works = order.is_working();
        Self {
            armed: order.is_armed(),
            filled: order_words::filled_share(order),
            distance: orders::distance_share(order, scene).filter(|_| works),
            slippage_bps: order.fill_bps(),
            age: works.then(|| csv::seconds(scene.since(order.requested_at))),
            settle_time: order.settle_time().map(csv::seconds),
            evidence: scene.store.evidence.of(order).cloned(),
            sent: order.clone(),
        }
    }
}

impl TwapRow {
    pub fn new(twap: &Twap, scene: &Scene<'_>) -> Self {
        let now = twaps::clock(twap, scene);
        Self {
            filled: twap.filled_share(),
            elapsed: twap.elapsed_share(now),
            drift: twap.drift(now),
            sent: Twap {
                side: twap.side().map(Lenient::from).or(twap.side.clone()),
                total_size: twap.total_size.map(Num::abs),
                filled_size: twap.filled_size.map(Num::abs),
                ..twap.clone()
            },
        }
    }
}

impl RungRow {
    /// Those of a scaled order, in their order.
    pub fn all(scaled: &Scaled, scene: &Scene<'_>) -> Vec<Self> {
        let lines = scaled::rungs(scaled, scene).into_iter();
        lines.map(|line| Self::new(scaled, line, scene)).collect()
    }

    fn new(scaled: &Scaled, line: scaled::RungLine, scene: &Scene<'_>) -> Self {
        let (rung, order) = (line.rung, line.order.as_ref());
        Self {
            distance: scene.mark_distance(rung.price, &scaled.market_id),
            scaled_order_id: scaled.id.clone(),
            market_id: scaled.market_id.raw().into(),
            price: rung.price,
            size: rung.size,
            order_id: rung.order_id,
            status: order.map(|order| order.status.to_string().as_str().into()),
            filled: order.and_then(order_words::filled_share),
            reject_reason: rung.reject_reason,
        }
    }
}

/// With its side as a word and no sign.
fn unsigned(position: &Position) -> Position {
    let side = position.side().map(|side| PositionSide::from(side).into());
    Position {
        side: side.or(position.side.clone()),
        size: position.quantity(),
        ..position.clone()
    }
}

fn margin_mode(position: &Position) -> Lenient<MarginMode> {
    let sent = position.margin_mode.clone();
    sent.unwrap_or_else(|| open::margin_mode(position).into())
}

/// The schema of `T` as it is written.
pub fn schema_of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}

/// The columns of a CSV in their order: who it is and what it comes to first. Every member of the row is one.
#[rustfmt::skip]
pub mod columns_of {
    pub const POSITION: &[&str] = &[
        "id", "market_id", "side", "size", "entry_price", "mark_price", "liquidation_price", "liquidation_distance",
        "unrealized_pnl", "roe", "pnl_at_liquidation", "stop", "stop_coverage", "target", "margin_mode", "leverage",
        "isolated_margin_extra", "fees", "funding", "age", "opened_at", "realized_pnl", "realized_margin_basis",
        "exit_price", "closed_at", "status", "size_decimals", "account_id", "provider", "symbol", "coin",
    ];
    /// Those of a trade without what this desk keeps of it.
    pub const CLOSED_POSITION: &[&str] = TRADE.split_at(25).0;
    pub const TRADE: &[&str] = &[
        "id", "closed_at", "market_id", "side", "size", "entry_price", "exit_price", "realized_pnl", "fees", "funding",
        "net_pnl", "roi", "held", "opened_at", "leverage", "realized_margin_basis", "liquidation_price",
        "margin_mode", "isolated_margin_extra", "status", "size_decimals", "account_id", "provider", "symbol", "coin",
        "note", "tags", "r_multiple", "mae", "mfe", "marks_seen",
    ];
    pub const ORDER: &[&str] = &[
        "id", "requested_at", "market_id", "side", "type", "mode", "status", "armed", "size", "initial_size",
        "filled_size", "filled", "limit_price", "trigger_price", "trigger_direction", "trigger_market_id", "distance",
        "time_in_force", "gtd_expires_at", "reduce_only", "attached_stop_loss_price", "attached_take_profit_price",
        "margin_mode", "leverage", "age", "fill_price", "expected_price", "slippage_bps", "notional", "liquidity_role",
        "fee", "realized_pnl", "settle_time", "settled_at", "canceled_at", "reject_reason", "reject_rule_id",
        "chase_offset", "chase_cap_price", "target_position_id", "partial_of_order_id", "partial_fill_root_order_id",
        "oco_sibling_order_id", "twap_order_id", "scaled_order_id", "client_order_id", "triggered_at",
        "stop_triggered_at", "cancel_requested_at", "account_id", "provider", "symbol", "coin",
    ];
    pub const TWAP: &[&str] = &[
        "id", "market_id", "side", "total_size", "filled_size", "filled", "elapsed", "drift", "slices_attempted",
        "slice_count", "next_run_at", "average_price", "status", "strategy", "completion_reason", "trigger_price", "min_price",
        "max_price", "margin_mode", "leverage", "reduce_only", "randomize", "duration_minutes", "slice_interval_seconds", "started_at",
        "end_at", "activated_at", "canceled_at", "completed_at", "current_child_order_id", "size_decimals", "account_id",
        "provider", "symbol", "coin",
    ];
    pub const RUNG: &[&str] = &[
        "scaled_order_id", "market_id", "price", "size", "order_id", "status", "filled", "distance", "reject_reason",
    ];
}

/// The rows under the names of `columns`.
pub fn csv<T: Serialize>(columns: &[&str], rows: &[T]) -> String {
    let records = rows.iter().map(|row| {
        let members = members(row);
        let cell = |name: &&str| members.get(*name).map(|raw| member_text(name, raw.get()));
        let cells = columns.iter().map(cell);
        cells.map(Option::unwrap_or_default).collect()
    });
    csv::file(columns.iter().copied(), records)
}

/// A row's JSON members by name.
pub(crate) type RowMembers = BTreeMap<String, Box<RawValue>>;

/// None of what is no object.
pub(crate) fn members(row: &impl Serialize) -> RowMembers {
    let text = serde_json::to_string(row).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// A number has the digits it has in JSON; an instant is one of the names that end in `_at`.
pub(crate) fn member_text(name: &str, raw: &str) -> String {
    if let Ok(text) = serde_json::from_str::<String>(raw) {
        return Text::from(text.as_str()).to_string();
    }
    let millis = raw.parse().ok().filter(|_| name.ends_with("_at"));
    let stamp = millis.map(|millis| Zone::stamps().moment(Timestamp(millis), Timestamp(millis)));
    stamp.unwrap_or_else(|| raw.replace("null", ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{EquitySample, FundingPayment, INSTANT},
        view::tables::{
            alert_rows::{self, UserAlertRow},
            quotes::{self, CandleRow, LevelRow, QuoteRow, TapeRow},
            standing::{self, AccountRow, FillRow, ProfileRow},
        },
    };

    /// Every member of a row is a column, and an instant is known by its name.
    #[test]
    fn every_member_of_a_row_is_a_column_of_its_csv() {
        let rows = [
            (schema_of::<PositionRow>(), columns_of::POSITION, &[][..]),
            (
                schema_of::<ClosedPositionRow>(),
                columns_of::CLOSED_POSITION,
                &[],
            ),
            (schema_of::<TradeRow>(), columns_of::TRADE, &[]),
            (schema_of::<OrderRow>(), columns_of::ORDER, &["evidence"]),
            (schema_of::<TwapRow>(), columns_of::TWAP, &[]),
            (schema_of::<RungRow>(), columns_of::RUNG, &[]),
            (schema_of::<QuoteRow>(), quotes::columns_of::QUOTE, &[]),
            (schema_of::<LevelRow>(), quotes::columns_of::LEVEL, &[]),
            (schema_of::<CandleRow>(), quotes::columns_of::CANDLE, &[]),
            (schema_of::<TapeRow>(), quotes::columns_of::TAPE, &[]),
            (
                schema_of::<AccountRow>(),
                standing::columns_of::ACCOUNT,
                &["rules"],
            ),
            (
                schema_of::<ProfileRow>(),
                standing::columns_of::PROFILE,
                &[],
            ),
            (
                schema_of::<UserAlertRow>(),
                alert_rows::columns_of::ALERT,
                &[],
            ),
            (schema_of::<FillRow>(), standing::columns_of::FILL, &[]),
            (
                schema_of::<FundingPayment>(),
                standing::columns_of::FUNDING,
                &[],
            ),
            (
                schema_of::<EquitySample>(),
                standing::columns_of::EQUITY,
                &[],
            ),
        ];
        for (schema, columns, left_out) in rows {
            let properties = schema.get("properties").unwrap().as_object().unwrap();
            let left_out: &[&str] = left_out;
            let mut known: Vec<_> = columns
                .iter()
                .chain(left_out)
                .map(|name| (*name).to_owned())
                .collect();
            known.sort();
            let members: Vec<_> = properties.keys().cloned().collect();
            assert_eq!(members, known);
            for (name, property) in properties {
                let is_instant = property
                    .get("format")
                    .is_some_and(|format| format == INSTANT);
                assert_eq!(is_instant, name.ends_with("_at"), "{name}");
            }
        }
    }
}
