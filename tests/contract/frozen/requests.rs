//! What the client sends, byte for byte.

use super::commands;
use perpdeck::{
    api::{
        OrderFilter, OrdersQuery, PageQuery, PositionSelector, PositionsQuery, QuoteSize, Request,
        Route, TwapSelector, TwapsQuery,
    },
    model::{Command, Num, Side},
};
use std::fmt::Write;

fn sent(command: &Command) -> String {
    match Request::encode(command, "k".into()) {
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
        writeln!(out, "  {}", sent(command)).unwrap();
    }
    insta::assert_snapshot!(out);
}

#[test]
fn every_read_is_asked_for_as_it_is_today() {
    let page = |limit, cursor: Option<&str>| PageQuery {
        account_id: "chal 1".into(),
        limit,
        cursor: cursor.map(|cursor| cursor.to_owned().into()),
    };
    let size = QuoteSize {
        side: Side::Buy,
        size: Num::new(15, 1),
    };
    let routes = [
        Route::About,
        Route::Markets,
        Route::Market("x|a/b".into()),
        Route::Quote("x|@107".into(), None),
        Route::Quote("x|@107".into(), Some(size)),
        Route::Accounts,
        Route::Account("chal-1".into()),
        Route::TradingPolicy("chal-1".into()),
        Route::Orders(OrdersQuery::Of(
            page(Some(100), Some("c/1")),
            OrderFilter::All,
        )),
        Route::Orders(OrdersQuery::Of(page(None, None), OrderFilter::Working)),
        Route::Orders(OrdersQuery::Named("k 1".into())),
        Route::Order("o/1".into()),
        Route::Fills(page(Some(50), None)),
        Route::Positions(PositionsQuery {
            page: page(None, None),
            selector: PositionSelector::Open,
        }),
        Route::Positions(PositionsQuery {
            page: page(Some(50), None),
            selector: PositionSelector::Closed,
        }),
        Route::Position("p/1".into()),
        Route::Twaps(TwapsQuery {
            page: page(None, None),
            selector: TwapSelector::Active,
        }),
        Route::Twaps(TwapsQuery {
            page: page(Some(50), None),
            selector: TwapSelector::Completed,
        }),
        Route::Twap("t/1".into()),
        Route::ScaledOrders(page(Some(50), None)),
        Route::Scaled("scaled/1".into()),
    ];
    let mut out = String::new();
    for route in &routes {
        writeln!(out, "{} {}", route.method(), route.target()).unwrap();
    }
    insta::assert_snapshot!(out);
}
