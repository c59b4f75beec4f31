//! The bounded queue between the connections and a thread that records and judges.
//!
//! Handing over never waits, because it happens while a response is being written or dropped. The bound is kept at
//! the door instead: a request is let in only while there is room ([`Queue::admit`]). What can exceed the bound is
//! what was in flight at that moment, and that is bounded by the number of connections.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// A queue with a bound on its entries and on their bytes.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    waiting: Mutex<VecDeque<(T, usize)>>,
    filled: Condvar,
    room: Notify,
    entries: AtomicUsize,
    bytes: AtomicUsize,
    crowded: AtomicBool,
    entries_max: usize,
    bytes_max: usize,
}

impl<T> Queue<T> {
    pub(crate) fn new(entries_max: usize, bytes_max: usize) -> Self {
        Self {
            waiting: Mutex::new(VecDeque::new()),
            filled: Condvar::new(),
            room: Notify::new(),
            entries: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            crowded: AtomicBool::new(false),
            entries_max,
            bytes_max,
        }
    }

    /// Waits until there is room. Entries that are being worked on still count.
    pub(crate) async fn admit(&self) {
        while !self.has_room() {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            self.crowded.store(true, Ordering::SeqCst);
            // Between the check and the registration the last entry may have gone.
            if !self.has_room() {
                room.await;
            }
        }
    }

    fn has_room(&self) -> bool {
        self.entries.load(Ordering::SeqCst) < self.entries_max
            && self.bytes.load(Ordering::SeqCst) < self.bytes_max
    }

    /// Whoever waits is woken only now: woken at every free place, all would run for each of them.
    fn is_half_empty(&self) -> bool {
        self.entries.load(Ordering::SeqCst) <= self.entries_max / 2
            && self.bytes.load(Ordering::SeqCst) <= self.bytes_max / 2
    }

    /// Entries that wait or are being worked on.
    pub(crate) fn entries(&self) -> usize {
        self.entries.load(Ordering::Relaxed)
    }

    /// Adds an entry that stands for `bytes`.
    pub(crate) fn push(&self, entry: T, bytes: usize) {
        self.entries.fetch_add(1, Ordering::SeqCst);
        self.bytes.fetch_add(bytes, Ordering::SeqCst);
        let mut waiting = self.lock();
        waiting.push_back((entry, bytes));
        if waiting.len() == 1 {
            self.filled.notify_one();
        }
    }

    /// Takes all entries; blocks the thread until there is one.
    pub(crate) fn take_all(&self) -> VecDeque<(T, usize)> {
        let mut waiting = self.lock();
        while waiting.is_empty() {
            waiting = self.filled.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        std::mem::take(&mut *waiting)
    }

    /// Says that an entry of `bytes` was worked on.
    pub(crate) fn done(&self, bytes: usize) {
        self.entries.fetch_sub(1, Ordering::SeqCst);
        self.bytes.fetch_sub(bytes, Ordering::SeqCst);
        if self.crowded.load(Ordering::SeqCst) && self.is_half_empty() {
            self.crowded.store(false, Ordering::SeqCst);
            self.room.notify_waiters();
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(T, usize)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    const LONG: Duration = Duration::from_secs(10);
    const SHORT: Duration = Duration::from_millis(50);

    async fn is_admitted(queue: &Queue<u32>, patience: Duration) -> bool {
        tokio::time::timeout(patience, queue.admit()).await.is_ok()
    }

    #[tokio::test]
    async fn a_full_queue_lets_nobody_in_until_an_entry_is_done() {
        let queue = Queue::new(2, 100);
        queue.push(1, 10);
        assert!(is_admitted(&queue, LONG).await);
        queue.push(2, 10);
        assert!(!is_admitted(&queue, SHORT).await);
        assert_eq!(queue.take_all().len(), 2);
        assert!(!is_admitted(&queue, SHORT).await, "taken is not done");
        queue.done(10);
        assert!(is_admitted(&queue, LONG).await);
    }

    #[tokio::test]
    async fn bytes_are_bounded_too() {
        let queue = Queue::new(100, 100);
        queue.push(1, 100);
        assert!(!is_admitted(&queue, SHORT).await);
    }

    #[tokio::test]
    async fn whoever_waits_is_woken() {
        let queue = Arc::new(Queue::new(1, 100));
        queue.push(1, 0);
        let waiting: Vec<_> = (0..8)
            .map(|_| {
                let queue = Arc::clone(&queue);
                tokio::spawn(async move { is_admitted(&queue, LONG).await })
            })
            .collect();
        tokio::time::sleep(SHORT).await;
        queue.done(0);
        for task in waiting {
            assert!(task.await.expect("no panic"));
        }
    }

    #[test]
    fn the_taking_thread_sleeps_until_something_comes() {
        let queue = Arc::new(Queue::new(10, 100));
        let taker = {
            let queue = Arc::clone(&queue);
            std::thread::spawn(move || queue.take_all().len())
        };
        queue.push(1, 0);
        assert_eq!(taker.join().expect("no panic"), 1);
    }
}
