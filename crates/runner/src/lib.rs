//! Runs scenarios and real clients against the fake, and tells what happened in events. It prints nothing.
//!
//! | module | what is there |
//! |---|---|
//! | [`gather`] | scenario files behind paths, folders and suites |
//! | [`faults`] | the faults of a scenario, checked |
//! | [`vocabulary`] | the names a scenario may use |
//! | [`settings`] | what the command line says about the fake |
//! | [`asked`] | which provider a scenario asks |
//! | [`lower`] | a checked scenario to a case that can be played |
//! | [`play`] | one case in this process: agent, fake and judge, byte for byte as over a socket |
//! | [`pasted`] | requests as they stand in a scenario, with what the server issued put in |
//! | [`experiment`] | what endpoints of other providers make of replayed reasoning, measured |
//! | [`policies`] | the replay policy of a scenario, checked |
//! | [`expect`] | what a scenario asked for, against what came |
//! | [`schedule`] | many cases at a time, told in order |
//! | [`matrix`] | every slip in every client: how much the judge finds, and how much it finds wrongly |
//! | [`client`] | a real command with the variables that point it at the fake |
//! | [`session`] | a real command against the real server, judged session by session |
//! | [`real`] | one case whose client is a real command |
//! | [`capture`] | captures of other tools, judged while they are read |
//! | [`conformance`] | programs that any client can run, through an adapter |
//! | [`import`] | a captured session to a scenario, and to the smallest one that still shows the same |
//! | [`scan`] | exports of a real client: its folder, globs, its own output |
//! | [`output`] | the output folder |

pub mod asked;
pub mod capture;
pub mod client;
pub mod conformance;
pub mod expect;
pub mod experiment;
pub mod faults;
pub mod gather;
pub mod import;
pub mod lower;
pub mod matrix;
pub mod output;
pub mod pasted;
pub mod play;
pub mod policies;
pub mod real;
pub mod scan;
pub mod schedule;
pub mod session;
pub mod settings;
pub mod switches;
pub mod vocabulary;
