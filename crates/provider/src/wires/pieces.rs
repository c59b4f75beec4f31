//! A text in the pieces in which it is streamed.

/// Characters of one piece.
const PIECE_CHARS: usize = 24;

/// The pieces of a text; an empty one has none.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest
            .char_indices()
            .nth(PIECE_CHARS)
            .map_or(rest.len(), |(end, _)| end);
        let (piece, more) = rest.split_at(end);
        rest = more;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_has_24_letters_of_any_length_and_the_last_one_what_is_left() {
        let text = "é".repeat(24 + 24 + 1);
        let found: Vec<usize> = pieces(&text).map(|piece| piece.chars().count()).collect();
        assert_eq!(found, [24, 24, 1]);
        assert_eq!(pieces(&text).collect::<String>(), text);
        assert_eq!(pieces(&text[..48]).count(), 1);
        assert_eq!(pieces("").count(), 0);
    }
}
