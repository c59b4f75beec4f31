//! Findings as the commands that GitHub Actions reads off a job's output: one annotation each.

use holdover_judge::Severity;

use crate::case::CaseReport;
use crate::clean::visible;
use crate::place::place_of;

/// `::error file=…,line=…,title=…::message`, a line a finding above `note`; empty for none.
pub fn annotations<'a>(cases: impl IntoIterator<Item = &'a CaseReport>) -> String {
    let own = cases.into_iter().filter(|case| !case.planted);
    own.flat_map(of_case).collect()
}

fn of_case(case: &CaseReport) -> Vec<String> {
    case.findings_from(Severity::Warning)
        .map(|finding| {
            let place = place_of(case, finding);
            let place = place.map(|place| format!("file={},line={},", property(&place.file), place.line));
            format!(
                "::{} {}title={}::{}\n",
                finding.severity.as_str(),
                place.unwrap_or_default(),
                property(&format!("holdover: {}", finding.rule)),
                data(&visible(&format!("{}\nhelp: {}", finding.message, finding.help))),
            )
        })
        .collect()
}

/// A message in one line. A line of its own could be a command of somebody else's choice.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property, in which commas and colons have a meaning.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use holdover_judge::Class;

    use super::*;
    use crate::case::Table;
    use crate::place::{CodePlace, TestPlace};
    use crate::testing::{WITH_ID, case, finding};

    #[test]
    fn an_annotation_stands_at_the_test_and_cannot_be_broken_out_of() {
        let mut hostile = finding("reasoning-dropped", Severity::Error, Class::Carry);
        hostile.message = "100 %\n::set-output name=x::y".to_owned();
        let mut case = case("a", Table::CarryOver, WITH_ID, vec![hostile]);
        case.test = Some(TestPlace {
            id: "t".to_owned(),
            place: Some(CodePlace {
                file: "a,b.py".to_owned(),
                line: 3,
            }),
        });
        assert_eq!(
            annotations([&case]),
            "::error file=a%2Cb.py,line=3,title=holdover%3A reasoning-dropped::100 %25%0A::set-output name=x::y%0Ahelp: \n"
        );
        case.planted = true;
        assert_eq!(annotations([&case]), "");
    }
}
