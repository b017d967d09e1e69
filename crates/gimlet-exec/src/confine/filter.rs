//! Seccomp: system calls that are refused, for what namespaces and Landlock do not cover.
//!
//! A filter sees numbers, not what pointers point to. So it can't tell a local
//! service's socket from one of the program's own; what it refuses instead is
//! said at [`Network`].

use std::io;

use libc::{sock_filter, BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W};

/// Which sockets work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Network {
    /// The process has a network of its own, and does there what it likes. Local services have sockets in the file
    /// system, which is not its own: it can make none of that kind.
    Own,
    /// Peers are part of the input, so sockets of every kind are needed, but only to be replaced by the models:
    /// nothing is sent to an address.
    Modelled,
    /// As `Modelled`, and nothing is bound to an address, because the network is everybody's.
    Shared,
}

/// What a filter depends on.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    pub network: Network,
    /// Modes, owners and times of files are protected otherwise.
    pub has_protected_metadata: bool,
    /// The length of files is protected otherwise.
    pub has_protected_length: bool,
    /// Other processes are protected otherwise from being traced.
    pub has_protected_memory: bool,
    /// Other processes are protected otherwise from signals.
    pub has_protected_processes: bool,
    /// The driver, which must not be signalled.
    pub driver: libc::pid_t,
}

/// A program for the kernel's interpreter.
pub struct Filter(Vec<sock_filter>);

const ARCHITECTURE: u32 = 0xc000_003e;
/// Numbers from here on belong to the x32 interface.
const X32: u32 = 0x4000_0000;
/// Offsets in what the filter sees.
const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;
const ARGUMENTS_AT: u32 = 16;

/// Calls that the C library's headers have no name for yet.
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const FILE_SETATTR: libc::c_long = 469;

