//! Site tables: what the numbers in events mean in the source.
//!
//! The pass writes one table for each object into the ELF section
//! [`SITES_SECTION`]; the linker puts them one after the other.
//!
//! ```text
//! offset 0  u32  magic "GSIT"
//!        4  u32  format version
//!        8  u64  build id: hash of the rest, also in the module table of a run
//!       16  u32  number of sites
//!       20  u32  number of words
//!       24  u32  bytes of text
//!       28  u32  length of the table in all, a multiple of 8
//!       32  sites, 32 bytes each:
//!             u8 kind, u8 copy, u16 width of the value concerned, u32 file, u32 function (offsets into the text),
//!             u32 line, u32 column, u32 block, u32 first word, u32 number of words
//!        .  words, u64 each; what they are depends on the kind (`SiteKind`)
//!        .  text: u32 length and UTF-8 for each string
//! ```
//! Offset 0 of the text is always the empty string.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::container::{checksum, Reader, Writer};
use crate::{TraceError, FORMAT_VERSION};

/// ELF section that holds the tables.
pub const SITES_SECTION: &str = "gimlet_sites";

const MAGIC: u32 = u32::from_le_bytes(*b"GSIT");
const HEADER_LEN: usize = 32;
const SITE_LEN: usize = 32;

/// What is at a site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum SiteKind {
    /// Words: block if true, block if false.
    Branch = 1,
    /// Words: default block, then value and block of each case.
    Switch = 2,
    Load = 3,
    Store = 4,
    /// Words: offset of the callee's name in the text, if it is known. The width is that of a result that is used.
    Call = 5,
    /// Division, shift, or another operation that can go wrong or lose a dependency.
    Operation = 6,
    /// The end of a block that decides nothing: a jump, a return, an indirect jump. Words: the blocks that may follow.
    Jump = 7,
    /// A function's entry; its place is that of the definition. Words: none. The width says what it returns ([`Returns`]). With the ends of its blocks it gives the function's whole flow graph.
    Function = 8,
    /// Reserved: a loop head.
    LoopHead = 9,
}

impl SiteKind {
    /// The kind with this code.
    pub const fn from_code(code: u8) -> Option<SiteKind> {
        match code {
            1 => Some(SiteKind::Branch),
            2 => Some(SiteKind::Switch),
            3 => Some(SiteKind::Load),
            4 => Some(SiteKind::Store),
            5 => Some(SiteKind::Call),
            6 => Some(SiteKind::Operation),
            7 => Some(SiteKind::Jump),
            8 => Some(SiteKind::Function),
            9 => Some(SiteKind::LoopHead),
            _ => None,
        }
    }
}

/// What a function returns, as far as the width of its site says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returns {
    /// Nobody said.
    Unknown,
    /// A number of so many bits. A small struct may be one, too.
    Number(u16),
    /// A struct in registers.
    Struct,
    /// A pointer, or a struct that its caller has put somewhere.
    Address,
    /// Nothing, or no number.
    Nothing,
    /// It is put into its callers, always.
    Inlined,
}

impl Returns {
    const ADDRESS: u16 = u16::MAX;
    const NOTHING: u16 = u16::MAX - 1;
    const INLINED: u16 = u16::MAX - 2;
    const STRUCT: u16 = u16::MAX - 3;

    pub const fn width(self) -> u16 {
        match self {
            Returns::Unknown => 0,
            Returns::Number(bits) if bits < Returns::STRUCT => bits,
            Returns::Number(_) => 0,
            Returns::Struct => Returns::STRUCT,
            Returns::Address => Returns::ADDRESS,
            Returns::Nothing => Returns::NOTHING,
            Returns::Inlined => Returns::INLINED,
        }
    }

    pub const fn from_width(width: u16) -> Returns {
        match width {
            0 => Returns::Unknown,
            Returns::ADDRESS => Returns::Address,
            Returns::NOTHING => Returns::Nothing,
            Returns::INLINED => Returns::Inlined,
            Returns::STRUCT => Returns::Struct,
            bits => Returns::Number(bits),
        }
    }
}

/// A place in the source that events can name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    pub kind: SiteKind,
    pub width: u16,
    pub file: String,
    /// The function of the source. One that is always inlined is part of the function it was inlined into: its blocks
    /// belong to the last [`SiteKind::Function`] before them in the table.
    pub function: String,
    pub line: u32,
    pub column: u32,
    /// Number of the basic block within its function.
    pub block: u32,
    /// Which copy of its function it is in, where that was inlined more than once into another; 255 and above are one.
    pub copy: u8,
    /// Blocks and case values; see [`SiteKind`].
    pub words: Vec<u64>,
    /// Name of the function called, for [`SiteKind::Call`].
    pub callee: Option<String>,
}

impl Site {
    /// Case values of a switch with the block of each.
    pub fn cases(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let words = if self.kind == SiteKind::Switch { self.words.get(1..).unwrap_or(&[]) } else { &[] };
        words.chunks_exact(2).map(|pair| (pair[0], pair[1]))
    }
}

/// The sites of one object file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SiteTable {
    pub build_id: u64,
    pub sites: Vec<Site>,
}

/// Text of a table under construction; equal strings are stored once.
#[derive(Default)]
struct Text {
    bytes: Writer,
    known: BTreeMap<String, u32>,
}

impl Text {
    fn offset(&mut self, text: &str) -> u32 {
        if let Some(&offset) = self.known.get(text) {
            return offset;
        }
        let offset = self.bytes.bytes.len() as u32;
        self.bytes.u32(text.len() as u32);
        self.bytes.bytes.extend_from_slice(text.as_bytes());
        self.known.insert(text.to_string(), offset);
        offset
    }
}

