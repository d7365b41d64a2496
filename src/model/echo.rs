//! Compares the answer to a command with the request: a service silently ignores a field whose name it does not know,
//! and may answer about something else.

mod found;
mod scaled;
mod twap;

use super::{ClosePosition, Command, Order, PlaceOrder, Placed, Receipt, Resource};
use found::Found;

/// The differences between request and result, one phrase per field, and what cannot be true of the result. A field
/// missing in the response is no difference, except where losing it changes the risk: without a time in force the order
/// is `gtc`, and without a stop loss, expiry or trigger direction there is none.
pub fn differences(command: &Command, receipt: &Receipt) -> Vec<String> {
    let mut found = match (command.facts().places, receipt) {
        (Some(Placed::Order(request)), Receipt::Order { order, .. }) => placed(request, order),
        (Some(Placed::Close(request)), Receipt::Order { order, .. }) => closed(request, order),
        (Some(Placed::Twap(request)), Receipt::Twap(twap)) => twap::differences(request, twap),
        (Some(Placed::Scaled(request)), Receipt::Scaled(scaled)) => {
            scaled::differences(request, scaled)
        }
        // Nothing is placed, or the response is of another kind, which the client refuses.
        (_, _) => another_object(command, receipt),
    };
    if let Receipt::Order { order, .. } = receipt {
        found.extend(contradictions(command, order));
    }
    found
}

/// An answer that does not repeat size or limit is measured by the request.
fn contradictions(command: &Command, order: &Order) -> Vec<String> {
    let (size, limit) = match command.facts().places {
        Some(Placed::Order(request)) => (Some(request.size), request.limit_price),
        Some(Placed::Close(request)) => (request.size, request.limit_price),
        Some(Placed::Twap(_) | Placed::Scaled(_)) | None => (None, None),
    };
    let order = Order {
        initial_size: order.initial_size.or(size),
        limit_price: order.limit_price.or(limit),
        ..order.clone()
    };
    order.contradictions()
}

/// Whether the answer is about another object than the command.
fn another_object(command: &Command, receipt: &Receipt) -> Vec<String> {
    let mut found = Found::default();
    match (command.resource(), receipt) {
        (Resource::Order(id), Receipt::Order { order, .. }) => {
            found.differ("order", id, Some(order.id.clone()));
        }
        (Resource::Order(id), Receipt::Cancel(result)) => {
            found.differ("order", id, Some(result.id.clone()));
        }
        (Resource::Position(id), Receipt::Position(position)) => {
            found.differ("position", id, Some(position.id.clone()));
        }
        (Resource::Twap(id), Receipt::Twap(twap)) => {
            found.differ("TWAP", id, Some(twap.id.clone()));
        }
        (Resource::Scaled(id), Receipt::Scaled(scaled)) => {
            found.differ("scaled order", id, Some(scaled.id.clone()));
        }
        // The outbox compares the account.
        (_, _) => {}
    }
    found.0
}

/// The name of the result.
pub fn name(receipt: &Receipt) -> String {
    match receipt {
        Receipt::Order { order, .. } if order.id.raw().is_empty() => "the order".to_owned(),
        Receipt::Order { order, .. } => format!("order {}", order.id),
        Receipt::Twap(twap) => format!("TWAP {}", twap.id),
        Receipt::Scaled(scaled) => format!("scaled order {}", scaled.id),
        Receipt::Cancel(_)
        | Receipt::Position(_)
        | Receipt::CloseAll(_)
        | Receipt::CancelAll(_)
        | Receipt::AlreadySo(_)
        | Receipt::Flat(_) => "the answer".to_owned(),
    }
}

/// The command that cancels a mismatched result while it can still be canceled.
pub fn undo(receipt: &Receipt) -> Option<Command> {
    match receipt {
        Receipt::Order { order, .. } => (order.is_working() && !order.id.raw().is_empty())
            .then(|| Command::Cancel(order.id.clone())),
        Receipt::Twap(twap) if twap.ended_at().is_none() => {
            Some(Command::StopTwap(twap.id.clone()))
        }
        Receipt::Scaled(scaled) if scaled.ended_at().is_none() => {
            Some(Command::CancelScaled(scaled.id.clone()))
        }
        Receipt::Twap(_)
        | Receipt::Scaled(_)
        | Receipt::Cancel(_)
        | Receipt::Position(_)
        | Receipt::CloseAll(_)
        | Receipt::CancelAll(_)
        | Receipt::AlreadySo(_)
        | Receipt::Flat(_) => None,
    }
}

fn placed(request: &PlaceOrder, order: &Order) -> Vec<String> {
    let mut found = Found::default();
    found.differ("market", &request.market_id, Some(&order.market_id));
    found.side(request.side, order);
    found.differ("size", request.size, Some(order.requested_size().abs()));
    found.kind(&request.kind.to_string(), order);
    found.differ("reduce-only", request.reduce_only, Some(order.reduce_only));
    found.time_in_force(request, order);
    found.known("limit price", request.limit_price, order.limit_price);
    let watched = (&request.trigger_market_id, request.trigger_direction);
    found.trigger(request.trigger_price, watched, order);
    found.kept(
        "take profit",
        request.take_profit_price,
        order.attached_take_profit_price,
    );
    found.kept(
        "stop loss",
        request.stop_loss_price,
        order.attached_stop_loss_price,
    );
    found.expiry(request, order);
    found.known("chase offset", request.chase_offset, order.chase_offset);
    found.known("chase cap", request.chase_cap_price, order.chase_cap_price);
    // A reduce-only order takes leverage and margin mode from its position.
    if !request.reduce_only {
        found.differ("leverage", request.leverage, Some(order.leverage));
        let placed = order.margin_mode.is(&request.margin_mode);
        let placed = (!placed).then(|| order.margin_mode.to_string());
        found.differ("margin", request.margin_mode.to_string(), placed);
    }
    let target = request.target_position_id.as_ref();
    found.known("position", target, order.target_position_id.as_ref());
    found.0
}

fn closed(request: &ClosePosition, order: &Order) -> Vec<String> {
    let mut found = Found::default();
    if let Some(held) = &request.held {
        found.differ("market", &held.market_id, Some(&order.market_id));
        found.side(held.side.opposite(), order);
    }
    found.known("size", request.size, Some(order.requested_size().abs()));
    found.kind(&request.kind.to_string(), order);
    found.differ("reduce-only", true, Some(order.reduce_only));
    found.known("limit price", request.limit_price, order.limit_price);
    let watched = (&request.trigger_market_id, request.trigger_direction);
    found.trigger(request.trigger_price, watched, order);
    let target = order.target_position_id.as_ref();
    found.differ("position", &request.position_id, target);
    found.0
}

#[cfg(test)]
mod tests;
