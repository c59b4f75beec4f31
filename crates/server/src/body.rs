//! Reads the body of a request, up to a limit.

use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;

use crate::decode::Coding;

/// Room that is set aside for a body at once; what a client announces beyond it is believed only as it comes.
const RESERVE_BYTES_MAX: usize = 1 << 20;

/// How long a client that sends too much may go on after its refusal: one that is still writing while the server closes
/// sees a reset, and never the refusal.
const PATIENCE: Duration = Duration::from_secs(5);

/// What came of reading a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Incoming {
    /// All of it.
    Whole(Bytes),
    /// More than the limit. The rest is read and thrown away, so that the client can read the answer.
    TooLarge(Rest),
    /// The client went away before it was complete, or broke the framing.
    Broken,
    /// It is not compressed as its header says.
    Undecodable(Coding),
}

/// What is left of a body that is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Nothing: the connection is good for another request.
    Read,
    /// It still comes, where the next request belongs: the connection must be closed.
    Comes,
}

impl Rest {
    /// The headers that say so.
    pub(crate) fn headers(self) -> Vec<(String, String)> {
        match self {
            Self::Read => Vec::new(),
            Self::Comes => vec![("connection".to_owned(), "close".to_owned())],
        }
    }
}

/// Reads a whole body of at most `bytes_max` bytes. A larger one is read on, and dropped, up to twice the limit; what
/// comes after that is dropped beside the answer.
pub(crate) async fn read(mut body: Body, announced: Option<usize>, bytes_max: usize) -> Incoming {
    if announced.is_some_and(|length| length > bytes_max.saturating_mul(2)) {
        tokio::spawn(drop_rest(body));
        return Incoming::TooLarge(Rest::Comes);
    }
    let first = match next(&mut body).await {
        Part::Data(bytes) => bytes,
        Part::End => return Incoming::Whole(Bytes::new()),
        Part::Broken => return Incoming::Broken,
    };
    if first.len() <= bytes_max && announced == Some(first.len()) {
        return Incoming::Whole(first);
    }
    let reserve = announced.unwrap_or(0).min(RESERVE_BYTES_MAX);
    let mut whole = BytesMut::with_capacity(reserve.max(first.len()));
    let mut length = 0;
    let mut part = Part::Data(first);
    loop {
        match part {
            Part::Data(bytes) => {
                length += bytes.len();
                if length > bytes_max.saturating_mul(2) {
                    tokio::spawn(drop_rest(body));
                    return Incoming::TooLarge(Rest::Comes);
                }
                if length > bytes_max {
                    whole = BytesMut::new();
                } else {
                    whole.extend_from_slice(&bytes);
                }
            }
            Part::End if length > bytes_max => return Incoming::TooLarge(Rest::Read),
            Part::End => return Incoming::Whole(whole.freeze()),
            Part::Broken => return Incoming::Broken,
        }
        part = next(&mut body).await;
    }
}

/// Reads what still comes, for a while. The connection ends when this does.
async fn drop_rest(mut body: Body) {
    let rest = async { while let Part::Data(_) = next(&mut body).await {} };
    // A client that goes on after that was patiently told.
    let _ = tokio::time::timeout(PATIENCE, rest).await;
}

enum Part {
    Data(Bytes),
    End,
    Broken,
}

async fn next(body: &mut Body) -> Part {
    loop {
        match body.frame().await {
            Some(Ok(frame)) => {
                // Trailers carry nothing for us.
                if let Ok(bytes) = frame.into_data() {
                    return Part::Data(bytes);
                }
            }
            Some(Err(_)) => return Part::Broken,
            None => return Part::End,
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    fn chunks(sizes: &[usize]) -> Body {
        let chunks: Vec<Result<Bytes, std::io::Error>> = sizes
            .iter()
            .map(|size| Ok(Bytes::from(vec![b'x'; *size])))
            .collect();
        Body::from_stream(stream::iter(chunks))
    }

    async fn length(body: Body, announced: Option<usize>) -> Option<usize> {
        match read(body, announced, 10).await {
            Incoming::Whole(bytes) => Some(bytes.len()),
            Incoming::TooLarge(_) => None,
            Incoming::Broken | Incoming::Undecodable(_) => panic!("nothing was broken"),
        }
    }

    #[tokio::test]
    async fn the_limit_is_inclusive() {
        assert_eq!(length(chunks(&[]), Some(0)).await, Some(0));
        assert_eq!(length(chunks(&[10]), Some(10)).await, Some(10));
        assert_eq!(length(chunks(&[4, 6]), None).await, Some(10));
        assert_eq!(length(chunks(&[4, 7]), None).await, None);
        assert_eq!(length(chunks(&[11]), Some(11)).await, None);
        assert_eq!(length(chunks(&[4, 40]), None).await, None);
        assert_eq!(length(chunks(&[4]), Some(1000)).await, None);
    }

    #[tokio::test]
    async fn an_announced_length_is_not_believed() {
        assert_eq!(length(chunks(&[3]), Some(9)).await, Some(3));
    }

    #[tokio::test]
    async fn a_broken_body_is_told() {
        let parts = [Ok(Bytes::from_static(b"x")), Err(std::io::Error::other("gone"))];
        let body = Body::from_stream(stream::iter(parts));
        assert_eq!(read(body, None, 10).await, Incoming::Broken);
    }
}
