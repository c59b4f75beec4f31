//! Numbers inside the limits of a schema.

use holdover_wire::Members as _;
use serde_json::{Map, Number, Value};

/// Limits of a number; an exclusive one is apart by `step`.
struct Limits {
    low: Option<f64>,
    high: Option<f64>,
    multiple: Option<f64>,
}

impl Limits {
    fn new(schema: &Map<String, Value>, step: f64) -> Self {
        let limit = |name: &str| schema.member(name).and_then(Value::as_f64);
        let low = [limit("minimum"), limit("exclusiveMinimum").map(|low| low + step)];
        let high = [
            limit("maximum"),
            limit("exclusiveMaximum").map(|high| high - step),
        ];
        Self {
            low: low.into_iter().flatten().reduce(f64::max),
            high: high.into_iter().flatten().reduce(f64::min),
            multiple: limit("multipleOf").filter(|multiple| *multiple > 0.0),
        }
    }

    fn allow(&self, value: f64) -> bool {
        let multiple = self
            .multiple
            .is_none_or(|multiple| (value / multiple).fract() == 0.0);
        multiple && self.low.is_none_or(|low| value >= low) && self.high.is_none_or(|high| value <= high)
    }

    /// One where it is allowed, else the smallest or the largest value that is.
    fn choose(&self) -> f64 {
        let multiple = self.multiple.unwrap_or(0.0);
        let up = |low: f64| {
            if multiple > 0.0 {
                (low / multiple).ceil() * multiple
            } else {
                low
            }
        };
        let down = |high: f64| {
            if multiple > 0.0 {
                (high / multiple).floor() * multiple
            } else {
                high
            }
        };
        let candidates = [
            Some(1.0),
            self.low.map(up),
            self.high.map(down),
            Some(multiple),
            Some(0.0),
        ];
        let mut allowed = candidates
            .into_iter()
            .flatten()
            .filter(|value| self.allow(*value));
        allowed.next().unwrap_or(0.0)
    }
}

/// A whole number.
pub(super) fn integer(schema: &Map<String, Value>) -> Value {
    let mut limits = Limits::new(schema, 1.0);
    limits.low = limits.low.map(f64::ceil);
    limits.high = limits.high.map(f64::floor);
    #[expect(clippy::cast_possible_truncation, reason = "a schema's limits are far inside")]
    let value = limits.choose() as i64;
    value.into()
}

/// Any number.
pub(super) fn number(schema: &Map<String, Value>) -> Value {
    // Half a unit inside an exclusive limit, less where the range is smaller than that.
    let limit = |name: &str| schema.member(name).and_then(Value::as_f64);
    let low = limit("exclusiveMinimum").or(limit("minimum"));
    let high = limit("exclusiveMaximum").or(limit("maximum"));
    let step = match (low, high) {
        (Some(low), Some(high)) => ((high - low) / 4.0).clamp(f64::MIN_POSITIVE, 0.5),
        _ => 0.5,
    };
    let value = Limits::new(schema, step).choose();
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}
