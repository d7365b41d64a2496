//! Keys in a form, and the resulting commands.

mod amending;
mod bracket;
mod closing;
mod every_type;
mod last_used;
mod leaving;
mod letters;
mod new_order;
mod sending;
mod stop;
mod strategies;
mod writing;

use super::form::{Form, FormInput};
use crate::{
    app::{
        account::poll::Answer,
        activity::notice::Event,
        core::effect::Effect,
        desk::{model::Model, msg::Msg},
        dialogs::overlay::Overlay,
        testing::*,
        update::router::update,
    },
    model::{
        CloseKind, ClosePosition, Command, Exits, Failure, FailureKind, Held, Leg, MarginMode,
        PlaceKind, PlaceOrder, Proof, Receipt, Side, Ticket, TimeInForce, TriggerDirection,
        draft::{DraftFault, Field},
    },
};

fn form(model: &Model) -> &Form {
    match model.overlays.last() {
        Some(Overlay::Form(form)) => form,
        other => panic!("no form is open but {other:?}"),
    }
}

fn said(model: &Model) -> String {
    match model.account.activity.lines.back().map(|line| &line.event) {
        Some(Event::Message(_, words)) => words.clone(),
        other => panic!("nothing was said but {other:?}"),
    }
}

fn fault(model: &Model, field: Field) -> Option<DraftFault> {
    let command = form(model).command(&model.account.form_context());
    command.err()?.of(field).cloned()
}

fn market_buy(coin: &str, size: &str) -> PlaceOrder {
    let market = format!("paper|{coin}").into();
    PlaceOrder {
        expected_price: Some(num("64000")),
        leverage: num("10"),
        ..PlaceOrder::market("chal-1".into(), market, Side::Buy, num(size))
    }
}

fn held(coin: &str, side: Side) -> Held {
    Held {
        market_id: format!("paper|{coin}").into(),
        side,
    }
}

fn close(position: &str, size: Option<&str>) -> ClosePosition {
    ClosePosition {
        held: Some(held("BTC", Side::Buy)),
        size: size.map(num),
        expected_price: Some(num("64000")),
        ..ClosePosition::market(position.into())
    }
}

fn sent(ticket: u64, command: Command) -> Vec<Effect> {
    vec![Effect::Send(Ticket(ticket), command)]
}

fn accepted() -> Receipt {
    let taken = r#""type":"market","mode":"market","side":"buy","size":0.1,"status":"filled""#;
    Receipt::Order {
        order: Box::new(order("ord-9", "BTC", taken)),
        queued: false,
    }
}

fn place(order: PlaceOrder) -> Command {
    Command::Place(Box::new(order))
}
