//! What the model says, before any wire puts it into its own words.

/// One part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaidPart {
    /// Reasoning.
    Reasoning {
        /// Its text, without the mark.
        text: String,
        /// The recall nonce that goes with it.
        recall: u64,
    },
    /// Visible text.
    Text(String),
    /// A call of a tool.
    Call {
        /// Its id; made as the endpoint makes it where it is absent.
        id: Option<String>,
        /// Name of the tool.
        name: String,
        /// Arguments as JSON text.
        arguments: String,
    },
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// The model is done, or waits for a tool.
    #[default]
    Done,
    /// It ran out of tokens.
    Length,
}

/// A whole answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Parts, in order.
    pub parts: Vec<SaidPart>,
    /// How it ends.
    pub finish: Finish,
}

impl Said {
    /// Whether a tool is called.
    pub fn calls(&self) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(part, SaidPart::Call { .. }))
    }
}

/// A recall nonce as it stands in plain text.
pub fn mark(recall: u64) -> String {
    format!("nonce-{recall:016x}")
}

/// The recall nonce in a plain text.
pub fn marked(text: &str) -> Option<u64> {
    let at = text.rfind("nonce-")? + "nonce-".len();
    u64::from_str_radix(text.get(at..at + 16)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_again() {
        let text = format!("I think. My mark is {}.", mark(0xab));
        assert_eq!(marked(&text), Some(0xab));
        assert_eq!(marked("nonce-"), None);
        assert_eq!(marked(""), None);
        assert_eq!(marked("nonce-00000000000000aé"), None);
    }
}
