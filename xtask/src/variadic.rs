//! Random programs of variadic functions and calls, for `cargo xtask bench csmith --variadic`: csmith makes none.
//!
//! Each is a header and two files, the second of which is compiled without
//! instrumentation: so there are callers and callees of both kinds. Functions have
//! fixed parameters of all classes, then a string that names the types of the other
//! arguments, which they take in a loop, from a copy, from a list that is handed on, and
//! so on; and they look at what pointers among them point to. Calls are made again and
//! again, at several depths of the stack, with pointers to variables of the caller's, of
//! the heap and to globals. A program prints a checksum of all it has seen.

use std::fmt::Write as _;

/// The texts of a program.
pub struct Sources {
    pub header: String,
    pub program: String,
    /// To be compiled without instrumentation.
    pub native: String,
}

const HEADER: &str = r#"#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned long u64;
typedef unsigned __int128 u128;
struct pair { long n; int *p; };
struct mixed { double d; int *p; };
struct big { int *p; long a[3]; char *s; };
struct wide { long double x; int *p; };
struct floats { float a, b, c; };
struct tiny { char c[3]; };
extern unsigned char in[32];
extern int global[8];
static inline u64 mix(u64 h, u64 v) { return h * 1000003u ^ v; }
static inline u64 bits(double d) { u64 u; memcpy(&u, &d, sizeof u); return u; }
static inline double unbits(u64 u) { double d; memcpy(&d, &u, sizeof d); return d; }
static inline u64 seen(u64 h, int *p) { h = mix(h, (u64)*p); *p += 1; return h; }
#define MIX_i(h, v) mix(h, (u64)(v))
#define MIX_l(h, v) mix(h, (u64)(v))
#define MIX_c(h, v) mix(h, (unsigned char)(v))
#define MIX_q(h, v) mix(mix(h, (u64)(v)), (u64)((v) >> 64))
#define MIX_d(h, v) mix(h, bits(v))
#define MIX_D(h, v) mix(h, (u64)(long)((v) * 4))
#define MIX_p(h, v) seen(h, v)
#define MIX_s(h, v) mix(mix(h, strlen(v)), (unsigned char)(v)[0])
#define MIX_S(h, v) seen(mix(h, (u64)(v).n), (v).p)
#define MIX_M(h, v) seen(mix(h, bits((v).d)), (v).p)
#define MIX_B(h, v) mix(seen(mix(h, (u64)(v).a[2]), (v).p), (unsigned char)(v).s[1])
#define MIX_L(h, v) seen(mix(h, (u64)(long)(v).x), (v).p)
#define MIX_F(h, v) mix(h, (u64)(long)((v).a + 2 * (v).b + 3 * (v).c))
#define MIX_T(h, v) mix(h, (u64)((v).c[0] + (v).c[2]))
#define TAKE(h, k, type, ap) { type v = va_arg(ap, type); h = MIX_##k(h, v); break; }
#define ONE(h, kind, ap) \
    switch (kind) { \
    case 'i': TAKE(h, i, int, ap) \
    case 'l': TAKE(h, l, long, ap) \
    case 'c': TAKE(h, c, int, ap) \
    case 'q': TAKE(h, q, u128, ap) \
    case 'd': TAKE(h, d, double, ap) \
    case 'D': TAKE(h, D, long double, ap) \
    case 'p': TAKE(h, p, int *, ap) \
    case 's': TAKE(h, s, char *, ap) \
    case 'S': TAKE(h, S, struct pair, ap) \
    case 'M': TAKE(h, M, struct mixed, ap) \
    case 'B': TAKE(h, B, struct big, ap) \
    case 'L': TAKE(h, L, struct wide, ap) \
    case 'F': TAKE(h, F, struct floats, ap) \
    case 'T': TAKE(h, T, struct tiny, ap) \
    }
u64 one(u64 h, char kind, va_list *ap);
u64 each(u64 h, const char *types, va_list ap);
u64 native_one(u64 h, char kind, va_list *ap);
u64 native_each(u64 h, const char *types, va_list ap);
"#;

/// What both files have, with a prefix before the names.
const HANDED: &str = r#"
__attribute__((noinline)) u64 PREFIXone(u64 h, char kind, va_list *ap)
{
    ONE(h, kind, *ap)
    return h;
}
__attribute__((noinline)) u64 PREFIXeach(u64 h, const char *types, va_list ap)
{
    for (; *types; types++)
        ONE(h, *types, ap)
    return h;
}
"#;

/// Names of the classes of arguments, with their C types.
const CLASSES: [(char, &str); 14] = [
    ('i', "int"),
    ('l', "long"),
    ('c', "int"),
    ('q', "u128"),
    ('d', "double"),
    ('D', "long double"),
    ('p', "int *"),
    ('s', "char *"),
    ('S', "struct pair"),
    ('M', "struct mixed"),
    ('B', "struct big"),
    ('L', "struct wide"),
    ('F', "struct floats"),
    ('T', "struct tiny"),
];

