//! perpdeck: a terminal dashboard for paper-trading perpetuals accounts, and the paper exchange it runs
//! against when nothing else is configured.
//!
//! # Modules
//! | module | what it is |
//! |---|---|
//! | [`model`] | the vocabulary: exact numbers, ids, orders, positions, commands, failures |
//! | [`api`] | the HTTP contract of `/v1` for both ends, and every guess about it |
//! | [`config`] | layered settings and their errors |
//! | [`client`] | the HTTP client: one method per endpoint |
//! | [`disk`] | private files, locked or replaced atomically, and logs that are appended to |
//! | [`journal`] | every request with its key and bytes, and its outcome |
//! | `feed` | what streams report, checked and in order, pure |
//! | [`exchange`] | the paper exchange: an engine of integers behind a real HTTP server |
//! | [`app`] | the desk's behavior: `update(model, now, msg) -> effects`, pure |
//! | [`view`] | view models: state as words and tones |
//! | [`ui`] | drawing: view models as cells |
//! | [`runtime`] | the loop, the terminal, the poller, the outbox: everything impure |
//! | [`cli`] | arguments, and one file per verb |
//!
//! `tests/architecture/main.rs` has the table of which module may name which.
//!
//! Comments cite these pages by section (`docs/engine.md 6.3`):
//!
//! | page | what it specifies |
//! |---|---|
//! | `docs/architecture.md` | modules, rooms, the two flows, decisions |
//! | `docs/engine.md` | the paper exchange: orders, matching, margin, rules, clocks, in worked numbers |
//! | `docs/delivery.md` | a command from key to proven outcome, whatever fails |
//! | `docs/service-api.md` | what is documented of the service, and each guess |
//! | `docs/contributing.md` | build, test, style, recipes |
//!
//! # The two flows
//! ```text
//! READ   JSON -> model::Order -> Msg::Polled -> Store (Remote<T>) -> view columns -> ui cells
//! WRITE  key -> Action -> Next::Open(form) -> Next::Run(Command) -> Effect::Send(Ticket, Command)
//!        -> outbox -> journal intent (key + exact bytes, synced) -> HTTP (same key on every retry)
//!        -> journal outcome -> Msg::Settled(Ticket, Result<Receipt, Failure>) -> store, notice, re-poll
//! ```

pub mod api;
pub mod app;
pub mod cli;
pub mod client;
pub mod config;
pub mod disk;
pub mod exchange;
mod feed;
pub mod journal;
pub mod model;

pub mod runtime;
pub mod ui;
pub mod view;
