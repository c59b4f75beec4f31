//! The listening socket, and a stream that can be ended from outside.
//!
//! A handler of axum cannot reach its socket. So every connection is a [`Connection`] that shares a [`Handle`] with
//! whoever holds its [`Peer`]: the handle cuts or resets the connection after what was written has left.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 4096;
/// Pause after an accept that failed because the process ran out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How a connection is ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Closed: the client sees the end of the stream.
    Cut,
    /// The sending half is closed: the client sees the end of the stream, and can still send.
    HalfClose,
    /// Reset: the client sees `ECONNRESET`; what it has not read yet may be lost.
    Reset,
}

/// What was asked of a connection; as numbers, because it lives in an atomic.
const OPEN: u8 = 0;
const CUT_AFTER_FLUSH: u8 = 1;
const RESET_AFTER_FLUSH: u8 = 2;
const CUT_NOW: u8 = 3;
const HALF_CLOSE_AFTER_FLUSH: u8 = 4;
const HALF_CLOSED: u8 = 5;
const RESET_NOW: u8 = 6;

/// The outside end of a connection.
#[derive(Debug, Default)]
pub struct Handle {
    asked: AtomicU8,
    task: AtomicWaker,
}

impl Handle {
    /// Ends the connection as soon as everything written to it so far has been handed to the kernel.
    pub fn end_after_flush(&self, ending: Ending) {
        let asked = match ending {
            Ending::Cut => CUT_AFTER_FLUSH,
            Ending::HalfClose => HALF_CLOSE_AFTER_FLUSH,
            Ending::Reset => RESET_AFTER_FLUSH,
        };
        self.ask(asked);
    }

    /// Closes the connection, whatever is still to be written.
    pub fn close_now(&self) {
        self.ask(CUT_NOW);
    }

    /// Resets the connection, whatever is still to be written.
    pub fn reset_now(&self) {
        self.ask(RESET_NOW);
    }

    fn ask(&self, asked: u8) {
        self.asked.store(asked, Ordering::Release);
        self.task.wake();
    }
}

/// Who is at the other end of a connection; a handler finds it in `ConnectInfo<Peer>`.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Address of the client.
    pub address: SocketAddr,
    /// The way to end the connection.
    pub handle: Arc<Handle>,
}

impl Connected<IncomingStream<'_, Socket>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Socket>) -> Self {
        Self {
            address: *stream.remote_addr(),
            handle: Arc::clone(&stream.io().handle),
        }
    }
}

/// All open connections of one server, so that a shutdown can close those that do not end by themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connections {
    next: Arc<AtomicU64>,
    open: Arc<Mutex<BTreeMap<u64, Weak<Handle>>>>,
}

impl Connections {
    fn add(&self, handle: &Arc<Handle>) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(number, Arc::downgrade(handle));
        number
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Weak<Handle>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connections accepted so far.
    pub(crate) fn accepted(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Connections open now.
    pub(crate) fn open(&self) -> usize {
        self.lock().len()
    }

    /// Closes every open connection.
    pub(crate) fn close_all(&self) {
        self.lock()
            .values()
            .filter_map(Weak::upgrade)
            .for_each(|handle| handle.close_now());
    }
}

/// The listening socket: every stream has `TCP_NODELAY`, since without it each answer on a kept-alive connection waits
/// for the client's delayed acknowledgement (44 ms on Linux).
#[derive(Debug)]
pub struct Socket {
    listener: TcpListener,
    connections: Connections,
}

impl Socket {
    /// Binds; port 0 picks a free one.
    pub(crate) fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()?
        } else {
            TcpSocket::new_v6()?
        };
        // On Windows the option would let two servers share a port.
        #[cfg(unix)]
        socket.set_reuseaddr(REUSE_ADDRESS)?;
        socket.bind(address)?;
        Ok(Self {
            listener: socket.listen(BACKLOG)?,
            connections: Connections::default(),
        })
    }

    pub(crate) fn connections(&self) -> Connections {
        self.connections.clone()
    }

    fn wrap(&self, stream: TcpStream) -> Connection {
        // A client that is already gone: the first read says so.
        let _ = stream.set_nodelay(NO_DELAY);
        let handle = Arc::new(Handle::default());
        let number = self.connections.add(&handle);
        Connection {
            stream,
            handle,
            number,
            connections: self.connections.clone(),
        }
    }
}

#[cfg(unix)]
const REUSE_ADDRESS: bool = true;
const NO_DELAY: bool = true;

impl Listener for Socket {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => return (self.wrap(stream), address),
                Err(error) if is_of_one_connection(&error) => {}
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Whether an accept failed because of the client, so that the next one may be tried at once.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    )
}

/// One accepted stream.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    handle: Arc<Handle>,
    number: u64,
    connections: Connections,
}

impl Connection {
    /// An error once the connection was asked to end at once.
    fn check(&self, context: &Context<'_>) -> io::Result<()> {
        self.handle.task.register(context.waker());
        match self.handle.asked.load(Ordering::Acquire) {
            CUT_NOW => Err(io::ErrorKind::ConnectionAborted.into()),
            RESET_NOW => self.reset(),
            _ => Ok(()),
        }
    }

    fn reset(&self) -> io::Result<()> {
        self.stream.set_zero_linger()?;
        Err(io::ErrorKind::ConnectionReset.into())
    }

    /// Carries out what was asked for, now that nothing is left to write.
    fn flushed(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.handle.asked.load(Ordering::Acquire) {
            OPEN => Poll::Ready(Ok(())),
            RESET_AFTER_FLUSH | RESET_NOW => Poll::Ready(self.reset()),
            HALF_CLOSE_AFTER_FLUSH | HALF_CLOSED => self.half_closed(context),
            _ => Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into())),
        }
    }

    /// Closes the sending half, once. From then on nothing but whoever asks for an end may wake this task: the client may
    /// be silent for ever.
    fn half_closed(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        std::task::ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        self.handle.task.register(context.waker());
        let asked = &self.handle.asked;
        let done = asked.compare_exchange(
            HALF_CLOSE_AFTER_FLUSH,
            HALF_CLOSED,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        match done {
            Ok(_) | Err(HALF_CLOSED) => Poll::Ready(Ok(())),
            Err(_) => self.flushed(context),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.lock().remove(&self.number);
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

/// Not vectored: then hyper copies what is due into one buffer and writes that. Vectored it would write a stream sixteen
/// events at a time, each of them three slices, and each write wakes the client.
impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        std::task::ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        self.flushed(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
