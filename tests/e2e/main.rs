//! The built binary, from outside: arguments, exit codes, what it prints, what it serves.
//!
//! | module | what is there |
//! |---|---|
//! | [`support`] | starts the binary in a folder of its own, with a time limit, and stops it again |
//! | [`arguments`] | exit code 2 and what it says |
//! | [`generated`] | committed files that are made from the program |
//! | [`names`] | the rules of the documents are the rules of the program |
//! | [`run`] | tables, exit codes, and whose files are touched |
//! | [`secrets`] | what the commands print of a capture holds no secret of it |
//! | [`serve`] | the server by hand: two turns, right and wrong |
//! | [`shell`] | completions and the manual page know the command line |
//! | [`state`] | the stores of `serve --state`: a killed server loses nothing that it acknowledged |
//! | [`teaching`] | the two endpoints that show a leak to a team |
//! | [`transcripts`] | whole terminal sessions, under `tests/e2e/cmd/` |

#[cfg(test)]
mod arguments;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod names;
mod planting;
#[cfg(test)]
mod run;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod serve;
#[cfg(test)]
mod shell;
#[cfg(test)]
mod state;
#[cfg(test)]
mod support;
#[cfg(test)]
mod teaching;
#[cfg(test)]
mod transcripts;
