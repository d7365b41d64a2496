//! Builds the command from a draft, or collects all its errors.

use super::{
    super::{
        super::{Bps, Command, MarketId, Num, PlaceKind, PlaceOrder, TimeInForce},
        DraftFault, DraftShape, Faults, Field, Seen,
    },
    EntryDraft, ReplacedExits,
};

/// The terms that every entry has.
pub(super) struct EntryTerms {
    pub(super) market_id: MarketId,
    pub(super) size: Num,
    pub(super) leverage: Num,
}

impl EntryDraft {
    /// The finished command, or all errors at once, in the order of the fields.
    pub fn command(&self, seen: &Seen) -> Result<Command, Faults> {
        let command = match self.shape {
            DraftShape::Order(kind) => self.order(kind, seen).map(Command::from),
            DraftShape::Sliced(curve) => self.twap(curve, seen).map(Command::from),
            DraftShape::Scaled => self.scaled(seen).map(Command::from),
        };
        command.map_err(|faults| self.in_order(faults))
    }

    fn order(&self, kind: PlaceKind, seen: &Seen) -> Result<PlaceOrder, Faults> {
        let mut faults = Faults::default();
        let terms = self.terms(seen, &mut faults);
        let trigger_price = self.watched_price(seen, &mut faults);
        let gtd_expires_at = faults.take(Field::Expires, self.expires(seen)).flatten();
        let mut number = |field| faults.take(field, self.number_in(field, seen)).flatten();
        let limit_price = number(Field::LimitPrice);
        let chase_offset = number(Field::ChaseOffset);
        let chase_cap_price = number(Field::ChaseCap);
        let take_profit_price = number(Field::TakeProfit);
        let stop_loss_price = number(Field::StopLoss);
        let slippage_tolerance = number(Field::Slippage).map(Bps);
        let expected_price = number(Field::ExpectedPrice).or_else(|| seen.mid());
        let terms = faults.none(terms)?;
        Ok(PlaceOrder {
            kind,
            account_id: self.account_id.clone(),
            market_id: terms.market_id,
            side: self.side,
            size: terms.size,
            client_order_id: None,
            expected_price,
            leverage: terms.leverage,
            margin_mode: self.margin_mode,
            reduce_only: self.only_reduces(),
            time_in_force: Some(self.lasting()).filter(|tif| *tif != TimeInForce::Gtc),
            gtd_expires_at,
            limit_price,
            trigger_price,
            trigger_market_id: (self.trigger_market.clone())
                .filter(|_| self.has(Field::TriggerMarket)),
            trigger_direction: (self.trigger_direction)
                .filter(|_| self.has(Field::TriggerDirection)),
            chase_offset,
            chase_cap_price,
            take_profit_price,
            stop_loss_price,
            slippage_tolerance,
            target_position_id: self
                .target
                .clone()
                .filter(|_| self.has(Field::TargetPosition)),
            marketable_limit_acknowledged: false,
            replace_overlapping_exits: self.replaces == ReplacedExits::Any
                || !self.overlapped(seen).is_empty(),
            replaces: None,
        })
    }

    pub(super) fn terms(&self, seen: &Seen, faults: &mut Faults) -> Option<EntryTerms> {
        let market_id = self.market_id.clone().ok_or(DraftFault::Missing);
        let market_id = faults.take(Field::Market, market_id);
        let size = faults.take(Field::Size, self.resolved_size(seen));
        let leverage = faults.take(Field::Leverage, self.leverage_in(seen));
        Some(EntryTerms {
            market_id: market_id?,
            size: size?,
            leverage: leverage?,
        })
    }

    /// Sorts the errors by form order.
    fn in_order(&self, mut faults: Faults) -> Faults {
        let fields = self.fields();
        let place = |field: &Field| fields.iter().position(|known| known == field);
        faults.0.sort_by_key(|(field, _)| place(field));
        faults
    }

    fn watched_price(&self, seen: &Seen, faults: &mut Faults) -> Option<Num> {
        let price = self.number_in(Field::TriggerPrice, seen);
        let price = faults.take(Field::TriggerPrice, price);
        if self.has(Field::TriggerDirection) && self.trigger_direction.is_none() {
            faults
                .0
                .push((Field::TriggerDirection, DraftFault::Missing));
        }
        price.flatten()
    }
}
