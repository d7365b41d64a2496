//! Which rows of a list are visible if some have a line above them.

/// A list of `count` rows on `room` lines; `lines` returns the lines of a row, at least one.
#[derive(Clone, Copy)]
pub(in crate::ui) struct RowWindow<F> {
    pub(in crate::ui) count: usize,
    pub(in crate::ui) room: usize,
    pub(in crate::ui) lines: F,
}

impl<F: Fn(usize) -> usize> RowWindow<F> {
    /// The first visible row: `before`, moved only as far as needed to show row `seen`, without empty lines that a row
    /// could fill.
    pub(in crate::ui) fn first(&self, before: usize, seen: usize) -> usize {
        let earliest = self.earliest(seen).min(seen);
        let latest = self.earliest(self.count.saturating_sub(1));
        before.clamp(earliest, seen).min(latest.max(earliest))
    }

    /// The row after the last visible one if `first` is the first.
    pub(in crate::ui) fn end(&self, first: usize) -> usize {
        let mut used = 0_usize;
        let mut end = first;
        while end < self.count {
            used = used.saturating_add((self.lines)(end));
            if used > self.room && end > first {
                break;
            }
            end = end.saturating_add(1);
        }
        end
    }

    /// The first row from which row `at` is still visible.
    fn earliest(&self, at: usize) -> usize {
        let mut used = (self.lines)(at);
        let mut first = at;
        while let Some(before) = first.checked_sub(1) {
            used = used.saturating_add((self.lines)(before));
            if used > self.room {
                break;
            }
            first = before;
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Lines = fn(usize) -> usize;

    /// Every fourth row has a line above it.
    fn window(room: usize) -> RowWindow<Lines> {
        RowWindow {
            count: 40,
            room,
            lines: |at| if at % 4 == 0 { 2 } else { 1 },
        }
    }

    #[test]
    fn the_wanted_row_is_seen_and_the_window_moves_no_further_than_needed() {
        for room in 2..30 {
            let window = window(room);
            let mut first = 0;
            for seen in (0..40).chain((0..40).rev()).chain([39, 0, 20]) {
                let moved = window.first(first, seen);
                assert!((moved..window.end(moved)).contains(&seen), "{room} {seen}");
                let stays = (first..window.end(first)).contains(&seen);
                assert!(
                    !stays || moved == first,
                    "{room}: {first} to {moved} for {seen}"
                );
                first = moved;
            }
        }
    }

    #[test]
    fn at_the_end_no_line_is_empty_that_a_row_could_fill() {
        let window = window(10);
        let first = window.first(39, 39);
        let used: usize = (first..40).map(window.lines).sum();
        assert!(used + (window.lines)(first - 1) > 10, "{first}");
    }
}
