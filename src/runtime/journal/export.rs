//! Writes an export, off the main loop, and never overwrites a file.
//!
//! Contract: the file is complete or does not exist. Only its owner can read it: trades are private.

use crate::{
    app::core::sheet::{Format, Sheet},
    config::at_home,
    disk::create,
    view,
};
use std::{
    io::{Error, ErrorKind},
    path::{Path, PathBuf},
};

/// Numbered names tried in one directory before the export gives up.
const NAMES: u32 = 100;

/// Returns the path and the number of rows. Blocks while it formats and writes. `dir` is the default directory and the
/// base of relative paths.
pub fn write(sheet: &Sheet, dir: &Path) -> Result<(String, usize), String> {
    let target = sheet.to.as_ref().map(|to| dir.join(at_home(to.clone())));
    let (text, rows) = view::file(sheet);
    let path = match target {
        Some(file) if !file.is_dir() => create(&file, text.as_bytes())
            .map(|()| file.clone())
            .map_err(|why| refused(&file, &why))?,
        target => named(sheet, target.as_deref().unwrap_or(dir), &text)?,
    };
    Ok((path.display().to_string(), rows))
}

/// Writes under the first free numbered name.
fn named(sheet: &Sheet, dir: &Path, text: &str) -> Result<PathBuf, String> {
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
        match create(&path, text.as_bytes()) {
            Ok(()) => return Ok(path),
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {}
            Err(why) => return Err(refused(&path, &why)),
        }
    }
    Err(format!(
        "{} has too many exports of this name: move some away",
        dir.display()
    ))
}

fn refused(path: &Path, why: &Error) -> String {
    if why.kind() == ErrorKind::AlreadyExists {
        format!("{} exists and is not changed", path.display())
    } else {
        format!("{} cannot be written: {why}", path.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{account::trades::TradeLog, core::sheet::SheetRows},
        model::Timestamp,
    };
    use std::fs;

    #[test]
    fn an_export_is_never_written_over_another() {
        let dir = tempfile::tempdir().unwrap();
        let sheet = Sheet {
            to: None,
            format: Format::Csv,
            account: "../chal 1".to_owned(),
            at: Timestamp(1_790_000_000_000),
            rows: SheetRows::History(vec![]),
            markets: vec![],
            working: None,
            trades: TradeLog::default(),
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
        let to = |to: &str| Sheet {
            to: Some(to.to_owned()),
            ..sheet.clone()
        };
        let target = write(&to("mine.csv"), dir.path()).unwrap();
        assert_eq!(target.0, dir.path().join("mine.csv").display().to_string());
        let again = write(&to("mine.csv"), dir.path()).unwrap_err();
        assert!(
            again.ends_with("mine.csv exists and is not changed"),
            "{again}"
        );
        let (third, _) = write(&to(dir.path().to_str().unwrap()), Path::new("/nowhere")).unwrap();
        assert!(third.ends_with("-20260921141320-3.csv"), "{third}");
        let nowhere = write(&sheet, &dir.path().join("nowhere"));
        assert!(nowhere.unwrap_err().contains("cannot be written"));
    }
}
