//! What `SQLite` would silently drop from a write-ahead log.
//!
//! `SQLite` stops at the first frame with a wrong checksum and keeps the frames before it. That is right after a power
//! cut, and silent if a frame was damaged later. The checksum of each frame continues that of the previous one. So a
//! frame that continues the *stored* checksum of a bad frame proves that the bad frame was whole when it was written.

/// Bytes of the log's header, and of each frame's.
const HEADER: usize = 32;
const FRAME: usize = 24;
/// The lowest bit of the magic number gives the byte order of the checksum.
const MAGIC: u32 = 0x377f_0682;

type Checksum = (u32, u32);

/// Commits after a damaged frame of the log. One may be a write that a power cut interrupted; more are a loss. A log
/// whose own header is bad shows nothing: `SQLite` ignores all of it, and the ring holds its rows.
pub(super) fn lost_commits(log: &[u8]) -> usize {
    let Some(header) = WalHeader::read(log) else {
        return 0;
    };
    let frames: Vec<WalFrame<'_>> = header.frames(log).collect();
    let mut before = header.checksum;
    let mut whole = 0;
    for frame in &frames {
        if !header.continues(before, frame) {
            break;
        }
        before = frame.checksum;
        whole += 1;
    }
    let behind = frames.iter().zip(frames.iter().skip(1)).skip(whole);
    behind
        .filter(|(bad, next)| next.is_commit() && header.continues(bad.checksum, next))
        .count()
}

struct WalHeader {
    order: fn([u8; 4]) -> u32,
    page: usize,
    salt: [u8; 8],
    checksum: Checksum,
}

struct WalFrame<'a> {
    head: &'a [u8],
    page: &'a [u8],
    checksum: Checksum,
}

impl WalHeader {
    fn read(log: &[u8]) -> Option<Self> {
        let magic = word(log, 0)?;
        let order = match magic ^ MAGIC {
            0 => u32::from_le_bytes,
            1 => u32::from_be_bytes,
            _ => return None,
        };
        let header = Self {
            order,
            page: usize::try_from(word(log, 8)?).ok()?,
            salt: log.get(16..24)?.try_into().ok()?,
            checksum: (word(log, 24)?, word(log, 28)?),
        };
        let is_whole = header.sum((0, 0), log.get(..24)?) == header.checksum;
        (is_whole && header.page > 0).then_some(header)
    }

    fn frames<'a>(&self, log: &'a [u8]) -> impl Iterator<Item = WalFrame<'a>> + use<'a> {
        let frames = log.get(HEADER..).unwrap_or_default();
        frames
            .chunks_exact(FRAME.saturating_add(self.page))
            .filter_map(|frame| {
                let (head, page) = frame.split_at_checked(FRAME)?;
                let checksum = (word(head, 16)?, word(head, 20)?);
                Some(WalFrame {
                    head,
                    page,
                    checksum,
                })
            })
    }

    /// Whether the frame belongs to this log and continues the checksum `before`.
    fn continues(&self, before: Checksum, frame: &WalFrame<'_>) -> bool {
        let sum = frame.head.get(..8).map(|head| self.sum(before, head));
        let sum = sum.map(|sum| self.sum(sum, frame.page));
        frame.head.get(8..16) == Some(&self.salt) && sum == Some(frame.checksum)
    }

    fn sum(&self, (mut a, mut b): Checksum, bytes: &[u8]) -> Checksum {
        for pair in bytes.chunks_exact(8) {
            let words = pair.split_first_chunk::<4>();
            let Some((first, second)) = words.and_then(|(x, y)| Some((x, y.first_chunk::<4>()?)))
            else {
                break;
            };
            a = a.wrapping_add((self.order)(*first)).wrapping_add(b);
            b = b.wrapping_add((self.order)(*second)).wrapping_add(a);
        }
        (a, b)
    }
}

impl WalFrame<'_> {
    /// The last frame of a transaction holds the new size of the database.
    fn is_commit(&self) -> bool {
        word(self.head, 4).is_some_and(|pages| pages != 0)
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_be_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;
    use std::fs;

    /// A log of `commits` commits, as a killed process leaves it.
    fn log(commits: usize) -> Vec<u8> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.sqlite3");
        let connection = Connection::open(&path).unwrap();
        connection
            .pragma_update(None, "journal_mode", "WAL")
            .unwrap();
        connection.execute_batch("CREATE TABLE t (n)").unwrap();
        for n in 1..commits {
            connection
                .execute("INSERT INTO t VALUES (?1)", [n])
                .unwrap();
        }
        fs::read(path.with_extension("sqlite3-wal")).unwrap()
    }

    #[test]
    fn a_damaged_frame_is_told_from_the_end_of_a_log_that_a_power_cut_tore() {
        let whole = log(6);
        let frame = FRAME + 4096;
        let last = whole.len() - frame;
        let flipped = |at: usize| {
            let mut log = whole.clone();
            log[at] ^= 4;
            log
        };
        for (what, log, lost) in [
            ("a whole log", whole.clone(), 0),
            (
                "the page of the third frame from the end",
                flipped(last - 2 * frame + 700),
                2,
            ),
            (
                "a salt of the third frame from the end",
                flipped(last - 2 * frame + 9),
                2,
            ),
            ("the last frame but one", flipped(last - frame + 30), 1),
            ("the last frame", flipped(last + 30), 0),
            ("half of the last frame", whole[..last + 900].to_vec(), 0),
            ("the header", flipped(17), 0),
            ("nothing", vec![], 0),
        ] {
            assert_eq!(lost_commits(&log), lost, "{what}");
        }
    }
}
