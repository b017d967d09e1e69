//! What a target might do to its user, on demand.
//!
//! `attack NAME ARGS..`: exits with 0 if all that it tried worked, as far as it can tell. The tests look for the harm
//! themselves. Nothing here hurts more than what the arguments name, also where nothing confines it.

use std::ffi::CString;
use std::fs;
use std::io::Write;
use std::net::{TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};
use std::path::Path;
use std::time::Duration;

/// Exit code of an attack that was refused.
pub const REFUSED: i32 = 42;

fn c_string(text: &str) -> CString {
    CString::new(text).unwrap()
}

fn number(text: &str) -> i32 {
    text.parse().unwrap()
}

/// Does it, and ends the process.
pub fn attack(args: &[String]) -> ! {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let is_done = match args[..] {
        ["remove", directory] => fs::remove_dir_all(directory).is_ok(),
        ["shell", command] => system(command),
        ["write", path] => fs::write(path, "harm").is_ok(),
        ["append", path] => {
            fs::File::options().append(true).open(path).is_ok_and(|mut file| file.write_all(b"harm").is_ok())
        }
        ["metadata", path] => change_metadata(path),
        ["truncate", path] => {
            let path = c_string(path);
            // SAFETY: a path that ends with zero.
            unsafe { libc::truncate(path.as_ptr(), 0) == 0 }
        }
        ["rename", from, to] => fs::rename(from, to).is_ok(),
        ["link", from, to] => fs::hard_link(from, to).is_ok(),
        ["mount", at] => mount(at),
        ["signal", pid, signal] => {
            // SAFETY: plain system call.
            unsafe { libc::kill(number(pid), number(signal)) == 0 }
        }
        // SAFETY: plain system calls.
        ["signal-parent", signal] => unsafe { libc::kill(libc::getppid(), number(signal)) == 0 },
        ["trace", pid] => trace(number(pid)),
        ["connect", how, address] => connect(how, address),
        ["bomb", depth] => bomb(number(depth)),
        ["daemon"] => daemon(),
        ["fill", n_files, bytes] => fill(number(n_files), number(bytes)),
        ["leave", path] => !Path::new(path).exists() && fs::write(path, "left").is_ok(),
        ["read", path, expected] => fs::read(path).is_ok_and(|found| found == expected.as_bytes()),
        ["abort"] => std::process::abort(),
        ["numbers"] => has_own_number(),
        _ => panic!("no such attack: {args:?}"),
    };
    std::process::exit(if is_done { 0 } else { REFUSED })
}

fn system(command: &str) -> bool {
    let command = c_string(command);
    // SAFETY: a command that ends with zero.
    unsafe { libc::system(command.as_ptr()) == 0 }
}

fn change_metadata(path: &str) -> bool {
    let is_mode_changed = fs::set_permissions(path, fs::Permissions::from_mode(0o777)).is_ok();
    let path = c_string(path);
    let times = [libc::timespec { tv_sec: 5, tv_nsec: 0 }; 2];
    // SAFETY: a path that ends with zero, and two times.
    let is_time_changed = unsafe { libc::utimensat(libc::AT_FDCWD, path.as_ptr(), times.as_ptr(), 0) == 0 };
    is_mode_changed || is_time_changed
}

/// Tries to lift what protects the file system, then to write.
fn mount(at: &str) -> bool {
    let path = c_string(at);
    let flags = libc::MS_REMOUNT | libc::MS_BIND;
    let null = std::ptr::null();
    // SAFETY: paths that end with zero.
    unsafe {
        libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS);
        libc::mount(null, c"/".as_ptr(), null, flags, null.cast());
        libc::mount(path.as_ptr(), path.as_ptr(), null, libc::MS_BIND, null.cast());
        libc::mount(null, path.as_ptr(), null, flags, null.cast());
        libc::umount2(path.as_ptr(), libc::MNT_DETACH);
    }
    fs::write(Path::new(at).join("harm"), "harm").is_ok()
}

fn trace(pid: i32) -> bool {
    let is_opened = fs::File::options().write(true).open(format!("/proc/{pid}/mem")).is_ok();
    // SAFETY: plain system calls; the process goes on.
    let is_attached = unsafe {
        let is_attached = libc::ptrace(libc::PTRACE_ATTACH, pid, 0, 0) == 0;
        if is_attached {
            libc::waitpid(pid, std::ptr::null_mut(), libc::__WALL);
            libc::ptrace(libc::PTRACE_DETACH, pid, 0, 0);
        }
        is_attached
    };
    is_opened || is_attached
}

fn connect(how: &str, address: &str) -> bool {
    match how {
        "tcp" => TcpStream::connect(address).is_ok_and(|mut stream| stream.write_all(b"harm").is_ok()),
        "udp" => UdpSocket::bind("127.0.0.1:0").is_ok_and(|socket| socket.send_to(b"harm", address).is_ok()),
        "stream" => UnixStream::connect(address).is_ok_and(|mut stream| stream.write_all(b"harm").is_ok()),
        "datagram" => UnixDatagram::unbound().is_ok_and(|socket| socket.send_to(b"harm", address).is_ok()),
        "abstract" => SocketAddr::from_abstract_name(address)
            .and_then(|address| UnixStream::connect_addr(&address))
            .is_ok_and(|mut stream| stream.write_all(b"harm").is_ok()),
        _ => panic!("{how}"),
    }
}

/// Two to the power of `depth` processes, some with sessions of their own; they would end in the end.
fn bomb(depth: i32) -> bool {
    // SAFETY: plain system calls.
    unsafe {
        for level in 0..depth {
            if libc::fork() == 0 && level % 3 == 0 {
                libc::setsid();
            }
        }
        libc::sleep(20) == 0
    }
}

fn daemon() -> bool {
    // SAFETY: plain system calls.
    unsafe {
        if libc::fork() == 0 {
            libc::setsid();
            if libc::fork() == 0 {
                libc::sleep(20);
            }
            libc::_exit(0);
        }
        libc::usleep(20_000) == 0
    }
}

fn fill(n_files: i32, bytes: i32) -> bool {
    (0..n_files).all(|index| {
        std::thread::sleep(Duration::from_millis(5));
        fs::write(format!("fill{index}"), vec![1; bytes as usize]).is_ok()
    })
}

/// Whether this process is in `/proc` under the number that it has.
fn has_own_number() -> bool {
    let text = fs::read_to_string(format!("/proc/{}/status", std::process::id())).unwrap_or_default();
    let own = fs::read_to_string("/proc/self/status").unwrap_or_default();
    !own.is_empty() && text.lines().next() == own.lines().next()
}
