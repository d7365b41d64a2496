//! Repairs a journal whose files disagree: restores what the ring holds, and marks what cannot be trusted. Nothing of
//! it is ever resent automatically.
//!
//! Contract: a repaired intent that was open has an unknown outcome, and its key counts as expired, so that only reads
//! and a person settle it. A changed row that the ring lacks cannot be parsed as a command any more. The repair is one
//! transaction, together with its report; the files are copied first.

use super::{
    Intent, IntentId, IntentState, Outcome,
    checksum::{self, CheckedRow, JournalIdentity},
    damage_report::DamageReport,
    insert::{KnownKey, NewRow},
    ring::{FILE as RING, Ring, RingContents, RingSlot, SLOTS, SlotDetail},
    transaction::newest_slots,
};
use crate::{
    disk,
    model::{IdempotencyKey, OrderId},
};
use rusqlite::{
    Connection, OptionalExtension as _, Transaction, TransactionBehavior, named_params, params,
};
use sha2::{Digest as _, Sha256};
use std::{
    io::{self, Read as _},
    path::Path,
};

/// Copies of damaged journals that are kept.
const COPIES: u32 = 9;

/// Copies the files before `SQLite` changes them; returns the directory's name if there was room.
pub(super) fn keep_evidence(dir: &Path, database: &str) -> Option<String> {
    let name = (1..=COPIES)
        .map(|number| format!("damaged-{number}"))
        .find(|name| !dir.join(name).exists())?;
    let place = dir.join(&name);
    disk::private_dir(&place).ok()?;
    for file in [database, &format!("{database}-wal"), RING] {
        if let Ok(mut from) = disk::own_file(&dir.join(file)) {
            let mut to = disk::fresh_file(&place.join(file)).ok()?;
            io::copy(&mut from, &mut to).ok()?;
        }
    }
    Some(name)
}

/// The fact that holds the damage report until a person has seen it.
const DAMAGE: &str = "damage";

/// The damage report that no person has seen yet.
pub(super) fn unseen(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let words = checksum::fact(connection, DAMAGE)?;
    Ok(words.map(|words| String::from_utf8_lossy(&words).into_owned()))
}

/// Clears the damage report: a person has seen it.
pub(super) fn seen(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM facts WHERE name = ?1", [DAMAGE])?;
    Ok(())
}

/// Repairs what the report lists; the journal has this identity from now on.
pub(super) fn repair(
    connection: &Connection,
    report: &DamageReport<'_>,
    rows: &[CheckedRow],
    words: &str,
) -> rusqlite::Result<()> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    if let (true, Some(slot)) = (rows.is_empty(), report.lost.first()) {
        // A journal that starts anew goes on with its ring.
        let uuid = "UPDATE facts SET value = ?1 WHERE name = 'uuid'";
        transaction.execute(uuid, [slot.uuid])?;
    }
    let identity = JournalIdentity::read(&transaction)?;
    for row in rows.iter().filter(|row| !row.follows) {
        note(&transaction, row.id, "does not follow the row before it")?;
    }
    for (id, slot) in &report.changed {
        match slot.filter(|slot| slot.kept != SlotDetail::Key) {
            Some(slot) => repair_row(&transaction, *id, slot)?,
            None => mark(&transaction, *id, rows)?,
        }
        note(&transaction, *id, "changed on the disk")?;
        checksum::renew(&transaction, &identity, *id)?;
    }
    for slot in &report.settled {
        let settle = "UPDATE intents SET state = ?2, order_id = coalesce(order_id, ?3),
                          told_at = coalesce(told_at, created_at), detail = ?4 WHERE id = ?1";
        let order = slot.order_id.as_ref().map(OrderId::raw);
        let state = slot.state.to_string();
        transaction.execute(settle, params![slot.id.0, state, order, RESTORED])?;
        checksum::renew(&transaction, &identity, slot.id.0)?;
    }
    for slot in &report.lost {
        if let Some(id) = restore(&transaction, slot)? {
            checksum::append(&transaction, &identity, id)?;
            note(&transaction, id, "restored from journal.ring")?;
        }
    }
    transaction.execute(
        "INSERT OR REPLACE INTO facts VALUES (?1, ?2)",
        params![DAMAGE, words.as_bytes()],
    )?;
    transaction.commit()
}

fn note(connection: &Connection, id: i64, what: &str) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO damage VALUES (?1, ?2)";
    connection.execute(sql, params![id, what]).map(drop)
}

const RESTORED: &str = "restored from journal.ring: the database had lost it";
const BODILESS: &str = "restored from journal.ring, without its body: the database had lost it";

/// An intent that was open may have executed.
fn state(slot: &RingSlot) -> IntentState {
    if slot.is_open() {
        IntentState::Unknown
    } else {
        slot.state
    }
}

fn detail(slot: &RingSlot) -> &'static str {
    match slot.kept {
        SlotDetail::All => RESTORED,
        SlotDetail::Head | SlotDetail::Key => BODILESS,
    }
}

/// Restores a row under its own number if that is free. Returns its number; `None` if its key exists already.
fn restore(connection: &Connection, slot: &RingSlot) -> rusqlite::Result<Option<i64>> {
    let newest: i64 = connection.query_row(
        "SELECT max(coalesce((SELECT max(id) FROM intents), 0),
             coalesce((SELECT max(id) FROM forgotten), 0))",
        [],
        |row| row.get(0),
    )?;
    let state = state(slot);
    let intent = Intent {
        parent: known_parent(connection, slot)?,
        replay_until: slot.created_at,
        ..slot.intent.clone()
    };
    let outcome = Outcome {
        at: slot.created_at,
        detail: detail(slot).to_owned(),
        order_id: slot.order_id.clone(),
        request_id: None,
    };
    let row = NewRow {
        number: Some(slot.id.0).filter(|number| *number > newest),
        state,
        maybe_executed: !matches!(state, IntentState::Rejected | IntentState::Unsent),
        outcome: Some(&outcome),
        known_key: KnownKey::Skip,
        ..NewRow::inflight(slot.created_at, &intent)
    };
    row.insert(connection)
}

