//! The newest intents in a second file beside the database, from which rows that the database loses are restored.
//!
//! Contract: 128 slots of 1,024 bytes with a checksum each, in allocated space. An intent is committed, then its slot
//! is written and synced, then it is sent. A settled outcome rewrites the slot without a sync. The slot of an open
//! intent is never reused; if all slots are open, no new entry is accepted. An intent that is too long for its slot is
//! stored without its body, but with the body's hash; orders with both exits fit.

use super::{Intent, IntentId, IntentRow, IntentState, checksum::Hash};
use crate::{
    disk,
    model::{IdempotencyKey, OrderId, Timestamp},
};
use sha2::{Digest as _, Sha256};
use std::{
    fs::File,
    io::{self, Read as _},
    os::unix::fs::FileExt as _,
    path::Path,
    str,
};

pub(super) const FILE: &str = "journal.ring";
pub(super) const SLOTS: usize = 128;
const SLOT: usize = 1024;
/// Bytes of the checksum at the start of a slot.
const CHECK: usize = 8;
const FORMAT: &[u8] = b"perpdeck ring 1";

/// An intent as its slot holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RingSlot {
    /// The id of its journal.
    pub(super) uuid: [u8; 16],
    pub(super) chain: Hash,
    pub(super) id: IntentId,
    pub(super) created_at: Timestamp,
    pub(super) state: IntentState,
    pub(super) order_id: Option<OrderId>,
    pub(super) intent: Intent,
    pub(super) body_hash: Hash,
    pub(super) kept: SlotDetail,
}

/// How much of an intent fits into its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display, strum::EnumString)]
pub(super) enum SlotDetail {
    All,
    /// Everything but its body.
    Head,
    /// Only its existence and its key.
    Key,
}

impl RingSlot {
    pub(super) fn new(uuid: [u8; 16], chain: Hash, entry: &IntentRow) -> Self {
        let outcome = entry.outcome.as_ref();
        let slot = Self {
            uuid,
            chain,
            id: entry.id,
            created_at: entry.created_at,
            state: entry.state,
            order_id: outcome.and_then(|outcome| outcome.order_id.clone()),
            intent: entry.intent.clone(),
            body_hash: Sha256::digest(&entry.intent.body).into(),
            kept: SlotDetail::All,
        };
        slot.cut_to_size()
    }

    fn cut_to_size(self) -> Self {
        let fits = |slot: &Self| slot.text().len() <= SLOT - CHECK;
        if fits(&self) {
            return self;
        }
        let mut head = self;
        head.intent.body.clear();
        head.kept = SlotDetail::Head;
        if fits(&head) {
            return head;
        }
        let intent = &mut head.intent;
        for long in [
            &mut intent.base_url,
            &mut intent.target,
            &mut intent.command,
        ] {
            long.clear();
        }
        (intent.resource, head.order_id) = (None, None);
        intent.account_id = String::new().into();
        head.kept = SlotDetail::Key;
        head
    }

    pub(super) fn is_open(&self) -> bool {
        self.state.is_open()
    }

    fn text(&self) -> Vec<u8> {
        let intent = &self.intent;
        let mut out = FieldWriter::default();
        out.put(FORMAT);
        out.put(&self.uuid);
        out.put(&self.chain);
        for number in [
            self.id.0,
            self.created_at.0,
            intent.deadline.0,
            intent.replay_until.0,
        ] {
            out.put(&number.to_le_bytes());
        }
        out.put_any(intent.parent.map(|parent| parent.0.to_le_bytes()));
        out.put(self.state.to_string().as_bytes());
        out.put(intent.risk.to_string().as_bytes());
        out.put(self.kept.to_string().as_bytes());
        out.put(&self.body_hash);
        out.put_any(intent.key.as_ref().map(IdempotencyKey::raw));
        out.put_any(self.order_id.as_ref().map(OrderId::raw));
        out.put_any(intent.resource.as_ref());
        for text in [
            &intent.credential,
            &intent.method,
            &intent.base_url,
            &intent.target,
            &intent.command,
        ] {
            out.put(text.as_bytes());
        }
        out.put(intent.account_id.raw().as_bytes());
        out.put(&intent.body);
        out.0
    }

    fn bytes(&self) -> Vec<u8> {
        let mut text = self.text();
        text.resize(SLOT - CHECK, 0);
        let mut bytes = check(&text).to_vec();
        bytes.extend(text);
        bytes
    }

