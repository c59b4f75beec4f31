//! Looking up a member of an object.

use serde_json::Value;

use crate::Object;

/// Up to this many members are compared one by one. Hashing a name costs more than that: the map hashes with a keyed
/// hash, as one must whose keys a client chooses.
const COMPARED_MAX: usize = 40;

/// Lookup that suits the objects of the API: few members with short names.
pub trait Members {
    /// The member of this name; `None` when there is none, or when this is no object.
    fn member(&self, name: &str) -> Option<&Value>;
}

impl Members for Object {
    #[inline]
    fn member(&self, name: &str) -> Option<&Value> {
        if self.len() > COMPARED_MAX {
            return self.get(name);
        }
        let mut members = self.iter();
        members.find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

impl Members for Value {
    #[inline]
    fn member(&self, name: &str) -> Option<&Value> {
        self.as_object()?.member(name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_member_is_found_in_objects_of_any_size() {
        for size in [0, 1, COMPARED_MAX, COMPARED_MAX + 1, 500] {
            let object: Object = (0..size)
                .map(|number| (format!("m{number}"), json!(number)))
                .collect();
            for number in 0..size {
                assert_eq!(object.member(&format!("m{number}")), Some(&json!(number)));
            }
            assert_eq!(object.member("absent"), None);
        }
    }

    #[test]
    fn what_is_no_object_has_no_member() {
        assert_eq!(json!([1]).member("0"), None);
        assert_eq!(json!({"a": null}).member("a"), Some(&Value::Null));
    }
}
