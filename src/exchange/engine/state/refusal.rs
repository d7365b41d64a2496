//! Refusals of a command ([`CommandRefusal`]), and of an order the engine already holds ([`Reason`] on the row).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{Millis, OrderId};

/// `reject_reason` of an order row and `code` of an error (docs/engine.md 2.11, 7, 8).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    IntoStaticStr,
    EnumString,
    VariantArray,
    Serialize,
    Deserialize,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Reason {
    // depends on the payload alone
    InvalidTick,
    InvalidSize,
    InvalidPrice,
    InvalidLeverage,
    InvalidTimeInForce,
    InvalidAttachedExit,
    InvalidTwap,
    InvalidScaled,
    InvalidSlippage,
    InvalidMargin,
    // depends on the state of the market, the account or the object
    NotFound,
    BelowMinNotional,
    InsufficientMargin,
    ReduceOnlyNoPosition,
    ReduceOnlyWouldIncrease,
    PostOnlyWouldCross,
    IocNoMatch,
    FokUnfillable,
    TriggerWouldFire,
    NoLiquidity,
    PriceOutOfBand,
    LeverageTooHigh,
    SlippageTooHigh,
    MaxPosition,
    MaxOpenPositions,
    MarginModeConflict,
    MarketUnavailable,
    SelfTrade,
    AccountBreached,
    AccountRestricted,
    MarketRestricted,
    TooManyChaseOrders,
    TooManyWorkingOrders,
    OrderCooldown,
    OrderNotWorking,
    OrderNotResting,
    OrderNotModifiable,
    ExitAllocation,
    PositionClosed,
    PositionNotIsolated,
    IsolatedMarginUnsafe,
    MarketableLimitUnacknowledged,
    // why a working order was canceled
    User,
    ReduceOnly,
    SiblingFilled,
    Replaced,
    Margin,
    Liquidated,
    Breached,
    ParentCanceled,
}

/// `rule_id`: the trading or execution rule behind a refusal (docs/engine.md 7.1).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    IntoStaticStr,
    VariantArray,
    Serialize,
    Deserialize,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum RuleId {
    MaxDailyLoss,
    MaxDrawdown,
    MaxLeverage,
    MaxPositionNotional,
    MaxOpenPositions,
    MinOrderNotional,
    OrderCooldown,
    Consistency,
    ProfitTarget,
    MinTradingDays,
    MaxSlippage,
    IsolatedMarginUnsafe,
    InsufficientMargin,
    AccountBreached,
    AccountRestriction,
    MarketAccess,
    MarketAvailability,
    SelfTrade,
    MarginMode,
    ReduceOnly,
    PostOnly,
    TimeInForce,
    TriggerPrice,
    PriceBand,
    PriceStep,
    SizeStep,
    ExitSide,
    MarketableLimit,
    MaxChaseOrders,
    MaxWorkingOrders,
    #[strum(serialize = "exit-allocation")]
    ExitAllocation,
    #[strum(serialize = "order-not-modifiable")]
    OrderNotModifiable,
}

impl Reason {
    /// The trading rule behind a reason; `None` for one that is a state of an object, or no reason to refuse.
    #[must_use]
    pub fn rule(self) -> Option<RuleId> {
        const RULES: [(Reason, RuleId); 30] = [
            (Reason::LeverageTooHigh, RuleId::MaxLeverage),
            (Reason::MaxPosition, RuleId::MaxPositionNotional),
            (Reason::MaxOpenPositions, RuleId::MaxOpenPositions),
            (Reason::BelowMinNotional, RuleId::MinOrderNotional),
            (Reason::OrderCooldown, RuleId::OrderCooldown),
            (Reason::NoLiquidity, RuleId::MaxSlippage),
            (Reason::SlippageTooHigh, RuleId::MaxSlippage),
            (Reason::IsolatedMarginUnsafe, RuleId::IsolatedMarginUnsafe),
            (Reason::InsufficientMargin, RuleId::InsufficientMargin),
            (Reason::AccountBreached, RuleId::AccountBreached),
            (Reason::AccountRestricted, RuleId::AccountRestriction),
            (Reason::MarketRestricted, RuleId::MarketAccess),
            (Reason::MarketUnavailable, RuleId::MarketAvailability),
            (Reason::SelfTrade, RuleId::SelfTrade),
            (Reason::MarginModeConflict, RuleId::MarginMode),
            (Reason::ReduceOnlyNoPosition, RuleId::ReduceOnly),
            (Reason::ReduceOnlyWouldIncrease, RuleId::ReduceOnly),
            (Reason::PostOnlyWouldCross, RuleId::PostOnly),
            (Reason::IocNoMatch, RuleId::TimeInForce),
            (Reason::FokUnfillable, RuleId::TimeInForce),
            (Reason::TriggerWouldFire, RuleId::TriggerPrice),
            (Reason::PriceOutOfBand, RuleId::PriceBand),
            (Reason::InvalidTick, RuleId::PriceStep),
            (Reason::InvalidSize, RuleId::SizeStep),
            (Reason::InvalidAttachedExit, RuleId::ExitSide),
            (
                Reason::MarketableLimitUnacknowledged,
                RuleId::MarketableLimit,
            ),
            (Reason::TooManyChaseOrders, RuleId::MaxChaseOrders),
            (Reason::TooManyWorkingOrders, RuleId::MaxWorkingOrders),
            (Reason::ExitAllocation, RuleId::ExitAllocation),
            (Reason::OrderNotModifiable, RuleId::OrderNotModifiable),
        ];
        RULES
            .iter()
            .find(|(reason, _)| *reason == self)
            .map(|&(_, rule)| rule)
    }
}

