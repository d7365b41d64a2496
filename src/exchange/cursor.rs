//! Opaque cursors: a position in one list of one account, authenticated so that it is valid nowhere else.

use super::{
    api_error::{ApiError, ApiResult, ServiceCode},
    bytes::{hex, same_bytes, unhex},
    engine::{AccountIx, Millis, RowKey},
    secret::ServerSecret,
};
use crate::model::Cursor;

/// Which list a cursor belongs to. The numbers are in the cursors that clients hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum ListName {
    Orders = 0,
    ClosedPositions = 1,
    Fills = 2,
    CompletedTwaps = 3,
    CanceledTwaps = 4,
    ScaledOrders = 5,
}

pub(super) fn invalid_cursor() -> ApiError {
    let message = "cursor was not issued for this endpoint, account and filter";
    ApiError::field("cursor", ServiceCode::InvalidCursor, message)
}

/// Issues and verifies cursors with the secret of this exchange.
#[derive(Debug)]
pub(super) struct CursorSigner(ServerSecret);

/// Bytes of the MAC in a cursor: half a SHA-256.
const MAC_BYTES: usize = 16;
/// Time and counter, eight bytes each.
const POSITION_BYTES: usize = 16;

impl CursorSigner {
    pub(super) fn new(secret: &ServerSecret) -> Self {
        Self(secret.clone())
    }

    /// A page continues after the row of this key.
    pub(super) fn issue<Id>(&self, list: ListName, account: AccountIx, key: RowKey<Id>) -> Cursor
    where
        usize: From<Id>,
    {
        // Rows count from 1.
        let seq = usize::from(key.id) as u64 + 1;
        let place = [key.at.0.to_be_bytes(), seq.to_be_bytes()].concat();
        let sealed = [place.as_slice(), &self.mac(list, account, &place)].concat();
        Cursor::from(hex(&sealed))
    }

    /// 400 for anything but a cursor of this exchange for this list and account.
    pub(super) fn verify<Id: From<usize>>(
        &self,
        list: ListName,
        account: AccountIx,
        cursor: &Cursor,
    ) -> ApiResult<RowKey<Id>> {
        self.decode(list, account, cursor.raw())
            .ok_or_else(invalid_cursor)
    }

    fn decode<Id: From<usize>>(
        &self,
        list: ListName,
        account: AccountIx,
        text: &str,
    ) -> Option<RowKey<Id>> {
        let sealed = unhex(text).filter(|bytes| bytes.len() == POSITION_BYTES + MAC_BYTES)?;
        let (place, seal) = sealed.split_at(POSITION_BYTES);
        let expected = self.mac(list, account, place);
        same_bytes(seal, &expected).then_some(())?;
        let (at, seq) = place.split_at(8);
        let seq = u64::from_be_bytes(seq.try_into().ok()?);
        Some(RowKey {
            at: Millis(i64::from_be_bytes(at.try_into().ok()?)),
            id: usize::try_from(seq.saturating_sub(1)).ok()?.into(),
        })
    }

    /// Over everything the cursor is bound to.
    fn mac(&self, list: ListName, account: AccountIx, place: &[u8]) -> Vec<u8> {
        let account = usize::from(account).to_be_bytes();
        let digest = self.0.digest(b"cursor", &[&[list as u8], &account, place]);
        digest.into_iter().take(MAC_BYTES).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::OrderId;
    use crate::exchange::secret::KeySource;

    fn sealing(seed: u64) -> CursorSigner {
        CursorSigner::new(&ServerSecret::new(KeySource::Seed, seed))
    }

    #[test]
    fn a_cursor_opens_only_where_it_was_made() {
        let cursors = sealing(7);
        let (mine, other) = (AccountIx::from(0), AccountIx::from(1));
        let key = RowKey {
            at: Millis(1_790_000_000_123),
            id: OrderId::from(41),
        };
        let cursor = cursors.issue(ListName::Orders, mine, key);
        let open = |list, account| cursors.verify(list, account, &cursor).ok();
        assert_eq!(open(ListName::Orders, mine), Some(key));
        assert_eq!(open(ListName::Orders, other), None);
        assert_eq!(open(ListName::ClosedPositions, mine), None);
        let elsewhere = sealing(8);
        let verified = elsewhere.verify::<OrderId>(ListName::Orders, mine, &cursor);
        assert!(verified.is_err());
    }

    #[test]
    fn no_altered_cursor_opens() {
        let cursors = sealing(7);
        let mine = AccountIx::from(0);
        let key = RowKey {
            at: Millis(1_790_000_000_123),
            id: OrderId::from(41),
        };
        let cursor = cursors.issue(ListName::Orders, mine, key);
        for at in 0..cursor.raw().len() {
            let mut altered = cursor.raw().as_bytes().to_vec();
            altered[at] = if altered[at] == b'0' { b'1' } else { b'0' };
            let altered = Cursor::from(String::from_utf8(altered).unwrap());
            let verified = cursors.verify::<OrderId>(ListName::Orders, mine, &altered);
            assert!(verified.is_err(), "{altered:?}");
        }
        for text in ["", "zz", "abc", "é"] {
            let cursor = Cursor::from(text.to_owned());
            let verified = cursors.verify::<OrderId>(ListName::Orders, mine, &cursor);
            assert!(verified.is_err());
        }
    }
}