const METADATA_CALLS: [libc::c_long; 21] = [
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_chown,
    libc::SYS_fchown,
    libc::SYS_lchown,
    libc::SYS_fchownat,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

impl Filter {
    pub fn new(policy: Policy) -> Filter {
        let mut filter = Filter(Vec::new());
        filter.load(ARCHITECTURE_AT);
        filter.jump(BPF_JEQ, ARCHITECTURE, 1, 0);
        filter.refuse(libc::ENOSYS);
        filter.load(NUMBER_AT);
        filter.jump(BPF_JGE, X32, 0, 1);
        filter.refuse(libc::ENOSYS);
        // Its requests would pass by this filter.
        filter.refuse_calls(&[libc::SYS_io_uring_setup], libc::ENOSYS);
        // Keys of the user's session.
        filter.refuse_calls(&[libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl], libc::ENOSYS);
        filter.network(policy.network);
        if !policy.has_protected_metadata {
            filter.refuse_calls(&METADATA_CALLS, libc::EPERM);
        }
        if !policy.has_protected_length {
            filter.refuse_calls(&[libc::SYS_truncate], libc::EACCES);
        }
        if !policy.has_protected_memory {
            let traces = [libc::SYS_ptrace, libc::SYS_process_vm_writev, libc::SYS_pidfd_getfd];
            filter.refuse_calls(&traces, libc::EPERM);
        }
        if !policy.has_protected_processes {
            let driver = policy.driver as u32;
            filter.refuse_values(libc::SYS_kill, 0, &[-1i32 as u32, driver, driver.wrapping_neg()], libc::EPERM);
        }
        filter.allow();
        filter
    }

    fn network(&mut self, network: Network) {
        let families = match network {
            Network::Own => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK][..],
            Network::Modelled => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK, libc::AF_UNIX],
            Network::Shared => &[libc::AF_INET, libc::AF_INET6, libc::AF_UNIX],
        };
        self.allow_values(libc::SYS_socket, 0, families, libc::EAFNOSUPPORT);
        if network != Network::Own {
            self.refuse_calls(&[libc::SYS_connect, libc::SYS_sendmsg, libc::SYS_sendmmsg], libc::ECONNREFUSED);
            self.refuse_addressed(libc::SYS_sendto, 4, libc::ECONNREFUSED);
        }
        if network == Network::Shared {
            self.refuse_calls(&[libc::SYS_bind], libc::EACCES);
        }
    }

    /// For this process and all that it starts. Makes system calls only; `no_new_privs` must be set.
    pub fn install(&self) -> io::Result<()> {
        let program = libc::sock_fprog { len: self.0.len() as u16, filter: self.0.as_ptr().cast_mut() };
        // SAFETY: the program is a valid array, which the kernel copies.
        let result = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                &program,
            )
        };
        match result {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn load(&mut self, offset: u32) {
        self.0.push(sock_filter { code: (BPF_LD | BPF_W | BPF_ABS) as u16, jt: 0, jf: 0, k: offset });
    }

    /// Skips `yes` instructions if the comparison holds, otherwise `no`.
    fn jump(&mut self, comparison: u32, value: u32, yes: u8, no: u8) {
        self.0.push(sock_filter { code: (BPF_JMP | comparison | BPF_K) as u16, jt: yes, jf: no, k: value });
    }

    fn give(&mut self, result: u32) {
        self.0.push(sock_filter { code: (BPF_RET | BPF_K) as u16, jt: 0, jf: 0, k: result });
    }

    fn refuse(&mut self, error: i32) {
        self.give(libc::SECCOMP_RET_ERRNO | error as u32);
    }

    fn allow(&mut self) {
        self.give(libc::SECCOMP_RET_ALLOW);
    }

    fn refuse_calls(&mut self, calls: &[libc::c_long], error: i32) {
        for &call in calls {
            self.jump(BPF_JEQ, call as u32, 0, 1);
            self.refuse(error);
        }
    }

    /// The call works with these values of its argument only.
    fn allow_values(&mut self, call: libc::c_long, argument: u32, values: &[i32], error: i32) {
        let n = values.len() as u8;
        self.jump(BPF_JEQ, call as u32, 0, n + 3);
        self.load(ARGUMENTS_AT + 8 * argument);
        for (index, &value) in (0..n).zip(values) {
            self.jump(BPF_JEQ, value as u32, n - index, 0);
        }
        self.refuse(error);
        self.allow();
    }

    /// The call works with all values of its argument but these.
    fn refuse_values(&mut self, call: libc::c_long, argument: u32, values: &[u32], error: i32) {
        let n = values.len() as u8;
        self.jump(BPF_JEQ, call as u32, 0, n + 3);
        self.load(ARGUMENTS_AT + 8 * argument);
        for (index, &value) in (0..n).zip(values) {
            self.jump(BPF_JEQ, value, n - index, 0);
        }
        self.allow();
        self.refuse(error);
    }

    /// The call works if its argument is a null pointer.
    fn refuse_addressed(&mut self, call: libc::c_long, argument: u32, error: i32) {
        self.jump(BPF_JEQ, call as u32, 0, 6);
        self.load(ARGUMENTS_AT + 8 * argument);
        self.jump(BPF_JEQ, 0, 0, 2);
        self.load(ARGUMENTS_AT + 8 * argument + 4);
        self.jump(BPF_JEQ, 0, 1, 0);
        self.refuse(error);
        self.allow();
    }
}

