//! What every request of one server shares.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use holdover_judge::Clock;
use tokio::sync::watch;

use crate::config::Limits;
use crate::listen::Connections;
use crate::metrics::Metrics;
use crate::sessions::Sessions;
use crate::worker::Shared;

/// Shared state of one server.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) sessions: Sessions,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) limits: Limits,
    pub(crate) address: SocketAddr,
    pub(crate) connections: Connections,
    pub(crate) warm: Warm,
    pub(crate) clock: Clock,
    pub(crate) started: Instant,
    /// WebSockets listen to it: they outlive the request that opened them. It also knows when the last is gone.
    pub(crate) serving: watch::Sender<Serving>,
}

/// Whether the server goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Serving {
    /// It does.
    On,
    /// It was told to stop.
    Stopping,
}

/// Whether the tokenizer is loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warm(Arc<std::sync::atomic::AtomicBool>);

impl Warm {
    pub(crate) fn set(&self) {
        self.0.store(LOADED, std::sync::atomic::Ordering::Release);
    }

    /// `loaded` or `loading`.
    pub(crate) fn word(&self) -> &'static str {
        if self.0.load(std::sync::atomic::Ordering::Acquire) == LOADED {
            "loaded"
        } else {
            "loading"
        }
    }
}

const LOADED: bool = true;

impl App {
    /// Real milliseconds since the server started, when they are wanted.
    pub(crate) fn arrived_ms(&self) -> Option<u64> {
        match self.clock {
            Clock::Virtual => None,
            Clock::Wall => u64::try_from(self.started.elapsed().as_millis()).ok(),
        }
    }

    /// The base URL that a client of this session prefix (`/s/NAME`, or nothing) needs, as seen from `host`.
    pub(crate) fn base_url(&self, host: Option<&str>, prefix: &str) -> String {
        match host {
            Some(host) => format!("http://{host}{prefix}/v1"),
            None => format!("http://{}{prefix}/v1", reachable(self.address)),
        }
    }
}

/// An address of this machine: one that listens everywhere (`0.0.0.0`) is no address to connect to.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_means_all_becomes_loopback() {
        for (bound, reached) in [
            ("0.0.0.0:8790", "127.0.0.1:8790"),
            ("[::]:8790", "[::1]:8790"),
            ("127.0.0.1:8790", "127.0.0.1:8790"),
            ("10.1.2.3:1", "10.1.2.3:1"),
        ] {
            let bound = bound.parse().expect("an address");
            assert_eq!(reachable(bound).to_string(), reached);
        }
    }
}
