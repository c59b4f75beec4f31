//! `faults` of `PUT sessions/NAME`: a list of faults, each as a text or as an object.

use holdover_fault::{Fault, FaultProblem, clashes};
use serde_json::Value;

/// Every fault of a list, or everything that is wrong with it.
pub(super) fn read_all(value: &Value) -> Result<Vec<Fault>, String> {
    let list = value
        .as_array()
        .ok_or("`faults` is a list of `NAME:KEY=VALUE` or of objects with `do` and `on`")?;
    let mut faults = Vec::new();
    let mut problems = Vec::new();
    for (index, value) in list.iter().enumerate() {
        match Fault::parse_json(value) {
            Ok(fault) => faults.push(fault),
            Err(found) => {
                let texts = found.iter().map(FaultProblem::text);
                problems.extend(texts.map(|text| format!("faults[{index}]: {text}")));
            }
        }
    }
    if problems.is_empty() {
        let clashes = clashes(&faults).into_iter();
        problems.extend(
            clashes.map(|clash| format!("faults[{}]: {} ({})", clash.second, clash.message, clash.help)),
        );
    }
    if problems.is_empty() {
        Ok(faults)
    } else {
        Err(problems.join("; "))
    }
}
