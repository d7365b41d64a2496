//! `/sim/…`: what a simulation alone has, and market data until a stream brings it. Never an invented `/v1` route. Same
//! envelopes, same bearer keys; only the description and the market reads are public, so that any desk can use them as its
//! price source. `serve --no-sim` serves none of it.
//!
//! | route | does |
//! |---|---|
//! | `GET /sim/openapi.yaml` | describes all of this and `/v1` (public) |
//! | `GET /sim/markets` | prices, funding and limits of every market (public) |
//! | `GET /sim/markets/{market_id}/book?depth=&group=` | its L2 book, best first (public) |
//! | `GET /sim/markets/{market_id}/candles?interval=&limit=&before=` | its candles, oldest first (public) |
//! | `GET /sim/markets/{market_id}/trades?limit=&before=` | its trades, newest first (public; marks those of the caller's key) |
//! | `GET /sim/accounts/{account_id}/equity?limit=&before=` | its equity once a minute, oldest first |
//! | `GET /sim/accounts/{account_id}/funding?limit=&before=` | its funding payments, newest first |
//! | `GET /sim/orders/{order_id}/evidence` | what was received that each of its fills rests on |
//! | `GET`, `POST /sim/clock` | reads; `advance_ms` (at most an hour), `paused`, `speed` |
//! | `POST /sim/nudge` | moves a market's price by `bps` at the next step, within what a price may be |
//! | `GET`, `POST`, `DELETE /sim/faults` | lists, adds, removes fault rules ([`faults`](super::faults)) |
//! | `POST /sim/budgets` | sets the request budgets; never limited itself |
//! | `POST /sim/reset` | begins anew: scenario, seed and start as at first, for every account; never limited |
//!
//! Known limits: any key may move the clock, inject faults or reset.

mod account_history;
mod book;
mod control;
mod evidence;
mod facts;
mod market_history;
mod openapi;
mod query;
mod route;

pub(super) use route::SimRoute;

use super::{
    auth::AuthenticatedUser,
    call::{ApiAnswer, RouteCall},
    message::ApiRequest,
    service::ExchangeService,
};

/// Carries one request out; the caller is absent on public routes only. Reads of many rows copy them under the lock of the
/// state and encode them outside, so that no reader delays matching.
pub(super) fn answer(
    service: &ExchangeService,
    caller: Option<&AuthenticatedUser>,
    route: SimRoute,
    request: &ApiRequest,
) -> ApiAnswer {
    let call = RouteCall {
        service,
        caller,
        request,
    };
    match route {
        SimRoute::OpenApi => Ok(openapi::answer()),
        SimRoute::MarketStatistics => call.public(|state| Ok(facts::markets(state))),
        SimRoute::Book(id, query) => call.public(|state| book::book(state, &id, query)),
        SimRoute::Candles(id, query) => market_history::candles(service, &id, query, request),
        SimRoute::Trades(id, page) => market_history::trades(service, caller, &id, page, request),
        SimRoute::Equity(id, page) => {
            call.row(|state, caller| account_history::equity(state, caller, &id, page))
        }
        SimRoute::Funding(id, page) => {
            call.row(|state, caller| account_history::funding(state, caller, &id, page))
        }
        SimRoute::OrderEvidence(id) => {
            call.row(|state, caller| evidence::evidence(state, caller, &id))
        }
        SimRoute::Clock => control::clock(&*service.state()?),
        SimRoute::SetClock => {
            let answer = control::set_clock(&mut *service.state()?, request);
            service.tick_again.notify_one();
            answer
        }
        SimRoute::Nudge => control::nudge(&mut *service.state()?, request),
        SimRoute::Faults => control::faults(service),
        SimRoute::PlantFault => control::plant_fault(service, request),
        SimRoute::ClearFaults => control::clear_faults(service),
        SimRoute::SetBudgets => control::set_budgets(service, request),
        SimRoute::Reset => control::reset(service, request),
    }
}
