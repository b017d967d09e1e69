//! Sockets whose other end is the input.
//!
//! A program that listens, accepts and reads finds what a peer would have sent
//! it, without a network: its descriptor becomes one end of a pair of local
//! stream sockets, and this module holds the other. So `poll`, `shutdown`,
//! `dup` and stdio do what they always do, and nothing has to be known of a
//! descriptor but its inode.
//!
//! - A source is one connection, or the datagrams of one socket: those that
//!   the program accepts, connects or binds take the next source that is for
//!   their port or for any.
//! - The other end is fed as far as it takes, and closed for writing at the end
//!   of the source, so that reads give the end of file. Datagrams have no end.
//! - A listening socket is one end of a pair too, and can be read, that is, is
//!   ready, as long as there is a connection to accept.
//! - What the program sends is swallowed.
//! - A program that waits for more than there is will wait for ever: its run
//!   ends there, as by `exit(0)`.
//!
//! `support/sources.c` of gimlet-cc does the same for plain builds.

use core::ffi::{c_int, c_void};
use core::ptr::addr_of_mut;

use gimlet_trace::shm::{Region, SourceRecord};
use gimlet_trace::SourceKind;

use crate::input::quietly;
use crate::state::{self, header, sources};

/// A socket that the program bound, and maybe listens on.
#[derive(Clone, Copy)]
pub struct Listener {
    inode: u64,
    pub family: u16,
    pub port: u16,
    /// Our copy of its descriptor and the other end, once it listens.
    own: c_int,
    peer: c_int,
}

/// A socket that reads a source.
#[derive(Clone, Copy)]
pub struct Connection {
    inode: u64,
    pub family: u16,
    /// The port on the program's side.
    pub port: u16,
    pub is_datagram: bool,
    source: u32,
    /// The other end.
    peer: c_int,
    /// Bytes of the source that it has been given.
    fed: u64,
    is_closed: bool,
}

const LISTENERS_MAX: usize = 32;
const CONNECTIONS_MAX: usize = 256;
const NO_LISTENER: Listener = Listener { inode: 0, family: 0, port: 0, own: -1, peer: -1 };
const NO_CONNECTION: Connection =
    Connection { inode: 0, family: 0, port: 0, is_datagram: false, source: 0, peer: -1, fed: 0, is_closed: false };

/// The sockets of this run. Entries are only added, by a thread that is alone in the runtime.
struct Sockets {
    listeners: [Listener; LISTENERS_MAX],
    n_listeners: usize,
    connections: [Connection; CONNECTIONS_MAX],
    n_connections: usize,
}

static mut SOCKETS: Sockets = Sockets {
    listeners: [NO_LISTENER; LISTENERS_MAX],
    n_listeners: 0,
    connections: [NO_CONNECTION; CONNECTIONS_MAX],
    n_connections: 0,
};

fn listeners() -> &'static mut [Listener] {
    // SAFETY: see `Sockets`.
    unsafe {
        let all = &mut *addr_of_mut!(SOCKETS);
        &mut all.listeners[..all.n_listeners]
    }
}

fn connections() -> &'static mut [Connection] {
    // SAFETY: see `Sockets`.
    unsafe {
        let all = &mut *addr_of_mut!(SOCKETS);
        &mut all.connections[..all.n_connections]
    }
}

/// Our ends of sockets get numbers out of the program's way.
const HIGH_DESCRIPTOR: c_int = 300;

fn stat_of(fd: c_int) -> Option<libc::stat> {
    // SAFETY: fstat fills the structure or fails.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        (quietly(|| libc::fstat(fd, &mut stat)) == 0).then_some(stat)
    }
}

/// The listening or bound socket that this descriptor is.
pub fn listener(fd: c_int) -> Option<&'static mut Listener> {
    if listeners().is_empty() {
        return None;
    }
    let inode = stat_of(fd)?.st_ino;
    listeners().iter_mut().find(|listener| listener.inode == inode)
}

/// The connection that this descriptor is.
pub fn connection(fd: c_int) -> Option<&'static mut Connection> {
    if connections().is_empty() {
        return None;
    }
    let inode = stat_of(fd)?.st_ino;
    connections().iter_mut().find(|connection| connection.inode == inode)
}

fn is_waiting(source: &SourceRecord) -> bool {
    source.kind == SourceKind::Socket as u32 && source.inode == 0
}

/// The next source that a socket with this port can have.
pub fn next_source(port: u16) -> Option<u32> {
    let is_it = |source: &SourceRecord| is_waiting(source) && (source.index == 0 || source.index == u32::from(port));
    sources().iter().position(is_it).map(|index| index as u32)
}

/// True if there were sources for sockets and each has its socket.
pub fn all_taken() -> bool {
    let is_socket = |source: &SourceRecord| source.kind == SourceKind::Socket as u32;
    sources().iter().any(is_socket) && !sources().iter().any(is_waiting)
}