impl SiteTable {
    /// The bytes of the table; the build id is computed from the content and `salt`.
    pub fn encode(sites: &[Site], salt: &[u8]) -> (u64, Vec<u8>) {
        let mut text = Text::default();
        text.offset("");
        let mut words: Vec<u64> = Vec::new();
        let mut body = Writer::default();
        for site in sites {
            let first = words.len() as u32;
            words.extend_from_slice(&site.words);
            if let Some(callee) = &site.callee {
                words.push(u64::from(text.offset(callee)));
            }
            body.u16(u16::from(site.kind as u8) | u16::from(site.copy) << 8);
            body.u16(site.width);
            body.u32(text.offset(&site.file));
            body.u32(text.offset(&site.function));
            body.u32(site.line);
            body.u32(site.column);
            body.u32(site.block);
            body.u32(first);
            body.u32(words.len() as u32 - first);
        }
        words.iter().for_each(|&word| body.u64(word));
        body.bytes.extend_from_slice(&text.bytes.bytes);
        while body.bytes.len() % 8 != 0 {
            body.bytes.push(0);
        }
        let build_id = checksum(&body.bytes) ^ checksum(salt).rotate_left(17);
        let mut out = Writer::default();
        out.u32(MAGIC);
        out.u32(FORMAT_VERSION);
        out.u64(build_id);
        out.u32(sites.len() as u32);
        out.u32(words.len() as u32);
        out.u32(text.bytes.bytes.len() as u32);
        out.u32((HEADER_LEN + body.bytes.len()) as u32);
        out.bytes.extend_from_slice(&body.bytes);
        (build_id, out.bytes)
    }

    /// Every table of a section. Zero padding between tables is skipped.
    pub fn decode_all(mut section: &[u8]) -> Result<Vec<SiteTable>, TraceError> {
        let mut tables = Vec::new();
        while let Some(start) = section.iter().position(|&byte| byte != 0) {
            section = &section[start & !7..];
            let (table, len) = SiteTable::decode(section)?;
            tables.push(table);
            section = &section[len..];
        }
        Ok(tables)
    }

    /// The header at the beginning of `bytes`: build id, numbers of sites, words and bytes of text; and the table's
    /// length.
    fn header(bytes: &[u8]) -> Result<((u64, [usize; 3]), usize), TraceError> {
        let mut header = Reader::new(bytes);
        if header.u32()? != MAGIC {
            return Err(TraceError::Corrupt("site table"));
        }
        let version = header.u32()?;
        if version != FORMAT_VERSION {
            return Err(TraceError::Version { found: version });
        }
        let build_id = header.u64()?;
        let counts = [header.u32()? as usize, header.u32()? as usize, header.u32()? as usize];
        let total = header.u32()? as usize;
        if total < HEADER_LEN || total > bytes.len() {
            return Err(TraceError::Truncated);
        }
        Ok(((build_id, counts), total))
    }

    /// One table at the beginning of `bytes`, and its length.
    pub(crate) fn decode(bytes: &[u8]) -> Result<(SiteTable, usize), TraceError> {
        let ((build_id, [n_sites, n_words, n_text]), total) = SiteTable::header(bytes)?;
        let mut body = Reader::new(&bytes[HEADER_LEN..total]);
        let sites = body.take(n_sites.checked_mul(SITE_LEN).ok_or(TraceError::Truncated)?)?;
        let words = body.take(n_words.checked_mul(8).ok_or(TraceError::Truncated)?)?;
        let text = body.take(n_text)?;
        let words: Vec<u64> = words
            .chunks_exact(8)
            .map(|chunk| {
                u64::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7]])
            })
            .collect();
        let sites =
            sites.chunks_exact(SITE_LEN).map(|record| decode_site(record, &words, text)).collect::<Result<_, _>>()?;
        Ok((SiteTable { build_id, sites }, total))
    }
}

/// Checks, without decoding, that every table of a section is of this version.
pub fn check_versions(mut section: &[u8]) -> Result<(), TraceError> {
    while let Some(start) = section.iter().position(|&byte| byte != 0) {
        section = &section[start & !7..];
        let (_, total) = SiteTable::header(section)?;
        section = &section[total..];
    }
    Ok(())
}

fn decode_site(record: &[u8], words: &[u64], text: &[u8]) -> Result<Site, TraceError> {
    let mut record = Reader::new(record);
    let [kind, copy] = record.u16()?.to_le_bytes();
    let kind = SiteKind::from_code(kind).ok_or(TraceError::Corrupt("site kind"))?;
    let width = record.u16()?;
    let file = text_at(text, record.u32()?)?;
    let function = text_at(text, record.u32()?)?;
    let (line, column, block) = (record.u32()?, record.u32()?, record.u32()?);
    let (first, count) = (record.u32()? as usize, record.u32()? as usize);
    let end = first.checked_add(count).ok_or(TraceError::Corrupt("site words"))?;
    let mut words = words.get(first..end).ok_or(TraceError::Corrupt("site words"))?.to_vec();
    let callee = match (kind, words.pop()) {
        (SiteKind::Call, Some(offset)) => Some(text_at(text, offset as u32)?),
        (_, Some(word)) => {
            words.push(word);
            None
        }
        (_, None) => None,
    };
    Ok(Site { kind, width, file, function, line, column, block, copy, words, callee })
}

fn text_at(text: &[u8], offset: u32) -> Result<String, TraceError> {
    let mut reader = Reader::new(text.get(offset as usize..).ok_or(TraceError::Corrupt("site text"))?);
    let len = reader.u32()? as usize;
    let bytes = reader.take(len)?;
    String::from_utf8(bytes.to_vec()).map_err(|_| TraceError::Corrupt("text that is not UTF-8"))
}
