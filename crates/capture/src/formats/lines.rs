//! Lines of a stream, each with its number.

use std::io::BufRead;

/// The next line with its number from 1; bytes that are no UTF-8 are replaced.
pub(crate) fn numbered(mut reader: impl BufRead) -> impl Iterator<Item = (usize, std::io::Result<String>)> {
    let mut number = 0;
    let mut bytes = Vec::new();
    let mut broken = false;
    std::iter::from_fn(move || {
        if broken {
            return None;
        }
        bytes.clear();
        number += 1;
        match reader.read_until(b'\n', &mut bytes) {
            Ok(0) => None,
            Ok(_) => {
                let text = String::from_utf8_lossy(&bytes);
                Some((number, Ok(text.trim_end_matches(['\n', '\r']).to_owned())))
            }
            Err(error) => {
                broken = true;
                Some((number, Err(error)))
            }
        }
    })
}
