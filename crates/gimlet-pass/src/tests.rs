//! The pass on small functions, in LLVM's text.

use crate::function::{instructions, Body};
use crate::ir::Ir;
use crate::may::May;
use crate::module;
use crate::testing::{parse, Parsed};

/// Sums bytes of a buffer; the index is never input, the sum may be.
const SUM: &str = "
define i32 @sum(ptr %text, i64 %n) {
entry:
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %place = getelementptr i8, ptr %text, i64 %at
  %byte = load i8, ptr %place
  %wide = zext i8 %byte to i32
  %tripled = mul i32 %wide, 3
  %more = add i32 %sum, %tripled
  %next = add i64 %at, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret i32 %more
}";

fn instrumented(text: &str) -> Parsed {
    let parsed = parse(text);
    module::instrument(parsed.module, false);
    parsed
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn a_counter_carries_no_label() {
    let parsed = parse(SUM);
    let ir = Ir::new(parsed.module);
    let body = Body::of(&ir, parsed.function("sum"));
    let may = May::analyse(&ir, &body, &[]);
    let all = body.blocks.iter().flat_map(|block| &block.instructions);
    let labelled: Vec<String> = all.filter(|&&at| may.contains(at)).map(|&at| ir.name(at)).collect();
    assert_eq!(labelled, ["sum", "place", "byte", "wide", "tripled", "more", "again"]);
}

#[test]
fn unlikely_blocks_are_programs() {
    let source = "
define i1 @scaled(ptr %at) {
  %byte = load i8, ptr %at
  %wide = zext i8 %byte to i32
  %tripled = mul i32 %wide, 3
  %next = getelementptr inbounds i8, ptr %at, i64 1
  %other = load i8, ptr %next
  %widened = zext i8 %other to i32
  %sum = add i32 %tripled, %widened
  %is_seven = icmp eq i32 %sum, 7
  ret i1 %is_seven
}";
    let text = instrumented(source).text("scaled");
    assert!(count(&text, "@gimlet_rt_region(") > 0, "{text}");
    for entry in ["@gimlet_rt_binary(", "@gimlet_rt_load(", "@gimlet_rt_unary(", "asm"] {
        assert_eq!(count(&text, entry), 0, "{entry} in {text}");
    }
    // The shadow of both bytes has one address, and is looked at by one test.
    assert_eq!(count(&text, "inttoptr"), 1, "{text}");
}

/// What the interpreter does not compute is handed to it.
#[test]
fn operators_that_are_not_computed_are_calls() {
    for op in gimlet_trace::node::Op::ALL {
        let is_predicate_of_overflow = format!("{op:?}").ends_with('O');
        let divides = format!("{op:?}").ends_with("Div") || format!("{op:?}").ends_with("Rem");
        assert!(!(crate::programs::is_computed(*op) && (is_predicate_of_overflow || divides)), "{op:?}");
    }
}

#[test]
fn what_is_all_concrete_stays_as_it_is() {
    let source = "
define internal i64 @square(i64 %n) {
  %m = mul i64 %n, %n
  ret i64 %m
}
define void @empty() {
  ret void
}";
    let parsed = instrumented(source);
    assert_eq!(count(&parsed.text("empty"), "gimlet"), 0);
    assert!(count(&parsed.text("square"), "gimlet_rt_tls") > 0);
}

/// More than a program has slots for.
#[test]
fn long_blocks_become_several_programs() {
    let mut text = String::from("define i32 @long(i32 %x0, i32 %y) {\n");
    for step in 0..600 {
        text += &format!("  %x{} = {} i32 %x{step}, %y\n", step + 1, ["mul", "xor", "add"][step % 3]);
    }
    text += "  ret i32 %x600\n}";
    let text = instrumented(&text).text("long");
    assert!(count(&text, "@gimlet_rt_region(") > 3, "{text}");
    assert_eq!(count(&text, "@gimlet_rt_binary("), 0, "{text}");
    assert_eq!(count(&text, "alloca"), 1, "{text}");
}

/// Numbers of 128 bits fit no slot: their halves are taken outside.
#[test]
fn wide_numbers_go_in_as_halves() {
    let source = "
define i128 @wide(ptr %at, i128 %y) {
  %x = load i128, ptr %at
  %sum = add i128 %x, %y
  %product = mul i128 %sum, %x
  ret i128 %product
}";
    let text = instrumented(source).text("wide");
    assert!(count(&text, "@gimlet_rt_region(") > 0, "{text}");
    assert_eq!(count(&text, "@gimlet_rt_binary_wide("), 0, "{text}");
}

#[test]
fn one_branch_is_one_site() {
    let source = "
define i32 @sign(i32 %x) {
  %negative = icmp slt i32 %x, 0
  br i1 %negative, label %below, label %above
below:
  ret i32 -1
above:
  ret i32 1
}";
    let parsed = parse(source);
    let n_before = instructions_of(&parsed, "sign");
    module::instrument(parsed.module, false);
    let text = parsed.text("sign");
    assert!(instructions_of(&parsed, "sign") > n_before);
    assert_eq!(count(&text, "label %below"), 1, "{text}");
}

fn instructions_of(parsed: &Parsed, name: &str) -> usize {
    let ir = Ir::new(parsed.module);
    let body = Body::of(&ir, parsed.function(name));
    body.blocks.iter().map(|block| instructions(ir.parent(block.instructions[0])).len()).sum()
}
