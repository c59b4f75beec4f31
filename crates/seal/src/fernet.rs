//! Sealed tokens: real Fernet by its parts, because the IV and the clock are handed in.
//!
//! A token is `0x80`, 8 bytes of time, 16 of IV, 16·k of AES-128-CBC and 32 of HMAC-SHA256, so 57+16k bytes
//! (`tests/facts/streaming.md` section 7).

use aes::Aes128;
use aes::cipher::{Array, BlockModeDecrypt, BlockModeEncrypt, KeyInit, KeyIvInit, block_padding::NoPadding};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use hmac::{Hmac, Mac};
use rand_chacha::rand_core::Rng;
use sha2::Sha256;

use crate::key::Key;

const VERSION: u8 = 0x80;
const HEADER_BYTES: usize = 25;
const MAC_BYTES: usize = 32;
const BLOCK_BYTES: usize = 16;

/// Why a token could not be used: its bytes are no token under this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// Seals and opens tokens under one key.
#[derive(Clone)]
pub struct Fernet {
    signing: [u8; 16],
    encryption: [u8; 16],
    filler: Key,
}

impl Fernet {
    /// The sealer of a key.
    pub fn new(key: &Key) -> Self {
        let (mut signing, mut encryption) = ([0; 16], [0; 16]);
        signing.copy_from_slice(&key.bytes()[..16]);
        encryption.copy_from_slice(&key.bytes()[16..]);
        Self {
            signing,
            encryption,
            filler: key.purpose("filler", ""),
        }
    }

    /// Seals some bytes at a virtual second into at least so many blocks; `label` decides IV and filler.
    pub fn seal(&self, mut plain: Vec<u8>, label: &[u8], blocks_min: usize, second: u64) -> String {
        let mut stream = self.filler.stream(label);
        let mut iv = [0; 16];
        stream.fill_bytes(&mut iv);
        let used = plain.len();
        // PKCS#7 adds one to sixteen bytes, so one less than whole blocks is filled; the filler keeps the block count at
        // what the size asks for.
        let blocks = blocks_min.max(used / BLOCK_BYTES + 1);
        plain.resize(blocks * BLOCK_BYTES - 1, 0);
        stream.fill_bytes(&mut plain[used..]);
        self.finish(plain, iv, second)
    }

    fn finish(&self, mut plain: Vec<u8>, iv: [u8; 16], second: u64) -> String {
        // PKCS#7 of one byte: `seal` leaves exactly that.
        plain.push(1);
        let mut token = Vec::with_capacity(HEADER_BYTES + plain.len() + MAC_BYTES);
        token.push(VERSION);
        token.extend_from_slice(&second.to_be_bytes());
        token.extend_from_slice(&iv);
        let length = plain.len();
        let cipher = cbc::Encryptor::<Aes128>::new(&Array::from(self.encryption), &Array::from(iv));
        // The buffer is whole blocks, so there is nothing that could fail.
        let sealed = cipher.encrypt_padded::<NoPadding>(&mut plain, length);
        token.extend_from_slice(sealed.unwrap_or_default());
        let mac = self.mac(&token);
        token.extend_from_slice(&mac);
        URL_SAFE.encode(&token)
    }

    fn mac(&self, bytes: &[u8]) -> [u8; MAC_BYTES] {
        // A key of any length is legal for HMAC; the fallback is unreachable and would only fail to verify.
        let Ok(mut mac) = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.signing) else {
            return [0; MAC_BYTES];
        };
        mac.update(bytes);
        mac.finalize().into_bytes().into()
    }

    /// Opens a token: what was sealed, then filler and padding.
    pub fn open(&self, text: &str) -> Result<Vec<u8>, Unreadable> {
        let token = URL_SAFE.decode(text).map_err(|_| Unreadable)?;
        let body = token.len().checked_sub(MAC_BYTES).ok_or(Unreadable)?;
        let (signed, mac) = token.split_at(body);
        let whole = signed
            .len()
            .checked_sub(HEADER_BYTES)
            .is_some_and(|bytes| bytes > 0 && bytes % BLOCK_BYTES == 0);
        if !whole || signed[0] != VERSION || self.mac(signed) != mac {
            return Err(Unreadable);
        }
        let mut iv = [0; 16];
        iv.copy_from_slice(&signed[9..HEADER_BYTES]);
        let mut plain = signed[HEADER_BYTES..].to_vec();
        let cipher = cbc::Decryptor::<Aes128>::new(&Array::from(self.encryption), &Array::from(iv));
        let plain = cipher
            .decrypt_padded::<NoPadding>(&mut plain)
            .map_err(|_| Unreadable)?;
        Ok(plain.to_vec())
    }
}

/// The largest k whose 57+16k bytes fit into this many characters of base64.
pub fn blocks_of_chars(chars: usize) -> usize {
    (chars / 4 * 3).saturating_sub(HEADER_BYTES + MAC_BYTES) / BLOCK_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fernet() -> Fernet {
        Fernet::new(&Key::of_seed(7))
    }

    #[test]
    fn what_was_sealed_opens_and_nothing_else() {
        let token = fernet().seal(b"hello".to_vec(), b"label", 17, 1);
        let opened = fernet().open(&token).expect("opens");
        assert_eq!(&opened[..5], b"hello");
        let other = Fernet::new(&Key::of_seed(8));
        assert_eq!(other.open(&token), Err(Unreadable));
        assert_eq!(fernet().open(&token[..token.len() - 4]), Err(Unreadable));
        assert_eq!(fernet().open(""), Err(Unreadable));
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_the_opener(text: String) {
            let _ = fernet().open(&text);
        }
    }
}
