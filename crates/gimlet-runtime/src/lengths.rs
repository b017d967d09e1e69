//! Stretches of the input ([`gimlet_trace::stretch`]) in the program's memory, and lengths that depend on theirs.
//!
//! Each byte of a stretch has the label of the byte of the unit that it repeats. So labels say where in memory a stretch
//! is, however it came there: as many bytes as it is long, with the labels of its units, are the whole of it, and a
//! number of bytes that counts them is a sum with its length ([`span`]). No table has to follow what programs do with
//! their strings, and several can be in one buffer.
//!
//! A path is followed as it is for one length, and is meant for all: what is done with a stretch's bytes is done with as
//! many as there are. Therefore an address that depends on a length is not looked up, and what would be pinned leaves
//! lengths open ([`is_one`]). Where a comparison of the program, or room in memory, tells lengths apart, the path
//! condition says so.

use core::ptr;

use gimlet_trace::event::{EventKind, EventRecord, LostReason, NO_SITE};
use gimlet_trace::node::{imm, NodeRecord, Op};
use gimlet_trace::shm::{Region, SourceRecord};
use gimlet_trace::{Label, ShadowWord, SourceKind};

use crate::implied;
use crate::log::{self, blank};
use crate::shadow;
use crate::state::{self, sources};
use crate::table;
use crate::term::Term;

/// How many are followed.
const N_MAX: usize = 64;
/// Bytes of a unit, at most.
pub const UNIT_MAX: u64 = 8;
/// Bytes that end a text, and that no stretch has.
pub const ENDS: [u8; 2] = [0, b'\n'];

#[derive(Clone, Copy)]
pub struct Stretch {
    source: u32,
    /// Where in the source it begins.
    at: u64,
    /// Number of the first byte of its first unit.
    first: u32,
    pub unit: u64,
    pub len: u64,
    /// Bytes of the longest that it may be.
    max: u64,
    /// Number of the first byte of its length.
    length: u32,
    /// The program has been given bytes of it; the path condition says what holds for them.
    is_given: bool,
    is_assumed: bool,
}

const NOBODY: Stretch =
    Stretch { source: 0, at: 0, first: 0, unit: 0, len: 0, max: 0, length: 0, is_given: false, is_assumed: false };

static mut STRETCHES: [Stretch; N_MAX] = [NOBODY; N_MAX];
static mut N_STRETCHES: usize = 0;
/// For each node what it depends on: [`LENGTHS`], [`BYTES`] or both. There only if there are stretches.
static mut NODES: *mut u8 = ptr::null_mut();
const LENGTHS: u8 = 1;
const BYTES: u8 = 2;

fn all() -> &'static [Stretch] {
    // SAFETY: only this thread is in the runtime; below the number of stretches.
    unsafe { core::slice::from_raw_parts(ptr::addr_of!(STRETCHES).cast(), N_STRETCHES) }
}

/// True if the input has stretches.
#[inline(always)]
pub fn are_there() -> bool {
    // SAFETY: only this thread is in the runtime.
    unsafe { N_STRETCHES != 0 }
}

/// Begins a run: the stretches that the driver tells.
pub fn begin() {
    // SAFETY: a run has one thread at its beginning.
    unsafe { (N_STRETCHES, N_TEXTS) = (0, 0) };
    state::set_stretches(false);
    for source in sources().iter().filter(|source| is_followed(source)) {
        add(source);
    }
}

fn is_followed(source: &SourceRecord) -> bool {
    source.kind == SourceKind::Length as u32 && (1..=UNIT_MAX).contains(&source.unit.into())
}

/// The run is traced from now on.
pub fn begin_trace() {
    assume_given();
    size_texts();
}

/// Says what holds for those that the program has been given bytes of.
fn assume_given() {
    while let Some(stretch) = take_given().filter(|_| state::active()) {
        assume(&stretch);
    }
}

/// One that the program has been given bytes of and of which nothing has been said yet.
fn take_given() -> Option<Stretch> {
    // SAFETY: only this thread is in the runtime; below the number of stretches.
    let stretches =
        unsafe { core::slice::from_raw_parts_mut(ptr::addr_of_mut!(STRETCHES).cast::<Stretch>(), N_STRETCHES) };
    let stretch = stretches.iter_mut().find(|stretch| stretch.is_given && !stretch.is_assumed)?;
    stretch.is_assumed = state::active();
    Some(*stretch)
}

