//! Reading to an end that must not be a cut.

use std::io::{self, Read};

/// A reader that fails where [`Read::take`] would end: the beginning of a text never passes for the whole.
#[derive(Debug)]
pub struct Bounded<R> {
    from: R,
    most: u64,
    left: u64,
}

/// Reads `from`, which may hold at most this many bytes.
pub fn at_most<R: Read>(most: u64, from: R) -> Bounded<R> {
    Bounded {
        from,
        most,
        left: most,
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        let left = u64::try_from(count)
            .ok()
            .and_then(|count| self.left.checked_sub(count));
        self.left = left.ok_or_else(|| {
            let words = format!("it is longer than {} KiB", self.most / 1024);
            io::Error::new(io::ErrorKind::FileTooLarge, words)
        })?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_fits_is_read_whole_and_a_longer_one_is_refused() {
        let read = |most| {
            let mut text = String::new();
            let read = at_most(most, &b"0123456789"[..]).read_to_string(&mut text);
            read.map(|_| text).map_err(|why| why.kind())
        };
        assert_eq!(read(10), Ok("0123456789".to_owned()));
        assert_eq!(read(9), Err(io::ErrorKind::FileTooLarge));
        let mut text = vec![];
        let endless = at_most(4096, io::repeat(0)).read_to_end(&mut text);
        assert_eq!(endless.unwrap_err().to_string(), "it is longer than 4 KiB");
    }
}
