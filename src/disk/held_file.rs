//! A file that is open under a path: whether the path still leads to it. A deleted file takes everything that is written
//! to it, and nobody finds it again.

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldFile {
    path: PathBuf,
    id: FileId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    fn of(path: &Path) -> io::Result<Self> {
        let found = fs::metadata(path)?;
        Ok(Self {
            device: found.dev(),
            inode: found.ino(),
        })
    }
}

impl HeldFile {
    /// The file that is there now.
    pub fn at(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            id: FileId::of(path)?,
        })
    }

    /// Whether nothing is there any more, or another file. A path that cannot be looked at for another reason proves
    /// neither.
    pub fn is_gone(&self) -> bool {
        match FileId::of(&self.path) {
            Ok(found) => found != self.id,
            Err(why) => matches!(
                why.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_gone_when_it_or_its_directory_is_deleted_or_another_one_is_in_its_place() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("state");
        let path = dir.join("file");
        let held = || {
            fs::create_dir_all(&dir).unwrap();
            fs::write(&path, "a").unwrap();
            HeldFile::at(&path).unwrap()
        };
        let file = held();
        fs::write(&path, "more").unwrap();
        assert!(!file.is_gone(), "it is only written to");
        fs::rename(&path, dir.join("other")).unwrap();
        fs::write(&path, "a").unwrap();
        assert!(file.is_gone(), "another file is there");
        let file = held();
        fs::remove_dir_all(&dir).unwrap();
        assert!(file.is_gone());
        assert!(HeldFile::at(&path).is_err());
    }
}
