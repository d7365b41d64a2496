//! Whether the service placed what was asked: a field name it does not know is a field it ignores.

use super::{Command, Order, PlaceOrder, TimeInForce};

/// What differs between what was asked and the order that came of it, one phrase per field: side, size,
/// type, time in force, market. Empty for commands that place nothing.
pub fn differences(command: &Command, order: &Order) -> Vec<String> {
    match command {
        Command::Place(asked) => placed(asked, order),
        Command::Close(asked) => {
            let size = asked.size.filter(|size| *size != order.asked_size().abs());
            let mut found = vec![];
            push(&mut found, "size", size, order.asked_size());
            push(
                &mut found,
                "reduce-only",
                (!order.reduce_only).then_some("yes"),
                "no",
            );
            found
        }
        Command::PlaceTwap(_)
        | Command::PlaceScaled(_)
        | Command::Cancel(_)
        | Command::Exits(_)
        | Command::Margin { .. }
        | Command::StopTwap(_)
        | Command::CancelScaled(_)
        | Command::CloseAll(_)
        | Command::Flatten(_) => vec![],
    }
}

fn placed(asked: &PlaceOrder, order: &Order) -> Vec<String> {
    let mut found = vec![];
    let kind = asked.kind.to_string();
    let is_kind = order.kind.to_string() == kind || order.mode.to_string() == kind;
    let market = (asked.market_id != order.market_id).then_some(&asked.market_id);
    push(&mut found, "market", market, &order.market_id);
    let other_side = (!order.side.is(&asked.side)).then_some(asked.side);
    push(&mut found, "side", other_side, &order.side);
    let size = (asked.size != order.asked_size().abs()).then_some(asked.size);
    push(&mut found, "size", size, order.asked_size());
    push(&mut found, "type", (!is_kind).then_some(kind), &order.kind);
    let reduce_only = (asked.reduce_only != order.reduce_only).then_some(asked.reduce_only);
    push(&mut found, "reduce-only", reduce_only, order.reduce_only);
    time_in_force(&mut found, asked, order);
    found
}

/// A service that does not say rests by `gtc`; only a resting kind of order has a time in force at all.
fn time_in_force(found: &mut Vec<String>, asked: &PlaceOrder, order: &Order) {
    let Some(wanted) = asked.time_in_force.filter(|tif| *tif != TimeInForce::Gtc) else {
        return;
    };
    let told = order.time_in_force.as_ref();
    if told.is_none_or(|told| !told.is(&wanted)) {
        let told = told.map_or_else(|| TimeInForce::Gtc.to_string(), ToString::to_string);
        push(found, "time in force", Some(wanted), told);
    }
}

fn push(
    found: &mut Vec<String>,
    field: &str,
    asked: Option<impl std::fmt::Display>,
    placed: impl std::fmt::Display,
) {
    found.extend(asked.map(|asked| format!("{field} {placed} instead of {asked}")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MarginMode, PlaceKind, Side};

    fn asked() -> PlaceOrder {
        PlaceOrder {
            account_id: "a".into(),
            market_id: "paper|BTC".into(),
            kind: PlaceKind::Limit,
            side: Side::Buy,
            size: "0.10".parse().unwrap(),
            expected_price: None,
            leverage: "5".parse().unwrap(),
            margin_mode: MarginMode::Cross,
            reduce_only: false,
            time_in_force: Some(TimeInForce::Ioc),
            gtd_expires_at: None,
            limit_price: Some("100".parse().unwrap()),
            trigger: None,
            chase_offset: None,
            chase_cap_price: None,
            take_profit_price: None,
            stop_loss_price: None,
            slippage_tolerance: None,
            target_position_id: None,
        }
    }

    fn order(rest: &str) -> Order {
        let json = format!(
            r#"{{"id":"o","account_id":"a","market_id":"paper|BTC","provider":"paper","symbol":"BTC",
            "coin":"BTC","mode":"limit","expected_price":1,"leverage":5,"margin_mode":"cross",
            "reduce_only":false,"status":"resting","requested_at":1790000000000,{rest}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn an_order_as_asked_is_silent_however_its_size_is_written() {
        let same = order(r#""type":"limit","side":"buy","size":0.1,"time_in_force":"ioc""#);
        assert_eq!(
            differences(&Command::Place(Box::new(asked())), &same),
            [""; 0]
        );
        let part = order(
            r#""type":"limit","side":"buy","size":0.04,"initial_size":0.1,"time_in_force":"ioc""#,
        );
        assert_eq!(
            differences(&Command::Place(Box::new(asked())), &part),
            [""; 0]
        );
    }

    #[test]
    fn every_field_that_was_not_understood_is_named() {
        let other = order(r#""type":"market","side":"sell","size":1"#);
        let mut other = Order {
            mode: crate::model::OrderMode::Market.into(),
            ..other
        };
        other.market_id = "paper|ETH".into();
        assert_eq!(
            differences(&Command::Place(Box::new(asked())), &other),
            [
                "market paper|ETH instead of paper|BTC",
                "side sell instead of buy",
                "size 1 instead of 0.10",
                "type market instead of limit",
                "time in force gtc instead of ioc",
            ]
        );
    }
}
