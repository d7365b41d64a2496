//! Every name and meaning that the API description marks "not shown"; each is a guess that a setting can change.

use crate::model::TimestampUnit;
use serde::{Deserialize, Serialize};

/// The names that the filter of a list may have, likeliest first: the paper exchange accepts each, a client tries them
/// in turn.
pub const FILTER_SPELLINGS: [&str; 4] = ["status", "filter", "state", "view"];

/// How a service spells what the description leaves open. The defaults are the paper exchange's; `assets/default.toml`
/// documents each as a setting under `[dialect]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Dialect {
    /// The query that limits `GET /v1/orders` to pending and resting orders; an empty name sends none.
    pub working_filter: QueryPair,
    /// The query parameter of `GET /v1/positions` that takes `open` or `closed`; empty sends none.
    pub position_selector: String,
    /// The body field of the time-in-force option.
    pub time_in_force_field: String,
    /// The body field of the trigger-direction option.
    pub trigger_direction_field: String,
    /// The body field of the non-negative number of `POST /v1/orders`, assumed to be the slippage cap.
    pub slippage_field: String,
    /// The query parameter that names the account on `GET /v1/twap-orders`; empty sends none.
    pub twaps_account: String,
    /// Where TWAP and VWAP orders are created. `docs/service-api.md 7`: the documents say that it is possible, not how.
    pub twap_creation: Creation,
    /// Where scaled orders are created.
    pub scaled_creation: Creation,
    /// The unit of timestamps in requests; in responses it follows from the magnitude.
    pub timestamp_unit: TimestampUnit,
    /// Whether a short position has a negative size.
    pub signed_sizes: bool,
}

/// One `name=value` of a query.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct QueryPair {
    pub name: String,
    pub value: String,
}

/// The path that takes a `POST` that creates a TWAP or a scaled order, with an `Idempotency-Key`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "String", into = "String")]
pub enum Creation {
    /// The paper exchange's own path if the service may be one, else none.
    Auto,
    /// The service offers none.
    None,
    At(String),
}

const PAPER_TWAPS: &str = "/sim/twap-orders";
const PAPER_LADDERS: &str = "/sim/scaled-orders";

impl Creation {
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::At(path) => Some(path),
            Self::Auto | Self::None => None,
        }
    }

    fn on_paper(self, path: &str) -> Self {
        match self {
            Self::Auto => Self::At(path.to_owned()),
            Self::None | Self::At(_) => self,
        }
    }
}

impl From<String> for Creation {
    fn from(word: String) -> Self {
        match word.as_str() {
            "auto" => Self::Auto,
            "none" => Self::None,
            _ => Self::At(word),
        }
    }
}

impl From<Creation> for String {
    fn from(creation: Creation) -> Self {
        match creation {
            Creation::Auto => "auto".to_owned(),
            Creation::None => "none".to_owned(),
            Creation::At(path) => path,
        }
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            working_filter: QueryPair {
                name: "status".to_owned(),
                value: "working".to_owned(),
            },
            position_selector: "status".to_owned(),
            time_in_force_field: "time_in_force".to_owned(),
            trigger_direction_field: "trigger_direction".to_owned(),
            slippage_field: "slippage_tolerance_bps".to_owned(),
            twaps_account: "account_id".to_owned(),
            twap_creation: Creation::At(PAPER_TWAPS.to_owned()),
            scaled_creation: Creation::At(PAPER_LADDERS.to_owned()),
            timestamp_unit: TimestampUnit::default(),
            signed_sizes: true,
        }
    }
}

impl Dialect {
    /// For a service on this machine, which may be the paper exchange.
    #[must_use]
    pub fn on_paper(self) -> Self {
        Self {
            twap_creation: self.twap_creation.on_paper(PAPER_TWAPS),
            scaled_creation: self.scaled_creation.on_paper(PAPER_LADDERS),
            ..self
        }
    }

    /// The body fields whose name in the service differs from ours: our name, then the service's.
    pub(super) fn renamed_fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("time_in_force", self.time_in_force_field.as_str()),
            ("trigger_direction", &self.trigger_direction_field),
            ("slippage_tolerance_bps", &self.slippage_field),
        ]
        .into_iter()
        .filter(|(ours, theirs)| ours != theirs)
    }
}
