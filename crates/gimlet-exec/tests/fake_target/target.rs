//! The other side of the protocol, with faults on demand.

use std::fs;
use std::io::{Read, Write};
use std::ptr::addr_of;
use std::time::Duration;

use crate::attacks;
use gimlet_trace::event::{EventKind, EventRecord, Tally, TallyKind};
use gimlet_trace::node::{imm, NodeRecord, Op};
use gimlet_trace::shm::{Header, Message, ModuleRecord, Region, SegmentRecord, SourceRecord, MAGIC};
use gimlet_trace::{Label, SourceKind, FORMAT_VERSION};

#[used]
#[unsafe(link_section = "gimlet_version")]
static VERSION: [u8; 12] = with_version(*b"GIMLETRT\0\0\0\0", 8);

/// One site of kind branch: a.c, main, line 3, column 5.
#[used]
#[unsafe(link_section = "gimlet_sites")]
static SITES: [u8; 88] = with_version(
    *b"GSIT\0\0\0\0\x07\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x13\0\0\0\x58\0\0\0\
\x01\0\x01\0\x04\0\0\0\x0b\0\0\0\x03\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
\0\0\0\0\x03\0\0\0a.c\x04\0\0\0main\0\0\0\0\0",
    4,
);

/// The bytes with the version of the format at `at`.
const fn with_version<const N: usize>(mut bytes: [u8; N], at: usize) -> [u8; N] {
    let version = FORMAT_VERSION.to_le_bytes();
    let mut index = 0;
    while index < version.len() {
        bytes[at + index] = version[index];
        index += 1;
    }
    bytes
}

/// Serves runs until the driver is gone.
pub fn serve(driver: &str) -> ! {
    // SAFETY: the statics are read so that the linker keeps them; the descriptors are the driver's.
    unsafe {
        addr_of!(VERSION).read_volatile();
        addr_of!(SITES).read_volatile();
        let (shared, control) = driver.split_once(':').unwrap();
        let (shared, control): (i32, i32) = (shared.parse().unwrap(), control.parse().unwrap());
        assert!(shared >= 200 && control >= 200);
        let mode = std::env::args().nth(1).unwrap();
        match mode.as_str() {
            "early" => libc::_exit(5),
            "silent" => loop {
                libc::pause();
            },
            "version" => send(control, Message::HELLO, 99),
            "failed" => send(control, Message::FAILED, libc::ENOMEM as u32),
            "nonsense" => send(control, 1, 2),
            _ => send(control, Message::HELLO, FORMAT_VERSION),
        }
        let mut stat: libc::stat = std::mem::zeroed();
        assert_eq!(libc::fstat(shared, &mut stat), 0);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let base = libc::mmap(std::ptr::null_mut(), stat.st_size as usize, protection, libc::MAP_SHARED, shared, 0);
        assert_ne!(base, libc::MAP_FAILED);
        let memory = Memory(base.cast());
        assert_eq!(memory.header().magic, MAGIC);
        loop {
            let mut message = [0u32; 2];
            if libc::recv(control, message.as_mut_ptr().cast(), 8, libc::MSG_WAITALL) != 8 {
                libc::_exit(0);
            }
            let child = libc::fork();
            if child == 0 {
                libc::close(control);
                libc::close(shared);
                act(&mode, &memory);
            }
            if mode == "overtake" {
                // The child kills us first.
                libc::pause();
            }
            send(control, Message::PID, child as u32);
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &mut status, 0), child);
            send(control, Message::STATUS, status as u32);
            if mode == "quit-server" {
                libc::_exit(0);
            }
        }
    }
}

fn send(control: i32, tag: u32, value: u32) {
    let message = [tag, value];
    // SAFETY: eight bytes of a local array.
    unsafe { libc::send(control, message.as_ptr().cast(), 8, libc::MSG_NOSIGNAL) };
}

struct Memory(*mut u8);

impl Memory {
    #[allow(clippy::mut_from_ref)]
    fn header(&self) -> &mut Header {
        // SAFETY: the driver wrote a header there, and this process has one thread.
        unsafe { &mut *self.0.cast() }
    }

    fn write<T>(&self, region: Region, index: usize, record: T) {
        let offset = self.header().regions[region as usize].offset as usize;
        // SAFETY: the tests stay below the capacity.
        unsafe { self.0.add(offset).cast::<T>().add(index).write(record) };
    }
}

