//! `summary.md`: the run on one page of Markdown, fit for the summary page of a CI job.

use crate::case::{CaseEnd, CaseReport};
use crate::clean::one_line;
use crate::closing::closing;
use crate::gate::{Gate, gate};
use crate::lines::Lines;
use crate::result::result_of;
use crate::run::Run;
use crate::text::{finding_bullet, inconclusive_bullet};
use crate::words::finding_counts;

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    // Taken apart by member: a new one has to be decided about here.
    let Run {
        started,
        cases,
        notes,
    } = run;
    let mut text = Lines::default();
    text.line(format!("# Holdover\n\n{}\n", inline(&closing(run))));
    text.line(format!(
        "Seed {}, profile {}.\n",
        started.seed,
        inline(&started.profile)
    ));
    text.line("| case | end | result | findings |\n|---|---|---|---|");
    for case in cases {
        text.line(row(run, case));
    }
    for case in cases.iter().filter(|case| shows_findings(run, case)) {
        text.block(section(case));
    }
    if let Some(gate) = gate(cases) {
        text.block(gate_section(&gate));
    }
    if !notes.is_empty() {
        text.line("\n## Notes\n");
    }
    for note in notes {
        text.line(format!("- {}", inline(note)));
    }
    text.into_string().into_bytes()
}

fn row(run: &Run, case: &CaseReport) -> String {
    let end = match case.end(run.started.fail_on) {
        CaseEnd::Passed => "passed",
        CaseEnd::Failed => "**failed**",
        CaseEnd::Unjudged => "not judged",
    };
    let name = inline(case.name().as_str());
    format!(
        "| {name} | {end} | `{}` | {} |",
        result_of(case),
        finding_counts(&case.verdict)
    )
}

/// A planted case that ended as expected needs no words.
fn shows_findings(run: &Run, case: &CaseReport) -> bool {
    let something = !(case.verdict.findings.is_empty() && case.verdict.inconclusive.is_empty());
    match case.end(run.started.fail_on) {
        CaseEnd::Failed | CaseEnd::Unjudged => true,
        CaseEnd::Passed => !case.planted && something,
    }
}

fn section(case: &CaseReport) -> String {
    let mut text = Lines::default();
    text.line(format!("\n## {}\n", inline(case.name().as_str())));
    for unmet in &case.unmet {
        text.line(format!("- **unmet**: {}", inline(&unmet.message)));
    }
    for finding in &case.verdict.findings {
        text.block(finding_bullet(finding));
    }
    for open in &case.verdict.inconclusive {
        text.line(inconclusive_bullet(open));
    }
    text.into_string()
}

fn gate_section(gate: &Gate) -> String {
    let mut text = Lines::default();
    text.line(format!("\n## Release gate: {}\n", gate.release.as_str()));
    text.line("| answer | question | why |\n|---|---|---|");
    for answered in &gate.questions {
        let question = inline(answered.question.text());
        text.line(format!(
            "| {} | {question} | {} |",
            answered.answer.as_str(),
            inline(&answered.why)
        ));
    }
    text.into_string()
}

/// Text that somebody else wrote, on one line, with nothing left that Markdown or HTML takes for markup. Our own
/// messages put names between backticks: such a pair stays a code span, inside which markup is inert.
pub(crate) fn inline(text: &str) -> String {
    let text = one_line(text);
    let pieces: Vec<&str> = text.split('`').collect();
    let last = pieces.len() - 1;
    let mut out = String::with_capacity(text.len());
    for (index, piece) in pieces.iter().enumerate() {
        match (index % 2, index == last) {
            (0, _) => out.push_str(&plain(piece)),
            // An opening backtick that nothing closes.
            (_, true) => out.extend(["\\`", &plain(piece)]),
            (_, false) if piece.is_empty() => out.push_str("\\`\\`"),
            (_, false) => out.extend(["`", &piece.replace('|', "\\|"), "`"]),
        }
    }
    out
}

fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '$' => {
                out.push('\\');
                out.push(character);
            }
            _ => out.push(character),
        }
    }
    out
}
