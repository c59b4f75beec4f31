//! Counters of one server, as plain text.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use holdover_wire::End;

/// Counters since the server started.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    exchanges: AtomicU64,
    refused: AtomicU64,
    client_gone: AtomicU64,
    cut: AtomicU64,
    body_bytes: AtomicU64,
    unserved: AtomicU64,
    bugs: AtomicU64,
}

/// What is counted elsewhere, at the moment of asking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gauges {
    pub(crate) sessions: usize,
    pub(crate) connections_open: usize,
    pub(crate) connections_accepted: u64,
    pub(crate) queue_entries: usize,
    pub(crate) evicted_exchanges: u64,
    pub(crate) evicted_bytes: u64,
    /// Bytes of responses and conversations in memory.
    pub(crate) state_bytes: usize,
    /// Responses and conversations that went to stay within the bound.
    pub(crate) state_evicted: u64,
}

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

impl Metrics {
    pub(crate) fn exchange(&self, status: u16, end: End, bytes: usize) {
        add(&self.exchanges, 1);
        add(&self.body_bytes, bytes as u64);
        if status >= 400 {
            add(&self.refused, 1);
        }
        match end {
            End::Complete => {}
            End::ClientGone => add(&self.client_gone, 1),
            End::Cut | End::HalfClose | End::Reset | End::Timeout => add(&self.cut, 1),
        }
    }

    pub(crate) fn unserved(&self) {
        add(&self.unserved, 1);
    }

    pub(crate) fn bug(&self) {
        add(&self.bugs, 1);
    }

    /// One `name value` a line, in a fixed order.
    pub(crate) fn text(&self, gauges: Gauges) -> String {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let lines = [
            ("holdover_exchanges_total", read(&self.exchanges)),
            ("holdover_exchanges_refused_total", read(&self.refused)),
            ("holdover_exchanges_client_gone_total", read(&self.client_gone)),
            ("holdover_exchanges_cut_total", read(&self.cut)),
            ("holdover_body_bytes_total", read(&self.body_bytes)),
            ("holdover_unserved_total", read(&self.unserved)),
            ("holdover_bugs_total", read(&self.bugs)),
            ("holdover_evicted_exchanges_total", gauges.evicted_exchanges),
            ("holdover_evicted_bytes_total", gauges.evicted_bytes),
            ("holdover_state_bytes", gauges.state_bytes as u64),
            ("holdover_state_evicted_total", gauges.state_evicted),
            ("holdover_connections_total", gauges.connections_accepted),
            ("holdover_connections_open", gauges.connections_open as u64),
            ("holdover_sessions", gauges.sessions as u64),
            ("holdover_queue_entries", gauges.queue_entries as u64),
        ];
        lines.iter().fold(String::new(), |mut text, (name, value)| {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{name} {value}");
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_back_by_name() {
        let metrics = Metrics::default();
        metrics.exchange(200, End::Complete, 10);
        metrics.exchange(404, End::ClientGone, 5);
        let text = metrics.text(Gauges {
            sessions: 2,
            connections_open: 0,
            connections_accepted: 3,
            queue_entries: 0,
            evicted_exchanges: 0,
            evicted_bytes: 0,
            state_bytes: 0,
            state_evicted: 4,
        });
        for line in [
            "holdover_exchanges_total 2",
            "holdover_exchanges_refused_total 1",
            "holdover_exchanges_client_gone_total 1",
            "holdover_body_bytes_total 15",
            "holdover_sessions 2",
            "holdover_state_evicted_total 4",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }
}
