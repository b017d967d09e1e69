//! Targets that try to harm their user, confined in every way that this machine has; and, to show that the attempts
//! are real, the same ones unconfined.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use gimlet_exec::confine::landlock::{ABI_WITH_SCOPES, ABI_WITH_TRUNCATE};
use gimlet_exec::confine::Parts;
use gimlet_exec::watch::Excess;
use gimlet_exec::{run_plain, Confinement, ExecError, Target, TargetOptions};
use gimlet_trace::trace::Outcome;
use gimlet_trace::{Input, SourceKind};
use tempfile::TempDir;

use crate::attacks::REFUSED;
use crate::options;

/// How an attack came out.
struct Attacked {
    outcome: Outcome,
    excess: Option<Excess>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Server,
    Plain,
}
const BOTH: [How; 2] = [How::Server, How::Plain];

/// What an attack finds: `victim` beside the current directory, `cwd`, and a `home`.
struct Scene {
    dir: TempDir,
}

impl Scene {
    fn new() -> Scene {
        let dir = tempfile::tempdir().unwrap();
        for name in ["victim/below", "cwd", "home"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("victim/below/file"), "precious").unwrap();
        fs::write(dir.path().join("cwd/notes"), "precious").unwrap();
        std::env::set_current_dir(dir.path().join("cwd")).unwrap();
        // SAFETY: tests run one after the other, and no thread is left of an earlier one.
        unsafe { std::env::set_var("HOME", dir.path().join("home")) };
        Scene { dir }
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).to_str().unwrap().to_string()
    }

    fn is_unharmed(&self) -> bool {
        let read = |name: &str| fs::read(self.dir.path().join(name)).unwrap_or_default();
        let is_empty = |name: &str| fs::read_dir(self.dir.path().join(name)).unwrap().next().is_none();
        let metadata = fs::metadata(self.dir.path().join("victim/below/file"));
        let is_same = |metadata: fs::Metadata| metadata.permissions().mode() & 0o777 != 0o777 && metadata.mtime() > 5;
        read("victim/below/file") == b"precious"
            && read("cwd/notes") == b"precious"
            && metadata.is_ok_and(is_same)
            && fs::read_dir(self.dir.path().join("victim")).unwrap().count() == 1
            && fs::read_dir(self.dir.path().join("cwd")).unwrap().count() == 1
            && is_empty("home")
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        std::env::set_current_dir("/").unwrap();
    }
}

fn with(confinement: Confinement) -> TargetOptions {
    TargetOptions { confinement, ..options() }
}

fn attack_with(how: How, args: &[&str], input: &Input, options: TargetOptions) -> Result<Attacked, ExecError> {
    let program = std::env::current_exe().unwrap();
    let args: Vec<OsString> = ["attack"].iter().chain(args).map(OsString::from).collect();
    match how {
        How::Server => {
            let run = Target::new(&program, &args, options)?.run(input)?;
            Ok(Attacked { outcome: run.trace.outcome, excess: run.excess })
        }
        How::Plain => {
            let run = run_plain(&program, &args, input, &options)?;
            Ok(Attacked { outcome: run.outcome, excess: run.excess })
        }
    }
}

fn attack(how: How, args: &[&str], confinement: Confinement) -> Outcome {
    match attack_with(how, args, &Input::stdin(""), with(confinement)) {
        Ok(attacked) => attacked.outcome,
        Err(error) => panic!("{how:?} {args:?} {confinement:?}: {error:?}"),
    }
}

/// All confinements that can be had here: with all parts, and with some of them only.
fn confinements() -> Vec<Parts> {
    let all = Confinement::probe().parts().unwrap();
    let candidates = [
        all,
        Parts { landlock_abi: 0, ..all },
        Parts { has_own_proc: false, ..all },
        Parts { namespaces: None, ..all },
        Parts { namespaces: None, landlock_abi: all.landlock_abi.min(1), ..all },
        Parts { namespaces: None, landlock_abi: 0, ..all },
        Parts::default(),
    ];
    let mut found = Vec::new();
    for parts in candidates {
        if !found.contains(&parts) {
            found.push(parts);
        }
    }
    found
}

/// Whether parts of confinement are enough against some harm.
type Protects = fn(&Parts) -> bool;

fn protects_files(parts: &Parts) -> bool {
    protects_metadata_by_mounts(parts) || parts.landlock_abi > 0
}

