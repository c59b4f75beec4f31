//! A day, of which the end may be unknown.

use std::fmt;

use serde::{Deserialize, Serialize};

/// `2026-04-24`, or `2026-04` where nobody knows the day. Days compare as texts: a month comes before its days.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Day(String);

/// A text that is no day.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no day; write YYYY-MM-DD")]
pub struct NoDay(String);

impl Day {
    /// Reads `YYYY-MM-DD` or `YYYY-MM`.
    pub fn parse(text: &str) -> Result<Self, NoDay> {
        let fields: Vec<&str> = text.split('-').collect();
        let is = |field: Option<&&str>, digits: usize, most: u32| {
            let field = field
                .filter(|field| field.len() == digits && field.bytes().all(|byte| byte.is_ascii_digit()));
            field.is_some_and(|field| {
                field
                    .parse::<u32>()
                    .is_ok_and(|number| (1..=most).contains(&number))
            })
        };
        let whole = fields.len() == 2 || (fields.len() == 3 && is(fields.get(2), 2, 31));
        if whole && is(fields.first(), 4, 9999) && is(fields.get(1), 2, 12) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoDay(text.to_owned()))
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Day {
    type Error = NoDay;

    fn try_from(text: String) -> Result<Self, NoDay> {
        Self::parse(&text)
    }
}

impl From<Day> for String {
    fn from(day: Day) -> Self {
        day.0
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_months_are_read_and_nothing_else() {
        for text in ["2026-04-24", "2026-04"] {
            assert_eq!(Day::parse(text).expect("a day").as_str(), text);
        }
        for text in [
            "",
            "2026",
            "24-04-2026",
            "2026-13-01",
            "2026-04-32",
            "2026-4-1",
            "2026-04-24-1",
        ] {
            assert!(Day::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_month_comes_before_its_days() {
        let day = |text| Day::parse(text).expect("a day");
        assert!(day("2026-04") < day("2026-04-01"));
        assert!(day("2026-04-24") < day("2026-05"));
    }
}
