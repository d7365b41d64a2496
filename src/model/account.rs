//! Accounts, as `GET /v1/accounts` lists them, and the risk of one (docs/service-api.md 2.5).

use super::{
    AccountId, Lenient, MarketId, Num, Text, Timestamp, value::lenient::or_none,
    value::words::words,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::fmt;
use strum::{Display, EnumString, VariantArray};

words! {
    /// The phase of a challenge.
    AccountStage { Evaluation, Funded }
    AccountStatus { Active, Passed, Failed, Closed }
}

/// An account. Amounts in USD. `GET /v1/accounts/{id}` adds its risk.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_none")])]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Account {
    pub id: AccountId,
    /// How the service numbers it, for a person.
    #[serde(default, deserialize_with = "number")]
    #[serde_with(skip_apply)]
    pub account_number: Option<Text>,
    pub name: Option<Text>,
    pub stage: Option<Lenient<AccountStage>>,
    pub status: Option<Lenient<AccountStatus>>,
    pub starting_balance: Option<Num>,
    /// Realized: without the unrealized profit of open positions.
    pub balance: Option<Num>,
    pub created_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde_with(skip_apply)]
    pub risk: Option<AccountRisk>,
}

/// A number as text or as a number.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Text>, D::Error> {
    let raw = Option::<Box<RawValue>>::deserialize(from)?;
    Ok(raw.and_then(|raw| {
        let text = serde_json::from_str(raw.get()).ok();
        text.or_else(|| {
            Some(
                serde_json::from_str::<Num>(raw.get())
                    .ok()?
                    .to_string()
                    .into(),
            )
        })
    }))
}

/// What is at risk on an account now, USD. A value that is null is unknown or not set, never 0.
#[serde_with::apply(Option => #[serde(deserialize_with = "or_none")])]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AccountRisk {
    /// When the service measured it.
    pub observed_at: Option<Timestamp>,
    /// Whether every open position had a mark.
    pub marks_complete: Option<bool>,
    /// The markets without one.
    pub missing_markets: Option<Vec<MarketId>>,
    pub equity: Option<Num>,
    pub unrealized_pnl: Option<Num>,
    pub margin_used: Option<Num>,
    pub available_balance: Option<Num>,
    /// The notional of all open positions.
    pub gross_exposure: Option<Num>,
    /// The equity at which the daily loss limit is reached.
    pub daily_loss_floor: Option<Num>,
    /// What can still be lost today; `None` without a known limit.
    pub daily_loss_room: Option<Num>,
    pub max_drawdown_floor: Option<Num>,
    pub max_drawdown_room: Option<Num>,
    /// The profit that the target still needs.
    pub remaining_profit: Option<Num>,
    pub requirements: Option<AccountRequirements>,
}

/// The rules of a challenge. Percentages of the starting balance: 5 is 5 %.
#[serde_with::apply(Option => #[serde(deserialize_with = "or_none")])]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AccountRequirements {
    pub daily_loss_pct: Option<Num>,
    pub max_drawdown_pct: Option<Num>,
    pub profit_target_pct: Option<Num>,
    /// The largest share of the profit that one day may have.
    pub consistency_pct: Option<Num>,
    pub minimum_trading_days: Option<Num>,
}

/// `chal-1 (50k evaluation)`, for lists to choose from.
impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.fmt(f)?;
        match &self.name {
            Some(name) if !name.is_empty() => write!(f, " ({name})"),
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_null_is_not_set_and_a_word_that_is_new_costs_no_row() {
        let account: Account = serde_json::from_str(
            r#"{"id":"a","account_number":"A-17","name":"50k","stage":"probation","status":"active",
                "starting_balance":50000.00,"balance":49990.5,"created_at":1790000000000,"risk":{
                "observed_at":1790000000000,"marks_complete":true,"missing_markets":[],"equity":50100.25,
                "daily_loss_floor":null,"daily_loss_room":null,"requirements":{"daily_loss_pct":0}}}"#,
        )
        .unwrap();
        assert_eq!(account.to_string(), "a (50k)");
        assert_eq!(account.account_number, Some("A-17".into()));
        let numbered: Account = serde_json::from_str(r#"{"id":"a","account_number":17}"#).unwrap();
        assert_eq!(numbered.account_number, Some("17".into()));
        assert_eq!(account.stage.unwrap().to_string(), "probation");
        let risk = account.risk.unwrap();
        assert_eq!(risk.equity, Some("50100.25".parse().unwrap()));
        assert_eq!((risk.daily_loss_room, risk.margin_used), (None, None));
    }
}