/// A pair of connected sockets: the program's end and ours.
fn pair() -> Option<[c_int; 2]> {
    let mut ends = [-1; 2];
    // SAFETY: plain system calls.
    unsafe {
        if libc::socketpair(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0, ends.as_mut_ptr()) != 0 {
            return None;
        }
        Some([ends[0], move_high(ends[1])])
    }
}

fn move_high(fd: c_int) -> c_int {
    // SAFETY: plain system calls on a descriptor of ours.
    unsafe {
        let high = quietly(|| libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR));
        if high < 0 {
            return fd;
        }
        libc::close(fd);
        high
    }
}

/// Puts `end` in the place of the descriptor `fd`, with the flags that that has.
fn replace(fd: c_int, end: c_int) {
    // SAFETY: plain system calls on open descriptors.
    unsafe {
        let (status, closing) = (libc::fcntl(fd, libc::F_GETFL), libc::fcntl(fd, libc::F_GETFD));
        libc::dup3(end, fd, if closing & libc::FD_CLOEXEC != 0 { libc::O_CLOEXEC } else { 0 });
        libc::fcntl(fd, libc::F_SETFL, status & libc::O_NONBLOCK);
        libc::close(end);
    }
}

/// A socket is bound to a port; nothing happens but that we know.
pub fn bound(fd: c_int, family: u16, port: u16) -> bool {
    let Some(stat) = stat_of(fd) else { return false };
    // SAFETY: see `Sockets`.
    let all = unsafe { &mut *addr_of_mut!(SOCKETS) };
    if all.n_listeners == LISTENERS_MAX {
        return false;
    }
    all.listeners[all.n_listeners] = Listener { inode: stat.st_ino, family, port, ..NO_LISTENER };
    all.n_listeners += 1;
    true
}

impl Listener {
    /// Makes the descriptor one that can be polled.
    pub fn listen(&mut self, fd: c_int) -> bool {
        if self.own >= 0 {
            return true;
        }
        let Some([end, peer]) = pair() else { return false };
        // SAFETY: plain system calls on descriptors of ours.
        self.own = unsafe { libc::fcntl(end, libc::F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR) };
        self.peer = peer;
        replace(fd, end);
        self.inode = stat_of(fd).map_or(0, |stat| stat.st_ino);
        if next_source(self.port).is_some() {
            // SAFETY: as above.
            unsafe { libc::send(peer, b"!".as_ptr().cast(), 1, libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT) };
        }
        true
    }
}

/// Listeners that have nothing left to accept are not ready any more.
fn settle_listeners() {
    for listener in listeners().iter().filter(|listener| listener.own >= 0) {
        if next_source(listener.port).is_none() {
            let mut byte = 0u8;
            // SAFETY: plain system call on a descriptor of ours.
            quietly(|| unsafe { libc::recv(listener.own, addr_of_mut!(byte).cast(), 1, libc::MSG_DONTWAIT) });
        }
    }
}

/// Gives a source to a new connection; the program's end is the result.
pub fn connect(source: u32, family: u16, port: u16, is_datagram: bool) -> Option<c_int> {
    // SAFETY: see `Sockets`.
    let all = unsafe { &mut *addr_of_mut!(SOCKETS) };
    if all.n_connections == CONNECTIONS_MAX {
        return None;
    }
    let [end, peer] = pair()?;
    let stat = stat_of(end)?;
    let record = &mut sources()[source as usize];
    (record.device, record.inode) = (stat.st_dev, stat.st_ino);
    all.connections[all.n_connections] =
        Connection { inode: stat.st_ino, family, port, is_datagram, source, peer, fed: 0, is_closed: false };
    all.n_connections += 1;
    all.connections[all.n_connections - 1].feed();
    settle_listeners();
    Some(end)
}

/// The same for a descriptor that the program has already.
pub fn connect_to(fd: c_int, source: u32, family: u16, port: u16, is_datagram: bool) -> bool {
    match connect(source, family, port, is_datagram) {
        Some(end) => replace(fd, end),
        None => return false,
    }
    true
}

impl Connection {
    /// Gives the other end as much as it takes, and takes back what the program sent.
    pub fn feed(&mut self) {
        let source = sources()[self.source as usize];
        quietly(|| {
            // SAFETY: the input region holds the source's bytes; the peer is ours.
            unsafe {
                let bytes = state::region::<u8>(Region::Input).add(source.first as usize);
                while self.fed < source.len {
                    let rest = (source.len - self.fed) as usize;
                    let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
                    match libc::send(self.peer, bytes.add(self.fed as usize).cast(), rest, flags) {
                        sent if sent > 0 => self.fed += sent as u64,
                        _ => break,
                    }
                }
                if self.fed == source.len && !self.is_datagram && !self.is_closed {
                    self.is_closed = true;
                    libc::shutdown(self.peer, libc::SHUT_WR);
                }
                let mut sent = [0u8; 4096];
                while libc::recv(self.peer, sent.as_mut_ptr().cast(), sent.len(), libc::MSG_DONTWAIT) > 0 {}
            }
        });
    }