/// Whether the kernel takes filters.
pub fn is_available() -> bool {
    const GET_ACTION_AVAIL: libc::c_uint = 2;
    let action = libc::SECCOMP_RET_ERRNO;
    // SAFETY: asks about the action that the pointer is to.
    unsafe { libc::syscall(libc::SYS_seccomp, GET_ACTION_AVAIL, 0, &action) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interprets the filter on a system call.
    fn run(filter: &Filter, architecture: u32, number: u32, arguments: [u64; 6]) -> u32 {
        let word = |offset: u32| match offset {
            NUMBER_AT => number,
            ARCHITECTURE_AT => architecture,
            offset => {
                let at = offset - ARGUMENTS_AT;
                (arguments[at as usize / 8] >> (8 * (at % 8))) as u32
            }
        };
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = filter.0[at];
            at += 1;
            let code = u32::from(code);
            if code == BPF_LD | BPF_W | BPF_ABS {
                accumulator = word(k);
            } else if code == BPF_RET | BPF_K {
                return k;
            } else {
                let holds = if code & 0xf0 == BPF_JEQ { accumulator == k } else { accumulator >= k };
                at += usize::from(if holds { jt } else { jf });
            }
        }
    }

    #[test]
    fn refuses_what_it_says() {
        let policy = |network: Network, is_protected: bool| {
            Filter::new(Policy {
                network,
                has_protected_metadata: is_protected,
                has_protected_length: is_protected,
                has_protected_memory: is_protected,
                has_protected_processes: is_protected,
                driver: 77,
            })
        };
        let strong = policy(Network::Own, true);
        let modelled = policy(Network::Modelled, true);
        let weak = policy(Network::Shared, false);
        let errno = |error: i32| libc::SECCOMP_RET_ERRNO | error as u32;
        let check = |filter: &Filter, call: libc::c_long, arguments: &[u64], expected: u32| {
            let mut all = [0; 6];
            all[..arguments.len()].copy_from_slice(arguments);
            assert_eq!(run(filter, ARCHITECTURE, call as u32, all), expected, "{call} {arguments:?}");
        };
        let allowed = libc::SECCOMP_RET_ALLOW;
        for filter in [&strong, &weak, &modelled] {
            check(filter, libc::SYS_read, &[0, 1, 2], allowed);
            check(filter, libc::SYS_socket, &[libc::AF_INET as u64], allowed);
            check(filter, libc::SYS_socket, &[libc::AF_VSOCK as u64], errno(libc::EAFNOSUPPORT));
            check(filter, libc::SYS_socketpair, &[libc::AF_UNIX as u64], allowed);
            check(filter, libc::SYS_io_uring_setup, &[], errno(libc::ENOSYS));
            assert_eq!(run(filter, 0x4000_0003, 11, [0; 6]), errno(libc::ENOSYS));
            assert_eq!(run(filter, ARCHITECTURE, X32 | 1, [0; 6]), errno(libc::ENOSYS));
        }
        check(&strong, libc::SYS_socket, &[libc::AF_UNIX as u64], errno(libc::EAFNOSUPPORT));
        check(&strong, libc::SYS_connect, &[], allowed);
        check(&strong, libc::SYS_chmod, &[], allowed);
        check(&modelled, libc::SYS_socket, &[libc::AF_UNIX as u64], allowed);
        check(&modelled, libc::SYS_bind, &[], allowed);
        for filter in [&weak, &modelled] {
            check(filter, libc::SYS_connect, &[], errno(libc::ECONNREFUSED));
            check(filter, libc::SYS_sendto, &[3, 1, 1, 0, 0, 0], allowed);
            check(filter, libc::SYS_sendto, &[3, 1, 1, 0, 1 << 32, 16], errno(libc::ECONNREFUSED));
            check(filter, libc::SYS_sendto, &[3, 1, 1, 0, 8, 16], errno(libc::ECONNREFUSED));
        }
        check(&weak, libc::SYS_bind, &[], errno(libc::EACCES));
        check(&weak, libc::SYS_utimensat, &[], errno(libc::EPERM));
        check(&weak, libc::SYS_truncate, &[], errno(libc::EACCES));
        check(&weak, libc::SYS_ptrace, &[], errno(libc::EPERM));
        check(&weak, libc::SYS_kill, &[-1i64 as u64, 9], errno(libc::EPERM));
        check(&weak, libc::SYS_kill, &[77, 9], errno(libc::EPERM));
        check(&weak, libc::SYS_kill, &[78, 9], allowed);
        check(&strong, libc::SYS_kill, &[-1i64 as u64, 9], allowed);
    }
}
