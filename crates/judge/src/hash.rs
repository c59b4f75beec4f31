//! Content hashes for indexes; no promise to anybody.

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;
use twox_hash::XxHash3_128;

/// A content hash: 128 bits of XXH3. Whoever makes two texts of one hash fools the judge of their own session only. In
/// two halves: allocators treat what must lie on 16 bytes in their slow way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Hash([u64; 2]);

/// Values by content hash, in the order in which they came.
pub(crate) type ByHash<V> = IndexMap<Hash, V>;

/// Content hashes, in the order in which they came.
pub(crate) type Hashes = IndexSet<Hash>;

impl Hash {
    /// The hash of bytes.
    #[expect(clippy::cast_possible_truncation, reason = "each half is taken")]
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let whole = XxHash3_128::oneshot(bytes);
        Self([whole as u64, (whole >> 64) as u64])
    }

    /// The hash of this one followed by another: links of a chain.
    pub(crate) fn then(self, next: Self) -> Self {
        let mut bytes = [0; 32];
        let halves = self.0.into_iter().chain(next.0);
        for (place, half) in bytes.chunks_exact_mut(8).zip(halves) {
            place.copy_from_slice(&half.to_le_bytes());
        }
        Self::of(&bytes)
    }
}

/// Builds the hash of a list of texts and values: each stands with its kind and its length, so that no two lists are
/// written alike.
pub(crate) struct Hasher(Vec<u8>);

impl Hasher {
    /// A list that begins with a word that says what it is.
    pub(crate) fn new(kind: &str) -> Self {
        let mut hasher = Self(Vec::with_capacity(256));
        hasher.text(kind);
        hasher
    }

    /// Appends a text.
    pub(crate) fn text(&mut self, text: &str) {
        self.sized(b'"', text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Appends a text, or that there is none.
    pub(crate) fn optional_text(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.0.push(b'-'),
        }
    }

    /// Appends a value, or that there is none; the order of members counts.
    pub(crate) fn optional(&mut self, value: Option<&Value>) {
        match value {
            Some(value) => self.value(value),
            None => self.0.push(b'-'),
        }
    }

    /// Appends a value; the order of members counts.
    pub(crate) fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.0.push(b'n'),
            Value::Bool(false) => self.0.push(b'f'),
            Value::Bool(true) => self.0.push(b't'),
            Value::Number(number) => {
                let text = number.to_string();
                self.sized(b'0', text.len());
                self.0.extend_from_slice(text.as_bytes());
            }
            Value::String(text) => self.text(text),
            Value::Array(list) => {
                self.sized(b'[', list.len());
                for value in list {
                    self.value(value);
                }
            }
            Value::Object(object) => self.object(object),
        }
    }

    /// Appends an object; the order of members counts.
    pub(crate) fn object(&mut self, object: &holdover_wire::Object) {
        self.sized(b'{', object.len());
        for (name, value) in object {
            self.text(name);
            self.value(value);
        }
    }

    /// The hash of the list.
    pub(crate) fn finish(&self) -> Hash {
        Hash::of(&self.0)
    }

    fn sized(&mut self, kind: u8, length: usize) {
        self.0.push(kind);
        self.0.extend_from_slice(&(length as u64).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(
        clippy::needless_pass_by_value,
        reason = "`json!` values read better without a borrow"
    )]
    fn hash(value: Value) -> Hash {
        let mut hasher = Hasher::new("test");
        hasher.value(&value);
        hasher.finish()
    }

    #[test]
    fn values_that_differ_have_different_hashes() {
        let values = [
            json!(null),
            json!(false),
            json!(true),
            json!(0),
            json!(0.0),
            json!(-1),
            json!(""),
            json!("0"),
            json!([]),
            json!({}),
            json!([[]]),
            json!([null]),
            json!(["a", "b"]),
            json!(["ab"]),
            json!(["a\"b"]),
            json!({"a": "b"}),
            json!(["a", ["b"]]),
            json!({"a": 1, "b": 2}),
            json!({"b": 2, "a": 1}),
        ];
        for (place, value) in values.iter().enumerate() {
            for other in &values[place + 1..] {
                assert_ne!(hash(value.clone()), hash(other.clone()), "{value} and {other}");
            }
            assert_eq!(hash(value.clone()), hash(value.clone()));
        }
    }

    #[test]
    fn texts_do_not_run_into_one_another() {
        let list = |texts: &[&str]| {
            let mut hasher = Hasher::new("list");
            for text in texts {
                hasher.text(text);
            }
            hasher.finish()
        };
        assert_ne!(list(&["ab", "c"]), list(&["a", "bc"]));
        assert_ne!(list(&["a", ""]), list(&["a"]));
    }
}
