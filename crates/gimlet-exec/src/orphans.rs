//! Processes that a run left behind.
//!
//! The fork server adopts every descendant that lost its parent (see
//! [`crate::spawn`]), so all that a run started are below the server, whatever
//! sessions they made.

use std::fs;
use std::time::{Duration, Instant};

/// A process id, greater than 1.
pub type Pid = i32;

/// How long children may outlive their parent before they count as left behind.
const GRACE: Duration = Duration::from_millis(50);

/// Living descendants of a process.
pub fn descendants(root: Pid) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut todo = vec![root];
    while let Some(pid) = todo.pop() {
        for child in children(pid) {
            if !found.contains(&child) {
                found.push(child);
                todo.push(child);
            }
        }
    }
    found.retain(|&pid| is_alive(pid));
    found
}

/// Living descendants that do not end by themselves within a short grace.
pub fn left_behind(root: Pid) -> Vec<Pid> {
    let deadline = Instant::now() + GRACE;
    loop {
        let found = descendants(root);
        if found.is_empty() || Instant::now() > deadline {
            return found;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Kills all descendants, those included that they make meanwhile.
pub fn kill_descendants(root: Pid) {
    // A fork bomb could outrun us; the rounds are limited so that we end.
    for _ in 0..100 {
        let found = descendants(root);
        if found.is_empty() {
            return;
        }
        found.into_iter().for_each(kill);
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Sends SIGKILL to one process.
pub fn kill(pid: Pid) {
    if pid > 1 {
        // SAFETY: plain system call.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
}

/// Sends SIGKILL to a process group.
pub fn kill_group(leader: Pid) {
    if leader > 1 {
        // SAFETY: plain system call.
        unsafe { libc::kill(-leader, libc::SIGKILL) };
    }
}

/// Whether `child` is a child of `parent`.
pub fn is_child(parent: Pid, child: Pid) -> bool {
    stat(child).is_some_and(|stat| stat.parent == parent)
}

/// Children of a process, those included that have ended.
pub fn children(pid: Pid) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(text) => found.extend(text.split_whitespace().filter_map(|word| word.parse::<Pid>().ok())),
            // A kernel without that file, unless the thread has just ended.
            Err(_) if is_alive(pid) => return children_by_scan(pid),
            Err(_) => {}
        }
    }
    found
}

/// Threads of a process, the first one and those included that have ended without anybody's noticing.
pub fn threads(pid: Pid) -> Vec<Pid> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn children_by_scan(parent: Pid) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<Pid>().ok())
        .filter(|&pid| is_child(parent, pid))
        .collect()
}

struct Stat {
    state: u8,
    parent: Pid,
}

/// State and parent from `/proc/PID/stat`; the name in parentheses may hold anything.
fn stat(pid: Pid) -> Option<Stat> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let end = text.iter().rposition(|&byte| byte == b')')?;
    let rest = String::from_utf8_lossy(&text[end + 1..]).into_owned();
    let mut words = rest.split_whitespace();
    Some(Stat { state: *words.next()?.as_bytes().first()?, parent: words.next()?.parse().ok()? })
}

/// How a process calls itself, which may be in a PID namespace.
pub fn own_number(pid: Pid) -> Option<Pid> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let numbers = text.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    numbers.split_whitespace().last()?.parse().ok()
}

/// Whether a process is gone, or a zombie that nobody has waited for yet.
pub fn has_ended(pid: Pid) -> bool {
    !is_alive(pid)
}

fn is_alive(pid: Pid) -> bool {
    stat(pid).is_some_and(|stat| !matches!(stat.state, b'Z' | b'X'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn finds_and_kills_grandchildren() {
        let mut shell = Command::new("sh").args(["-c", "sleep 100 & sleep 100 & wait"]).spawn().unwrap();
        let root = shell.id() as Pid;
        let deadline = Instant::now() + Duration::from_secs(5);
        while descendants(root).len() < 2 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(descendants(root).len(), 2);
        let mut scanned = children_by_scan(root);
        scanned.sort_unstable();
        let mut listed = children(root);
        listed.sort_unstable();
        assert_eq!(scanned, listed);
        assert!(is_child(root, listed[0]));
        kill_descendants(root);
        kill(root);
        shell.wait().unwrap();
        assert!(descendants(root).is_empty());
    }
}