    /// `None` if the bytes are no slot, or damaged.
    fn read(bytes: &[u8]) -> Option<Self> {
        let (sum, text) = bytes.split_at_checked(CHECK)?;
        let mut fields = FieldReader(text);
        if sum != check(text) || fields.next()? != FORMAT {
            return None;
        }
        let (uuid, chain) = (fields.array()?, fields.array()?);
        let id = IntentId(fields.number()?);
        let created_at = Timestamp(fields.number()?);
        let (deadline, replay_until) = (Timestamp(fields.number()?), Timestamp(fields.number()?));
        let parent = match fields.any()? {
            Field::There(number) => Some(IntentId(i64::from_le_bytes(number.try_into().ok()?))),
            Field::Absent => None,
        };
        let state = fields.text()?.parse().ok()?;
        let risk = fields.text()?.parse().ok()?;
        let kept = fields.text()?.parse().ok()?;
        let body_hash = fields.array()?;
        let key = fields.any_text()?.there().map(Into::into);
        let order_id = fields.any_text()?.there().map(Into::into);
        let intent = Intent {
            key,
            parent,
            risk,
            deadline,
            replay_until,
            resource: fields.any_text()?.there(),
            credential: fields.text()?,
            method: fields.text()?,
            base_url: fields.text()?,
            target: fields.text()?,
            command: fields.text()?,
            account_id: fields.text()?.into(),
            body: fields.next()?.to_vec(),
        };
        Some(Self {
            uuid,
            chain,
            id,
            created_at,
            state,
            order_id,
            intent,
            body_hash,
            kept,
        })
    }
}

fn check(text: &[u8]) -> [u8; CHECK] {
    let hash: Hash = Sha256::digest(text).into();
    hash.first_chunk().copied().unwrap_or_default()
}

/// Writes fields one after another, each after its length.
#[derive(Default)]
struct FieldWriter(Vec<u8>);

/// The length that marks an absent field.
const NONE: u16 = u16::MAX;

impl FieldWriter {
    fn put(&mut self, field: &[u8]) {
        // Anything longer exceeds a slot anyway.
        let length = u16::try_from(field.len()).unwrap_or(NONE - 1);
        self.0.extend(length.to_le_bytes());
        self.0.extend(field);
    }

    fn put_any(&mut self, field: Option<impl AsRef<[u8]>>) {
        match field {
            Some(field) => self.put(field.as_ref()),
            None => self.0.extend(NONE.to_le_bytes()),
        }
    }
}

struct FieldReader<'a>(&'a [u8]);

/// An optional field.
enum Field<T> {
    There(T),
    Absent,
}

impl<T> Field<T> {
    fn there(self) -> Option<T> {
        match self {
            Self::There(field) => Some(field),
            Self::Absent => None,
        }
    }
}

impl<'a> FieldReader<'a> {
    fn any(&mut self) -> Option<Field<&'a [u8]>> {
        let (length, rest) = self.0.split_first_chunk()?;
        let length = u16::from_le_bytes(*length);
        if length == NONE {
            self.0 = rest;
            return Some(Field::Absent);
        }
        let (field, rest) = rest.split_at_checked(usize::from(length))?;
        self.0 = rest;
        Some(Field::There(field))
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        self.any()?.there()
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.next()?.try_into().ok()
    }

    fn number(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        Some(str::from_utf8(self.next()?).ok()?.to_owned())
    }

    fn any_text(&mut self) -> Option<Field<String>> {
        Some(match self.any()? {
            Field::There(bytes) => Field::There(str::from_utf8(bytes).ok()?.to_owned()),
            Field::Absent => Field::Absent,
        })
    }
}

/// The contents of a ring when it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct RingContents {
    /// The file existed, at its full size.
    pub(super) is_there: bool,
    pub(super) slots: Vec<RingSlot>,
    /// Damaged slots.
    pub(super) unreadable: usize,
}

/// What a slot of the file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotState {
    Free,
    Settled(i64),
    Open(i64),
}

impl SlotState {
    fn id(self) -> Option<i64> {
        match self {
            Self::Free => None,
            Self::Settled(id) | Self::Open(id) => Some(id),
        }
    }
}

#[derive(Debug)]
pub(super) struct Ring {
    file: File,
    states: Vec<SlotState>,
}

