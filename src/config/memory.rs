//! What is stored between sessions in small files of the state directory: learned dialects, the layouts of the screen, and whether the tour was
//! shown.
//!
//! Contract: a missing or unreadable file counts as empty (the dialect is learned again), and a failed write loses only
//! that. The last writer wins. The files hold no secrets.

use crate::{api::Learned, disk};
use std::{collections::BTreeMap, io, path::Path};

const FILE: &str = "dialects.json";
const TOUR: &str = "tour";
const LAYOUTS: &str = "layouts.json";

/// By base URL.
type Known = BTreeMap<String, Learned>;

/// What was learned about the service at `base_url` before.
pub fn recall(state_dir: &Path, base_url: &str) -> Learned {
    known(state_dir).remove(base_url).unwrap_or_default()
}

/// Stores what was learned, beside other services.
pub fn remember(state_dir: &Path, base_url: &str, learned: &Learned) -> io::Result<()> {
    let mut known = known(state_dir);
    known.insert(base_url.to_owned(), learned.clone());
    write(state_dir, FILE, &serde_json::to_vec_pretty(&known)?)
}

/// Replaces the file of this name.
pub(super) fn write(state_dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    disk::private_dir(state_dir)?;
    disk::replace(&state_dir.join(name), bytes)
}

/// The layout last chosen on screens of each size, by the name of the size.
pub fn kept_layouts(state_dir: &Path) -> BTreeMap<String, String> {
    let text = disk::read_own(&state_dir.join(LAYOUTS)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
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

fn known(state_dir: &Path) -> Known {
    let text = disk::read_own(&state_dir.join(FILE)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
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
    fn each_service_is_remembered_by_its_address_and_a_broken_file_is_an_empty_one() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let learned = |name: &str| Learned {
            position_selector: Some(name.to_owned()),
            ..Learned::default()
        };
        assert_eq!(recall(&state, "https://a"), Learned::default());
        remember(&state, "https://a", &learned("state")).unwrap();
        remember(&state, "https://b", &learned("view")).unwrap();
        assert_eq!(recall(&state, "https://a"), learned("state"));
        assert_eq!(recall(&state, "https://b"), learned("view"));
        fs::write(state.join(FILE), "{").unwrap();
        assert_eq!(recall(&state, "https://a"), Learned::default());
    }
    #[test]
    fn the_sign_of_sizes_is_proved_anew_at_each_start_whatever_an_earlier_version_kept() {
        let dir = tempfile::tempdir().unwrap();
        let kept = r#"{"https://a":{"position_selector":"state","signed_sizes":false}}"#;
        fs::write(dir.path().join(FILE), kept).unwrap();
        let learned = Learned {
            position_selector: Some("state".to_owned()),
            ..Learned::default()
        };
        assert_eq!(recall(dir.path(), "https://a"), learned);
    }
}
