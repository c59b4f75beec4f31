//! `report.html`: one page that needs nothing else: no script, no font, no request. It follows the reader's choice of
//! dark or light.

use std::fmt::Write as _;

use holdover_judge::{Finding, Severity};

use crate::case::{CaseEnd, CaseReport};
use crate::clean::visible;
use crate::closing::closing;
use crate::gate::{Answer, Gate, gate};
use crate::result::result_of;
use crate::run::Run;
use crate::words::{counted, coverage_line, finding_counts, location};

const STYLE: &str = include_str!("report.css");

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    // Taken apart by member: a new one has to be decided about here.
    let Run {
        started: _,
        cases,
        notes,
    } = run;
    let mut page = Page::default();
    page.head();
    page.run(run);
    if let Some(gate) = gate(cases) {
        page.gate(&gate);
    }
    page.cases(run);
    cases
        .iter()
        .enumerate()
        .for_each(|(index, case)| page.case(run, index, case));
    page.notes(notes);
    page.add("</main></body></html>\n");
    page.0.into_bytes()
}

/// Text as HTML shows it: markup and control characters are written out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in visible(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(character),
        }
    }
    out
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn add(&mut self, text: &str) {
        self.0.push_str(text);
    }

    fn head(&mut self) {
        self.add("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
        self.add("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
        self.add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        self.add("<meta name=\"color-scheme\" content=\"light dark\">\n<title>Holdover report</title>\n");
        let _ = write!(
            self.0,
            "<style>\n{STYLE}</style></head>\n<body><main>\n<h1>Holdover report</h1>\n"
        );
    }

    fn run(&mut self, run: &Run) {
        let _ = writeln!(self.0, "<p class=\"closing\">{}</p>", escaped(&closing(run)));
        let _ = writeln!(
            self.0,
            "<p>{}, seed {}, profile <code>{}</code>, fails on <code>{}</code>.</p>",
            counted(run.cases.len(), "session"),
            run.started.seed,
            escaped(&run.started.profile),
            run.started.fail_on.as_str()
        );
    }

    fn gate(&mut self, gate: &Gate) {
        let _ = writeln!(self.0, "<h2>Release gate: {}</h2>", answer(gate.release));
        self.add("<table><thead><tr><th>answer</th><th>question</th><th>why</th><th>sessions</th></tr></thead><tbody>\n");
        for answered in &gate.questions {
            let _ = writeln!(
                self.0,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                answer(answered.answer),
                escaped(answered.question.text()),
                escaped(&answered.why),
                escaped(&answered.cases.join(", "))
            );
        }
        self.add("</tbody></table>\n");
    }

    fn cases(&mut self, run: &Run) {
        self.add("<h2>Sessions</h2>\n<table><thead><tr><th>case</th><th>end</th><th>result</th><th>findings</th></tr></thead><tbody>\n");
        for (index, case) in run.cases.iter().enumerate() {
            let _ = writeln!(
                self.0,
                "<tr><td><a href=\"#case-{index}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escaped(case.name().as_str()),
                end(case.end(run.started.fail_on)),
                escaped(result_of(case)),
                finding_counts(&case.verdict)
            );
        }
        self.add("</tbody></table>\n");
    }

    fn case(&mut self, run: &Run, index: usize, case: &CaseReport) {
        let open = if case.end(run.started.fail_on) == CaseEnd::Passed {
            ""
        } else {
            " open"
        };
        let name = escaped(case.name().as_str());
        let _ = writeln!(
            self.0,
            "<details id=\"case-{index}\"{open}><summary>{name}</summary>"
        );
        if case.planted {
            self.add("<p class=\"planted\">This case plants a mistake: its findings are expected.</p>\n");
        }
        for unmet in &case.unmet {
            let _ = writeln!(
                self.0,
                "<p><b class=\"error\">unmet</b> {}</p>",
                escaped(&unmet.message)
            );
        }
        case.verdict
            .findings
            .iter()
            .for_each(|finding| self.finding(finding));
        for open in &case.verdict.inconclusive {
            let _ = writeln!(
                self.0,
                "<p><b class=\"warning\">inconclusive</b> {}; missing: {}</p>",
                escaped(&open.what),
                escaped(&open.missing)
            );
        }
        let _ = writeln!(
            self.0,
            "<p class=\"coverage\">{}</p></details>",
            escaped(&coverage_line(&case.verdict.coverage))
        );
    }

    fn finding(&mut self, finding: &Finding) {
        let severity = severity_class(finding.severity);
        let _ = writeln!(
            self.0,
            "<section class=\"finding\"><p><b class=\"{severity}\">{severity}</b> <code>{}</code> {}</p><dl>",
            finding.rule,
            escaped(&finding.message)
        );
        let place = location(finding);
        let also = finding.also.join(", ");
        let members = [
            ("at", Some(place.as_str())),
            ("item", finding.item.as_deref()),
            ("sent", finding.sent.as_deref()),
            ("expected", finding.expected.as_deref()),
            ("help", Some(finding.help.as_str())),
            ("also", Some(also.as_str())),
        ];
        for (name, value) in members {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                let _ = writeln!(self.0, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
            }
        }
        self.add("</dl></section>\n");
    }

    fn notes(&mut self, notes: &[String]) {
        if notes.is_empty() {
            return;
        }
        self.add("<h2>Notes</h2>\n<ul>\n");
        for note in notes {
            let _ = writeln!(self.0, "<li>{}</li>", escaped(note));
        }
        self.add("</ul>\n");
    }
}

fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn end(end: CaseEnd) -> &'static str {
    match end {
        CaseEnd::Passed => "<b class=\"good\">passed</b>",
        CaseEnd::Failed => "<b class=\"error\">failed</b>",
        CaseEnd::Unjudged => "<b class=\"warning\">not judged</b>",
    }
}

