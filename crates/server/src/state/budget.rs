//! The bound of bytes that the state of all sessions in memory shares: the oldest goes first, whichever session it is of.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use holdover_fake::StoreSize;

use crate::config::Limits;

/// [`Order::tidy_at`] is never below this.
const TIDY_MIN: usize = 4096;

/// Who holds state that may be let go.
pub(crate) trait Holder: Send + Sync {
    /// Lets the oldest go and returns the bytes that it had. `newest` holds what was just acknowledged: the last thing
    /// of that holder stays, however large it is.
    fn let_go(&self, newest: Newest) -> usize;
}

/// Whether a holder wrote last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Newest {
    Here,
    Elsewhere,
}

/// The bound.
pub(crate) struct Budget {
    bytes_max: usize,
    order: Mutex<Order>,
}

struct Order {
    /// Bytes of all holders. A holder may tell that something went before another thread tells that it came, so it can
    /// be less than nothing for a moment.
    bytes: i64,
    /// Who wrote, in order.
    writers: VecDeque<Weak<dyn Holder>>,
    /// Length of `writers` at which those that are gone are taken out.
    tidy_at: usize,
    evicted: u64,
}

impl Default for Budget {
    /// The bound that a server has unless told otherwise.
    fn default() -> Self {
        Self::new(Limits::default().state_bytes_max)
    }
}

impl std::fmt::Debug for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget")
            .field("bytes_max", &self.bytes_max)
            .finish_non_exhaustive()
    }
}

/// What the budget knows of one holder.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Share {
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self { budget, bytes: 0 }
    }

    /// Notes what the holder holds now, and returns by how much that is more.
    pub(crate) fn set(&mut self, size: StoreSize) -> i64 {
        let more = signed(size.bytes) - signed(self.bytes);
        self.bytes = size.bytes;
        more
    }
}

impl Drop for Share {
    /// What a holder held makes room when it goes.
    fn drop(&mut self) {
        self.budget.lock().bytes -= signed(self.bytes);
    }
}

fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

impl Budget {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            order: Mutex::new(Order {
                bytes: 0,
                writers: VecDeque::new(),
                tidy_at: TIDY_MIN,
                evicted: 0,
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Order> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of all holders, and how many things were let go.
    pub(crate) fn size(&self) -> (usize, u64) {
        let order = self.lock();
        (usize::try_from(order.bytes).unwrap_or(0), order.evicted)
    }

    /// A holder wrote, and holds so many bytes more. It may not be locked meanwhile: it may have to let go itself.
    pub(crate) fn wrote(&self, holder: &Weak<dyn Holder>, more: i64) {
        // The last owner of a holder tells its end to this budget, so it may not be dropped under the lock.
        let mut touched = Vec::new();
        let mut order = self.lock();
        order.bytes += more;
        if more <= 0 {
            return;
        }
        order.writers.push_back(Weak::clone(holder));
        while order.bytes > signed(self.bytes_max) {
            let Some(oldest) = order.writers.pop_front() else {
                return;
            };
            let newest = if oldest.ptr_eq(holder) {
                Newest::Here
            } else {
                Newest::Elsewhere
            };
            // A holder that is gone has made room already.
            let Some(oldest) = oldest.upgrade() else { continue };
            let freed = oldest.let_go(newest);
            touched.push(oldest);
            if freed > 0 {
                order.bytes -= signed(freed);
                order.evicted += 1;
            }
        }
        if order.writers.len() >= order.tidy_at {
            order.writers.retain(|writer| writer.strong_count() > 0);
            order.tidy_at = TIDY_MIN.max(2 * order.writers.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Things of ten bytes each.
    #[derive(Default)]
    struct Heap(Mutex<usize>);

    impl Holder for Heap {
        fn let_go(&self, newest: Newest) -> usize {
            let mut things = self.0.lock().expect("no panic");
            if *things == 0 || (*things == 1 && newest == Newest::Here) {
                return 0;
            }
            *things -= 1;
            10
        }
    }

    fn put(budget: &Budget, heap: &Arc<Heap>) {
        *heap.0.lock().expect("no panic") += 1;
        let holder: Arc<dyn Holder> = Arc::<Heap>::clone(heap);
        budget.wrote(&Arc::downgrade(&holder), 10);
    }

    fn things(heap: &Heap) -> usize {
        *heap.0.lock().expect("no panic")
    }

    #[test]
    fn the_oldest_goes_whoever_holds_it() {
        let budget = Budget::new(30);
        let (one, other) = (Arc::new(Heap::default()), Arc::new(Heap::default()));
        put(&budget, &one);
        put(&budget, &one);
        put(&budget, &other);
        assert_eq!((things(&one), things(&other)), (2, 1));
        put(&budget, &other);
        assert_eq!((things(&one), things(&other)), (1, 2));
        put(&budget, &other);
        assert_eq!((things(&one), things(&other)), (0, 3));
        assert_eq!(budget.size(), (30, 2));
    }

    #[test]
    fn the_newest_stays_although_it_is_too_large() {
        let budget = Budget::new(5);
        let heap = Arc::new(Heap::default());
        put(&budget, &heap);
        assert_eq!(things(&heap), 1);
        put(&budget, &heap);
        assert_eq!((things(&heap), budget.size().1), (1, 1));
    }
}
