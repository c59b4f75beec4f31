//! A problem of a scenario file with the lines it is about.

use holdover_scenario::{Label, Problem};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource};

use holdover_report::Style;

/// The problem in the graphical form: message, source lines with labels, help.
pub(crate) fn graphical(problem: &Problem, text: &str, style: Style) -> String {
    let mut theme = match style {
        Style::Plain => GraphicalTheme::unicode_nocolor(),
        Style::Ansi => GraphicalTheme::unicode(),
    };
    theme.characters.error = format!("error[{}]:", problem.code.as_str());
    let shown = Shown {
        problem,
        source: NamedSource::new(&problem.file, text.to_owned()),
    };
    let mut out = String::new();
    // Writing to a `String` cannot fail; a problem that cannot be drawn is still said in words.
    if GraphicalReportHandler::new_themed(theme)
        .with_width(100)
        .render_report(&mut out, &shown)
        .is_err()
    {
        return holdover_scenario::problem::short(problem, text);
    }
    out
}

#[derive(Debug)]
struct Shown<'a> {
    problem: &'a Problem,
    source: NamedSource<String>,
}

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.problem.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn help<'b>(&'b self) -> Option<Box<dyn std::fmt::Display + 'b>> {
        self.problem
            .help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let labels = std::iter::once(&self.problem.at).chain(&self.problem.other);
        Some(Box::new(labels.map(labeled)))
    }
}

fn labeled(label: &Label) -> LabeledSpan {
    let text = (!label.text.is_empty()).then(|| label.text.clone());
    LabeledSpan::new(text, label.span.start, label.span.len())
}
