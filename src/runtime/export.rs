//! Writing an export: off the loop, and never over a file that is there.

use crate::{
    app::export::{Format, Sheet},
    view,
};
use std::{
    fs::OpenOptions,
    io::{ErrorKind, Write},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

/// A directory with this many of one name is not what anybody wants to add to.
const NAMES: u32 = 100;

/// Where it is, and how many rows it holds; blocks while it formats and writes.
pub(super) fn write(sheet: &Sheet, dir: &Path) -> Result<(String, usize), String> {
    let (text, rows) = view::file(sheet);
    let stem = view::file_stem(sheet);
    let ending = match sheet.format {
        Format::Csv => "csv",
        Format::Json => "json",
    };
    for number in 1..=NAMES {
        let name = match number {
            1 => format!("{stem}.{ending}"),
            more => format!("{stem}-{more}.{ending}"),
        };
        let path = dir.join(name);
        match create(&path, &text) {
            Ok(()) => return Ok((path.display().to_string(), rows)),
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {}
            Err(why) => return Err(format!("{} cannot be written: {why}", path.display())),
        }
    }
    Err(format!("{} is full of exports of this name", dir.display()))
}

/// For its owner only: what somebody trades is nobody else's business.
fn create(path: &PathBuf, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{export::SheetRows, pane::Pane},
        model::Timestamp,
    };
    use std::fs;

    #[test]
    fn an_export_is_never_written_over_another() {
        let dir = tempfile::tempdir().unwrap();
        let sheet = Sheet {
            pane: Pane::History,
            format: Format::Csv,
            account: "../chal 1".to_owned(),
            at: Timestamp(1_790_000_000_000),
            rows: SheetRows::Orders(vec![]),
            markets: vec![],
        };
        let first = write(&sheet, dir.path()).unwrap();
        let named = dir
            .path()
            .join("perpdeck-orders-.._chal_1-20260921141320.csv");
        assert_eq!(first, (named.display().to_string(), 0));
        fs::write(&named, "mine").unwrap();
        let (second, _) = write(&sheet, dir.path()).unwrap();
        assert!(second.ends_with("-20260921141320-2.csv"), "{second}");
        assert_eq!(fs::read_to_string(&named).unwrap(), "mine");
        let nowhere = write(&sheet, &dir.path().join("nowhere"));
        assert!(nowhere.unwrap_err().contains("cannot be written"));
    }
}
