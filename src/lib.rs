//! perpdeck: a terminal dashboard for paper-trading perpetuals accounts, and the paper exchange it runs
//! against when nothing else is configured.
//!
//! # The house
//! | module | what it is |
//! |---|---|
//! | [`model`] | the vocabulary: exact numbers, ids, orders, positions, commands, failures |
//! | [`api`] | the HTTP contract of `/v1`, used by both ends, and every guess about it |
//! | [`config`] | layered settings and what is wrong with them |
//! | [`client`] | one method per endpoint; the only place that speaks HTTP outwards |
//! | [`disk`] | private files, one process at a time or whole in their place, commits that have reached the disk |
//! | [`journal`] | what was asked, with which key and which bytes, and what came of it |
//! | [`exchange`] | the paper exchange: an engine of integers behind a real HTTP server |
//! | [`app`] | the desk's behaviour: `update(model, now, msg) -> effects`, pure |
//! | [`view`] | state as words and tones |
//! | [`ui`] | words as cells |
//! | [`runtime`] | the loop, the terminal, the poller, the outbox: everything impure |
//! | [`cli`] | arguments, and one file per verb |
//!
//! Who may name whom is a table in `tests/architecture/main.rs`.
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
//! # The two flows, each one way
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
pub mod journal;
pub mod model;

pub mod runtime;
pub mod ui;
pub mod view;
