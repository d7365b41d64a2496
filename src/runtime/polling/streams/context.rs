//! What the streams of an account share with its polls.

use super::{super::cover::StreamCover, wanted::MarketsWanted};
use crate::{
    app::{Msg, StreamNews},
    client::Client,
    runtime::base::clock::Clock,
};
use std::sync::Arc;
use tokio::sync::{Notify, mpsc::Sender, watch};

#[derive(Debug, Clone)]
pub(in crate::runtime::polling) struct StreamContext {
    pub(in crate::runtime::polling) client: Client,
    pub(in crate::runtime::polling) clock: Clock,
    pub(in crate::runtime::polling) events: Sender<Msg>,
    pub(in crate::runtime::polling) cover: StreamCover,
    /// Polls of what the account's stream tells: all of them, at once, when it is gone.
    pub(in crate::runtime::polling) nudges: Vec<Arc<Notify>>,
    pub(in crate::runtime::polling) wanted: watch::Sender<MarketsWanted>,
    pub(in crate::runtime::polling) seed: u64,
}

impl StreamContext {
    pub(super) async fn say(&self, news: StreamNews) {
        let msg = Msg::Streamed(self.clock.now(), Box::new(news));
        // The desk is shutting down: nobody receives it.
        let _closed = self.events.send(msg).await;
    }
}
