//! Arguments. The names are promises: later versions add, never change.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// An offline, deterministic fake of the OpenAI Responses API, with a judge that says whether a client holds its
/// reasoning over from turn to turn and keeps it out of its logs.
#[derive(Debug, Parser)]
#[command(name = "holdover", version, about, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the fake instead of the real API
    Serve(Serve),
    /// Run scenarios: planted mistakes and their twins, and write the tables
    Run(Run),
    /// Run a command against the fake and judge what it sent
    Test(Test),
    /// Write a `holdover.toml` for this repository
    Init(Init),
    /// Judge a recording, or a capture of another tool
    Judge(Judge),
    /// Run the conformance programs with a client, through an adapter
    Conformance(Conformance),
    /// Check scenario files without running them
    Check(Check),
    /// Turn a capture into a scenario that shows the same, with stand-ins for what is private
    Import(Import),
    /// Make a scenario smaller while its finding stays
    Shrink(Shrink),
    /// Find places in source code that lose or leak reasoning
    Scan(Scan),
    /// Say where two recordings part first
    Diff(Diff),
    /// Make a poisoned history acceptable again: a JSON patch, and what it costs
    Repair(Repair),
    /// Look at replay policies
    Policy(Policy),
    /// Measure what endpoints of other providers make of replayed reasoning, and write `replay_policy.csv`
    Experiment(Experiment),
    /// List what there is
    List(List),
    /// Explain a rule, a slip, or an error text of the API
    Explain(Explain),
    /// Print a JSON Schema
    Schema(Schema),
    /// Print completions for a shell
    Completions(Completions),
    /// Print the manual page
    Man,
    /// Show the leaks of D1-D6 in three lines each
    Demo(Demo),
}

