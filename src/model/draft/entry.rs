//! The draft of a new order.

mod finish;
mod overlap;
mod scaled;
mod size;
mod twap;

use super::{
    super::{
        AccountId, Distribution, LiquidityRole, MarginMode, MarketId, Num, PlaceKind, Position,
        PositionId, Side, TimeInForce, Timestamp, TriggerDirection, TriggersOn, estimate,
        plan::{PlannedRung, RungPlan},
    },
    DraftFault, DraftShape, Field, FieldInput, Seen, Texts,
    fault::MINUTES,
    instant,
    number::{not_negative, number, optional, positive},
    span,
};
use std::{ops::RangeInclusive, time::Duration};

pub use overlap::ReplacedExits;

/// The draft of a new order, a sliced one or a scaled one: choices that are always valid, and texts that may not be.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryDraft {
    pub account_id: AccountId,
    /// `None` if no market is known.
    pub market_id: Option<MarketId>,
    pub shape: DraftShape,
    pub side: Side,
    pub time_in_force: TimeInForce,
    pub margin_mode: MarginMode,
    pub reduce_only: bool,
    pub replaces: ReplacedExits,
    /// For a TWAP: whether its slices vary in size.
    pub randomize: bool,
    /// Of a scaled order.
    pub distribution: Distribution,
    /// The market whose mark triggers it; `None` is its own.
    pub trigger_market: Option<MarketId>,
    pub trigger_direction: Option<TriggerDirection>,
    /// The position of a take profit; `None` is the market's open one.
    pub target: Option<PositionId>,
    pub texts: Texts,
    /// Fields sent in addition to those of its type: only the service knows what it accepts.
    pub also: Vec<Field>,
}

/// May be left empty, whatever the type.
const OPTIONAL: &[Field] = &[
    Field::TakeProfit,
    Field::StopLoss,
    Field::Slippage,
    Field::ChaseCap,
    Field::ExpectedPrice,
    Field::MinPrice,
    Field::MaxPrice,
    Field::SliceInterval,
];

fn minutes_of(span: Duration) -> Result<Num, DraftFault> {
    let minutes = i64::try_from(span.as_secs() / 60);
    minutes
        .map(Num::from)
        .map_err(|_| DraftFault::TooManyDigits)
}

/// How many rungs a scaled order may have (docs/service-api.md 4.3).
const RUNGS: RangeInclusive<u32> = 2..=10;

fn within(number: Num, range: RangeInclusive<impl Into<Num>>) -> Result<Num, DraftFault> {
    let (least, most) = range.into_inner();
    let (least, most) = (least.into(), most.into());
    if number < least || number > most {
        return Err(DraftFault::OutOfRange(least, most));
    }
    Ok(number)
}

const MAY_BE_ZERO: &[Field] = &[Field::Slippage, Field::ChaseOffset];

