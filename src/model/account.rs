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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Account {
    pub id: AccountId,
    /// How the service numbers it, for a person.
    #[serde(default, deserialize_with = "number")]
    pub account_number: Option<Text>,
    #[serde(default, deserialize_with = "or_none")]
    pub name: Option<Text>,
    #[serde(default, deserialize_with = "or_none")]
    pub stage: Option<Lenient<AccountStage>>,
    #[serde(default, deserialize_with = "or_none")]
    pub status: Option<Lenient<AccountStatus>>,
    #[serde(default, deserialize_with = "or_none")]
    pub starting_balance: Option<Num>,
    /// Realized: without the unrealized profit of open positions.
    #[serde(default, deserialize_with = "or_none")]
    pub balance: Option<Num>,
    #[serde(default, deserialize_with = "or_none")]
    pub created_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AccountRisk {
    /// When the service measured it.
    #[serde(deserialize_with = "or_none")]
    pub observed_at: Option<Timestamp>,
    /// Whether every open position had a mark.
    #[serde(deserialize_with = "or_none")]
    pub marks_complete: Option<bool>,
    /// The markets without one.
    #[serde(deserialize_with = "or_none")]
    pub missing_markets: Option<Vec<MarketId>>,
    #[serde(deserialize_with = "or_none")]
    pub equity: Option<Num>,
    #[serde(deserialize_with = "or_none")]
    pub unrealized_pnl: Option<Num>,
    #[serde(deserialize_with = "or_none")]
    pub margin_used: Option<Num>,
    #[serde(deserialize_with = "or_none")]
    pub available_balance: Option<Num>,
    /// The notional of all open positions.
    #[serde(deserialize_with = "or_none")]
    pub gross_exposure: Option<Num>,
    /// The equity at which the daily loss limit is reached.
    #[serde(deserialize_with = "or_none")]
    pub daily_loss_floor: Option<Num>,
    /// What can still be lost today; `None` without a known limit.
    #[serde(deserialize_with = "or_none")]
    pub daily_loss_room: Option<Num>,
    #[serde(deserialize_with = "or_none")]
    pub max_drawdown_floor: Option<Num>,
    #[serde(deserialize_with = "or_none")]
    pub max_drawdown_room: Option<Num>,
    /// The profit that the target still needs.
    #[serde(deserialize_with = "or_none")]
    pub remaining_profit: Option<Num>,
    #[serde(deserialize_with = "or_none")]
    pub requirements: Option<AccountRequirements>,
}

/// The rules of a challenge. Percentages of the starting balance: 5 is 5 %.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AccountRequirements {
    #[serde(deserialize_with = "or_none")]
    pub daily_loss_pct: Option<Num>,
    #[serde(deserialize_with = "or_none")]
    pub max_drawdown_pct: Option<Num>,
    #[serde(deserialize_with = "or_none")]
    pub profit_target_pct: Option<Num>,
    /// The largest share of the profit that one day may have.
    #[serde(deserialize_with = "or_none")]
    pub consistency_pct: Option<Num>,
    #[serde(deserialize_with = "or_none")]
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
