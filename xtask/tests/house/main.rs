//! The house tests: what holds for the repository as a whole.
//!
//! | module | what it holds |
//! |---|---|
//! | [`edges`] | which crate may use which, from the table of `docs/architecture.md` |
//! | [`rules`] | the rules of the house that no compiler holds |
//! | [`blindness`] | the judge knows no name of a slip or a scenario |
//! | [`image`] | the Dockerfile fits what `dist` makes |
//! | [`links`] | what documents and code point at exists |

#[cfg(test)]
mod blindness;
#[cfg(test)]
mod edges;
#[cfg(test)]
mod image;
#[cfg(test)]
mod links;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod support;
