//! "did you mean": the nearest known word, else the list.

/// The nearest of `known` by edit distance, if one is near enough: a third of the word, at least one change.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    let distances = known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), name));
    let near = distances.filter(|(distance, _)| *distance <= limit);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// The hint for an unknown word: the nearest one, else the whole list under `title`.
pub(crate) fn hint(word: &str, known: &[&str], title: &str) -> String {
    match nearest(word, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if known.is_empty() => format!("{title}: none"),
        None => format!("{title}: {}", quoted(known)),
    }
}

/// The words in backticks, with commas.
pub(crate) fn quoted(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_fingers_is_recognised() {
        assert_eq!(nearest("modle", ["model", "effort"]), Some("model"));
        assert_eq!(nearest("sotre", ["state", "store"]), Some("store"));
        assert_eq!(nearest("x", ["model", "effort"]), None);
    }

    #[test]
    fn without_a_near_word_the_list_is_shown() {
        assert_eq!(hint("zzz", &["a", "b"], "the keys are"), "the keys are: `a`, `b`");
        assert_eq!(hint("zzz", &[], "the faults are"), "the faults are: none");
    }
}