fn protects_metadata_by_mounts(parts: &Parts) -> bool {
    parts.namespaces.is_some() && parts.has_read_only_view
}

pub fn files_are_safe() {
    let harms: &[(&[&str], Protects)] = &[
        (&["remove", "{victim}"], protects_files),
        (&["shell", "rm -rf {victim}"], protects_files),
        (&["write", "{victim}/new"], protects_files),
        (&["shell", "echo harm > $HOME/.profile"], protects_files),
        (&["write", "notes"], protects_files),
        (&["append", "notes"], protects_files),
        (&["append", "../victim/below/file"], protects_files),
        (&["rename", "{victim}/below/file", "{victim}/other"], protects_files),
        (&["link", "{victim}/below/file", "{victim}/other"], protects_files),
        (&["truncate", "{victim}/below/file"], |parts| {
            protects_files(parts) && (parts.landlock_abi >= ABI_WITH_TRUNCATE || parts.has_filter)
                || protects_metadata_by_mounts(parts)
        }),
        (&["metadata", "{victim}/below/file"], |parts| protects_metadata_by_mounts(parts) || parts.has_filter),
        (&["mount", "{victim}"], protects_files),
    ];
    for (args, protects) in harms {
        let fill_in = |scene: &Scene| -> Vec<String> {
            args.iter().map(|arg| arg.replace("{victim}", &scene.path("victim"))).collect()
        };
        for parts in confinements().iter().filter(|parts| protects(parts)) {
            for how in BOTH {
                let scene = Scene::new();
                let args = fill_in(&scene);
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                let outcome = attack(how, &args, Confinement::On(*parts));
                assert_eq!(outcome, Outcome::Exited(REFUSED), "{how:?} {args:?} {parts:?}");
                assert!(scene.is_unharmed(), "{how:?} {args:?} {parts:?}");
            }
        }
        let scene = Scene::new();
        let args = fill_in(&scene);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        assert_eq!(attack(How::Plain, &args, Confinement::Off), Outcome::Exited(0), "{args:?}");
        assert!(!scene.is_unharmed(), "no harm: {args:?}");
    }
}

pub fn the_private_folder_works() {
    for parts in confinements() {
        let scene = Scene::new();
        let tmp = tempfile::tempdir().unwrap();
        let named = |name: &str| tmp.path().join(name).to_str().unwrap().to_string();
        let is_done = |how, args: &[&str]| {
            assert_eq!(attack(how, args, Confinement::On(parts)), Outcome::Exited(0), "{how:?} {args:?} {parts:?}");
        };
        for how in BOTH {
            is_done(how, &["read", "notes", "precious"]);
            is_done(how, &["read", "../victim/below/file", "precious"]);
            is_done(how, &["read", &scene.path("victim/below/file"), "precious"]);
            is_done(how, &["write", "new"]);
            is_done(how, &["rename", "notes", "other"]);
            is_done(how, &["shell", "echo x > $TMPDIR/x && mkdir a && mv $TMPDIR/x a && echo y > /dev/null"]);
            is_done(how, &["shell", "cat notes ../cwd/notes > both && test \"$(cat both)\" = preciousprecious"]);
            if parts.namespaces.is_some() && parts.has_own_proc {
                is_done(how, &["numbers"]);
            }
            if protects_files(&parts) {
                let refused = attack(how, &["write", &named("new")], Confinement::On(parts));
                assert_eq!(refused, Outcome::Exited(REFUSED));
            }
            let writable = vec![tmp.path().to_path_buf(), PathBuf::from("/no/such/path")];
            let options = TargetOptions { writable, ..with(Confinement::On(parts)) };
            let done = attack_with(how, &["write", &named("new")], &Input::stdin(""), options).unwrap();
            assert_eq!(done.outcome, Outcome::Exited(0), "{how:?} {parts:?}");
            fs::remove_file(named("new")).unwrap();
            assert!(scene.is_unharmed());
        }
    }
}

pub fn the_root_can_be_the_current_directory() {
    let scene = Scene::new();
    std::env::set_current_dir("/").unwrap();
    let relative = scene.path("victim/below/file").trim_start_matches('/').to_string();
    for parts in confinements() {
        for how in BOTH {
            for args in [&["read", &relative, "precious"][..], &["write", "gimlet-test"]] {
                assert_eq!(attack(how, args, Confinement::On(parts)), Outcome::Exited(0), "{how:?} {args:?} {parts:?}");
            }
        }
    }
    assert!(!Path::new("/gimlet-test").exists());
}

