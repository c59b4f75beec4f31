//! Runs steps in order, says how long each took, and counts.
//!
//! A failed step does not stop the others: one run shows everything that is wrong. A step that needs a failed one
//! cannot run, and counts as failed, because silence is not success.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// One step of a longer run.
pub(crate) struct Step<C: ?Sized> {
    /// How it is called on the command line and in the output.
    pub(crate) name: &'static str,
    /// The steps that must have passed before it can run.
    pub(crate) needs: &'static [&'static str],
    /// What it does.
    pub(crate) action: fn(&C) -> anyhow::Result<()>,
}

/// How many steps passed and failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Count {
    /// The closing line, which CI reads: the number is in no other form.
    pub(crate) fn line(&self) -> String {
        format!("{} passed, {} failed", self.passed, self.failed)
    }
}

/// Runs `steps` in order; `say` gets every line that is to be shown.
pub(crate) fn run<C: ?Sized>(steps: &[&Step<C>], context: &C, say: &mut dyn FnMut(&str)) -> Count {
    let mut failed = BTreeSet::new();
    for (index, step) in steps.iter().enumerate() {
        say(&format!("==> [{}/{}] {}", index + 1, steps.len(), step.name));
        let started = Instant::now();
        match attempt(step, context, &failed) {
            Ok(()) => say(&format!(
                "    {} passed in {}",
                step.name,
                shown(started.elapsed())
            )),
            Err(error) => {
                failed.insert(step.name);
                say(&format!(
                    "    {} FAILED in {}: {error:#}",
                    step.name,
                    shown(started.elapsed())
                ));
            }
        }
    }
    for name in &failed {
        say(&format!("failed: {name} (again with `cargo xtask test {name}`)"));
    }
    Count {
        passed: steps.len() - failed.len(),
        failed: failed.len(),
    }
}

fn attempt<C: ?Sized>(step: &Step<C>, context: &C, failed: &BTreeSet<&str>) -> anyhow::Result<()> {
    if let Some(need) = step.needs.iter().find(|need| failed.contains(**need)) {
        anyhow::bail!("not run, because `{need}` failed");
    }
    (step.action)(context)
}

/// The steps of these names and all that they need, in the order of `all`; all of them for no name.
///
/// An unknown name is given back as the error.
pub(crate) fn select<'a, C: ?Sized>(
    all: &'a [Step<C>],
    names: &[String],
) -> Result<Vec<&'a Step<C>>, String> {
    let mut wanted = BTreeSet::new();
    let mut open: Vec<&str> = names.iter().map(String::as_str).collect();
    while let Some(name) = open.pop() {
        let step = all
            .iter()
            .find(|step| step.name == name)
            .ok_or_else(|| name.to_owned())?;
        if wanted.insert(step.name) {
            open.extend(step.needs);
        }
    }
    Ok(all
        .iter()
        .filter(|step| names.is_empty() || wanted.contains(step.name))
        .collect())
}

fn shown(elapsed: Duration) -> String {
    format!("{:.1} s", elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: &[Step<()>] = &[
        Step {
            name: "build",
            needs: &[],
            action: |()| anyhow::bail!("no compiler"),
        },
        Step {
            name: "use",
            needs: &["build"],
            action: |()| panic!("must not run"),
        },
        Step {
            name: "lint",
            needs: &[],
            action: |()| Ok(()),
        },
    ];

    #[test]
    fn a_failed_step_stops_only_those_that_need_it() {
        let mut lines = Vec::new();
        let steps: Vec<_> = STEPS.iter().collect();
        let count = run(&steps, &(), &mut |line| lines.push(line.to_owned()));
        assert_eq!(count, Count { passed: 1, failed: 2 });
        assert_eq!(count.line(), "1 passed, 2 failed");
        assert_eq!(lines[0], "==> [1/3] build");
        assert!(lines[1].ends_with(": no compiler"), "{lines:?}");
        assert!(
            lines[3].ends_with(": not run, because `build` failed"),
            "{lines:?}"
        );
    }

    #[test]
    fn a_selected_step_brings_what_it_needs() {
        let names = |chosen: &[&str]| -> Result<Vec<&str>, String> {
            let chosen: Vec<String> = chosen.iter().map(ToString::to_string).collect();
            Ok(select(STEPS, &chosen)?.iter().map(|step| step.name).collect())
        };
        assert_eq!(names(&["use"]), Ok(vec!["build", "use"]));
        assert_eq!(names(&[]), Ok(vec!["build", "use", "lint"]));
        assert_eq!(names(&["user"]), Err("user".to_owned()));
    }
}
