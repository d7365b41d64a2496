//! Checks of a command that do not depend on the state (400, nothing recorded): docs/engine.md 1.3, 2.1, 2.4.

use crate::exchange::engine::{
    core::Engine,
    state::{
        AttachedExits, Bps, CommandRefusal, CommandResult, Lots, MAX_COUNT, MarketIx, Millis,
        OrderParams, PlaceMode, Px, Reason, Reduction, Side, Tif, refuse, refuse_field,
    },
};

pub(crate) fn price(field: &'static str, px: Px, size_decimals: u32) -> CommandResult<()> {
    if px.is_valid(size_decimals) {
        return Ok(());
    }
    let message = format!(
        "{field} {} is not a multiple of the tick {}",
        px.shown(size_decimals),
        px.tick(size_decimals).shown(size_decimals)
    );
    Err(CommandRefusal::rule(field, Reason::InvalidTick, message))
}

pub(crate) fn size(field: &'static str, size: Lots, size_decimals: u32) -> CommandResult<()> {
    if (1..=MAX_COUNT).contains(&size.0) {
        return Ok(());
    }
    let shown = size.shown(size_decimals);
    let message =
        format!("{field} {shown} must be above 0 and have at most {size_decimals} decimals");
    refuse_field(field, Reason::InvalidSize, message)
}

pub(crate) fn leverage(leverage: u32) -> CommandResult<()> {
    match leverage {
        0 => refuse_field(
            "leverage",
            Reason::InvalidLeverage,
            "leverage 0 must be a whole number from 1".to_owned(),
        ),
        _ => Ok(()),
    }
}

/// The largest slippage tolerance of an order.
pub const MAX_SLIPPAGE: Bps = Bps(10_000);

pub(crate) fn slippage(slippage: Option<Bps>) -> CommandResult<()> {
    match slippage {
        Some(most) if most > MAX_SLIPPAGE => refuse(
            Reason::SlippageTooHigh,
            format!(
                "slippage_tolerance_bps {} is above {}",
                most.0, MAX_SLIPPAGE.0
            ),
        ),
        Some(Bps(bps)) if bps <= 0 => refuse_field(
            "slippage_tolerance_bps",
            Reason::InvalidSlippage,
            format!("slippage_tolerance_bps {bps} must be above 0"),
        ),
        Some(_) | None => Ok(()),
    }
}

/// A buy needs stop-loss < entry < take-profit, a sell the reverse (docs/engine.md 2.7).
pub(crate) fn exits(
    exits: AttachedExits,
    side: Side,
    entry: Px,
    size_decimals: u32,
) -> CommandResult<()> {
    let legs = [
        ("take_profit_price", exits.take_profit, side),
        ("stop_loss_price", exits.stop_loss, side.opposite()),
    ];
    for (field, px, profit_side) in legs {
        let Some(px) = px else {
            continue;
        };
        price(field, px, size_decimals)?;
        if (px.0 - entry.0) * profit_side.sign() <= 0 {
            let relation = match profit_side {
                Side::Buy => "above",
                Side::Sell => "below",
            };
            let message = format!(
                "{field} {} must be {relation} {}",
                px.shown(size_decimals),
                entry.shown(size_decimals)
            );
            return Err(CommandRefusal::rule(
                field,
                Reason::InvalidAttachedExit,
                message,
            ));
        }
    }
    Ok(())
}

/// Which times in force a mode allows (docs/engine.md 2.4).
fn time_in_force(mode: PlaceMode, tif: Tif, now: Millis) -> CommandResult<()> {
    let refused = match (mode, tif) {
        (PlaceMode::Market, Tif::Gtd { .. }) => {
            Some(("time_in_force", "a market order cannot be gtd"))
        }
        (PlaceMode::Chase { .. }, Tif::Ioc | Tif::Fok) => Some((
            "time_in_force",
            "a chase order rests: it cannot be ioc or fok",
        )),
        (_, Tif::Gtd { expires_at }) if expires_at <= now => {
            Some(("gtd_expires_at", "gtd_expires_at must be later than now"))
        }
        _ => None,
    };
    match refused {
        Some((field, message)) => {
            refuse_field(field, Reason::InvalidTimeInForce, message.to_owned())
        }
        None => Ok(()),
    }
}

impl Engine {
    pub(crate) fn known_market(&self, market: MarketIx) -> CommandResult<u32> {
        self.markets
            .get(market)
            .map(|market| market.spec.size_decimals)
            .ok_or_else(|| CommandRefusal::not_found("market"))
    }

    pub(crate) fn check_payload(&self, order: &OrderParams) -> CommandResult<()> {
        let decimals = self.known_market(order.market)?;
        size("size", order.size, decimals)?;
        leverage(order.leverage)?;
        slippage(order.slippage)?;
        time_in_force(order.mode, order.tif, self.now)?;
        self.check_mode(order, decimals)?;
        self.check_exits(order, decimals)
    }

    fn check_mode(&self, order: &OrderParams, decimals: u32) -> CommandResult<()> {
        if let PlaceMode::Chase { offset, cap } = order.mode {
            chase_offset(offset)?;
            cap.map_or(Ok(()), |cap| price("chase_cap_price", cap, decimals))?;
        }
        if let Some(trigger) = order.mode.trigger() {
            let watched = order.mode.watched().map(|market| self.known_market(market));
            price("trigger_price", trigger, watched.unwrap_or(Ok(decimals))?)?;
        }
        let limit = order.mode.limit();
        limit.map_or(Ok(()), |limit| price("limit_price", limit, decimals))
    }

    fn check_exits(&self, order: &OrderParams, decimals: u32) -> CommandResult<()> {
        if order.exits == AttachedExits::default() {
            return Ok(());
        }
        let reduces = order.reduction == Reduction::Only
            || matches!(order.mode, PlaceMode::TakeProfit { .. });
        if reduces {
            let takes_profit = order.exits.take_profit.is_some();
            let field = if takes_profit {
                "take_profit_price"
            } else {
                "stop_loss_price"
            };

            return refuse_field(
                field,
                Reason::InvalidAttachedExit,
                "a reduce-only order opens nothing that exits could protect".to_owned(),
            );
        }
        let own_trigger = order
            .mode
            .trigger()
            .filter(|_| order.mode.watched().is_none());
        let entry = order.mode.limit().or(own_trigger);
        let entry = entry.unwrap_or(self.markets.at(order.market).mark);
        exits(order.exits, order.side, entry, decimals)
    }
}

fn chase_offset(offset: Px) -> CommandResult<()> {
    match offset.0 {
        0..=MAX_COUNT => Ok(()),
        _ => refuse_field(
            "chase_offset",
            Reason::InvalidPrice,
            "chase_offset must be 0 or more".to_owned(),
        ),
    }
}