/// A stretch more, if there is room for it.
pub fn add(record: &SourceRecord) {
    let Some(source) = sources().get(record.index as usize) else { return };
    if !map() {
        return;
    }
    // SAFETY: only this thread is in the runtime; below the number that there is room for.
    unsafe {
        if N_STRETCHES == N_MAX {
            return log::lost(NO_SITE, LostReason::InputFull);
        }
        STRETCHES[N_STRETCHES] = Stretch {
            source: record.index,
            at: record.cursor,
            first: source.first.wrapping_add(record.cursor as u32),
            unit: record.unit.into(),
            len: record.inode,
            max: record.device,
            length: record.first,
            ..NOBODY
        };
        N_STRETCHES += 1;
        state::set_stretches(true);
    }
}

/// Reserves memory for what is known of nodes.
fn map() -> bool {
    // SAFETY: a fresh mapping; only this thread is in the runtime.
    unsafe {
        if NODES.is_null() {
            let len = state::capacity::<NodeRecord>(Region::Nodes) as usize;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let at = libc::mmap(ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            if at == libc::MAP_FAILED {
                return false;
            }
            NODES = at.cast();
        }
    }
    true
}

/// What holds for all inputs: how long the stretch may be, and that no text ends in it.
fn assume(stretch: &Stretch) {
    let say = |condition: Term| {
        if condition.is_symbolic() && condition.holds() {
            log::event(EventRecord { a: condition.label.0, flags: 1, ..blank(EventKind::Assume, NO_SITE) });
            implied::fix(condition.label);
        }
    };
    say(stretch.term().within(stretch.unit, stretch.max));
    for number in 0..stretch.unit as u32 {
        let label = Label::input(stretch.first + number);
        let byte = Term { label, value: table::value(label) as u64, width: 8 };
        for end in ENDS {
            // Programs ask either way.
            say(byte.ne(Term::constant(end.into(), 8)));
            implied::fix(byte.is(end.into()).label);
        }
    }
}

impl Stretch {
    /// Its length, of 64 bits.
    fn term(&self) -> Term {
        let label = table::input_bytes(self.length, 4);
        Term { label, value: self.len, width: 32 }.zero_extend(64)
    }

    /// The label of a byte of it, by its distance from the beginning.
    fn label(&self, at: u64) -> Label {
        Label::input(self.first + (at % self.unit) as u32)
    }
}

/// `n` bytes of a source from `offset` are at `address`: labels for them.
pub fn label_read(source: u32, offset: u64, address: u64, n: u64) {
    for (number, stretch) in all().iter().enumerate().filter(|(_, stretch)| stretch.source == source) {
        let (from, to) = (offset.max(stretch.at), (offset + n).min(stretch.at + stretch.len));
        for at in from..to.max(from) {
            shadow::set(address + at - offset, ShadowWord::new(stretch.label(at - stretch.at), 0));
        }
        if from < to {
            // SAFETY: only this thread is in the runtime; below the number of stretches.
            unsafe { STRETCHES[number].is_given = true };
        }
    }
    assume_given();
}

/// The number of the input byte that stands for one of a source.
pub fn number_of(source: u32, offset: u64) -> u32 {
    let is_it =
        |stretch: &&Stretch| stretch.source == source && (stretch.at..stretch.at + stretch.len).contains(&offset);
    let first = sources()[source as usize].first;
    let given = all().iter().position(|stretch| is_it(&stretch) && !stretch.is_given);
    if let Some(number) = given {
        // SAFETY: only this thread is in the runtime; below the number of stretches.
        unsafe { STRETCHES[number].is_given = true };
        assume_given();
    }
    all().iter().find(is_it).map_or(first.wrapping_add(offset as u32), |stretch| {
        stretch.first + ((offset - stretch.at) % stretch.unit) as u32
    })
}

/// Whether a byte of memory is one of a stretch, behind its first unit.
pub fn is_repeated(address: u64) -> bool {
    let word = shadow::get(address);
    let Some(number) = word.decode().0.input_index() else { return false };
    let is_it = |stretch: &&Stretch| (stretch.first..stretch.first + stretch.unit as u32).contains(&number);
    all().iter().find(is_it).is_some_and(|stretch| shadow::get(address - stretch.unit) == word)
}

/// The same for a byte of a source.
pub fn is_repeated_in(source: u32, offset: u64) -> bool {
    all().iter().any(|stretch| {
        stretch.source == source && (stretch.at + stretch.unit..stretch.at + stretch.len).contains(&offset)
    })
}

/// What begins at an address in memory: a stretch, or copies of it one behind the other, with all their bytes.
#[derive(Clone, Copy)]
pub struct Run {
    stretch: &'static Stretch,
    /// Bytes.
    pub len: u64,
}

impl Run {
    /// Bytes that are there once, whatever the length.
    pub fn unit(&self) -> u64 {
        self.stretch.unit
    }

    /// How many bytes it has, as a term.
    pub fn term(&self) -> Term {
        let copies = Term::constant(self.len / self.stretch.len, 64);
        if copies.value == 1 {
            self.stretch.term()
        } else {
            self.stretch.term() * copies
        }
    }
}

/// The run that begins at an address.
pub fn run_at(address: u64) -> Option<Run> {
    if !are_there() {
        return None;
    }
    let first = shadow::get(address).decode().0.input_index()?;
    let stretch = all().iter().find(|stretch| stretch.first == first)?;
    let is_there = |at: u64| shadow::get(address + at) == ShadowWord::new(stretch.label(at), 0);
    // In the middle of one nothing begins.
    if shadow::get(address - 1) == ShadowWord::new(stretch.label(stretch.unit - 1), 0) {
        return None;
    }
    let len = (0..).take_while(|&at| is_there(at)).count() as u64;
    let is_whole = len > 0 && len.is_multiple_of(stretch.len);
    is_whole.then_some(Run { stretch, len })
}

/// Where a byte of a source is, for a walk over the bytes of a stream: no address in memory.
const IN_SOURCE: u64 = 1 << 63;
const SOURCE_SHIFT: u32 = 40;

/// Byte `offset` of a source, as the place of a walk.
pub fn place_in_source(source: u32, offset: u64) -> u64 {
    IN_SOURCE | u64::from(source) << SOURCE_SHIFT | offset
}

/// The whole of a run in memory, or in a source.
#[derive(Clone, Copy)]
pub struct Place {
    pub start: u64,
    pub end: u64,
    pub run: Run,
}

/// The run that a byte is part of.
pub fn place_at(at: u64) -> Option<Place> {
    if at & IN_SOURCE != 0 {
        let (source, offset) = ((at & !IN_SOURCE) >> SOURCE_SHIFT, at & ((1 << SOURCE_SHIFT) - 1));
        let is_it = |stretch: &&Stretch| {
            u64::from(stretch.source) == source && (stretch.at..stretch.at + stretch.len).contains(&offset)
        };
        let stretch = all().iter().find(is_it)?;
        let start = place_in_source(source as u32, stretch.at);
        return Some(Place { start, end: start + stretch.len, run: Run { stretch, len: stretch.len } });
    }
    let number = shadow::get(at).decode().0.input_index()?;
    let stretch =
        all().iter().find(|stretch| (stretch.first..stretch.first + stretch.unit as u32).contains(&number))?;
    let phase = u64::from(number - stretch.first);
    let is_there = |back: u64| {
        let label = stretch.label((phase + back * (stretch.unit - 1)) % stretch.unit);
        shadow::get(at - back) == ShadowWord::new(label, 0)
    };
    let start = at + 1 - (0..).take_while(|&back| is_there(back)).count() as u64;
    let run = run_at(start)?;
    Some(Place { start, end: start + run.len, run }).filter(|place| at < place.end)
}

/// The number of bytes from one address to another: those of stretches between them count as their lengths.
pub fn span(from: u64, to: u64) -> Term {
    let (mut sum, mut rest) = (Term::constant(0, 64), to - from);
    if !are_there() || !shadow::may_be_labelled(from, to - from) {
        return Term::constant(rest, 64);
    }
    let mut at = from;
    while at < to {
        match run_at(at) {
            Some(run) if at + run.len <= to => {
                sum = sum + run.term();
                rest -= run.len;
                at += run.len;
            }
            Some(run) => at += run.len,
            None => at += 1,
        }
    }
    sum + Term::constant(rest, 64)
}

/// The same for bytes of a source.
pub fn span_of(source: u32, from: u64, to: u64) -> Term {
    let (mut sum, mut rest) = (Term::constant(0, 64), to - from);
    for stretch in all().iter().filter(|stretch| stretch.source == source) {
        if stretch.at >= from && stretch.at + stretch.len <= to {
            sum = sum + stretch.term();
            rest -= stretch.len;
        }
    }
    sum + Term::constant(rest, 64)
}

/// A size that the program gave: as a term if it depends on lengths, which nothing pins, or else as the number that it is.
pub fn open(size: Term) -> Term {
    if is_one(size.label) {
        size
    } else {
        Term::constant(size.value, size.width)
    }
}

/// Where the first stretch of a source begins between `from` and `to`; `to` if there is none.
pub fn first_stretch(source: u32, from: u64, to: u64) -> u64 {
    let here = all().iter().filter(|stretch| stretch.source == source).map(|stretch| stretch.at);
    here.filter(|at| (from..to).contains(at)).min().unwrap_or(to)
}

/// How many bytes of a source there are from `from` up to the end of each stretch that begins before `to`.
pub fn ends_of_stretches(source: u32, from: u64, to: u64) -> impl Iterator<Item = Term> {
    let begins_there = move |stretch: &&Stretch| stretch.source == source && (from..to).contains(&stretch.at);
    all().iter().filter(begins_there).map(move |stretch| span_of(source, from, stretch.at) + stretch.term())
}

/// A new node: does it depend on a length?
#[inline(always)]
pub fn note(node: u32, record: &NodeRecord) {
    if are_there() {
        note_now(node, record);
    }
}

#[cold]
fn note_now(node: u32, record: &NodeRecord) {
    let depends = match Op::from_code(record.op) {
        Some(Op::Read) => depends_on_byte(record.a),
        Some(_) => [imm::A, imm::B, imm::C].iter().fold(0, |all, &bit| all | depends_on(implied::operand(record, bit))),
        None => BYTES,
    };
    // SAFETY: nodes are below the capacity.
    unsafe { NODES.add(node as usize).write(depends) };
}

fn depends_on_byte(byte: u32) -> u8 {
    let is_number = all().iter().any(|stretch| (stretch.length..stretch.length + 4).contains(&byte));
    if is_number {
        LENGTHS
    } else {
        BYTES
    }
}

/// What a label names depends on what? Only where there are stretches.
fn depends_on(label: Label) -> u8 {
    match (label.input_index(), label.node_index()) {
        (Some(byte), _) => depends_on_byte(byte),
        // SAFETY: nodes are below the capacity.
        (_, Some(node)) => unsafe { NODES.add(node as usize).read() },
        _ => 0,
    }
}

/// True if what a label names depends on the length of a stretch.
pub fn is_one(label: Label) -> bool {
    are_there() && depends_on(label) & LENGTHS != 0
}

/// True if it depends on other bytes of the input as well.
pub fn is_mixed(label: Label) -> bool {
    are_there() && depends_on(label) == LENGTHS | BYTES
}

/// How many are known; the newest.
const N_SIZES_MAX: usize = 256;
/// Sizes of memory that depend on lengths: where it begins, and the label.
static mut SIZES: [(u64, Label); N_SIZES_MAX] = [(0, Label::NONE); N_SIZES_MAX];
static mut N_SIZES: usize = 0;

/// Memory at an address has a size with this label.
pub fn note_size(base: u64, label: Label) {
    // SAFETY: only this thread is in the runtime; the index is below the size.
    unsafe {
        let known = (0..N_SIZES.min(N_SIZES_MAX)).find(|&at| SIZES[at].0 == base);
        if known.is_none() && !is_one(label) {
            return;
        }
        let at = known.unwrap_or(N_SIZES % N_SIZES_MAX);
        N_SIZES += usize::from(known.is_none());
        SIZES[at] = (base, if is_one(label) { label } else { Label::NONE });
    }
}

/// Memory at an address holds all of a source, and so many bytes more.
#[derive(Clone, Copy)]
struct Text {
    base: u64,
    source: u32,
    n_more: u64,
}

/// How many arguments and variables of the environment have a size that is known.
const N_TEXTS_MAX: usize = 32;
static mut TEXTS: [Text; N_TEXTS_MAX] = [Text { base: 0, source: 0, n_more: 0 }; N_TEXTS_MAX];
static mut N_TEXTS: usize = 0;

/// An argument or a variable of the environment has come into being, before the run is traced.
pub fn note_text(base: u64, source: u32, n_more: u64) {
    // SAFETY: a run has one thread at its beginning; the index is below the size.
    unsafe {
        if are_there() && N_TEXTS < N_TEXTS_MAX {
            TEXTS[N_TEXTS] = Text { base, source, n_more };
            N_TEXTS += 1;
        }
    }
}

/// The run is traced now.
fn size_texts() {
    // SAFETY: only this thread is in the runtime; below the number of texts.
    let texts = unsafe { core::slice::from_raw_parts(ptr::addr_of!(TEXTS).cast::<Text>(), N_TEXTS) };
    for text in texts {
        let len = sources()[text.source as usize].len;
        note_size(text.base, (span_of(text.source, 0, len) + Term::constant(text.n_more, 64)).label);
    }
    // SAFETY: as above.
    unsafe { N_TEXTS = 0 };
}

/// The size of an object.
pub fn size_of(base: u64, size: u64) -> Term {
    let constant = Term::constant(size, 64);
    if !are_there() {
        return constant;
    }
    // SAFETY: only this thread is in the runtime; below the number of sizes.
    let label = unsafe { (0..N_SIZES.min(N_SIZES_MAX)).find(|&at| SIZES[at].0 == base).map(|at| SIZES[at].1) };
    match label {
        Some(label) if label.is_symbolic() && table::value(label) == u128::from(size) => Term { label, ..constant },
        _ => constant,
    }
}