/// The HTTP status of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// 400: the command is invalid in any state; nothing was recorded.
    Payload,
    /// 404: no such object in this account.
    NotFound,
    /// 409: the object is not in a state that allows the command.
    Conflict,
    /// 422: a trading rule rejects the command.
    Rule,
    /// 503: data for the decision is missing at the moment.
    Unavailable,
    /// 429: too soon after the last market execution; `retry_in` virtual milliseconds from now.
    Cooldown { retry_in: Millis },
}

/// A refused command. `message` names the field, its value and the limit, for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CommandRefusal {
    pub kind: RefusalKind,
    pub code: Reason,
    pub message: String,
    /// The offending body field in the API's spelling, for payload refusals.
    pub field: Option<Cow<'static, str>>,
    pub rule: Option<RuleId>,
    /// The row that was recorded as `rejected`, if one was.
    pub order: Option<OrderId>,
}

/// What a command did, or why it did nothing.
pub type CommandResult<T> = Result<T, CommandRefusal>;

impl CommandRefusal {
    pub(crate) fn payload(field: &'static str, code: Reason, message: String) -> Self {
        Self {
            field: Some(field.into()),
            rule: None,
            ..Self::new(RefusalKind::Payload, code, message)
        }
    }

    /// Of the operation of a batch at this place.
    pub(crate) fn of_operation(self, index: usize) -> Self {
        let within = |field| Cow::from(format!("operations[{index}].{field}"));
        Self {
            field: self.field.map(within),
            ..self
        }
    }

    /// By a trading rule that concerns one field.
    pub(crate) fn rule(field: &'static str, code: Reason, message: String) -> Self {
        Self {
            field: Some(field.into()),
            ..Self::new(RefusalKind::Rule, code, message)
        }
    }

    /// By a trading rule, if the reason has one, or by the state of an object.
    pub(crate) fn conflict(code: Reason, message: impl Into<String>) -> Self {
        let kind = match code.rule() {
            Some(_) => RefusalKind::Rule,
            None => RefusalKind::Conflict,
        };
        Self::new(kind, code, message.into())
    }

    /// The same text for missing and foreign ids, so that they cannot be distinguished.
    pub(crate) fn not_found(what: &'static str) -> Self {
        let message = format!("no such {what} in this account");
        Self::new(RefusalKind::NotFound, Reason::NotFound, message)
    }

    pub(crate) fn unavailable(message: String) -> Self {
        Self::new(RefusalKind::Unavailable, Reason::MarketUnavailable, message)
    }

    pub(crate) fn cooldown(every: Millis, retry_in: Millis) -> Self {
        let message = format!(
            "one market execution per {} ms: try again in {} ms",
            every.0, retry_in.0
        );
        Self::new(
            RefusalKind::Cooldown { retry_in },
            Reason::OrderCooldown,
            message,
        )
    }

    fn new(kind: RefusalKind, code: Reason, message: String) -> Self {
        Self {
            kind,
            code,
            message,
            field: None,
            rule: code.rule(),
            order: None,
        }
    }
}

/// By a trading rule, if the reason has one, or by the state of an object.
pub(crate) fn refuse<T>(code: Reason, message: impl Into<String>) -> CommandResult<T> {
    Err(CommandRefusal::conflict(code, message))
}

/// For a field that is invalid in any state.
pub(crate) fn refuse_field<T>(
    field: &'static str,
    code: Reason,
    message: impl Into<String>,
) -> CommandResult<T> {
    Err(CommandRefusal::payload(field, code, message.into()))
}