/// The row it is part of, if the database has it.
fn known_parent(connection: &Connection, slot: &RingSlot) -> rusqlite::Result<Option<IntentId>> {
    let Some(parent) = slot.intent.parent else {
        return Ok(None);
    };
    connection
        .query_row("SELECT id FROM intents WHERE id = ?1", [parent.0], |row| {
            row.get(0).map(IntentId)
        })
        .optional()
}

/// Restores the columns that never change from the ring. A body too long for the ring stays if its hash matches.
fn repair_row(connection: &Connection, id: i64, slot: &RingSlot) -> rusqlite::Result<()> {
    let (intent, state) = (&slot.intent, state(slot));
    let there: Vec<u8> = connection.query_row(
        "SELECT CAST(body AS BLOB) FROM intents WHERE id = ?1",
        [id],
        |row| row.get(0),
    )?;
    let is_same = <[u8; 32]>::from(Sha256::digest(&there)) == slot.body_hash;
    let body = if is_same { &there } else { &intent.body };
    connection.execute(
        "UPDATE intents SET created_at = :at, base_url = :base_url, account_id = :account_id,
             credential = :credential, method = :method, target = :target, body = :body, key = :key, risk = :risk,
             command = :command, resource = :resource, deadline = :deadline, replay_until = :at, state = :state,
             maybe_executed = :maybe_executed, told_at = :at, detail = :detail, order_id = :order_id,
             request_id = NULL, chain = :chain
         WHERE id = :id",
        named_params! {
            ":id": id,
            ":at": slot.created_at.0,
            ":base_url": intent.base_url,
            ":account_id": intent.account_id.raw(),
            ":credential": intent.credential,
            ":method": intent.method,
            ":target": intent.target,
            ":body": body,
            ":key": intent.key.as_ref().map(IdempotencyKey::raw),
            ":risk": intent.risk.to_string(),
            ":command": intent.command,
            ":resource": intent.resource,
            ":deadline": intent.deadline.0,
            ":state": state.to_string(),
            ":maybe_executed": !matches!(state, IntentState::Rejected | IntentState::Unsent),
            ":detail": "changed on the disk, and repaired from journal.ring",
            ":order_id": slot.order_id.as_ref().map(OrderId::raw),
            ":chain": slot.chain,
        },
    )?;
    Ok(())
}

/// Text columns, each of which damage may have turned into something else.
const TEXTS: [&str; 8] = [
    "base_url",
    "account_id",
    "credential",
    "method",
    "target",
    "key",
    "command",
    "resource",
];

/// Marks a row that nothing can repair: readable, but no longer a request.
fn mark(connection: &Connection, id: i64, rows: &[CheckedRow]) -> rusqlite::Result<()> {
    for column in TEXTS {
        let bytes: Option<Vec<u8>> = connection.query_row(
            &format!("SELECT CAST({column} AS BLOB) FROM intents WHERE id = ?1"),
            [id],
            |row| row.get(0),
        )?;
        if let Some(Err(why)) = bytes.map(String::from_utf8) {
            let text = String::from_utf8_lossy(why.as_bytes()).into_owned();
            let sql = format!("UPDATE intents SET {column} = ?2 WHERE id = ?1");
            connection.execute(&sql, params![id, text])?;
        }
    }
    connection.execute(
        "UPDATE intents SET method = 'damaged', replay_until = created_at, request_id = NULL, order_id = NULL,
             told_at = created_at, detail = 'changed on the disk: what it says may be wrong',
             risk = iif(risk IN ('reducing', 'neutral', 'increasing'), risk, 'increasing')
         WHERE id = ?1",
        [id],
    )?;
    if rows.iter().any(|row| row.id == id && row.is_open()) {
        let open = "UPDATE intents SET state = 'parked', maybe_executed = 1 WHERE id = ?1";
        connection.execute(open, [id])?;
    }
    Ok(())
}

/// Refills the ring: slot by slot if little is missing, as a new file if it cannot be trusted.
pub(super) fn refill(
    (dir, ring, known): (&Path, Ring, &RingContents),
    connection: &Connection,
    identity: &JournalIdentity,
    trust: RingRefill,
) -> io::Result<Ring> {
    let wanted = newest_slots(connection, identity, SLOTS).map_err(io::Error::other)?;
    let mut ring = ring;
    match trust {
        RingRefill::Nothing
            if wanted.is_empty() && known.slots.is_empty() && known.unreadable == 0 => {}
        RingRefill::Nothing => return Ring::replace(dir, &wanted),
        RingRefill::WhatItKnows => {
            for slot in &wanted {
                ring.note(slot)?;
            }
        }
    }
    Ok(ring)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RingRefill {
    Nothing,
    WhatItKnows,
}

/// `SQLite` writes a log back long before it reaches this size.
const LONGEST_LOG: u64 = 256 * 1024 * 1024;

/// The log before `SQLite` reads it; empty if there is none.
pub(super) fn log(path: &Path) -> Vec<u8> {
    disk::own_file(path)
        .and_then(|mut file| {
            let mut bytes = vec![];
            file.by_ref().take(LONGEST_LOG).read_to_end(&mut bytes)?;
            Ok(bytes)
        })
        .unwrap_or_default()
}
