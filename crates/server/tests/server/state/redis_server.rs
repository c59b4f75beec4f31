//! A Redis of one test.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// It is started on a free port, and ends with the value.
pub(crate) struct RedisServer {
    process: Child,
    port: u16,
}

impl RedisServer {
    pub(crate) fn start() -> Self {
        let port = free_port();
        let process = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no", "--dir", "/tmp"])
            .stdout(Stdio::null())
            .stdin(Stdio::null())
            .spawn();
        let process = process.expect("`redis-server` is not installed: apt-get install redis-server");
        let server = Self { process, port };
        server.wait();
        server
    }

    pub(crate) fn address(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    fn wait(&self) {
        let until = Instant::now() + Duration::from_secs(20);
        while Instant::now() < until {
            if std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("redis-server did not come up on port {}", self.port);
    }
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("bound").port()
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