/// How a function takes its arguments.
const WAYS: [&str; 7] = [
    "for (; *types; types++) ONE(h, *types, ap)",
    "for (; *types; types++) h = one(h, *types, &ap);",
    "h = each(h, types, ap);",
    "va_list copy; va_copy(copy, ap); for (const char *t = types; *t && t < types + 5; t++) ONE(h, *t, copy) \
     va_end(copy); for (; *types; types++) ONE(h, *types, ap)",
    "for (int n = 0; n < 4 && *types; n++, types++) ONE(h, *types, ap) h = each(h, types, ap);",
    "h = each(h, types, ap); va_end(ap); va_start(ap, types); for (; *types; types++) h = one(h, *types, &ap);",
    "va_list copy; va_copy(copy, ap); h = each(h, types, copy); va_end(copy); h = each(h, types, ap);",
];
const NATIVE_WAYS: [&str; 3] = [
    "h = native_each(h, types, ap);",
    "for (; *types; types++) h = native_one(h, *types, &ap);",
    "for (int n = 0; *types; n++, types++) if (n % 3) h = native_one(h, *types, &ap); else ONE(h, *types, ap)",
];

const N_FUNCTIONS: usize = 4;
const N_CALLS: usize = 8;
const N_FIXED_MAX: u64 = 9;
const N_VARIADIC_MAX: u64 = 16;

/// Numbers that follow from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let a = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let b = (a ^ a >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (b ^ b >> 31) % n
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }

    /// Classes of arguments behind others; some calls have many of one class.
    fn classes(&mut self, n_max: u64, before: &[char]) -> Vec<char> {
        let n = self.below(n_max + 1);
        let favourite = self.pick(&CLASSES).0;
        let is_biased = self.below(3) == 0;
        let mut registers = Registers::default();
        before.iter().for_each(|&class| registers.take(class));
        let mut class = |_| {
            let class = if is_biased && self.below(4) > 0 { favourite } else { self.pick(&CLASSES).0 };
            // Of an integer of two words for which one register is left, clang's caller and its va_arg disagree.
            let class = if class == 'q' && registers.general == 5 { 'l' } else { class };
            registers.take(class);
            class
        };
        (0..n).map(&mut class).collect()
    }

    /// A value of a class, of the input and of variables of the caller's.
    fn value(&mut self, class: char) -> String {
        let at = self.below(32);
        let pointer = match self.below(4) {
            0 => format!("&global[{}]", self.below(8)),
            1 => format!("heap + {}", self.below(4)),
            2 => format!("&cells[{}]", self.below(6)),
            _ => "&local".to_owned(),
        };
        let text = self.pick(&["text", "text + 1", "other"]).to_owned();
        match class {
            'i' | 'c' => format!("(int)in[{at}] - round"),
            'l' => format!("(long)in[{at}] << {}", self.below(50)),
            'q' => format!("(u128)in[{at}] << 70 | in[{}]", self.below(32)),
            'd' => format!("unbits((u64)in[{at}] << 32 | {at})"),
            'D' => format!("{at}.25L"),
            'p' => pointer,
            's' => text.to_owned(),
            'S' => format!("(struct pair){{ in[{at}], {pointer} }}"),
            'M' => format!("(struct mixed){{ unbits(in[{at}]), {pointer} }}"),
            'B' => format!("(struct big){{ {pointer}, {{ round, 1, in[{at}] }}, {text} }}"),
            'L' => format!("(struct wide){{ {at}.5L, {pointer} }}"),
            'F' => format!("(struct floats){{ {at}.0f, 2.0f, 3.0f }}"),
            _ => format!("(struct tiny){{ {{ (char)in[{at}], 1, 2 }} }}"),
        }
    }
}

/// Registers that arguments take.
#[derive(Default)]
struct Registers {
    general: u32,
    vector: u32,
}

impl Registers {
    /// An argument that does not fit takes none.
    fn take(&mut self, class: char) {
        let (general, vector) = match class {
            'i' | 'l' | 'c' | 'p' | 's' | 'T' => (1, 0),
            'q' | 'S' => (2, 0),
            'd' => (0, 1),
            'M' => (1, 1),
            'F' => (0, 2),
            _ => (0, 0),
        };
        if self.general + general <= 6 && self.vector + vector <= 8 {
            self.general += general;
            self.vector += vector;
        }
    }
}

fn type_of(class: char) -> &'static str {
    CLASSES.iter().find(|(name, _)| *name == class).map_or("int", |(_, ty)| ty)
}

/// A variadic function: the classes of its fixed parameters.
struct Function {
    name: String,
    fixed: Vec<char>,
    is_native: bool,
}

impl Function {
    fn prototype(&self) -> String {
        let fixed = (0..).zip(&self.fixed).map(|(index, &class)| format!("{} a{index}, ", type_of(class)));
        format!("__attribute__((noinline)) u64 {}({}const char *types, ...)", self.name, fixed.collect::<String>())
    }