impl EntryDraft {
    /// The fields of its type, in form order.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields: Vec<_> = self
            .shape
            .fields()
            .filter(|field| self.has_field(*field))
            .collect();
        let others = self.also.iter().filter(|field| !fields.contains(field));
        let others: Vec<_> = others.copied().collect();
        fields.extend(others);
        fields
    }

    /// An order that opens nothing needs no exits.
    fn has_field(&self, field: Field) -> bool {
        let is_exit = matches!(field, Field::TakeProfit | Field::StopLoss);
        let is_idle = is_exit && self.only_reduces();
        !is_idle && (field != Field::Expires || self.time_in_force == TimeInForce::Gtd)
    }

    /// A TWAP may begin at once.
    pub(super) fn is_required(&self, field: Field) -> bool {
        let may_wait = matches!(self.shape, DraftShape::Sliced(_)) && field == Field::TriggerPrice;
        !may_wait && !OPTIONAL.contains(&field)
    }

    pub fn has(&self, field: Field) -> bool {
        self.fields().contains(&field)
    }

    /// The duration of a TWAP: a bare number is minutes.
    pub fn minutes(&self) -> Result<Num, DraftFault> {
        let text = self.texts.of(Field::Duration);
        let minutes = match span(text) {
            Some(span) if span.as_secs() % 60 == 0 => minutes_of(span)?,
            Some(_) => return Err(DraftFault::NotASpan),
            None => number(text).map_err(|fault| {
                if fault == DraftFault::NotANumber {
                    DraftFault::NotASpan
                } else {
                    fault
                }
            })?,
        };
        match (minutes.is_positive(), minutes.decimals()) {
            (true, 0) => within(minutes, MINUTES).map_err(|_| DraftFault::NotASpan),
            (true, _) => Err(DraftFault::NotASpan),
            (false, _) => Err(DraftFault::NotPositive),
        }
    }

    fn rungs(&self) -> Result<Num, DraftFault> {
        let count = positive(self.texts.of(Field::Rungs))?;
        if count.decimals() > 0 {
            return Err(DraftFault::NotWhole);
        }
        within(count, RUNGS)
    }

    /// The scaled order as far as it is filled in.
    pub fn rungs_of<'a>(&self, seen: &Seen<'a>) -> Option<RungPlan<'a>> {
        Some(RungPlan {
            side: self.side,
            start: self.known(Field::StartPrice)?,
            end: self.known(Field::EndPrice)?,
            rungs: self.rungs().ok()?,
            distribution: self.distribution,
            market: seen.market,
        })
    }

    /// Its rungs with their sizes and values.
    pub fn rungs_in(&self, seen: &Seen) -> Option<Vec<PlannedRung>> {
        let scaled = self.rungs_of(seen)?;
        let size = self.resolved_size(seen).ok()?;
        scaled.rungs(size, seen.size_decimals()?, seen.book)
    }

    /// The average price of a scaled order per coin.
    fn average(&self, seen: &Seen) -> Option<Num> {
        let plain = self.rungs_of(seen)?.average();
        let through = || {
            let rungs = self.rungs_in(seen).filter(|_| seen.book.is_some())?;
            let none = (Num::ZERO, Num::ZERO);
            let (worth, size) = rungs.iter().try_fold(none, |(worth, size), rung| {
                Some((worth.plus(rung.worth)?, size.plus(rung.size)?))
            })?;
            worth.over(size)
        };
        through().or(plain)
    }

    /// Whether it can only reduce a position.
    pub fn only_reduces(&self) -> bool {
        self.shape == DraftShape::Order(PlaceKind::TakeProfit) || self.reduce_only
    }

    /// Whether it is opposite to the open position.
    fn is_against(&self, seen: &Seen) -> bool {
        let held = seen.position.and_then(Position::side);
        held == Some(self.side.opposite())
    }

    /// How much of it can fill, in coin: a reduce-only order at most the opposite position.
    pub fn fillable(&self, seen: &Seen) -> Option<Num> {
        let size = self.resolved_size(seen).ok()?;
        let is_sideless = |held: &Position| held.side().is_none();
        let is_open = !self.only_reduces() || seen.position.is_some_and(is_sideless);
        if is_open || !seen.is_held_known() {
            return Some(size);
        }
        let held = seen.position.filter(|_| self.is_against(seen));
        Some(size.min(held.map_or(Num::ZERO, Position::quantity)))
    }

    /// The average fill price of `size`: by the book if it is sent now, else as [`Self::entry`].
    pub fn fills_at(&self, size: Num, seen: &Seen) -> Option<Num> {
        if self.is_sent_now() {
            return seen.filled(self.side, size, self.known(Field::LimitPrice));
        }
        self.entry(seen)
    }

    /// Whether it reaches the book at once, as far as it is written.
    pub fn is_sent_now(&self) -> bool {
        let is_direct = matches!(
            self.shape,
            DraftShape::Order(PlaceKind::Market | PlaceKind::Limit)
        );
        let is_written = self.known(Field::LimitPrice).is_some() || !self.has(Field::LimitPrice);
        is_direct && is_written && !self.has(Field::TriggerPrice)
    }

    /// How much of it would open a position, in coin: nothing for reduce-only, otherwise what exceeds the opposite
    /// position.
    pub fn opens(&self, seen: &Seen) -> Option<Num> {
        if self.only_reduces() {
            return Some(Num::ZERO);
        }
        let size = self.resolved_size(seen).ok()?;
        match seen.position.filter(|_| self.is_against(seen)) {
            Some(held) => Some(size.minus(held.quantity())?.max(Num::ZERO)),
            None => Some(size),
        }
    }

    /// The margin that it requires, USD: for what it opens, and for an open position whose leverage it changes;
    /// negative if that frees more than it needs.
    pub fn initial_margin(&self, seen: &Seen) -> Option<Num> {
        let opens = self.opens(seen)?;
        if opens.is_zero() {
            return Some(Num::ZERO);
        }
        let price = self.fills_at(self.resolved_size(seen).ok()?, seen)?;
        let own = opens.times(price)?.over(self.leverage().ok()?)?;
        own.plus(self.releveraging(seen)?)
    }

    /// The leverage of the position that it adds to, now and afterwards, if it changes it. The paper exchange does this
    /// (`docs/engine.md 6.1`); another service may keep the two apart.
    pub fn releverages(&self, seen: &Seen) -> Option<(Num, Num)> {
        let held = seen.position.filter(|_| !self.only_reduces())?;
        let is_isolated = self.margin_mode == MarginMode::Isolated;
        let is_added_to = held.side() == Some(self.side) && held.is_isolated() == is_isolated;
        let change = held.leverage.zip(self.leverage().ok());
        change.filter(|(before, after)| is_added_to && before != after)
    }

    /// The additional margin of the open position, USD: from the account if it is cross, at its mark; from its own if
    /// isolated, at its entry.
    fn releveraging(&self, seen: &Seen) -> Option<Num> {
        let Some((before, after)) = self.releverages(seen) else {
            return Some(Num::ZERO);
        };
        let held = seen.position?;
        let price = if held.is_isolated() {
            held.entry_price?
        } else {
            seen.market?.mark?
        };
        let worth = held.quantity().times(price)?;
        worth.over(after)?.minus(worth.over(before)?)
    }

    /// Whether it waits for a mark to reach a price.
    pub fn waits_for_a_price(&self) -> bool {
        matches!(self.shape, DraftShape::Order(_)) && self.has(Field::TriggerPrice)
    }

    /// Its time in force, if its type has one to choose.
    pub fn lasting(&self) -> TimeInForce {
        if self.has(Field::TimeInForce) {
            self.time_in_force
        } else {
            TimeInForce::Gtc
        }
    }

    /// When a `gtd` order ends.
    pub fn expires(&self, seen: &Seen) -> Result<Option<Timestamp>, DraftFault> {
        if !self.has(Field::Expires) {
            return Ok(None);
        }
        let zone = seen.zone.cloned().unwrap_or_default();
        instant(self.texts.of(Field::Expires), seen.now, &zone).map(Some)
    }

    /// The number in a field; `None` if its type lacks the field or the field is optional and empty.
    pub fn number(&self, field: Field) -> Result<Option<Num>, DraftFault> {
        let text = self.texts.of(field);
        let read = if MAY_BE_ZERO.contains(&field) {
            not_negative
        } else {
            positive
        };
        match (self.has(field), self.is_required(field)) {
            (false, _) => Ok(None),
            (true, true) => read(text).map(Some),
            (true, false) => optional(text, read),
        }
    }

    /// The number as it would be sent.
    fn number_in(&self, field: Field, seen: &Seen) -> Result<Option<Num>, DraftFault> {
        let elsewhere = field.takes() == FieldInput::WatchedPrice && self.watched().is_some();
        let market = if elsewhere { seen.watched } else { seen.market };
        Seen::ticked(field, self.number(field)?, market)
    }

    /// The number if it can be read, for estimates.
    pub fn known(&self, field: Field) -> Option<Num> {
        self.number(field).ok().flatten()
    }

    pub fn leverage(&self) -> Result<Num, DraftFault> {
        positive(self.texts.of(Field::Leverage))
    }

    /// The leverage as it would be sent. The market's maximum is checked only if the order opens something, so that it
    /// never blocks a close. The service checks the account's limit.
    fn leverage_in(&self, seen: &Seen) -> Result<Num, DraftFault> {
        let leverage = self.leverage()?;
        let most = seen.market.and_then(|market| market.max_leverage);
        match most.filter(|most| leverage > Num::from(*most) && !self.only_reduces()) {
            Some(most) => Err(DraftFault::AboveMarket(most)),
            None => Ok(leverage),
        }
    }

    /// The price for estimates: its limit, or the market if that fills now; the average of its rungs; its trigger in
    /// its own market; where a chase would begin; otherwise the other side's best price.
    pub fn entry(&self, seen: &Seen) -> Option<Num> {
        if self.has(Field::LimitPrice) {
            let limit = self.known(Field::LimitPrice)?;
            let waits = self.has(Field::TriggerPrice);
            return Some(if waits {
                limit
            } else {
                seen.limit_estimate(self.side, limit)
            });
        }
        if self.shape == DraftShape::Scaled {
            return self.average(seen);
        }
        let waits = self.has(Field::TriggerPrice) && self.watched().is_none();
        if waits
            && (self.is_required(Field::TriggerPrice) || self.known(Field::TriggerPrice).is_some())
        {
            return self.known(Field::TriggerPrice);
        }
        self.known(Field::ChaseOffset)
            .and_then(|offset| self.beside(offset, seen))
            .or_else(|| seen.taken(self.side))
    }

    /// The price that a chase would follow now if its cap allowed it (`docs/engine.md 2.8`: a buy rests at the lower of
    /// the two, a sell at the higher); `None` while the cap allows it.
    pub fn chases_nothing(&self, seen: &Seen) -> Option<Num> {
        let cap = self
            .known(Field::ChaseCap)
            .filter(|_| self.has(Field::ChaseCap))?;
        let offset = self.known(Field::ChaseOffset).unwrap_or(Num::ZERO);
        let follows = self.beside(offset, seen)?;
        let is_held = match self.side {
            Side::Buy => cap < follows,
            Side::Sell => cap > follows,
        };
        is_held.then_some(follows)
    }

    fn beside(&self, offset: Num, seen: &Seen) -> Option<Num> {
        match self.side {
            Side::Buy => seen.market?.bid?.minus(offset),
            Side::Sell => seen.market?.ask?.plus(offset),
        }
    }

    /// The other market whose mark triggers it.
    pub fn watched(&self) -> Option<&MarketId> {
        let other = self.trigger_market.as_ref();
        other.filter(|id| self.has(Field::TriggerMarket) && Some(*id) != self.market_id.as_ref())
    }

    /// The direction of the mark that triggers it: by type and side, or as chosen.
    pub fn direction(&self) -> Option<TriggerDirection> {
        let DraftShape::Order(kind) = self.shape else {
            return None;
        };
        let triggers_on = kind.facts().triggers_on;
        if triggers_on == TriggersOn::Chosen {
            self.trigger_direction
        } else {
            triggers_on.direction(self.side)
        }
    }

    /// Whether it takes liquidity (at once, or when triggered) or rests; `None` if unknown, and for a scaled order,
    /// whose rungs differ.
    pub fn takes(&self, seen: &Seen) -> Option<bool> {
        match self.shape {
            DraftShape::Order(PlaceKind::Chase) => Some(false),
            DraftShape::Order(_)
                if self.has(Field::LimitPrice) && self.has(Field::TriggerPrice) =>
            {
                None
            }
            DraftShape::Order(PlaceKind::Limit) => match self.lasting() {
                TimeInForce::Ioc | TimeInForce::Fok => Some(true),
                TimeInForce::Gtc | TimeInForce::Gtd => {
                    estimate::crosses(seen.market?, self.side, self.known(Field::LimitPrice)?)
                }
            },
            DraftShape::Order(_) | DraftShape::Sliced(_) => Some(true),
            DraftShape::Scaled => None,
        }
    }

    /// The more expensive role if it is unknown.
    pub fn role(&self, seen: &Seen) -> LiquidityRole {
        match self.takes(seen) {
            Some(false) => LiquidityRole::Maker,
            Some(true) | None => LiquidityRole::Taker,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Charges, Command, Curve, Market, PlaceOrder, Position, draft::Faults};
    use strum::VariantArray as _;

    fn market(coin: &str, mid: u32) -> Market {
        Market {
            mark: Some(Num::from(mid)),
            bid: Some(Num::from(mid - 1)),
            ask: Some(Num::from(mid + 1)),
            size_decimals: Some(5),
            max_leverage: Some(40),
            ..Market::new(format!("paper|{coin}").into())
        }
    }

    /// A buy with a limit of 60,000 and a stop at 59,000, as far as its type has them.
    fn entry(kind: PlaceKind, size: &str) -> EntryDraft {
        EntryDraft {
            account_id: "chal-1".into(),
            market_id: Some("paper|BTC".into()),
            shape: DraftShape::Order(kind),
            side: Side::Buy,
            time_in_force: TimeInForce::Gtc,
            margin_mode: MarginMode::Cross,
            reduce_only: false,
            replaces: ReplacedExits::Known,
            randomize: false,
            distribution: Distribution::Flat,
            trigger_market: None,
            trigger_direction: Some(TriggerDirection::Above),
            target: None,
            texts: Texts::default()
                .with(Field::Size, size)
                .with(Field::LimitPrice, "60000")
                .with(Field::StopLoss, "59000")
                .with(Field::TriggerPrice, "65000")
                .with(Field::ChaseOffset, "0")
                .with(Field::Leverage, "5"),
            also: vec![],
        }
    }

    fn limit(size: &str) -> EntryDraft {
        entry(PlaceKind::Limit, size)
    }

    fn with(draft: EntryDraft, field: Field, text: &str) -> EntryDraft {
        EntryDraft {
            texts: draft.texts.clone().with(field, text),
            ..draft
        }
    }

    fn placed(draft: &EntryDraft) -> PlaceOrder {
        match draft.command(&Seen::default()) {
            Ok(Command::Place(order)) => *order,
            other => panic!("no order but {other:?}"),
        }
    }

    fn resolved(draft: &EntryDraft) -> Result<String, DraftFault> {
        let market = market("BTC", 64_000);
        let seen = Seen {
            market: Some(&market),
            ..Seen::default()
        };
        draft.resolved_size(&seen).map(|size| size.to_string())
    }

    #[test]
    fn every_way_to_write_a_size_comes_to_whole_lots_never_more_than_asked() {
        for (typed, size) in [("0.5", "0.5"), ("$1000", "0.01666"), ("r25", "0.025")] {
            assert_eq!(resolved(&limit(typed)), Ok(size.to_owned()), "{typed}");
        }
    }

    #[test]
    fn what_is_lost_at_the_stop_has_the_fees_in_it_that_are_known() {
        let market = market("BTC", 64_000);
        let bps = |bps: i64| Some(Num::new(bps, 5));
        let seen = |taker, maker| Seen {
            market: Some(&market),
            charges: Charges { taker, maker },
            ..Seen::default()
        };
        let sized =
            |draft: &EntryDraft, seen: Seen| draft.resolved_size(&seen).unwrap().to_string();
        let resting = limit("r1000");
        // It rests as a maker and is stopped out as a taker: 1000 + 60000 × 0.00015 + 59000 × 0.00045 USD a coin.
        assert_eq!(sized(&resting, seen(bps(45), bps(15))), "0.96567");
        let crossing = with(limit("r1000"), Field::LimitPrice, "64002");
        assert_eq!(sized(&crossing, seen(bps(45), bps(15))), "0.19777");
        for (taker, maker) in [(None, None), (bps(45), None), (None, bps(15))] {
            assert_eq!(sized(&resting, seen(taker, maker)), "1");
        }
    }

    #[test]
    fn no_size_is_computed_by_a_stop_that_comes_after_the_liquidation() {
        let market = market("BTC", 64_000);
        let seen = Seen {
            market: Some(&market),
            lists_all: true,
            cross_backing: Some(Num::from(1_000_u32)),
            ..Seen::default()
        };
        let isolated = |stop| EntryDraft {
            margin_mode: MarginMode::Isolated,
            ..with(limit("r25"), Field::StopLoss, stop)
        };
        let sized = |draft: &EntryDraft| draft.resolved_size(&seen).map(|size| size.to_string());
        // At 5× it is liquidated at 60000 × 0.8 ÷ 0.9875.
        let late = DraftFault::StopPastLiquidation(Num::from(48_608_u32));
        assert_eq!(sized(&isolated("48000")), Err(late));
        assert_eq!(sized(&isolated("49000")), Ok("0.00227".to_owned()));
        // Backed by 1,000 USD, the 2.5 BTC for a stop of 1000 are liquidated at 60,354: above the entry.
        assert!(sized(&with(limit("r2500"), Field::StopLoss, "59000")).is_err());
        assert_eq!(sized(&limit("r25")), Ok("0.025".to_owned()));
        let coin = EntryDraft {
            margin_mode: MarginMode::Isolated,
            ..with(limit("0.1"), Field::StopLoss, "48000")
        };
        assert_eq!(
            sized(&coin),
            Ok("0.1".to_owned()),
            "a size that is written is sent"
        );
    }

    #[test]
    fn dollars_are_computed_at_the_price_the_order_would_be_filled_at() {
        for (kind, size) in [
            (PlaceKind::Market, "0.01015"),
            (PlaceKind::Limit, "0.01083"),
            (PlaceKind::Chase, "0.01015"),
            (PlaceKind::StopMarket, "0.01"),
            (PlaceKind::StopLimit, "0.01083"),
            (PlaceKind::TakeMarket, "0.01"),
            (PlaceKind::TakeProfit, "0.01"),
        ] {
            assert_eq!(
                resolved(&entry(kind, "$650")),
                Ok(size.to_owned()),
                "{kind}"
            );
        }
        let elsewhere = EntryDraft {
            trigger_market: Some("paper|ETH".into()),
            ..entry(PlaceKind::Conditional, "$640.1")
        };
        assert_eq!(resolved(&elsewhere), Ok("0.01".to_owned()));
        let unpriced = entry(PlaceKind::Market, "$640").resolved_size(&Seen::default());
        assert_eq!(unpriced, Err(DraftFault::UnknownPrice));
    }

    #[test]
    fn dollars_name_the_price_that_is_still_to_be_written() {
        for (kind, field) in [
            (PlaceKind::Limit, Field::LimitPrice),
            (PlaceKind::StopLimit, Field::LimitPrice),
            (PlaceKind::StopMarket, Field::TriggerPrice),
        ] {
            for typed in ["$650", "50%"] {
                let bare = with(entry(kind, typed), field, "");
                let market = market("BTC", 64_000);
                let seen = Seen {
                    market: Some(&market),
                    lists_all: true,
                    free_margin: Some(Num::from(1_000_u32)),
                    ..Seen::default()
                };
                let size = bare.resolved_size(&seen);
                assert_eq!(size, Err(DraftFault::Needs(field)), "{kind} {typed}");
            }
        }
        let words = DraftFault::Needs(Field::LimitPrice).to_string();
        assert_eq!(words, "needs the limit price first");
        let scaled = EntryDraft {
            shape: DraftShape::Scaled,
            ..with(limit("$650"), Field::StartPrice, "60000")
        };
        assert_eq!(resolved(&scaled), Err(DraftFault::Needs(Field::EndPrice)));
    }

    #[test]
    fn a_size_that_cannot_be_resolved_says_why() {
        for (typed, fault) in [
            ("0.000001", DraftFault::BelowLot(Num::new(1, 5))),
            (
                "0.123456789",
                DraftFault::OffLot {
                    lot: Num::new(1, 5),
                    below: Num::new(12_345, 5),
                    above: Num::new(12_346, 5),
                },
            ),
            ("50%", DraftFault::UnknownPosition),
            ("lots", DraftFault::NotANumber),
        ] {
            assert_eq!(resolved(&limit(typed)), Err(fault), "{typed}");
        }
        let above = with(limit("r25"), Field::StopLoss, "61000");
        assert_eq!(resolved(&above), Err(DraftFault::StopOnWrongSide));
        let bare = with(limit("r25"), Field::StopLoss, "");
        assert_eq!(resolved(&bare), Err(DraftFault::RiskWithoutStop));
        let scaled = EntryDraft {
            shape: DraftShape::Scaled,
            ..limit("r25")
        };
        let why = resolved(&scaled).unwrap_err();
        assert_eq!(why, DraftFault::RiskWithoutStopField, "it asks for no stop");
        assert_eq!(
            limit("$1000").resolved_size(&Seen::default()),
            Err(DraftFault::UnknownLot)
        );
    }

    #[test]
    fn a_share_is_of_the_open_position_that_the_order_makes_smaller() {
        let long = r#"{"id":"p","market_id":"paper|BTC","size":0.5,"size_decimals":5}"#;
        let long: Position = serde_json::from_str(long).unwrap();
        let seen = Seen {
            position: Some(&long),
            ..Seen::default()
        };
        let sell = |kind, reduce_only| EntryDraft {
            side: Side::Sell,
            reduce_only,
            ..entry(kind, "25%")
        };
        for (draft, size) in [
            (sell(PlaceKind::StopMarket, true), Ok(Num::new(125, 3))),
            (sell(PlaceKind::TakeProfit, false), Ok(Num::new(125, 3))),
            (
                sell(PlaceKind::StopMarket, false),
                Err(DraftFault::PercentAgainst),
            ),
            (
                EntryDraft {
                    side: Side::Buy,
                    ..sell(PlaceKind::StopMarket, true)
                },
                Err(DraftFault::PercentOfNothing),
            ),
        ] {
            assert_eq!(draft.resolved_size(&seen), size, "{draft:?}");
        }
    }

    #[test]
    fn a_share_of_an_entry_is_of_the_free_margin_with_its_fee_as_far_as_that_is_known() {
        let btc = market("BTC", 64_000);
        let known = Seen {
            market: Some(&btc),
            lists_all: true,
            free_margin: Some(Num::from(1200_u32)),
            ..Seen::default()
        };
        // Half of 1,200 posts 12,000 for each coin at 60,000 and 5×; as a maker it pays 12 more, as a taker 60.
        let charged = Seen {
            charges: Charges {
                maker: Some(Num::new(2, 4)),
                taker: Some(Num::new(10, 4)),
            },
            ..known
        };
        let none = Seen {
            free_margin: Some(Num::ZERO),
            ..known
        };
        let (nothing, unpriced) = (
            Seen::default(),
            Seen {
                market: None,
                ..known
            },
        );
        let unread = Seen {
            free_margin: None,
            ..known
        };
        let lots = |text: &str| Ok(text.parse().unwrap());
        let unlevered = with(limit("50%"), Field::Leverage, "");
        for (draft, seen, size) in [
            (limit("50%"), known, lots("0.05")),
            (limit("50%"), charged, lots("0.04995")),
            (
                entry(PlaceKind::StopMarket, "100%"),
                charged,
                lots("0.09184"),
            ),
            (limit("101%"), known, Err(DraftFault::AboveAll)),
            (limit("50%"), none, Err(DraftFault::NoMargin)),
            (limit("50%"), unread, Err(DraftFault::UnknownMargin)),
            (limit("50%"), nothing, Err(DraftFault::UnknownPosition)),
            (
                entry(PlaceKind::Market, "50%"),
                unpriced,
                Err(DraftFault::UnknownPrice),
            ),
            (unlevered, known, Err(DraftFault::UnknownLeverage)),
        ] {
            assert_eq!(draft.resolved_size(&seen), size, "{draft:?}");
        }
        let margin = limit("50%").initial_margin(&known);
        assert_eq!(margin, Some(Num::from(600_u32)));
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once_in_the_order_of_the_fields_the_type_has() {
        let draft = EntryDraft {
            market_id: None,
            time_in_force: TimeInForce::Gtd,
            ..limit("")
        };
        let draft = [
            (Field::LimitPrice, "1,5"),
            (Field::TakeProfit, "x"),
            (Field::Leverage, ""),
            (Field::Slippage, "junk that a limit order does not have"),
        ]
        .into_iter()
        .fold(draft, |draft, (field, text)| with(draft, field, text));
        assert_eq!(
            draft.command(&Seen::default()),
            Err(Faults(vec![
                (Field::Market, DraftFault::Missing),
                (Field::Size, DraftFault::Missing),
                (Field::LimitPrice, DraftFault::Comma),
                (Field::Expires, DraftFault::Missing),
                (Field::TakeProfit, DraftFault::NotANumber),
                (Field::Leverage, DraftFault::Missing),
            ]))
        );
    }

    #[test]
    fn each_type_is_sent_with_its_own_fields_and_no_others() {
        let sent = |kind| {
            let draft = EntryDraft {
                trigger_market: Some("paper|ETH".into()),
                ..entry(kind, "0.1")
            };
            let order = placed(&draft);
            [
                ("limit", order.limit_price.is_some()),
                ("trigger", order.trigger_price.is_some()),
                ("market", order.trigger_market_id.is_some()),
                ("direction", order.trigger_direction.is_some()),
                ("chase", order.chase_offset.is_some()),
                ("stop", order.stop_loss_price.is_some()),
                ("reduce", order.reduce_only),
            ]
            .into_iter()
            .filter_map(|(name, is_there)| is_there.then_some(name))
            .collect::<Vec<_>>()
            .join(" ")
        };
        let all: Vec<_> = PlaceKind::VARIANTS.iter().map(|kind| sent(*kind)).collect();
        assert_eq!(
            all,
            [
                "stop",
                "limit stop",
                "chase stop",
                "trigger stop",
                "limit trigger stop",
                "trigger stop",
                "limit trigger stop",
                "trigger reduce",
                "trigger market direction stop",
            ]
        );
    }

    #[test]
    fn what_only_reduces_brings_no_exits_along() {
        for kind in [PlaceKind::Limit, PlaceKind::StopMarket, PlaceKind::Chase] {
            let draft = EntryDraft {
                reduce_only: true,
                ..entry(kind, "0.1")
            };
            assert_eq!(placed(&draft).stop_loss_price, None, "{kind}");
            assert!(!draft.has(Field::TakeProfit), "{kind}");
        }
    }

    #[test]
    fn a_breakout_is_sized_by_what_its_stop_may_lose() {
        let breakout = with(
            entry(PlaceKind::StopMarket, "r25"),
            Field::StopLoss,
            "64500",
        );
        assert_eq!(resolved(&breakout), Ok("0.05".to_owned()));
    }

    #[test]
    fn a_field_asked_for_besides_goes_along() {
        let draft = EntryDraft {
            also: vec![Field::TriggerDirection],
            ..entry(PlaceKind::StopMarket, "0.1")
        };
        let direction = placed(&draft).trigger_direction;
        assert_eq!(direction, Some(TriggerDirection::Above));
    }

    fn sliced(duration: &str) -> EntryDraft {
        let draft = EntryDraft {
            shape: DraftShape::Sliced(Curve::Vwap),
            ..limit("0.5")
        };
        let draft = with(draft, Field::TriggerPrice, "");
        let draft = with(draft, Field::ExpectedPrice, "64000");
        with(draft, Field::Duration, duration)
    }

    #[test]
    fn a_twap_runs_for_whole_minutes_however_they_are_written() {
        for (typed, minutes) in [("30", "30"), ("90m", "90"), ("2h", "120"), ("1d", "1440")] {
            let observed = with(sliced(typed), Field::ExpectedPrice, "60000");
            let command = observed.command(&Seen::default());
            let Ok(Command::PlaceTwap(twap)) = command else {
                panic!("{typed}: {command:?}");
            };
            assert_eq!(twap.duration_minutes.to_string(), minutes, "{typed}");
            assert_eq!((twap.curve, twap.trigger_price), (Curve::Vwap, None));
        }
        for (typed, fault) in [
            ("", DraftFault::Missing),
            ("90s", DraftFault::NotASpan),
            ("1.5", DraftFault::NotASpan),
            ("soon", DraftFault::NotASpan),
            ("0", DraftFault::NotPositive),
            ("4", DraftFault::NotASpan),
            ("1441", DraftFault::NotASpan),
            ("10000d", DraftFault::NotASpan),
        ] {
            assert_eq!(sliced(typed).minutes(), Err(fault), "{typed}");
        }
    }

    #[test]
    fn a_twap_without_an_observed_price_says_so_at_its_field() {
        let draft = with(sliced("30"), Field::ExpectedPrice, "");
        let faults = draft.command(&Seen::default()).unwrap_err();
        assert_eq!(faults.of(Field::ExpectedPrice), Some(&DraftFault::NoMid));
    }

    #[test]
    fn slices_are_at_least_half_a_minute_and_at_most_half_of_the_duration_apart() {
        let every = |seconds: &str| {
            let draft = with(sliced("30"), Field::ExpectedPrice, "60000");
            let draft = with(draft, Field::SliceInterval, seconds);
            match draft.command(&Seen::default()) {
                Ok(Command::PlaceTwap(twap)) => Ok(twap.slice_interval_seconds),
                Ok(command) => panic!("{command}"),
                Err(faults) => Err(faults.of(Field::SliceInterval).cloned()),
            }
        };
        let outside = DraftFault::OutOfRange(30_u32.into(), 900_u32.into());
        assert_eq!(every(""), Ok(None));
        assert_eq!(every("900"), Ok(Some(900_u32.into())));
        assert_eq!(every("29"), Err(Some(outside.clone())));
        assert_eq!(every("901"), Err(Some(outside)));
    }

    #[test]
    fn a_scaled_order_is_computed_at_the_average_of_its_rungs() {
        let draft = [
            (Field::StartPrice, "60000"),
            (Field::EndPrice, "58000"),
            (Field::Rungs, "3"),
        ];
        let scaled = EntryDraft {
            shape: DraftShape::Scaled,
            ..limit("$5900")
        };
        let scaled = draft
            .into_iter()
            .fold(scaled, |draft, (field, text)| with(draft, field, text));
        assert_eq!(resolved(&scaled), Ok("0.1".to_owned()));
        for count in ["1", "11"] {
            let outside = DraftFault::OutOfRange(2_u32.into(), 10_u32.into());
            assert_eq!(
                with(scaled.clone(), Field::Rungs, count).rungs(),
                Err(outside)
            );
        }
        let uneven = with(scaled, Field::Rungs, "2.5");
        assert_eq!(uneven.rungs(), Err(DraftFault::NotWhole));
    }
}
