//! A value that counts how often it was lent for changing.

use std::{
    fmt,
    ops::{Deref, DerefMut},
};

/// A value with a generation, which rises with every mutable borrow: whoever remembers the generation knows that nothing
/// has changed since, whatever code has run. A borrow that changes nothing costs only what is made again needlessly.
#[derive(Default)]
pub struct Tracked<T> {
    value: T,
    generation: u64,
}

impl<T> Tracked<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            value,
            generation: 0,
        }
    }

    pub fn generation(&self) -> u64 {
        self.generation
    }
}

impl<T> Deref for Tracked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Tracked<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.generation = self.generation.wrapping_add(1);
        &mut self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Tracked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_keeps_the_generation_and_borrowing_to_change_raises_it() {
        let mut tracked = Tracked::new(vec![1]);
        let before = tracked.generation();
        assert_eq!(tracked.len(), 1);
        assert_eq!(tracked.generation(), before);
        tracked.push(2);
        assert!(tracked.generation() > before);
    }
}