    /// How far the program has read, by whatever means.
    pub fn position(&self, fd: c_int) -> u64 {
        let mut unread: c_int = 0;
        // SAFETY: asks only.
        quietly(|| unsafe { libc::ioctl(fd, libc::FIONREAD, addr_of_mut!(unread)) });
        self.fed.saturating_sub(unread.max(0) as u64)
    }

    /// True if a read of datagrams would wait for ever.
    pub fn is_dry(&self, fd: c_int) -> bool {
        self.is_datagram && self.position(fd) == sources()[self.source as usize].len
    }
}

/// Position of a descriptor that is a connection, which is fed on the occasion; 0 for any other.
pub fn position(fd: c_int) -> u64 {
    let Some(connection) = connection(fd) else { return 0 };
    let position = connection.position(fd);
    connection.feed();
    position
}

/// Before the program waits for several descriptors.
pub fn feed_all() {
    connections().iter_mut().for_each(Connection::feed);
}

/// Sources that the program has read as far as they were fed, on connections that it still has: how far that is.
pub fn positions() -> impl Iterator<Item = (u32, u64)> {
    connections().iter().filter_map(|connection| {
        let mut unread: c_int = 0;
        let mut request = libc::pollfd { fd: connection.peer, events: 0, revents: 0 };
        // SAFETY: asks only.
        let is_read = quietly(|| unsafe {
            libc::poll(&mut request, 1, 0) >= 0
                && request.revents & libc::POLLHUP == 0
                && libc::ioctl(connection.peer, libc::TIOCOUTQ, addr_of_mut!(unread)) == 0
                && unread == 0
        });
        is_read.then_some((connection.source, connection.fed))
    })
}

/// True if nobody else in the program could do something while this thread waits.
pub fn is_alone() -> bool {
    unsafe extern "C" {
        static __libc_single_threaded: u8;
    }
    // SAFETY: libc keeps this byte true to fact.
    let single = unsafe { core::ptr::addr_of!(__libc_single_threaded).read_volatile() != 0 };
    single && header().forks == 0
}

/// How long the end of a run waits for other threads and processes that serve a connection and do not read from it.
const PATIENCE_MS: c_int = 1000;

/// Waits until the program has closed the connection, or has done nothing with it for a while.
fn await_close(connection: &Connection) {
    let mut last = None;
    loop {
        let mut unread: c_int = 0;
        let mut request = libc::pollfd { fd: connection.peer, events: 0, revents: 0 };
        // SAFETY: plain system calls with local answers; POLLHUP comes without being asked for.
        let is_closed = quietly(|| unsafe {
            libc::ioctl(connection.peer, libc::TIOCOUTQ, addr_of_mut!(unread));
            libc::poll(&mut request, 1, PATIENCE_MS) != 0
        });
        // SAFETY: another thread may feed it meanwhile.
        let now = Some((unread, unsafe { core::ptr::addr_of!(connection.fed).read_volatile() }));
        if is_closed || last == now {
            return;
        }
        last = now;
    }
}

/// Ends the run of a program that waits for a peer that is not there. Threads and children that still serve a
/// connection get some time to close it. To be called outside the runtime, because handlers of the program run.
pub fn starve() -> ! {
    if !is_alone() {
        connections().iter().for_each(await_close);
    }
    // SAFETY: ends the process.
    unsafe { libc::exit(0) }
}

/// Writes an address of the local machine where the program wants one.
///
/// # Safety
/// `address` must be null or have as many bytes as `len` points to.
pub unsafe fn write_address(family: u16, port: u16, address: *mut c_void, len: *mut u32) {
    if address.is_null() || len.is_null() {
        return;
    }
    let mut bytes = [0u8; 28];
    bytes[..2].copy_from_slice(&family.to_ne_bytes());
    bytes[2..4].copy_from_slice(&port.to_be_bytes());
    let size = match c_int::from(family) {
        libc::AF_INET => {
            bytes[4..8].copy_from_slice(&[127, 0, 0, 1]);
            16
        }
        libc::AF_INET6 => {
            bytes[23] = 1;
            28
        }
        _ => 2,
    };
    // SAFETY: the caller vouches for the room.
    unsafe {
        core::ptr::copy_nonoverlapping(bytes.as_ptr(), address.cast(), size.min(*len as usize));
        crate::shadow::clear(address as u64, size.min(*len as usize) as u64);
        crate::shadow::clear(len as u64, 4);
        *len = size as u32;
    }
}

/// Family and port of an address; `None` for families that are no network of ours.
///
/// # Safety
/// `address` must be null or have `len` bytes.
pub unsafe fn read_address(address: *const c_void, len: u32) -> Option<(u16, u16)> {
    if address.is_null() || len < 2 {
        return None;
    }
    // SAFETY: the caller vouches for the bytes.
    unsafe {
        let bytes = address.cast::<u8>();
        let family = u16::from_ne_bytes([*bytes, *bytes.add(1)]);
        match c_int::from(family) {
            libc::AF_INET | libc::AF_INET6 if len >= 4 => {
                Some((family, u16::from_be_bytes([*bytes.add(2), *bytes.add(3)])))
            }
            libc::AF_UNIX => Some((family, 0)),
            _ => None,
        }
    }
}
