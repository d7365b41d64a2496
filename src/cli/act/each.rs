//! The same command for each of several objects, each with its own question, key and outcome.

use super::prepared::KeyFlag;
use crate::{
    cli::{Exit, voice::Output},
    model::IdempotencyKey,
};
use color_eyre::Result;

/// Goes on after a failure, which is printed; alone, a failure is the verb's own.
pub(super) async fn each<Id: Clone>(
    voice: Output,
    ids: &[Id],
    one: impl AsyncFn(Id, usize) -> Result<Exit>,
) -> Result<Exit> {
    if let [id] = ids {
        return one(id.clone(), 0).await;
    }
    let mut exits = vec![];
    for (at, id) in ids.iter().enumerate() {
        let done = one(id.clone(), at).await;
        exits.push(done.unwrap_or_else(|why| voice.explain(&why)));
    }
    Ok(Exit::of_all(&exits))
}

impl KeyFlag {
    /// The key of one of several commands: `KEY-2`.
    pub(super) fn of_one(&self, at: usize, count: usize) -> Self {
        let numbered = |key: &IdempotencyKey| format!("{}-{}", key.raw(), at + 1).into();
        match &self.chosen {
            Some(key) if count > 1 => Self {
                chosen: Some(numbered(key)),
            },
            Some(_) | None => self.clone(),
        }
    }
}
