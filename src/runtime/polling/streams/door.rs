//! Where a stream is opened, and what is read beside it.

use crate::{
    client::{Client, StreamIo, VenueClient},
    feed::{rest_read::RestRead, venue::VenueSocket},
    model::{Failure, StreamKind},
};

#[derive(Debug, Clone)]
pub(crate) enum StreamDoor {
    Service(Client, StreamKind),
    /// A client without a key.
    Venue(VenueClient, VenueSocket),
}

impl StreamDoor {
    pub(super) async fn open(&self, query: &str) -> Result<StreamIo, Failure> {
        match self {
            Self::Service(client, kind) => client.open_stream(*kind, query).await,
            Self::Venue(client, socket) => {
                let path = format!("{}{query}", socket.path());
                client.open(socket.venue(), &path).await
            }
        }
    }

    /// What a read of the stream has brought.
    pub(super) async fn read(&self, rest: RestRead) -> Option<Vec<u8>> {
        let Self::Venue(client, socket) = self else {
            return None;
        };
        let read = client.read(socket.venue(), &rest.target, rest.body, rest.weight);
        let answer = read.await;
        answer
            .inspect_err(|why| tracing::debug!("a read of {} failed: {why}", socket.venue()))
            .ok()
    }

    /// In words, for the log.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Service(_, kind) => format!("{kind:?}"),
            Self::Venue(_, socket) => format!("{socket:?}"),
        }
    }
}
