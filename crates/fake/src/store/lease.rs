//! One writer at a time: a conversation belongs to the request that is being answered in it (E19).

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// A conversation that is being answered. It is free again when the last copy is dropped, so an answer that nobody
/// finishes frees it too.
#[derive(Clone, Debug)]
pub struct Lease(Arc<dyn Any + Send + Sync>);

impl Lease {
    /// A lease that somebody else gave: it lasts as long as `guard` does.
    pub fn of(guard: impl Any + Send + Sync) -> Self {
        Self(Arc::new(guard))
    }

    /// The guard that it lasts as long as.
    pub fn guard<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl PartialEq for Lease {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.0), Arc::as_ptr(&other.0))
    }
}

/// The leases of a session, by conversation.
#[derive(Clone, Debug, Default)]
pub struct Leases(BTreeMap<String, Weak<()>>);

impl Leases {
    /// Takes a conversation; `None` while somebody has it.
    pub fn take(&mut self, conversation: &str) -> Option<Lease> {
        let is_held = |held: &Weak<()>| held.strong_count() > 0;
        if self.0.get(conversation).is_some_and(is_held) {
            return None;
        }
        // What nobody holds any more goes, so the table is as large as the number of answers under way.
        self.0.retain(|_, held| is_held(held));
        let lease = Arc::new(());
        self.0.insert(conversation.to_owned(), Arc::downgrade(&lease));
        Some(Lease(lease))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_has_one_writer_until_its_lease_is_dropped() {
        let mut leases = Leases::default();
        let first = leases.take("conv_1");
        assert!(first.is_some());
        assert_eq!(leases.take("conv_1"), None);
        assert!(leases.take("conv_2").is_some());
        drop(first);
        assert!(leases.take("conv_1").is_some());
        assert_eq!(leases.0.len(), 1);
    }
}
