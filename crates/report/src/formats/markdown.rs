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

#[cfg(test)]
mod tests {
    use holdover_judge::{Class, Finding, Severity};

    use super::*;
    use crate::case::{Table, Unmet};
    use crate::testing::{HOSTILE, WITH_ID, case, finding, run, text as utf8};

    #[test]
    fn the_whole_file() {
        let lost = Finding {
            help: "append `response.output`".to_owned(),
            sent: Some("a message only".to_owned()),
            ..finding("text-only-rebuild", Severity::Error, Class::Carry)
        };
        let audit = r#"{"reasoning_item_id_policy":"none","exported":"no","resume_key_type":"run_state"}"#;
        let mut failed = case("L1_text", Table::CarryOver, WITH_ID, vec![lost]);
        failed.planted = true;
        failed.unmet = vec![Unmet {
            message: "`id_lost` was expected".to_owned(),
        }];
        let mut twin = case("L1_text", Table::CarryOver, WITH_ID, vec![]);
        twin.twin = true;
        twin.audit = vec![serde_json::from_str(audit).expect("an audit record")];
        let mut run = run(vec![failed, twin]);
        run.notes
            .push("`/v1/files` was called and is not served".to_owned());
        assert_eq!(utf8(&write(&run)), EXPECTED);
    }

    const EXPECTED: &str = r"# Holdover

0 of 1 planted mistake found, 1 twin clean; this says nothing about your code: holdover test -- CMD does

Seed 7, profile openai.

| case | end | result | findings |
|---|---|---|---|
| L1\_text | **failed** | `lost` | 1 error |
| L1\_text.twin | passed | `kept` | no finding |

## L1\_text

- **unmet**: `id_lost` was expected
- **error** `text-only-rebuild` (exchange 2): text-only-rebuild fired
  - sent: a message only
  - help: append `response.output`

## Release gate: pass

| answer | question | why |
|---|---|---|
| pass | no public payload can carry an internal id | every audit record says that nothing was exported |
| pass | nothing resumes by a reasoning id that is not there to stay | every audit record names a resume key that is allowed under its policy |
| pass | every run records the id policy it ran under | every audit record has a policy snapshot |
| pass | every dump was made under the live policy | every dump was made under the live policy, or nothing was exported |
| pass | every compaction snapshot is bound to its policy | nothing was compacted |

## Notes

- `/v1/files` was called and is not served
";

    #[test]
    fn hostile_text_is_no_markup() {
        let shown = inline(HOSTILE);
        assert_eq!(
            shown,
            r#"=1+1,"q" 'a'\\n&lt;script&gt;alert(1)&lt;/script&gt;\]\]&gt;\\u{1b}\[31m&amp;\|\`\*\_\[x\](y)"#
        );
    }

    #[test]
    fn names_between_backticks_stay_code_and_break_no_table() {
        assert_eq!(inline("the item `rs_1` is `a|b`"), r"the item `rs_1` is `a\|b`");
        assert_eq!(inline("`a` <b> `c"), r"`a` &lt;b&gt; \`c");
        assert_eq!(inline("a ``b`` c"), r"a \`\`b\`\` c");
    }
}
