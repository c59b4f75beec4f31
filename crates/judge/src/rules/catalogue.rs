//! The list of all rules.

use super::Rule;

static ALL: [&Rule; 0] = [];

/// All rules, class by class in the order of `docs/architecture.md`.
pub fn all() -> &'static [&'static Rule] {
    &ALL
}

/// The rule of this name.
pub fn find(name: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.name == name)
}
