//! How far a run is: a bar for a person who watches, nothing in CI.

use holdover_report::RunEvent;
use indicatif::{ProgressBar, ProgressStyle};

use super::Terminal;

/// The bar of one run; it leaves no trace when the run is over.
#[derive(Debug)]
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    pub(crate) fn new(terminal: Terminal, cases: usize) -> Self {
        let bar = terminal.watched.then(|| {
            let bar = ProgressBar::new(cases as u64);
            // A template that cannot be read leaves the default one.
            if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos}/{len} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self(bar)
    }

    pub(crate) fn show(&mut self, event: &RunEvent) {
        let Some(bar) = &self.0 else { return };
        match event {
            RunEvent::CaseFinished(case) => {
                bar.set_message(case.name().to_string());
                bar.inc(1);
            }
            RunEvent::RunFinished => bar.finish_and_clear(),
            RunEvent::Note(text) => bar.println(format!("note: {text}")),
            RunEvent::RunStarted(_) | RunEvent::CaseStarted(_) => {}
        }
    }
}
