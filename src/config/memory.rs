//! What is stored between sessions in small files of the state directory: the layouts of the screen, the lines on
//! the charts, and whether the tour was shown.
//!
//! Contract: a missing file counts as empty, and so does an unreadable one that holds only a choice. A failed write loses
//! only that. The last writer wins. The files hold no secrets.

use crate::disk;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    path::Path,
};

const TOUR: &str = "tour";
const LAYOUTS: &str = "layouts.json";
const LINES: &str = "lines.json";

/// Replaces the file of this name.
pub(super) fn write(state_dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    disk::private_dir(state_dir)?;
    disk::replace(&state_dir.join(name), bytes)
}

/// The layout last chosen on screens of each size, by the name of the size.
pub fn kept_layouts(state_dir: &Path) -> BTreeMap<String, String> {
    read(state_dir, LAYOUTS).unwrap_or_default()
}

/// The lines on the charts, by market. A damaged file is set aside: the next line must not replace those in it.
///
/// # Errors
/// In words, if there is a file and it cannot be read.
pub fn kept_lines<T: DeserializeOwned>(
    state_dir: &Path,
) -> Result<BTreeMap<String, Vec<T>>, String> {
    read(state_dir, LINES).map_err(|why| {
        let path = state_dir.join(LINES);
        let what = format!("your lines on the charts in {}", path.display());
        let is_damaged = matches!(
            why.kind(),
            ErrorKind::InvalidData | ErrorKind::UnexpectedEof
        );
        match is_damaged.then(|| disk::set_aside(&path)) {
            Some(Ok(aside)) => format!(
                "{what} are damaged ({why}): the file is kept as {}, and none is shown",
                aside.display()
            ),
            Some(Err(_)) | None => format!("{what} cannot be read: {why}"),
        }
    })
}

/// Keeps the lines of one market beside those of the others.
pub fn keep_lines<T: Serialize>(state_dir: &Path, market: &str, lines: &[T]) -> io::Result<()> {
    let mut kept: BTreeMap<String, Value> = read(state_dir, LINES)?;
    kept.insert(market.to_owned(), serde_json::to_value(lines)?);
    write(state_dir, LINES, &serde_json::to_vec_pretty(&kept)?)
}

/// What the file of this name holds; nothing if there is none.
pub(super) fn read<T: DeserializeOwned + Default>(state_dir: &Path, name: &str) -> io::Result<T> {
    match disk::read_own(&state_dir.join(name)) {
        Ok(text) => Ok(serde_json::from_slice(&text)?),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(T::default()),
        Err(why) => Err(why),
    }
}

/// Keeps the layout of one size beside those of the others.
pub fn keep_layout(state_dir: &Path, size: &str, layout: &str) -> io::Result<()> {
    let mut kept = kept_layouts(state_dir);
    kept.insert(size.to_owned(), layout.to_owned());
    write(state_dir, LAYOUTS, &serde_json::to_vec_pretty(&kept)?)
}

/// Whether the tour was never shown; marks it as shown. If that cannot be stored, the answer is no, so that the tour
/// does not appear at every start.
pub fn is_first_tour(state_dir: &Path) -> bool {
    let made = disk::private_dir(state_dir);
    made.and_then(|()| disk::fresh_file(&state_dir.join(TOUR)))
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_tour_is_for_the_first_time_only() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        assert!(is_first_tour(&state));
        assert!(!is_first_tour(&state));
        let nowhere = dir.path().join("state").join(TOUR).join("below a file");
        assert!(!is_first_tour(&nowhere));
    }

    #[test]
    fn each_size_of_screen_keeps_its_layout_and_a_broken_file_is_an_empty_one() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        keep_layout(&state, "wide", "risk").unwrap();
        keep_layout(&state, "medium", "history").unwrap();
        keep_layout(&state, "wide", "market").unwrap();
        let kept = [("medium", "history"), ("wide", "market")];
        let kept = kept.map(|(size, layout)| (size.to_owned(), layout.to_owned()));
        assert_eq!(kept_layouts(&state), BTreeMap::from(kept));
        fs::write(state.join(LAYOUTS), "[").unwrap();
        assert_eq!(kept_layouts(&state), BTreeMap::new());
    }

    #[test]
    fn each_market_keeps_its_lines() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        keep_lines(&state, "paper|BTC", &["low", "high"]).unwrap();
        keep_lines(&state, "paper|ETH", &["open"]).unwrap();
        keep_lines(&state, "paper|BTC", &["low"]).unwrap();
        let kept = kept_lines::<String>(&state).unwrap();
        let of = |market| kept.get(market).map(Vec::as_slice);
        assert_eq!(of("paper|BTC"), Some(["low".to_owned()].as_slice()));
        assert_eq!(of("paper|ETH"), Some(["open".to_owned()].as_slice()));
    }

    #[test]
    fn damaged_lines_are_set_aside_in_words_and_never_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let damaged = r#"{"paper|BTC": ["low""#;
        fs::write(dir.path().join(LINES), damaged).unwrap();
        keep_lines(dir.path(), "paper|BTC", &["high"]).unwrap_err();
        let why = kept_lines::<String>(dir.path()).unwrap_err();
        assert!(why.contains("lines.json.damaged-1"), "{why}");
        keep_lines(dir.path(), "paper|BTC", &["high"]).unwrap();
        let aside = dir.path().join("lines.json.damaged-1");
        assert_eq!(fs::read_to_string(aside).unwrap(), damaged);
        assert_eq!(kept_lines::<String>(dir.path()).unwrap().len(), 1);
    }
}
