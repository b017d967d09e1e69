//! Binary trees by the program's own comparison: tsearch, tfind, tdelete.
//!
//! Before the real function runs, its way down the tree is gone: each comparison
//! is called as instrumented code would call it, and which side it leads to is a
//! branch. The real function then gets the same answers once more, from a list,
//! so that the program sees each comparison once. The way down needs the layout
//! of the GNU library's nodes; an answer to another question than was asked ends
//! the following, and is counted.

use core::ffi::c_void;

use gimlet_trace::abi::tls;

use crate::calls::reach;
use crate::shadow;
use crate::state::{active, Guard};
use crate::term::Term;
use crate::tls::slot;

use super::sort::Order;
use super::{models, on_demand, Call, Compare};

models! {
    tsearch,
    tfind,
    tdelete,
}

on_demand! {
    tsearch,
    tfind,
    tdelete,
}

/// The library's own.
mod real {
    use super::{c_void, Compare};

    unsafe extern "C" {
        pub fn tsearch(key: *const c_void, root: *mut *mut c_void, compare: Compare) -> *mut c_void;
        pub fn tfind(key: *const c_void, root: *const *mut c_void, compare: Compare) -> *mut c_void;
        pub fn tdelete(key: *const c_void, root: *mut *mut c_void, compare: Compare) -> *mut c_void;
    }
}

/// A node of glibc's red-black trees.
#[repr(C)]
struct Node {
    key: u64,
    /// The lowest bit is the colour.
    left: u64,
    right: u64,
}

/// The height of a red-black tree is at most twice the logarithm of its size.
const HEIGHT_MAX: usize = 128;

/// What the comparisons on the way said.
struct Way {
    compare: Compare,
    /// Key of the node, and the answer.
    steps: [(u64, i32); HEIGHT_MAX],
    len: usize,
    used: usize,
    strayed: bool,
}

/// The comparison that the library calls.
extern "C" fn repeat(key: u64, other: u64, _: u64) -> i32 {
    // SAFETY: `follow` has put a live list there, for as long as the library runs.
    let way = unsafe { &mut **slot::<*mut Way>(tls::WAY) };
    match way.steps[..way.len].get(way.used) {
        Some(&(expected, answer)) if expected == other && !way.strayed => {
            way.used += 1;
            answer
        }
        _ => {
            way.strayed = true;
            (way.compare)(key, other, 0)
        }
    }
}

/// Goes down the tree.
unsafe fn descend(order: &mut Order, key: u64, root: *const *mut c_void) -> Way {
    let mut way = Way { compare: order.compare, steps: [(0, 0); HEIGHT_MAX], len: 0, used: 0, strayed: false };
    // SAFETY: nodes of the library; a tree that looks otherwise is noticed in the end.
    unsafe {
        let mut node = if root.is_null() { core::ptr::null() } else { (*root).cast::<Node>() };
        while !node.is_null() && way.len < HEIGHT_MAX {
            let other = (*node).key;
            let result = order.compare(key, other);
            way.steps[way.len] = (other, result.value as i32);
            way.len += 1;
            if order.decides(result, |result| result.is(0)) {
                break;
            }
            let is_left = order.decides(result, |result| result.less(Term::constant(0, 32)));
            node = if is_left { (*node).left & !1 } else { (*node).right } as *const Node;
        }
    }
    way
}

type Search = unsafe fn(u64, *mut *mut c_void, Compare) -> *mut c_void;

unsafe fn follow(call: Call, key: u64, root: *mut *mut c_void, compare: Compare, real: Search) -> *mut c_void {
    // SAFETY: forwards.
    unsafe {
        if !active() {
            return real(key, root, compare);
        }
        if let Some(_guard) = Guard::enter() {
            call.pin_address(0, key);
            call.pin_address(1, root as u64);
        }
        let mut order = Order::new(call, compare, 0);
        let mut way = descend(&mut order, key, root);
        let reached = reach(key) as usize;
        order.finish(key, reached);
        let outer = slot::<*mut Way>(tls::WAY).replace(&mut way);
        let found = real(key, root, repeat);
        slot::<*mut Way>(tls::WAY).write(outer);
        if let Some(model) = call.follow() {
            if way.strayed || way.used != way.len {
                model.lost();
            }
            if !root.is_null() {
                shadow::clear(root as u64, 8);
            }
        }
        found
    }
}

pub unsafe extern "C" fn tsearch(key: *const c_void, root: *mut *mut c_void, compare: Compare) -> *mut c_void {
    let call = Call::take(tsearch as *const u8);
    // SAFETY: forwards.
    unsafe { follow(call, key as u64, root, compare, |key, root, compare| real::tsearch(key as _, root, compare)) }
}

pub unsafe extern "C" fn tfind(key: *const c_void, root: *const *mut c_void, compare: Compare) -> *mut c_void {
    let call = Call::take(tfind as *const u8);
    // SAFETY: forwards.
    unsafe {
        follow(call, key as u64, root.cast_mut(), compare, |key, root, compare| real::tfind(key as _, root, compare))
    }
}

pub unsafe extern "C" fn tdelete(key: *const c_void, root: *mut *mut c_void, compare: Compare) -> *mut c_void {
    let call = Call::take(tdelete as *const u8);
    // SAFETY: forwards.
    unsafe { follow(call, key as u64, root, compare, |key, root, compare| real::tdelete(key as _, root, compare)) }
}
