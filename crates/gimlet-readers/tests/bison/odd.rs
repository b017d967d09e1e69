//! Small grammars that are odd in one way each.

/// Where a symbol has its place is where it is declared, and else where it is first seen; a token that a string stands for
/// has the place of the string.
pub const ORDER: &str = "%left A 'b'\n%token C\n%token A 'b' D\n%type <x> E\n%token F \"eff\" E\n%nterm q\n%%\n\
    s: \"late\" b b q; a: C; b: a a c; a: A; c: 'k' ;\n%token LATE \"late\";\n%nterm d a;\nd: c; q: LATE;\n";

/// Numbers that are given, and what follows from the greatest.
pub const NUMBERS: &str = "%token '\\a' '\\b' '\\f' '\\t' '\\v' '\\r' '\\?' '\\u00e9' '\\x7f' '\\001' '\\\\' '\\''\n\
    %token error 400\n%token A 256 B 0x12d\n%token STOP 0 \"stop\"\n%token late\n%%\ns: late 'x' A | B late \"str\" {} ;\n";

/// Actions inside rules: with a value that is set, used by number or by name, or not at all.
pub const ACTIONS: &str = "%token <x> A\n%type <x> last\n%%\nlast: A;\nexpr: {1;} last | { $<x>$ = 1; } foo\n\
    | {2;} foo {3;} last { $<x>3; } | <x>{ 1; } expr | {7;}[nm] expr { $<x>nm; }\n\
    | {/*$$*/} expr {9;}[nm2] expr { $<x>[nm2]; } | { 8; } expr { @1; \"$1\"; } ;\n\
    foo: {5;} {6;} | {7;} ;\n%start expr;\n";

/// Rules and nonterminals that no sentence needs.
pub const USELESS: &str = "%token C 300 D\n%%\ns: x y C 'c' | D | unused ; y: 'd' ; z: 'e' \"q\" ; w: w 'f';\n\
    x : {1;} 'g' ; unused: {2;} w; s: error 'e' | {3;} w;\n";

/// Every way to resolve a conflict, and conflicts that are left.
pub const CHOICES: &str =
    "%nonassoc '<'\n%left '+' '-'\n%left '*'\n%right '^'\n%precedence NEG\n%precedence 'i' 'e'\n%%\n\
    e: e '<' e | e '+' e | e '-' e | e '*' e | e '^' e | '-' e %prec NEG | '(' e ')' | 'n' | s | a 'z' | b 'z'\n\
    | 'f' e | 'f' e ',' e | e e ;\ns: 'i' e %prec 'i' | 'i' e 'e' e ;\na: 'x' ; b: 'x' | 'x' 'y' ;\n";

/// A terminal at which one rule makes an error, and another could be reduced by.
pub const ERRORS: &str = "%nonassoc '='\n%%\ns: l '=' l | l '=' l '=' | r '=' ;\nl: 'a' %prec '=' | 'b' ;\nr: 'a' ;\n";

/// Precedence only where it is asked for.
pub const NO_DEFAULT: &str = "%left '+'\n%left '*'\n%no-default-prec\n%%\ne: e '+' e %prec '+' | e '*' e | 'n' ;\n";

pub const ALL: [(&str, &str); 7] = [
    ("order", ORDER),
    ("numbers", NUMBERS),
    ("actions", ACTIONS),
    ("useless", USELESS),
    ("choices", CHOICES),
    ("errors", ERRORS),
    ("no-default", NO_DEFAULT),
];
