//! The vocabulary of trading that both ends of the wire, the journal and the screen share. Names no other module.
//!
//! Contract: plain data, exact decimals, no I/O, no async, no terminal. Reading is lenient (unknown words become
//! [`Lenient::Other`], unknown fields are ignored); commands are built from closed enums ([`Command`]). Text from a
//! server is a [`Text`], whose `Display` cannot control a terminal.

mod account;
mod account_facts;
mod account_history;
mod book;
mod call;
mod candle;
mod charges;
mod close_all;
mod command;
mod dated;
pub mod draft;
pub mod echo;
pub mod estimate;
mod evidence;
mod failure;
mod flat;
mod listing;
mod market;
mod market_names;
mod operation;
mod order;
mod page;
mod past;
mod patch;
pub mod plan;
mod position;
mod protection;
mod public_trade;
mod receipt;
pub mod remains;
mod schema;
mod service_clock;
mod strategy;
mod stream_kind;
mod trading_policy;
mod value;
mod venue;

pub use account::{Account, AccountRequirements, AccountRisk, AccountStage, AccountStatus};
pub use account_facts::{AccountFacts, RuleFact};
pub use account_history::{EquitySample, FundingPayment};
pub use book::{Book, Level, Sweep};
pub use call::Call;
pub use candle::{Candle, Interval};
pub use charges::Charges;
pub use close_all::{CloseAll, CloseResult, CloseResultStatus};
pub use command::{
    AnswerKind, CloseKind, ClosePosition, Command, CommandFacts, Curve, Distribution, Ends,
    ExecutionType, ExitBatch, ExitConflict, ExitGroup, ExitOperation, Exits, ExpectedExit, FLATTEN,
    Flip, FlipStanding, Held, Leg, ModifyOrder, Mutation, MutationFacts, PlaceOrder, PlaceScaled,
    PlaceTwap, Placed, Repetition, Resource, Risk, WantedExit, WantedExits,
};
pub use dated::Dated;
pub use evidence::{EvidenceLevel, FillEvidence, OrderEvidence};
pub use failure::{Failure, FailureKind, Fallible, FieldIssue, Proof, READ_ONLY, READ_ONLY_KEY};
pub use flat::{FlatFinding, FlatProof, Flattening, Leftovers, PROOF_APART, Proving};
pub use listing::{
    KeyScope, Listing, Quote, QuoteDepth, ReferenceKind, ServiceAbout, ServiceEnvironment,
    SizedQuote, UnfillableReason,
};
pub use market::{DayStats, Market};
pub use market_names::{MarketNames, NameFit, ambiguous};
pub use operation::{CancelAll, CancelAllResult, CancelStatus, Operation, OperationStatus};
pub use order::{
    FillReference, Order,
    mode::{OrderMode, OrderModeFacts, OrderType, PlaceKind, TriggersOn},
};
pub use page::{Cursor, Page};
pub use past::{Attempted, Past, PastMark, PastPage, Record};
pub use patch::Patch;
pub use position::{Position, PositionSide, PositionStatus};
pub use protection::Protection;
pub use public_trade::PublicTrade;
pub use receipt::{
    CancelResult, CloseCheck, FollowUp, OperationEnd, Progress, Receipt, SlicedOperation,
};
pub use remains::OpenExposure;
pub use schema::INSTANT;
pub use service_clock::{ClockRate, ServiceClock};
pub use strategy::{Rung, Scaled, Twap};
pub use stream_kind::StreamKind;
pub use trading_policy::{
    AccountRule, Competition, EntryLock, Restriction, SlippageTolerance, TradingHalt,
    TradingLimits, TradingPolicy,
};
pub use value::ids::{
    AccountId, ClientOrderId, IdempotencyKey, MarketId, OperationId, OrderId, PositionId, ScaledId,
    Ticket, TwapId,
};
pub use value::lenient::Lenient;
pub use value::num::{Bps, Num, NumError};
pub use value::text::Text;
pub use value::tick::{Grid, Tick};
pub use value::time::{Drift, Timestamp};
pub use value::words::{
    LiquidityRole, MarginMode, OrderStatus, Side, TimeInForce, TriggerDirection, spoken,
};
pub use value::zone::{Zone, ZoneDay};
pub use venue::Venue;
