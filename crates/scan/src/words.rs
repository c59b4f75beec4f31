//! The words of a name.

/// The words of a name in any case style, lower-cased: `outputText`, `output_text` and `OutputText` are the same two.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for character in name.chars() {
        let begins = !before.is_alphanumeric() || (before.is_lowercase() && character.is_uppercase());
        if character.is_alphanumeric() {
            match words.last_mut() {
                Some(word) if !begins => word.extend(character.to_lowercase()),
                _ => words.push(character.to_lowercase().collect()),
            }
        }
        before = character;
    }
    words
}

/// The words of a name in one: `outputtext`.
pub(crate) fn plain(name: &str) -> String {
    words(name).concat()
}

/// Whether a name holds one of these words.
pub(crate) fn has_word(name: &str, wanted: &[&str]) -> bool {
    words(name).iter().any(|word| wanted.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_style_gives_the_same_words() {
        for name in ["output_text", "outputText", "OutputText", "OUTPUT_TEXT"] {
            assert_eq!(words(name), ["output", "text"], "{name}");
        }
        assert_eq!(words("ID"), ["id"]);
        assert_eq!(words("itemsByID"), ["items", "by", "id"]);
    }
}