fn answer(answer: Answer) -> &'static str {
    match answer {
        Answer::Pass => "<b class=\"good\">pass</b>",
        Answer::Fail => "<b class=\"error\">fail</b>",
        Answer::NotAssessed => "<b class=\"warning\">not assessed</b>",
    }
}

#[cfg(test)]
mod tests {
    use holdover_judge::Class;

    use super::*;
    use crate::case::{Table, Unmet};
    use crate::testing::{HOSTILE, WITH_ID, case, finding, run, text as utf8};

    /// The page after its style sheet.
    fn body(bytes: &[u8]) -> &str {
        utf8(bytes).split("</style></head>\n").nth(1).expect("a body")
    }

    #[test]
    fn the_whole_body() {
        let lost = Finding {
            pointer: Some("/input/1".to_owned()),
            item: Some("rs_1".to_owned()),
            expected: Some("the item as it came".to_owned()),
            help: "append `response.output`".to_owned(),
            also: vec!["orphan-follower".to_owned()],
            ..finding("reasoning-dropped", Severity::Error, Class::Carry)
        };
        let mut run = run(vec![case("a", Table::CarryOver, WITH_ID, vec![lost])]);
        run.notes.push("one note".to_owned());
        assert_eq!(body(&write(&run)), BODY);
    }

    const BODY: &str = r##"<body><main>
<h1>Holdover report</h1>
<p class="closing">1 session: 1 failed, 0 not judged</p>
<p>1 session, seed 7, profile <code>openai</code>, fails on <code>error</code>.</p>
<h2>Release gate: <b class="warning">not assessed</b></h2>
<table><thead><tr><th>answer</th><th>question</th><th>why</th><th>sessions</th></tr></thead><tbody>
<tr><td><b class="warning">not assessed</b></td><td>no public payload can carry an internal id</td><td>there is no audit record</td><td>a</td></tr>
<tr><td><b class="warning">not assessed</b></td><td>nothing resumes by a reasoning id that is not there to stay</td><td>there is no audit record</td><td>a</td></tr>
<tr><td><b class="warning">not assessed</b></td><td>every run records the id policy it ran under</td><td>there is no audit record</td><td>a</td></tr>
<tr><td><b class="warning">not assessed</b></td><td>every dump was made under the live policy</td><td>there is no audit record</td><td>a</td></tr>
<tr><td><b class="warning">not assessed</b></td><td>every compaction snapshot is bound to its policy</td><td>there is no audit record</td><td>a</td></tr>
</tbody></table>
<h2>Sessions</h2>
<table><thead><tr><th>case</th><th>end</th><th>result</th><th>findings</th></tr></thead><tbody>
<tr><td><a href="#case-0">a</a></td><td><b class="error">failed</b></td><td>lost</td><td>1 error</td></tr>
</tbody></table>
<details id="case-0" open><summary>a</summary>
<section class="finding"><p><b class="error">error</b> <code>reasoning-dropped</code> reasoning-dropped fired</p><dl>
<dt>at</dt><dd>exchange 2, /input/1</dd>
<dt>item</dt><dd>rs_1</dd>
<dt>expected</dt><dd>the item as it came</dd>
<dt>help</dt><dd>append `response.output`</dd>
<dt>also</dt><dd>orphan-follower</dd>
</dl></section>
<p class="coverage">2 turns in 1 conversation; reasoning items: 1 issued, 1 carried, 1 judged; 0 exports, 0 audit records</p></details>
<h2>Notes</h2>
<ul>
<li>one note</li>
</ul>
</main></body></html>
"##;

    #[test]
    fn hostile_text_stays_text() {
        let hostile = Finding {
            item: Some(HOSTILE.to_owned()),
            sent: Some(HOSTILE.to_owned()),
            expected: Some(HOSTILE.to_owned()),
            place: Some(HOSTILE.to_owned()),
            pointer: Some(HOSTILE.to_owned()),
            help: HOSTILE.to_owned(),
            also: vec![HOSTILE.to_owned()],
            message: HOSTILE.to_owned(),
            ..finding("null-id", Severity::Warning, Class::Shape)
        };
        let mut case = case(HOSTILE, Table::CarryOver, WITH_ID, vec![hostile]);
        case.unmet = vec![Unmet {
            message: HOSTILE.to_owned(),
        }];
        let mut run = run(vec![case]);
        run.notes.push(HOSTILE.to_owned());
        run.started.profile = HOSTILE.to_owned();
        let page = write(&run);
        let body = body(&page);
        assert!(!body.contains("<script"));
        assert!(!body.contains('\u{1b}'));
        // The name stands in the list, in its heading, and in each of the ten places above.
        assert!(body.matches("&lt;script&gt;alert(1)&lt;/script&gt;").count() >= 12);
    }

    #[test]
    fn the_page_asks_nobody_for_anything() {
        let page = write(&run(vec![case("a", Table::CarryOver, WITH_ID, vec![])]));
        let page = utf8(&page);
        for outside in ["http:", "https:", "src=", "url(", "@import", "<link", "<script"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("prefers-color-scheme: dark"));
    }
}
