//! One file per format of `out/`: each a pure function of a [`Run`].
//!
//! | module | file |
//! |---|---|
//! | [`reasoning_id_policy`] | `reasoning_id_policy.csv` |
//! | [`carry_over`] | `carry_over.csv` |
//! | [`state_modes`] | `state_modes.csv` |
//! | [`replay_policy`] | `replay_policy.csv` |
//! | [`wires`] | `wires.csv` |
//! | [`turns`] | `turns.jsonl` |
//! | [`findings`] | `findings.csv` |
//! | [`summary`] | `summary.json` |
//! | [`markdown`] | `summary.md` |
//! | [`junit`] | `junit.xml` |
//! | [`html`] | `report.html` |
//! | [`sarif`] | `holdover.sarif` |
//! | [`gitlab`] | `gl-code-quality-report.json` |
//! | [`recordings`] | `recordings/*.jsonl` |
//! | [`sheet`] | what the CSV files have in common |

pub(crate) mod carry_over;
pub(crate) mod findings;
pub(crate) mod gitlab;
pub(crate) mod html;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod reasoning_id_policy;
pub(crate) mod recordings;
pub(crate) mod replay_policy;
pub(crate) mod sarif;
pub(crate) mod sheet;
pub(crate) mod state_modes;
pub(crate) mod summary;
pub(crate) mod turns;
pub(crate) mod wires;
