//! Whether two instructions are the same agent's.

/// How the instructions of a request stand to those of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    /// Equal, or neither has any.
    Same,
    /// Changed, but mostly the same text: a date, a constraint.
    Edited,
    /// Another agent's.
    Other,
    /// There were some and now there are none.
    Absent,
    /// There were none and now there are some.
    Added,
}

impl Voice {
    /// Compares the instructions before with those now.
    pub(crate) fn compare(before: Option<&str>, now: Option<&str>) -> Self {
        match (before, now) {
            (None, None) => Self::Same,
            (None, Some(_)) => Self::Added,
            (Some(_), None) => Self::Absent,
            (Some(before), Some(now)) if before == now => Self::Same,
            (Some(before), Some(now)) if shares_half(before.as_bytes(), now.as_bytes()) => Self::Edited,
            (Some(_), Some(_)) => Self::Other,
        }
    }
}

fn shares_half(left: &[u8], right: &[u8]) -> bool {
    let head = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (left_rest, right_rest) = (&left[head..], &right[head..]);
    let pairs = left_rest.iter().rev().zip(right_rest.iter().rev());
    let end = pairs.take_while(|(a, b)| a == b).count();
    2 * (head + end) >= left.len().max(right.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_date_is_an_edit_and_another_prompt_is_another_agent() {
        let before = "You plan migrations. Today is Monday. Answer in one line.";
        let dated = "You plan migrations. Today is Friday. Answer in one line.";
        assert_eq!(Voice::compare(Some(before), Some(before)), Voice::Same);
        assert_eq!(Voice::compare(Some(before), Some(dated)), Voice::Edited);
        assert_eq!(
            Voice::compare(Some(before), Some("Write a title of five words.")),
            Voice::Other
        );
        assert_eq!(Voice::compare(Some(before), None), Voice::Absent);
        assert_eq!(Voice::compare(None, Some(before)), Voice::Added);
    }
}