pub fn runs_do_not_see_each_other() {
    let scene = Scene::new();
    for parts in confinements() {
        let has_shared_memory = protects_metadata_by_mounts(&parts) && Path::new("/dev/shm").is_dir();
        for path in ["left", "a", "@@.journal", "/dev/shm/gimlet-test"] {
            if path.starts_with("/dev/shm") && !has_shared_memory {
                continue;
            }
            let args: Vec<OsString> = ["attack", "leave", path].iter().map(OsString::from).collect();
            let program = std::env::current_exe().unwrap();
            let mut target = Target::new(&program, &args, with(Confinement::On(parts))).unwrap();
            let mut input = Input::stdin("");
            if path.contains("@@") {
                input.push(SourceKind::File, "file", "x");
            }
            for _ in 0..3 {
                let run = target.run(&input).unwrap();
                assert_eq!(run.trace.outcome, Outcome::Exited(0), "{path} {parts:?}");
            }
        }
    }
    assert!(!Path::new("/dev/shm/gimlet-test").exists());
    drop(scene);
}

/// A process that ends with code 7 when it gets SIGURG, which others ignore, or when nobody needs it any more.
struct Bystander(Child);

impl Bystander {
    fn new() -> Bystander {
        let script = "trap 'exit 7' URG; echo; while :; do sleep 0.01; done";
        let mut child = Command::new("sh").args(["-c", script]).stdout(std::process::Stdio::piped()).spawn().unwrap();
        // Its line says that the trap is set.
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        Bystander(child)
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }

    fn ends_within(&mut self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if self.0.try_wait().unwrap().is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }

