//! What keeps received markets from being opened.

use std::{io, path::PathBuf};

/// Why received markets cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum ReceivedFault {
    #[error("{} cannot be read", path.display())]
    File {
        path: PathBuf,
        #[source]
        why: io::Error,
    },
    #[error("{} cannot be replayed: {why}", path.display())]
    Recording { path: PathBuf, why: String },
    #[error("{0} has no order book: record it with its book")]
    NoBook(String),
    #[error("nothing came of {0} within {1} s: check its name and the connection")]
    Silent(String, u64),
    #[error("no file is given to replay")]
    NoFile,
    #[error("the live feed has ended: start the exchange again")]
    Ended,
    #[error("a live feed has no beginning: start the exchange again")]
    NoBeginning,
    #[error(
        "the data directory holds an exchange of other markets than {0}: name another directory"
    )]
    OtherMarkets(String),
}