    fn text(&self, dice: &mut Dice, with_native: bool) -> String {
        let native = if with_native && dice.below(3) == 0 { &NATIVE_WAYS[..] } else { &WAYS[..] };
        let way = dice.pick(native);
        let mut text = format!("\n{}\n{{\n    u64 h = {};\n", self.prototype(), dice.below(100));
        for (index, class) in self.fixed.iter().enumerate() {
            let _ = writeln!(text, "    h = MIX_{class}(h, a{index});");
        }
        let _ =
            writeln!(text, "    va_list ap;\n    va_start(ap, types);\n    {way}\n    va_end(ap);\n    return h;\n}}");
        text
    }

    /// A function that calls this one, through a pointer if it is one that native code is given.
    fn call(&self, name: &str, dice: &mut Dice) -> String {
        let before: Vec<char> = self.fixed.iter().copied().chain(['s']).collect();
        let variadic = dice.classes(N_VARIADIC_MAX, &before);
        let fixed: String = self.fixed.iter().map(|&class| dice.value(class) + ", ").collect();
        let types: String = variadic.iter().collect();
        let others: String = variadic.iter().map(|&class| format!(", {}", dice.value(class))).collect();
        format!(
            r#"
__attribute__((noinline)) u64 {name}(int round)
{{
    int local = round + in[0], cells[6] = {{ 1, 2, 3, round, 5, in[1] }};
    char text[4] = {{ (char)(in[2] | 1), 'b', 'c', 0 }}, other[3] = "xy";
    int *heap = malloc(4 * sizeof *heap);
    for (int i = 0; i < 4; i++)
        heap[i] = i * round;
    u64 h = {}({fixed}"{types}"{others});
    h = mix(h, (u64)local + (u64)cells[3] + (u64)heap[2]);
    free(heap);
    return h;
}}
"#,
            self.name
        )
    }
}

/// The program of a seed; with code that is not instrumented if that is wanted.
pub fn sources(seed: u64, with_native: bool) -> Sources {
    let mut dice = Dice(seed);
    let mut header = HEADER.to_owned();
    let start = "#include \"forms.h\"\n";
    let mut program = format!("{start}#ifdef SYMBOLIC\n#include <gimlet.h>\n#endif\n");
    let bytes: Vec<String> = (0..32).map(|_| dice.below(256).to_string()).collect();
    let _ = writeln!(program, "unsigned char in[32] = {{ {} }};\nint global[8];", bytes.join(", "));
    program.push_str(&HANDED.replace("PREFIX", ""));
    let mut native = start.to_owned() + &HANDED.replace("PREFIX", "native_");
    let is_native = |dice: &mut Dice| with_native && dice.below(4) == 0;
    let functions: Vec<Function> = (0..N_FUNCTIONS)
        .map(|index| Function {
            name: format!("f{index}"),
            fixed: if dice.below(2) == 0 { Vec::new() } else { dice.classes(N_FIXED_MAX, &[]) },
            is_native: is_native(&mut dice),
        })
        .collect();
    for function in &functions {
        let _ = writeln!(header, "{};", function.prototype());
        let text = function.text(&mut dice, with_native);
        if function.is_native { &mut native } else { &mut program }.push_str(&text);
    }
    let mut calls = String::new();
    for index in 0..N_CALLS {
        let name = format!("call{index}");
        let _ = writeln!(header, "u64 {name}(int round);");
        let text = dice.pick(&functions).call(&name, &mut dice);
        if is_native(&mut dice) { &mut native } else { &mut program }.push_str(&text);
        let _ = writeln!(calls, "        h = mix(h, deeper(round * {}, {name}, round));", dice.below(4));
        let _ = writeln!(calls, "        decide(h);");
    }
    let _ = write!(
        program,
        r#"
static __attribute__((noinline)) u64 deeper(int n, u64 (*call)(int), int round)
{{
    char *room = alloca((size_t)n * 8 + 1);
    memset(room, n, (size_t)n * 8 + 1);
    return n > 0 ? deeper(n - 1, call, round) + (u64)room[n] : call(round);
}}
static __attribute__((noinline)) void decide(u64 h)
{{
    static volatile int ones;
    for (int bit = 0; bit < 8; bit++)
        if (h >> bit & 1)
            ones++;
}}
int main(void)
{{
    u64 h = 0;
#ifdef SYMBOLIC
    gimlet_symbolic(in, sizeof in, "in");
#endif
    for (int round = 0; round < 3; round++) {{
{calls}    }}
    printf("%lx\n", h);
    return 0;
}}
"#
    );
    Sources { header, program, native }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_follow_from_their_seeds() {
        let texts = |seed| {
            let Sources { header, program, native } = sources(seed, true);
            header + &program + &native
        };
        assert_eq!(texts(7), texts(7));
        assert_ne!(texts(7), texts(8));
    }

    #[test]
    fn without_native_code_nothing_is_asked_of_it() {
        let all: Vec<Sources> = (1..20).map(|seed| sources(seed, false)).collect();
        assert!(all.iter().all(|sources| !sources.program.contains("native_") && !sources.native.contains(" call")));
    }
}