/// What every command takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// Seed that all ids, tokens and pauses derive from
    #[arg(long, default_value_t = 7, value_name = "N", help_heading = "Common options")]
    pub(crate) seed: u64,
    /// Endpoint whose behaviour is played (`holdover list profiles`)
    #[arg(long, value_name = "NAME", help_heading = "Common options")]
    pub(crate) profile: Option<String>,
    /// Rules of other providers as they were on this day, YYYY-MM-DD; those that hold still unless given
    #[arg(long, value_name = "DATE", help_heading = "Common options")]
    pub(crate) as_of: Option<String>,
    /// A switch of the profile, NAME=VALUE (repeatable): stream-done=sent, keep-alive=event, error-event=flat, …
    #[arg(long = "switch", value_name = "SWITCH", help_heading = "Common options")]
    pub(crate) switches: Vec<String>,
    /// Data retention of the organisation
    #[arg(long, value_enum, help_heading = "Common options")]
    pub(crate) org: Option<OrgArg>,
    /// A model that the data does not know: NAME=reasoning or NAME=plain (repeatable)
    #[arg(long = "model", value_name = "NAME=KIND", help_heading = "Common options")]
    pub(crate) models: Vec<String>,
    /// When to call a tool without being forced: off, named, any, or a list of names
    #[arg(long, value_name = "WHEN", help_heading = "Common options")]
    pub(crate) auto_tools: Option<String>,
    /// A fault to plant, NAME[:KEY=VALUE,…] (repeatable; `holdover list faults`)
    #[arg(long = "fault", value_name = "FAULT", help_heading = "Common options")]
    pub(crate) faults: Vec<String>,
    /// Time stamps: virtual, or those of the wall clock
    #[arg(long, value_enum, default_value_t = ClockArg::Virtual, help_heading = "Common options")]
    pub(crate) clock: ClockArg,
    /// Lowest severity that makes the exit code 4; error unless given
    #[arg(long, value_enum, help_heading = "Common options")]
    pub(crate) fail_on: Option<FailOn>,
    /// Reports to write into the output folder; all but sarif and gitlab unless given
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "LIST",
        help_heading = "Common options"
    )]
    pub(crate) report: Vec<ReportKind>,
    /// Colours: auto follows the terminal and NO_COLOR
    #[arg(long, value_enum, default_value_t = ColorArg::Auto, help_heading = "Common options")]
    pub(crate) color: ColorArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrgArg {
    Default,
    Zdr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockArg {
    Virtual,
    Wall,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    Error,
    Warning,
    Note,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum ReportKind {
    Csv,
    Junit,
    Md,
    Json,
    Html,
    Sarif,
    Gitlab,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArg {
    Auto,
    Never,
}

/// What `test` and `judge` know of a repository.
#[derive(Clone, Debug, Args)]
pub(crate) struct Adoption {
    /// Settings of the repository; `holdover.toml` in this folder unless given
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Findings that are known: only new ones fail
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the baseline anew from what is found now
    #[arg(long)]
    pub(crate) update_baseline: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// Folder of the repository; this one unless given
    #[arg(default_value = ".", value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Scenario whose server settings and replies are played
    pub(crate) scenario: Option<PathBuf>,
    /// Address; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:8790", value_parser = listen_address)]
    pub(crate) listen: SocketAddr,
    /// New file of JSON lines for every exchange of session `default`; session NAME has `r.NAME.jsonl` beside `r.jsonl`
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Close /_holdover/ to everyone who does not send the token in HOLDOVER_TOKEN; to everyone when there is none
    #[arg(long)]
    pub(crate) closed: bool,
    /// Settings of the repository; `holdover.toml` in this folder unless given
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Where responses and conversations are kept: memory, sqlite:FILE, or redis://HOST:PORT/DB
    #[arg(long, default_value = "memory", value_name = "STORE")]
    pub(crate) state: String,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Scenario files, folders, or @SUITE; ./scenarios unless given, else the embedded suites
    #[arg(value_name = "PATH | @SUITE")]
    pub(crate) paths: Vec<String>,
    /// Folder for the tables
    #[arg(long, default_value = "out", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Cases at a time; the number of cores unless given
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Only cases whose name holds this text
    #[arg(long, value_name = "SUBSTRING")]
    pub(crate) filter: Option<String>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Test {
    /// Scenario whose server settings and replies are played
    pub(crate) scenario: Option<PathBuf>,
    /// Address, for a client that cannot be given a base URL; a free port of 127.0.0.1 unless given
    #[arg(long, default_value = "127.0.0.1:0", hide_default_value = true, value_parser = listen_address)]
    pub(crate) listen: SocketAddr,
    /// Folder for the tables
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Files to scan for leaks after the command (repeatable); `-` is the command's own output
    #[arg(long, value_name = "GLOB")]
    pub(crate) scan: Vec<String>,
    /// File of audit records that the command writes; a temporary one unless given
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Seconds after which the command is stopped
    #[arg(long, default_value_t = 300, value_name = "S")]
    pub(crate) timeout: u64,
    /// Exit 0 although nothing was judged
    #[arg(long)]
    pub(crate) allow_unjudged: bool,
    #[command(flatten)]
    pub(crate) adoption: Adoption,
    #[command(flatten)]
    pub(crate) common: Common,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Judge {
    /// Recordings, or captures of other tools: HAR, pairs, bodies in a folder, streams, logs, spans, rollouts, flows
    #[arg(required = true, value_name = "CAPTURE")]
    pub(crate) recordings: Vec<PathBuf>,
    /// Files or folders to scan for leaks (repeatable)
    #[arg(long, value_name = "PATH")]
    pub(crate) scan: Vec<PathBuf>,
    /// File of audit records
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Put stand-ins into recordings of holdover too; other captures always get them
    #[arg(long)]
    pub(crate) redact: bool,
    /// How to print the verdict
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) adoption: Adoption,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Conformance {
    /// Only this program (repeatable); `--list` names them
    #[arg(long = "program", value_name = "ID")]
    pub(crate) programs: Vec<String>,
    /// List the programs and end
    #[arg(long)]
    pub(crate) list: bool,
    /// File of expected failures; what passes in spite of it fails the run
    #[arg(long, value_name = "FILE")]
    pub(crate) expected: Option<PathBuf>,
    /// Folder for `cells.json` and the recordings
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Model that the client is told, for another wire (with `--profile`); that of each program unless given
    #[arg(long, value_name = "NAME")]
    pub(crate) client_model: Option<String>,
    /// Programs at a time
    #[arg(long, default_value = "1", value_name = "N")]
    pub(crate) jobs: NonZeroUsize,
    /// Seconds that an adapter has for an answer
    #[arg(long, default_value_t = 60, value_name = "S")]
    pub(crate) timeout: u64,
    #[command(flatten)]
    pub(crate) common: Common,
    /// The adapter and its arguments
    #[arg(last = true, required_unless_present = "list", value_name = "ADAPTER")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Short,
    Json,
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Scenario files or folders
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    /// How to print problems
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub(crate) format: CheckFormat,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    Human,
    Short,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// A capture
    pub(crate) capture: PathBuf,
    /// Scenario to write; the sessions after the first get a number
    #[arg(short, long, value_name = "SCENARIO")]
    pub(crate) output: PathBuf,
    /// Keep the words of users and models; keys, mail addresses, tokens and ids are replaced all the same
    #[arg(long)]
    pub(crate) keep_text: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// A recording that went well
    pub(crate) good: PathBuf,
    /// One that did not
    pub(crate) bad: PathBuf,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Repair {
    /// A stored history: a list of items, or a body with `input`
    pub(crate) history: PathBuf,
    /// The endpoint takes no reasoning without its id
    #[arg(long)]
    pub(crate) ids_required: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Shrink {
    /// A scenario that fails
    pub(crate) scenario: PathBuf,
    /// Scenario to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Finding that must stay; the first one unless given
    #[arg(long, value_name = "RULE")]
    pub(crate) finding: Option<String>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct Scan {
    /// Source files or folders; this folder unless given
    #[arg(value_name = "SRC")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only places of this rule (repeatable)
    #[arg(long = "rule", value_name = "RULE")]
    pub(crate) rules: Vec<String>,
    /// How to print places
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub(crate) format: CheckFormat,
}

#[derive(Debug, Args)]
pub(crate) struct Policy {
    #[command(subcommand)]
    pub(crate) command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Say, without traffic, where a policy would break an endpoint and why
    Check(PolicyCheck),
}

#[derive(Debug, Args)]
pub(crate) struct PolicyCheck {
    /// A policy file (TOML, docs/providers.md)
    pub(crate) policy: PathBuf,
    /// Endpoint of another provider to check it against (repeatable; `holdover list profiles` names
    /// them behind the profiles of the Responses API); all unless given
    #[arg(long = "profile", value_name = "NAME")]
    pub(crate) profiles: Vec<String>,
    /// How to print places
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub(crate) format: CheckFormat,
}

#[derive(Debug, Args)]
pub(crate) struct Experiment {
    /// Endpoint to measure (repeatable; `holdover list profiles`); all on chat completions unless given
    #[arg(long = "profile", value_name = "NAME")]
    pub(crate) profiles: Vec<String>,
    /// How often each cell is played, each time with another seed
    #[arg(long, default_value = "3", value_name = "N")]
    pub(crate) repetitions: NonZeroUsize,
    /// Seed of the order and of the first repetition
    #[arg(long, default_value_t = 7, value_name = "N")]
    pub(crate) seed: u64,
    /// Ask this server instead of the fake, as a client of it would name it: what comes before `/chat/completions`
    #[arg(long, value_name = "URL", requires = "profiles")]
    pub(crate) base_url: Option<String>,
    /// Variable with the key of that server; the key is sent to it, and neither shown nor written
    #[arg(
        long,
        default_value = "HOLDOVER_LIVE_KEY",
        value_name = "NAME",
        requires = "base_url"
    )]
    pub(crate) key_env: String,
    /// Model that is asked of that server
    #[arg(long, value_name = "NAME", requires = "base_url")]
    pub(crate) model: Option<String>,
    /// Output folder
    #[arg(long, default_value = "out", value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// What to list
    #[arg(value_enum)]
    pub(crate) what: Listed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    Rules,
    Slips,
    Faults,
    Profiles,
    Models,
    Suites,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Name of a rule or slip, or pasted error text; with `--symptom` a capture that answers its checks
    #[arg(required_unless_present = "symptom")]
    pub(crate) subject: Option<String>,
    /// A symptom to start from: resume-finds-nothing, id-in-log, asks-again, tool-never-ran, style-reset,
    /// forgot-after-a-length
    #[arg(long, value_name = "NAME")]
    pub(crate) symptom: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// Which format
    #[arg(value_enum)]
    pub(crate) what: SchemaOf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    Scenario,
    Recording,
    Findings,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// Shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    #[command(flatten)]
    pub(crate) common: Common,
}

/// An address with a port; `localhost` is the loopback address that clients try first.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let numbered = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    numbered
        .parse()
        .map_err(|_| "an address and a port are needed: 127.0.0.1:8790, localhost:8790, [::1]:0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn localhost_is_an_address_and_other_names_get_a_hint() {
        let address = |text| listen_address(text).map(|address| address.to_string());
        assert_eq!(address("localhost:80"), Ok("127.0.0.1:80".to_owned()));
        assert_eq!(address("[::1]:0"), Ok("[::1]:0".to_owned()));
        for text in ["localhost", "example.org:80", "8790", ":8790"] {
            assert!(
                address(text).is_err_and(|hint| hint.contains("localhost:8790")),
                "{text}"
            );
        }
    }
}
