//! Little-endian writing and reading of files, with every length checked.

use alloc::string::String;
use alloc::vec::Vec;

use crate::TraceError;

/// Appends numbers and byte strings to a buffer.
#[derive(Default)]
pub struct Writer {
    pub bytes: Vec<u8>,
}

impl Writer {
    pub fn u16(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A length as u64, then the bytes.
    pub fn blob(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    /// A blob of UTF-8.
    pub fn text(&mut self, text: &str) {
        self.blob(text.as_bytes());
    }
}

/// Takes numbers and byte strings from a buffer, or says that it is truncated.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// The next `len` bytes.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], TraceError> {
        if len > self.rest.len() {
            return Err(TraceError::Truncated);
        }
        let (head, rest) = self.rest.split_at(len);
        self.rest = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], TraceError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    pub fn u8(&mut self) -> Result<u8, TraceError> {
        self.array::<1>().map(|bytes| bytes[0])
    }

    pub fn u16(&mut self) -> Result<u16, TraceError> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, TraceError> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, TraceError> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn blob(&mut self) -> Result<&'a [u8], TraceError> {
        let len = usize::try_from(self.u64()?).map_err(|_| TraceError::Truncated)?;
        self.take(len)
    }

    pub fn text(&mut self) -> Result<String, TraceError> {
        let bytes = self.blob()?;
        String::from_utf8(bytes.to_vec()).map_err(|_| TraceError::Corrupt("text that is not UTF-8"))
    }

    /// Bytes that nobody has taken yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

/// FNV-1a over 64 bits: finds accidents, not attacks.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for &byte in bytes {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}