/// The run itself: what the first argument says.
fn act(mode: &str, memory: &Memory) -> ! {
    let header = memory.header();
    if mode != "never-begin" {
        header.run_seen = header.run;
    }
    memory.write(Region::Modules, 0, ModuleRecord { base: 1, count: 1, build_id: 7, image_offset: 0, image_len: 0 });
    header.n_modules = 1;
    let argument = std::env::args().nth(2).unwrap_or_default();
    // SAFETY: plain system calls in a process with one thread.
    unsafe {
        match mode {
            "echo" => echo(memory),
            "file" => replace_file(argument.strip_prefix("-f").unwrap()),
            "exit" => libc::_exit(argument.parse().unwrap()),
            "signal" => {
                libc::raise(argument.parse().unwrap());
            }
            "loop" => loop {
                libc::pause();
            },
            "memory" => {
                let blocks: Vec<Vec<u8>> = (0..1000).map(|_| slow_block()).collect();
                assert!(blocks.is_empty());
            }
            "chatter" => (0..8).for_each(|_| print(&[b'x'; 1 << 20])),
            "grow" => grow(memory),
            "overtake" => {
                libc::kill(libc::getppid(), libc::SIGKILL);
                libc::pause();
            }
            "kill-group" => {
                libc::kill(0, libc::SIGTERM);
                libc::pause();
            }
            "daemon" => daemon(),
            "family" => {
                print(format!("{}\n", libc::getpid()).as_bytes());
                if libc::fork() == 0 {
                    libc::setsid();
                    print(format!("{}\n", libc::getpid()).as_bytes());
                }
                libc::sleep(100);
            }
            "corrupt" => corrupt(&argument, memory),
            "attack" => attacks::attack(&std::env::args().skip(2).collect::<Vec<_>>()),
            _ => {}
        }
        libc::_exit(0)
    }
}

fn slow_block() -> Vec<u8> {
    std::thread::sleep(Duration::from_millis(1));
    vec![1; 1 << 20]
}

fn print(bytes: &[u8]) {
    std::io::stdout().write_all(bytes).unwrap();
    std::io::stdout().flush().unwrap();
}

fn branch_on(memory: &Memory, label: Label) {
    let node = NodeRecord { op: Op::Eq as u8, flags: imm::B, width: 1, a: label.0, imm: 5, ..NodeRecord::default() };
    memory.write(Region::Nodes, 1, node);
    memory.header().n_nodes = 2;
    memory.write(
        Region::Events,
        0,
        EventRecord { kind: EventKind::Branch as u8, site: 1, a: 1, ..EventRecord::default() },
    );
    memory.header().n_events = 1;
}

fn echo(memory: &Memory) {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).unwrap();
    print(&bytes);
    eprintln!("said");
    if bytes.is_empty() {
        let tally = Tally { kind: TallyKind::Lost as u16, reason: 1, site: 1, count: 2, ..Tally::default() };
        memory.write(Region::Tallies, 777, tally);
        memory.header().n_tallies = 1;
    } else {
        branch_on(memory, Label::input(0));
    }
}

fn replace_file(path: &str) {
    print(&fs::read(path).unwrap());
    fs::remove_file(path).unwrap();
    fs::write(path, "replaced").unwrap();
}

fn grow(memory: &Memory) {
    let header = memory.header();
    for (index, &byte) in b"named".iter().enumerate() {
        memory.write(Region::Names, header.names_len as usize + index, byte);
    }
    let source = SourceRecord {
        kind: SourceKind::Named as u32,
        name_offset: header.names_len,
        name_len: 5,
        ..SourceRecord::default()
    };
    memory.write(Region::Sources, header.n_sources as usize, source);
    for (index, &byte) in b"xyz".iter().enumerate() {
        memory.write(Region::Input, header.input_len as usize + index, byte);
    }
    let segment = SegmentRecord { source: header.n_sources, first: header.input_len, offset: 0, len: 3 };
    memory.write(Region::Segments, header.n_segments as usize, segment);
    header.names_len += 5;
    header.input_len += 3;
    header.n_sources += 1;
    header.n_segments += 1;
    branch_on(memory, Label::input(header.input_len - 1));
}

/// A proper daemon: another session, no parent.
fn daemon() {
    // SAFETY: plain system calls in a process with one thread.
    unsafe {
        if libc::fork() == 0 {
            libc::setsid();
            if libc::fork() == 0 {
                print(format!("{}\n", libc::getpid()).as_bytes());
                libc::sleep(100);
            }
            libc::_exit(0);
        }
        libc::usleep(20_000);
    }
}

fn corrupt(how: &str, memory: &Memory) {
    let header = memory.header();
    match how {
        "nodes" => branch_on(memory, Label(1)),
        "counters" => {
            header.n_nodes = u32::MAX / 2;
            header.n_events = u64::MAX;
            header.snapshots_len = u64::MAX;
            header.n_segments = u32::MAX;
            header.regions = Default::default();
        }
        "segments" => {
            memory.write(Region::Segments, 1, SegmentRecord { source: 0, first: 0, offset: u64::MAX, len: u64::MAX });
            header.n_segments = 2;
        }
        "sources" => {
            memory.write(Region::Sources, 1, SourceRecord { kind: 77, ..SourceRecord::default() });
            header.n_sources = 2;
        }
        _ => unreachable!(),
    }
}
