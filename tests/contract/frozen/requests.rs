//! What the client sends, byte for byte.

use super::commands;
use perpdeck::{
    api::{
        Creation, Dialect, OrderFilter, OrdersQuery, PositionSelector, PositionsQuery, QueryPair,
        Request, Route, TwapsQuery,
    },
    model::{Command, TimestampUnit},
};
use std::fmt::Write;

/// A service that spells everything otherwise.
fn foreign() -> Dialect {
    Dialect {
        working_filter: QueryPair {
            name: "view".to_owned(),
            value: "live".to_owned(),
        },
        position_selector: "state".to_owned(),
        time_in_force_field: "tif".to_owned(),
        trigger_direction_field: "when".to_owned(),
        slippage_field: "max_slippage".to_owned(),
        twaps_account: String::new(),
        twap_creation: Creation::At("/v1/twaps".to_owned()),
        scaled_creation: Creation::None,
        timestamp_unit: TimestampUnit::Seconds,
        signed_sizes: false,
    }
}

fn sent(command: &Command, dialect: &Dialect) -> String {
    match Request::encode(command, "k".into(), dialect) {
        Ok(request) => {
            let key = if request.key.is_some() { " keyed" } else { "" };
            format!("{request}{key}")
        }
        Err(why) => format!("none: {why}"),
    }
}

#[test]
fn every_command_is_sent_as_it_is_today() {
    let mut out = String::new();
    for (n, command) in commands().iter().enumerate() {
        let (risk, resource) = (command.risk(), command.resource());
        writeln!(out, "{n}").unwrap();
        writeln!(out, "  {risk}, on {:?}", resource.raw().unwrap_or("-")).unwrap();
        writeln!(out, "  {}", sent(command, &Dialect::default())).unwrap();
        writeln!(out, "  {}", sent(command, &foreign())).unwrap();
    }
    insta::assert_snapshot!(out);
}

#[test]
fn every_list_is_asked_for_as_it_is_today() {
    let orders = |filter, limit, cursor: Option<&str>| {
        Route::Orders(OrdersQuery {
            account_id: "chal 1".into(),
            filter,
            limit,
            cursor: cursor.map(|cursor| cursor.to_owned().into()),
        })
    };
    let positions = |selector, limit| {
        Route::Positions(PositionsQuery {
            account_id: "chal-1".into(),
            selector,
            limit,
            cursor: None,
        })
    };
    let routes = [
        orders(OrderFilter::All, Some(100), Some("c/1")),
        orders(OrderFilter::Working, None, None),
        positions(PositionSelector::Open, None),
        positions(PositionSelector::Closed, Some(50)),
        Route::Twaps(TwapsQuery {
            account_id: Some("chal-1".into()),
        }),
        Route::Scaled("scaled/1".into()),
    ];
    let mut out = String::new();
    for route in &routes {
        for dialect in [Dialect::default(), foreign()] {
            writeln!(out, "{} {}", route.method(), route.target(&dialect)).unwrap();
        }
    }
    insta::assert_snapshot!(out);
}
