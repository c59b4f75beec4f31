//! Compressed request bodies (`content-encoding`), bounded by what they become.

use std::io::{self, Read};

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use crate::body::{Incoming, Rest};

/// A coding that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Zstd,
}

impl Coding {
    fn parse(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "zstd" => Some(Self::Zstd),
            _ => None,
        }
    }

    /// Its name in `content-encoding`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

/// What was done to a body, in order; nothing for a plain one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Codings(Vec<Coding>);

impl Codings {
    /// The codings of a request, or the first one that is not read.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, String> {
        let values = headers.get_all(CONTENT_ENCODING).iter();
        let names = values.flat_map(|value| value.to_str().unwrap_or("?").split(','));
        let names = names.map(str::trim);
        let names = names.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"));
        let codings = names.map(|name| Coding::parse(name).ok_or_else(|| name.to_owned()));
        codings.collect::<Result<_, _>>().map(Self)
    }

    /// Whether the body is plain.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The plain body; no step may give more than `bytes_max`. Takes time: not on a thread of the runtime.
    pub(crate) fn decode(&self, bytes: Bytes, bytes_max: usize) -> Incoming {
        if bytes.is_empty() {
            return Incoming::Whole(bytes);
        }
        let mut plain = bytes;
        for coding in self.0.iter().rev() {
            let decoded = match coding {
                Coding::Gzip => bounded(MultiGzDecoder::new(&*plain), bytes_max),
                Coding::Zstd => unzstd(&plain, bytes_max),
            };
            match decoded {
                Ok(bytes) if bytes.len() > bytes_max => return Incoming::TooLarge(Rest::Read),
                Ok(bytes) => plain = Bytes::from(bytes),
                Err(_) => return Incoming::Undecodable(*coding),
            }
        }
        Incoming::Whole(plain)
    }
}

/// All there is, or one byte more than the limit.
fn bounded(reader: impl Read, bytes_max: usize) -> io::Result<Vec<u8>> {
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    reader.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// One frame after the other, as `zstd` itself reads them.
fn unzstd(mut bytes: &[u8], bytes_max: usize) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    while !bytes.is_empty() && plain.len() <= bytes_max {
        let mut decoder = match StreamingDecoder::new(&mut bytes) {
            Ok(decoder) => decoder,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                bytes = bytes.get(length..).ok_or(io::ErrorKind::UnexpectedEof)?;
                continue;
            }
            Err(error) => return Err(io::Error::other(error)),
        };
        plain.extend(bounded(&mut decoder, bytes_max - plain.len())?);
        check(&decoder.into_frame_decoder())?;
    }
    Ok(plain)
}

/// A frame that was read to its end has the content that it promised.
fn check(decoder: &FrameDecoder) -> io::Result<()> {
    let promised = decoder.get_checksum_from_data();
    let is_as_promised = promised.is_none() || promised == decoder.get_calculated_checksum();
    let is_read = decoder.is_finished() && decoder.can_collect() == 0;
    if is_read && !is_as_promised {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use http::HeaderValue;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    const LIMIT: usize = 1000;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn codings(values: &[&'static str]) -> Result<Codings, String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(CONTENT_ENCODING, HeaderValue::from_static(value));
        }
        Codings::of(&headers)
    }

    fn decode(values: &[&'static str], bytes: Vec<u8>) -> Incoming {
        codings(values)
            .expect("known codings")
            .decode(Bytes::from(bytes), LIMIT)
    }

    #[test]
    fn the_header_may_name_several_and_none() {
        assert_eq!(codings(&[]), Ok(Codings::default()));
        assert_eq!(codings(&["identity", ""]), Ok(Codings::default()));
        assert_eq!(codings(&["X-GZip"]), Ok(Codings(vec![Coding::Gzip])));
        let both = Codings(vec![Coding::Gzip, Coding::Zstd]);
        assert_eq!(codings(&["gzip, zstd"]), Ok(both.clone()));
        assert_eq!(codings(&["gzip", "zstd"]), Ok(both));
        assert_eq!(codings(&["gzip, br"]), Err("br".to_owned()));
    }

    /// What the command-line tools `gzip -n` and `zstd -c` make of `{"a":1}`.
    #[test]
    fn what_the_tools_write_is_read() {
        let gzipped = [
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xab, 0x56, 0x4a, 0x54, 0xb2, 0x32,
            0xac, 0x05, 0x00, 0xaf, 0xac, 0x1b, 0x56, 0x07, 0x00, 0x00, 0x00,
        ];
        let zstandard = [
            0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x39, 0x00, 0x00, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x31, 0x7d,
            0x48, 0x8b, 0xfc, 0x32,
        ];
        let plain = Incoming::Whole(Bytes::from_static(b"{\"a\":1}"));
        assert_eq!(decode(&["gzip"], gzipped.to_vec()), plain);
        assert_eq!(decode(&["zstd"], zstandard.to_vec()), plain);
    }

    #[test]
    fn the_last_coding_is_undone_first_and_parts_are_joined() {
        let whole = |text: &'static str| Incoming::Whole(Bytes::from_static(text.as_bytes()));
        assert_eq!(decode(&["gzip, zstd"], zstd(&gzip(b"x"))), whole("x"));
        assert_eq!(decode(&["gzip"], [gzip(b"a"), gzip(b"b")].concat()), whole("ab"));
        let skipped = [0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9].to_vec();
        assert_eq!(
            decode(&["zstd"], [zstd(b"a"), skipped, zstd(b"b")].concat()),
            whole("ab")
        );
        assert_eq!(decode(&["zstd"], Vec::new()), whole(""));
    }

    #[test]
    fn the_limit_is_inclusive_and_a_bomb_is_not_unpacked() {
        for pack in [gzip, zstd] {
            let name = if pack(b"").starts_with(&[0x1f]) {
                "gzip"
            } else {
                "zstd"
            };
            let exact = decode(&[name], pack(&[b'x'; LIMIT]));
            assert_eq!(exact, Incoming::Whole(Bytes::from(vec![b'x'; LIMIT])), "{name}");
            assert_eq!(
                decode(&[name], pack(&[b'x'; LIMIT + 1])),
                Incoming::TooLarge(Rest::Read),
                "{name}"
            );
            assert_eq!(
                decode(&[name], pack(&vec![b'x'; 1 << 22])),
                Incoming::TooLarge(Rest::Read),
                "{name}"
            );
        }
        let parts = [zstd(&[b'x'; LIMIT]), zstd(b"y")].concat();
        assert_eq!(decode(&["zstd"], parts), Incoming::TooLarge(Rest::Read));
    }

    #[test]
    fn broken_data_is_told() {
        let cut = |mut bytes: Vec<u8>| {
            bytes.truncate(bytes.len() - 3);
            bytes
        };
        assert_eq!(
            decode(&["gzip"], cut(gzip(b"hello"))),
            Incoming::Undecodable(Coding::Gzip)
        );
        assert_eq!(
            decode(&["zstd"], cut(zstd(b"hello"))),
            Incoming::Undecodable(Coding::Zstd)
        );
        for name in ["gzip", "zstd"] {
            let plain = decode(&[name], b"{\"model\": \"gpt-5.6\"}".to_vec());
            assert!(matches!(plain, Incoming::Undecodable(_)), "{name}");
        }
        let mut altered = gzip(b"hello");
        let sum = altered.len() - 8;
        altered[sum] ^= 1;
        assert_eq!(decode(&["gzip"], altered), Incoming::Undecodable(Coding::Gzip));
    }
}
