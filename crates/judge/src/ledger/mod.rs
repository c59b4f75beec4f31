//! Everything that responses issued, and the indexes by which a later request's items are known again.
//!
//! | module | what is there |
//! |---|---|
//! | `item` | one issued item, its tokens, its group |
//! | `book` | [`Ledger`]: items, groups and their indexes |
//! | `learn` | from a response to items and groups |
//! | `pieces` | pieces of tokens and of reasoning text, for scans |

mod book;
mod item;
mod learn;
mod pieces;

pub(crate) use book::Ledger;
pub(crate) use item::{Group, GroupIx, IssuedItem, ItemIx, NodeIx, Origin, Progress, Stage};
pub(crate) use learn::{Learnt, learn, learn_listed};
pub(crate) use pieces::{Pieces, SUMMARY_SAID_MAX, SUMMARY_SHOWN_MAX, Secret};
