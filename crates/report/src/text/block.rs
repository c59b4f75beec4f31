//! A verdict, a case and the gate as blocks of lines.

use holdover_judge::{Finding, Inconclusive, Outcome, Verdict};

use super::style::Style;
use crate::case::CaseReport;
use crate::clean::{one_line, visible};
use crate::event::RunStarted;
use crate::gate::{Answer, Answered, Gate};
use crate::lines::Lines;
use crate::words::{coverage_line, finding_counts, location};

/// One finding: what happened and where, what was sent and expected, the fix, what else it set off.
///
/// ```text
/// error[text-only-rebuild]: the reasoning of exchange 1 came back as text only
///   at: exchange 2, /input/1 (conversation 1)
///   sent: message without reasoning
///   expected: the reasoning item before it
///   help: append every item of `response.output`
///   also: history-absent
/// ```
pub fn finding_block(finding: &Finding, style: Style) -> String {
    let head = style.severity(
        finding.severity,
        &format!("{}[{}]", finding.severity.as_str(), finding.rule),
    );
    let mut text = Lines::default();
    text.line(format!("{head}: {}", visible(&finding.message)));
    for (name, value) in members(finding) {
        if let Some(value) = value {
            text.line(member(name, &value));
        }
    }
    text.into_string()
}

fn members(finding: &Finding) -> [(&'static str, Option<String>); 7] {
    let lineage = finding
        .lineage
        .map(|number| format!(" (conversation {number})"))
        .unwrap_or_default();
    let place = location(finding);
    let at = (!place.is_empty()).then(|| format!("{place}{lineage}"));
    let also = (!finding.also.is_empty()).then(|| finding.also.join(", "));
    let help = (!finding.help.is_empty()).then(|| finding.help.clone());
    [
        ("at", at),
        ("known", finding.known.clone()),
        ("item", finding.item.clone()),
        ("sent", finding.sent.clone()),
        ("expected", finding.expected.clone()),
        ("help", help),
        ("also", also),
    ]
}

/// `  name: value`, with later lines of the value under its first.
fn member(name: &str, value: &str) -> String {
    let indent = format!("\n  {:width$}", "", width = name.len() + 2);
    format!("  {name}: {}", visible(value.trim_end()).replace('\n', &indent))
}

/// A whole verdict: findings, what could not be decided, coverage, the verdict in one line.
pub fn verdict_block(verdict: &Verdict, style: Style) -> String {
    let Verdict {
        outcome,
        coverage,
        findings,
        inconclusive,
    } = verdict;
    let mut text = Lines::default();
    for finding in findings {
        text.line(finding_block(finding, style));
    }
    for open in inconclusive {
        text.line(inconclusive_block(open, style));
    }
    text.line(format!("judged: {}", coverage_line(coverage)));
    let counts = finding_counts(verdict);
    // Silence is not success (law 8).
    let nothing = coverage.judged == 0 && coverage.exports_scanned == 0 && findings.is_empty();
    let word = if nothing {
        style.open("nothing judged")
    } else {
        outcome_text(*outcome, style)
    };
    text.line(format!("verdict: {word} ({counts})"));
    text.into_string()
}

fn inconclusive_block(open: &Inconclusive, style: Style) -> String {
    let Inconclusive {
        what,
        missing,
        exchange,
    } = open;
    let mut text = Lines::default();
    text.line(format!("{}: {}", style.open("inconclusive"), visible(what)));
    if let Some(number) = exchange {
        text.line(member("at", &format!("exchange {number}")));
    }
    text.line(member("missing", missing));
    text.into_string()
}

fn outcome_text(outcome: Outcome, style: Style) -> String {
    match outcome {
        Outcome::Clean => style.good(outcome.as_str()),
        Outcome::Findings => style.bad(outcome.as_str()),
        Outcome::Inconclusive => style.open(outcome.as_str()),
    }
}

/// A case that did not end as it should: its name, what was expected, its verdict, and the command that shows it again.
pub fn case_block(case: &CaseReport, started: &RunStarted, style: Style) -> String {
    let mut text = Lines::default();
    text.block(case_text(case, style));
    if let Some(file) = &case.file {
        text.line(format!("again: {}", again(case, file, started)));
    }
    text.into_string()
}

/// [`case_block`] without the command, which names a file of this machine.
pub(crate) fn case_text(case: &CaseReport, style: Style) -> String {
    let mut text = Lines::default();
    text.line(format!("case: {}", one_line(case.name().as_str())));
    for unmet in &case.unmet {
        text.line(format!("{}: {}", style.bad("unmet"), visible(&unmet.message)));
    }
    text.block(verdict_block(&case.verdict, style));
    text.into_string()
}

/// The command line that runs this case once more.
fn again(case: &CaseReport, file: &str, started: &RunStarted) -> String {
    let RunStarted {
        seed,
        profile,
        fail_on: _,
        cases: _,
    } = started;
    let profile = if profile == "openai" {
        String::new()
    } else {
        format!(" --profile {}", quoted(profile))
    };
    format!(
        "holdover run {} --filter {} --seed {seed}{profile}",
        quoted(file),
        quoted(&case.case)
    )
}

/// A word as a POSIX shell takes it.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./@".contains(&byte);
    let word = one_line(word);
    if !word.is_empty() && word.bytes().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The release gate, a line a question; one line when none could be asked.
pub fn gate_block(gate: &Gate, style: Style) -> String {
    let mut text = Lines::default();
    text.line(format!("release gate: {}", answer_text(gate.release, style)));
    let unasked = |answered: &Answered| answered.answer == Answer::NotAssessed;
    if gate.questions.iter().all(unasked) {
        let why = gate
            .questions
            .first()
            .map_or("", |answered| answered.why.as_str());
        text.line(format!("  {why}"));
        return text.into_string();
    }
    for answered in &gate.questions {
        let answer = answer_text(answered.answer, style);
        let question = answered.question.text();
        text.line(format!("  {answer}: {question} ({})", answered.why));
        for case in &answered.cases {
            text.line(format!("    in {}", one_line(case)));
        }
    }
    text.into_string()
}

fn answer_text(answer: Answer, style: Style) -> String {
    match answer {
        Answer::Pass => style.good(answer.as_str()),
        Answer::Fail => style.bad(answer.as_str()),
        Answer::NotAssessed => style.open(answer.as_str()),
    }
}

/// The JSON output of `judge --format json` (`docs/architecture.md`, Recording; `schema/findings.schema.json`).
pub fn verdict_json(verdict: &Verdict) -> String {
    // The verdict has string keys only, so serializing cannot fail.
    let mut text = serde_json::to_string_pretty(verdict).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use holdover_judge::{Class, Severity};

    use super::*;
    use crate::case::{Table, Unmet};
    use crate::gate::gate;
    use crate::testing::{HOSTILE, WITH_ID, case, finding, verdict};

    fn rebuilt() -> Finding {
        Finding {
            pointer: Some("/input/1".to_owned()),
            item: Some("rs_1".to_owned()),
            message: "the answer of exchange 1 came back as text only".to_owned(),
            sent: Some("a message".to_owned()),
            expected: Some("the reasoning item,\nthen the message".to_owned()),
            help: "append every item of `response.output`".to_owned(),
            also: vec!["history-absent".to_owned()],
            ..finding("text-only-rebuild", Severity::Error, Class::Carry)
        }
    }

    #[test]
    fn a_verdict_with_all_its_parts() {
        let mut verdict = verdict(vec![rebuilt()]);
        verdict.inconclusive.push(Inconclusive {
            what: "exchange 3 continues nothing".to_owned(),
            missing: "the exchanges before it".to_owned(),
            exchange: Some(3),
        });
        assert_eq!(
            verdict_block(&verdict, Style::Plain),
            "\
error[text-only-rebuild]: the answer of exchange 1 came back as text only
  at: exchange 2, /input/1 (conversation 1)
  item: rs_1
  sent: a message
  expected: the reasoning item,
            then the message
  help: append every item of `response.output`
  also: history-absent

inconclusive: exchange 3 continues nothing
  at: exchange 3
  missing: the exchanges before it

judged: 2 turns in 1 conversation; reasoning items: 1 issued, 1 carried, 1 judged; 0 exports, 0 audit records
verdict: findings (1 error)
"
        );
    }

    #[test]
    fn colour_changes_no_word() {
        let coloured = finding_block(&rebuilt(), Style::Ansi);
        assert!(coloured.starts_with("\u{1b}[1;31merror[text-only-rebuild]\u{1b}[0m: the answer"));
        let plain = coloured.replace("\u{1b}[1;31m", "").replace("\u{1b}[0m", "");
        assert_eq!(plain, finding_block(&rebuilt(), Style::Plain));
    }

    #[test]
    fn a_failed_case_says_how_to_see_it_again() {
        let mut case = case("m[a=1]", Table::CarryOver, WITH_ID, vec![]);
        case.file = Some("scenarios/it's.toml".to_owned());
        case.unmet = vec![Unmet {
            message: "`lost` was expected".to_owned(),
        }];
        let started = RunStarted {
            profile: "azure".to_owned(),
            ..RunStarted::default()
        };
        let block = case_block(&case, &started, Style::Plain);
        let lines: Vec<_> = block.lines().collect();
        assert_eq!(lines[..2], ["case: m[a=1]", "unmet: `lost` was expected"]);
        assert_eq!(
            lines.last(),
            Some(&r"again: holdover run 'scenarios/it'\''s.toml' --filter 'm[a=1]' --seed 7 --profile azure")
        );
    }

    #[test]
    fn no_text_of_others_moves_the_cursor() {
        let hostile = Finding {
            message: HOSTILE.to_owned(),
            item: Some(HOSTILE.to_owned()),
            ..rebuilt()
        };
        assert!(!finding_block(&hostile, Style::Plain).contains('\u{1b}'));
    }

    #[test]
    fn a_gate_that_could_not_be_asked_is_one_line_and_why() {
        let case = case("a", Table::CarryOver, WITH_ID, vec![]);
        let gate = gate([&case]).expect("a gate");
        assert_eq!(
            gate_block(&gate, Style::Plain),
            "release gate: not assessed\n  there is no audit record\n"
        );
    }
}
