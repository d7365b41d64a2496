//! Frames of the account stream, read leniently.

use super::event::AccountRow;
use crate::model::{AccountId, Num, Order, Position, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A message of the service. What it has beside this is ignored.
#[serde_with::apply(Option<Cow> => #[serde(borrow)], Option<&RawValue> => #[serde(borrow)])]
#[serde_with::apply(Vec<&RawValue> => #[serde(borrow, default)])]
#[derive(Debug, Deserialize)]
pub(super) struct AccountFrame<'a> {
    event: Option<Cow<'a, str>>,
    #[serde(rename = "type")]
    kind: Option<Cow<'a, str>>,
    stream_id: Option<&'a RawValue>,
    pub(super) resumed: Option<bool>,
    pub(super) seq: Option<u64>,
    time: Option<Num>,
    account_id: Option<AccountId>,
    account: Option<&'a RawValue>,
    position: Option<&'a RawValue>,
    order: Option<&'a RawValue>,
    fill: Option<&'a RawValue>,
    positions: Vec<&'a RawValue>,
    orders: Vec<&'a RawValue>,
}

/// The words for what a message is.
const KINDS: [&str; 10] = [
    "hello",
    "snapshot",
    "snapshot_end",
    "account",
    "position",
    "order",
    "fill",
    "heartbeat",
    "error",
    "reconnect",
];

impl AccountFrame<'_> {
    /// What it is, in `event` or in `type`: one of them may say what happened (`filled`). Without such a word by its row.
    pub(super) fn kind(&self) -> &str {
        let words = [&self.event, &self.kind].into_iter().flatten();
        let mut words = words.map(|word| &**word);
        let by_row = || {
            let rows = [
                (self.order, "order"),
                (self.position, "position"),
                (self.fill, "fill"),
            ];
            let found = rows.into_iter().find(|(row, _)| row.is_some());
            found.map_or("", |(_, kind)| kind)
        };
        words
            .find(|word| KINDS.contains(word))
            .unwrap_or_else(by_row)
    }

    pub(super) fn at(&self) -> Option<Timestamp> {
        self.time.and_then(Timestamp::from_wire)
    }

    /// What the service calls the stream, as text or as a number.
    pub(super) fn stream_id(&self) -> Option<String> {
        let text = self.stream_id?.get();
        Some(serde_json::from_str(text).unwrap_or_else(|_| text.to_owned()))
    }

    /// Whether it is about this account: by its own word, or else by that of its row.
    pub(super) fn is_about(&self, account: &AccountId) -> bool {
        #[derive(Deserialize)]
        struct Row {
            id: Option<AccountId>,
            account_id: Option<AccountId>,
        }
        if let Some(named) = &self.account_id {
            return named == account;
        }
        let read = |raw: &RawValue| serde_json::from_str::<Row>(raw.get()).ok();
        let by_account = self.account.and_then(read).and_then(|row| row.id);
        let other = self.position.or(self.order).or(self.fill);
        let by_other = other.and_then(read).and_then(|row| row.account_id);
        by_account.or(by_other).as_ref() == Some(account)
    }

    /// The row of an event of `account`; `None` if it cannot be read or is of another account.
    pub(super) fn row(&self, account: &AccountId) -> Option<AccountRow> {
        let row = match self.kind() {
            "account" => AccountRow::Account(read(self.account?)?),
            "position" => AccountRow::Position(read(self.position?)?),
            "order" => AccountRow::Order(read(self.order?)?),
            "fill" => AccountRow::Fill(read(self.fill?)?),
            _ => return None,
        };
        is_of(&row, account).then_some(row)
    }

    /// The rows of a snapshot of `account`, oldest first; `None` if one cannot be read: half of an account is none.
    pub(super) fn rows(&self, account: &AccountId) -> Option<Vec<AccountRow>> {
        let mut orders = Vec::<Box<Order>>::new();
        for raw in &self.orders {
            orders.push(read(raw)?);
        }
        orders.sort_by_key(|order| order.requested_at);
        let positions = self.positions.iter().map(|raw| read::<Position>(raw));
        let positions: Vec<_> = positions.collect::<Option<_>>()?;
        let of_account = match self.account.filter(|raw| raw.get() != "null") {
            Some(raw) => Some(AccountRow::Account(read(raw)?)),
            None => None,
        };
        let positions = positions.into_iter().map(AccountRow::Position);
        let orders = orders.into_iter().map(AccountRow::Order);
        let rows: Vec<_> = of_account
            .into_iter()
            .chain(positions)
            .chain(orders)
            .collect();
        rows.iter().all(|row| is_of(row, account)).then_some(rows)
    }
}

fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<Box<T>> {
    serde_json::from_str(raw.get()).ok()
}

fn is_of(row: &AccountRow, account: &AccountId) -> bool {
    let named = match row {
        AccountRow::Account(row) => &row.id,
        AccountRow::Position(row) => &row.account_id,
        AccountRow::Order(row) | AccountRow::Fill(row) => &row.account_id,
    };
    named.raw().is_empty() || named == account
}