    fn ends_soon(&mut self) -> bool {
        self.ends_within(Duration::from_millis(200))
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn other_processes_are_safe() {
    let _scene = Scene::new();
    let urgent = libc::SIGURG.to_string();
    for parts in confinements() {
        let protects_all = parts.namespaces.is_some() || parts.landlock_abi >= ABI_WITH_SCOPES;
        for how in BOTH {
            let mut other = Bystander::new();
            let pid = other.pid();
            if protects_all || parts.has_filter {
                attack(how, &["signal", "-1", &urgent], Confinement::On(parts));
                let driver = std::process::id().to_string();
                attack(how, &["signal", &driver, "0"], Confinement::On(parts));
                attack(how, &["signal-parent", "9"], Confinement::On(parts));
                assert!(!other.ends_soon(), "{how:?} {parts:?}");
            }
            if protects_all {
                attack(how, &["signal", &pid, "9"], Confinement::On(parts));
                assert!(!other.ends_soon(), "{how:?} {parts:?}");
            }
            if parts.namespaces.is_some() {
                // All that it reaches is itself.
                attack(how, &["signal", "-1", "9"], Confinement::On(parts));
                assert!(!other.ends_soon(), "{how:?} {parts:?}");
            }
            if parts.namespaces.is_some() || parts.landlock_abi > 0 {
                let outcome = attack(how, &["trace", &pid], Confinement::On(parts));
                assert_ne!(outcome, Outcome::Exited(0), "{how:?} {parts:?}");
                assert!(!other.ends_soon(), "{how:?} {parts:?}");
            }
        }
    }
    let mut other = Bystander::new();
    attack(How::Plain, &["signal", "-1", &urgent], Confinement::Off);
    assert!(other.ends_within(Duration::from_secs(10)), "the attack is none");
    let other = Bystander::new();
    // SAFETY: plain system call.
    if unsafe { libc::geteuid() } == 0 {
        assert_eq!(attack(How::Plain, &["trace", &other.pid()], Confinement::Off), Outcome::Exited(0));
    }
}

/// Processes that have this among their arguments.
fn n_marked(marker: &str) -> usize {
    let is_marked = |entry: fs::DirEntry| {
        let own = entry.file_name().to_str() == Some(&std::process::id().to_string());
        let arguments = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        !own && arguments.split(|&byte| byte == 0).any(|argument| argument == marker.as_bytes())
    };
    fs::read_dir("/proc").unwrap().flatten().map(is_marked).filter(|&is| is).count()
}

pub fn families_end() {
    let _scene = Scene::new();
    let all = confinements().into_iter().map(Confinement::On);
    for confinement in all {
        for how in BOTH {
            let mut options = with(confinement);
            options.limits.processes = 40;
            options.limits.timeout_ms = 10_000;
            // 128 processes, marked by a way to write the number that nothing else has.
            let bombed = attack_with(how, &["bomb", "+0007"], &Input::stdin(""), options).unwrap();
            assert_eq!(bombed.excess, Some(Excess::Processes), "{how:?} {confinement:?}");
            assert_eq!(bombed.outcome, Outcome::Signalled(libc::SIGKILL));
            crate::wait_until(|| n_marked("+0007") == 0);
            assert_eq!(attack(how, &["daemon"], confinement), Outcome::Exited(0));
            crate::wait_until(|| n_marked("daemon") == 0);
        }
    }
}

pub fn the_disk_is_not_filled() {
    let scene = Scene::new();
    for parts in confinements() {
        for how in BOTH {
            let mut options = with(Confinement::On(parts));
            options.limits.disk_bytes = 16 << 20;
            let filled = attack_with(how, &["fill", "1000", "1000000"], &Input::stdin(""), options.clone()).unwrap();
            assert_eq!(filled.outcome, Outcome::Signalled(libc::SIGXFSZ), "{how:?} {parts:?}");
            assert_eq!(filled.excess, Some(Excess::Disk));
            options.limits.file_bytes = 1 << 20;
            let filled = attack_with(how, &["fill", "2", "2000000"], &Input::stdin(""), options).unwrap();
            assert_eq!(filled.outcome, Outcome::Signalled(libc::SIGXFSZ), "{how:?} {parts:?}");
            assert_eq!(filled.excess, None);
            assert!(scene.is_unharmed());
        }
    }
}

pub fn the_network_is_out_of_reach() {
    let scene = Scene::new();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let stream = UnixListener::bind(scene.path("stream")).unwrap();
    let datagram = UnixDatagram::bind(scene.path("datagram")).unwrap();
    let name = format!("gimlet-test-{}", std::process::id());
    let hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    stream.set_nonblocking(true).unwrap();
    datagram.set_nonblocking(true).unwrap();
    hidden.set_nonblocking(true).unwrap();
    let mut buffer = [0; 4];
    let mut is_reached = |how: &str| {
        let result = match how {
            "tcp" => tcp.accept().map(|_| ()),
            "udp" => udp.recv(&mut buffer).map(|_| ()),
            "stream" => stream.accept().map(|_| ()),
            "datagram" => datagram.recv(&mut buffer).map(|_| ()),
            _ => hidden.accept().map(|_| ()),
        };
        !matches!(result, Err(error) if error.kind() == ErrorKind::WouldBlock)
    };
    let addresses = [
        ("tcp", tcp.local_addr().unwrap().to_string()),
        ("udp", udp.local_addr().unwrap().to_string()),
        ("stream", scene.path("stream")),
        ("datagram", scene.path("datagram")),
        ("abstract", name.clone()),
    ];
    let mut with_peer = Input::stdin("");
    with_peer.push(SourceKind::Socket, "socket1", "hello");
    for (kind, address) in &addresses {
        let args = ["connect", kind, address];
        for parts in confinements().into_iter().filter(|parts| parts.has_filter) {
            for how in BOTH {
                for input in [&Input::stdin(""), &with_peer] {
                    let attacked = attack_with(how, &args, input, with(Confinement::On(parts))).unwrap();
                    // In a network of its own it sends to nobody.
                    let is_own = *kind == "udp" && parts.namespaces.is_some();
                    let is_refused = attacked.outcome == Outcome::Exited(REFUSED);
                    assert!(is_refused || is_own, "{how:?} {args:?} {parts:?}");
                    assert!(!is_reached(kind), "{how:?} {args:?} {parts:?}");
                }
            }
        }
        assert_eq!(attack(How::Plain, &args, Confinement::Off), Outcome::Exited(0), "{args:?}");
        assert!(is_reached(kind), "the attack is none: {args:?}");
    }
}

pub fn ends_are_told() {
    let _scene = Scene::new();
    for parts in confinements() {
        for how in BOTH {
            assert_eq!(attack(how, &["abort"], Confinement::On(parts)), Outcome::Signalled(libc::SIGABRT));
            let mut options = with(Confinement::On(parts));
            options.limits.timeout_ms = 200;
            let late = attack_with(how, &["bomb", "0"], &Input::stdin(""), options).unwrap();
            assert_eq!(late.outcome, Outcome::TimedOut(200), "{how:?} {parts:?}");
        }
    }
}