impl Ring {
    /// Opens or creates the file.
    pub(super) fn open(dir: &Path) -> io::Result<(Self, RingContents)> {
        let file = disk::private_file(&dir.join(FILE))?;
        let (states, contents) = read(&file)?;
        if !contents.is_there {
            let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
            let missing = (SLOTS * SLOT).saturating_sub(length);
            file.write_all_at(&vec![0; missing], length as u64)?;
            file.sync_all()?;
        }
        Ok((Self { file, states }, contents))
    }

    /// Reads the file while another process may write it; empty if there is none.
    pub(super) fn read_file(dir: &Path) -> RingContents {
        let file = disk::own_file(&dir.join(FILE));
        let found = file.and_then(|file| read(&file));
        found.map(|(_, contents)| contents).unwrap_or_default()
    }

    /// Marks a settled intent as open again.
    pub(super) fn reopen(&mut self, slot: &RingSlot) -> io::Result<()> {
        if slot.is_open() && self.states.contains(&SlotState::Settled(slot.id.0)) {
            return self.put(slot);
        }
        Ok(())
    }

    /// Writes a slot if it is new, or if its open state changed.
    pub(super) fn note(&mut self, slot: &RingSlot) -> io::Result<()> {
        if self.states.contains(&slot_state(slot)) {
            return Ok(());
        }
        self.put(slot)
    }

    /// Whether one more intent fits.
    pub(super) fn has_room(&self) -> bool {
        self.states
            .iter()
            .any(|place| !matches!(place, SlotState::Open(_)))
    }

    /// Synced when this returns, if the intent is open.
    fn put(&mut self, slot: &RingSlot) -> io::Result<()> {
        let id = slot.id.0;
        let Some(at) = self.slot_for(id) else {
            return Ok(());
        };
        self.file.write_all_at(&slot.bytes(), offset(at))?;
        if slot.is_open() {
            self.file.sync_data()?;
        }
        if let Some(place) = self.states.get_mut(at) {
            *place = slot_state(slot);
        }
        Ok(())
    }

    /// Its own slot, else the one least needed; `None` if every other one is open.
    fn slot_for(&self, id: i64) -> Option<usize> {
        let mut states = self.states.iter();
        if let Some(own) = states.position(|place| place.id() == Some(id)) {
            return Some(own);
        }
        let free = self.states.iter().enumerate();
        let free = free.filter(|(_, place)| !matches!(place, SlotState::Open(_)));
        let oldest = free.min_by_key(|(_, place)| place.id().unwrap_or(i64::MIN));
        oldest.map(|(at, _)| at)
    }

    /// Clears the slots of deleted rows.
    pub(super) fn forget(&mut self, ids: &[i64]) -> io::Result<()> {
        for (at, place) in self.states.iter_mut().enumerate() {
            if place.id().is_some_and(|id| ids.contains(&id)) {
                self.file.write_all_at(&[0; SLOT], offset(at))?;
                *place = SlotState::Free;
            }
        }
        Ok(())
    }

    /// Replaces the file with one that holds exactly these slots.
    pub(super) fn replace(dir: &Path, slots: &[RingSlot]) -> io::Result<Self> {
        let mut bytes: Vec<u8> = slots.iter().take(SLOTS).flat_map(RingSlot::bytes).collect();
        bytes.resize(SLOTS * SLOT, 0);
        disk::replace(&dir.join(FILE), &bytes)?;
        Ok(Self::open(dir)?.0)
    }
}

fn offset(at: usize) -> u64 {
    (at * SLOT) as u64
}

fn slot_state(slot: &RingSlot) -> SlotState {
    if slot.is_open() {
        SlotState::Open(slot.id.0)
    } else {
        SlotState::Settled(slot.id.0)
    }
}

fn read(file: &File) -> io::Result<(Vec<SlotState>, RingContents)> {
    let mut bytes = vec![];
    file.take((SLOTS * SLOT) as u64).read_to_end(&mut bytes)?;
    let mut contents = RingContents {
        is_there: bytes.len() == SLOTS * SLOT,
        ..RingContents::default()
    };
    bytes.resize(SLOTS * SLOT, 0);
    let states = bytes.chunks_exact(SLOT).map(|bytes| {
        if bytes.iter().all(|byte| *byte == 0) {
            return SlotState::Free;
        }
        let Some(slot) = RingSlot::read(bytes) else {
            contents.unreadable += 1;
            return SlotState::Free;
        };
        let place = slot_state(&slot);
        contents.slots.push(slot);
        place
    });
    Ok((states.collect(), contents))
}
