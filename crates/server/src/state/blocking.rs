//! Calls that wait for a file or for another server.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Does work that blocks. On a thread of a runtime with several of them, the others take over its tasks meanwhile.
pub(crate) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        Ok(_) | Err(_) => work(),
    }
}
