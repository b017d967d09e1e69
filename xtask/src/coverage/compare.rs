//! The coverage of PROG.edges against that of PROG.cov, by function, statement and direction.
//!
//! Both see the same conditions, but for a few reasons that have names here
//! ([`Reason`]). What has none of them is a complaint.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gimlet_exec::coverage::{Branch, Direction};
use gimlet_exec::Coverage;

use super::llvm::{Function, Region, Role, Use};
use super::source::Source;

/// Why one of the two has a branch that the other has not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// The right side of `a && b` whose value is used: the program computes it without a branch.
    Value,
    /// `a ? b : c` of simple parts: the program computes both and chooses without a branch.
    Choice,
    /// A loop branches on the value of its whole condition, where that has several parts.
    LoopCondition,
    /// `if (a ? b : c)` has a branch for `b` and one for `c`.
    Arms,
    /// clang's code for `va_arg` looks where the argument is.
    VariableArgument,
    /// clang's code for an atomic exchange looks if it succeeded.
    Atomic,
    /// A range of many cases is a comparison before the switch, or in its default.
    WideRange,
    /// clang left out code that can't be reached, or a function that nobody calls.
    LeftOut,
    /// A label whose value the text does not tell: a name or a range.
    NamedLabel,
    /// The argument of a macro is a negation, and the program branches on the operand.
    NegatedArgument,
    /// A call in the condition did not return, or the program crashed before: clang's coverage counts one direction and
    /// takes the other for the rest of those that came this way.
    NotReturned,
}

impl Reason {
    pub fn text(self) -> &'static str {
        match self {
            Reason::Value => "value of && or ||",
            Reason::Choice => "choice without a branch",
            Reason::LoopCondition => "whole condition of a loop",
            Reason::Arms => "arms of a choice",
            Reason::VariableArgument => "va_arg",
            Reason::Atomic => "atomic exchange",
            Reason::WideRange => "wide range of cases",
            Reason::LeftOut => "left out by clang",
            Reason::NamedLabel => "case by name or range",
            Reason::NegatedArgument => "negation in a macro's argument",
            Reason::NotReturned => "did not return",
        }
    }
}

/// What a comparison gave.
#[derive(Default)]
pub struct Comparison {
    /// A run ended where it was.
    has_crashed: bool,
    /// Directions that both know, and of these those that were taken.
    pub n_compared: usize,
    pub n_taken: usize,
    pub reasons: BTreeMap<Reason, usize>,
    pub complaints: Vec<String>,
}

/// Compares what runs gave of which one crashed, or none.
pub fn compare(
    ours: &Coverage,
    theirs: &[Function],
    sources: &HashMap<String, Source>,
    has_crashed: bool,
) -> Comparison {
    let mut comparison = Comparison { has_crashed, ..Comparison::default() };
    for function in theirs {
        let Some(source) = sources.get(&function.file) else { continue };
        let own: Vec<&Branch> = ours.branches().iter().filter(|branch| branch.function == function.name).collect();
        let is_there = ours.functions().iter().any(|known| known.name == function.name) || !own.is_empty();
        if !is_there {
            comparison.explain(Reason::LeftOut);
            continue;
        }
        comparison.conditions(&own, function, source);
        comparison.switches(&own, function);
    }
    let known = |branch: &&Branch| theirs.iter().any(|function| function.name == branch.function);
    for branch in ours.branches().iter().filter(|branch| !known(branch)) {
        comparison.complaints.push(format!("{}:{}: {} is unknown", branch.file, branch.line, branch.function));
    }
    comparison
}

/// The branches of a statement on both sides.
#[derive(Default)]
struct Statement {
    ours: Vec<[bool; 2]>,
    theirs: Vec<(Use, Region)>,
}

impl Comparison {
    fn conditions(&mut self, own: &[&Branch], function: &Function, source: &Source) {
        // All of a function that a macro makes is on the line of its use, but not for clang's coverage.
        let lines: BTreeSet<u32> = own.iter().map(|branch| branch.line).collect();
        let is_one_line = lines.len() == 1 && function.regions.iter().all(|region| !lines.contains(&region.line));
        let statement =
            |line: u32| if is_one_line { lines.first().copied().unwrap_or(0) } else { source.statement(line) };
        let mut statements: BTreeMap<u32, Statement> = BTreeMap::new();
        for branch in own.iter().filter(|branch| branch.directions[0] == Direction::True) {
            let is_taken = [branch.hits[0] > 0, branch.hits[1] > 0];
            statements.entry(statement(branch.line)).or_default().ours.push(is_taken);
        }
        for region in &function.regions {
            if let Role::Condition(of) = region.role {
                statements.entry(statement(region.line)).or_default().theirs.push((of, region.clone()));
            }
        }
        for (line, statement) in statements {
            self.statement(&function.name, line, statement, &source.text_of(line));
        }
    }

    fn statement(&mut self, function: &str, line: u32, statement: Statement, text: &str) {
        let Statement { mut ours, mut theirs } = statement;
        let all = theirs.clone();
        ours.retain(|is_taken| {
            let Some((index, reason)) = find(*is_taken, &theirs, self.has_crashed) else { return true };
            theirs.swap_remove(index);
            self.n_compared += 2;
            self.n_taken += is_taken.iter().filter(|&&is_taken| is_taken).count();
            reason.into_iter().for_each(|reason| self.explain(reason));
            false
        });
        ours.retain(|is_taken| match our_reason(*is_taken, &all, text) {
            Some(reason) => {
                self.explain(reason);
                false
            }
            None => true,
        });
        let has_choice = all.iter().any(|(of, _)| *of == Use::Choice);
        theirs.retain(|(of, region)| {
            let reason = match of {
                Use::Operand => Reason::Value,
                Use::Choice => Reason::Choice,
                Use::Whole if has_choice => Reason::Arms,
                Use::Whole if region.is_taken == [false, false] => Reason::LeftOut,
                Use::Whole => return true,
            };
            self.explain(reason);
            false
        });
        if !ours.is_empty() || !theirs.is_empty() {
            let theirs: Vec<_> = theirs.iter().map(|(of, region)| (of, region.is_taken)).collect();
            self.complaints.push(format!("{function}, line {line}: branches {ours:?}, conditions {theirs:?}"));
        }
    }

    fn explain(&mut self, reason: Reason) {
        *self.reasons.entry(reason).or_default() += 1;
    }

    fn switches(&mut self, own: &[&Branch], function: &Function) {
        let cases = |direction: Direction| -> Vec<bool> {
            let switches = own.iter().filter(|branch| branch.directions.contains(&direction));
            switches.map(|branch| branch.hits_of(direction) > 0).collect()
        };
        let mut defaults = [0, 0];
        for region in &function.regions {
            let label = match &region.role {
                Role::Label(label) => label.as_str(),
                Role::NoLabel => "default",
                Role::Condition(_) => continue,
            };
            if label.starts_with("default") {
                defaults[usize::from(region.is_taken[0])] += 1;
                continue;
            }
            let Some(value) = label.strip_prefix("case").and_then(|text| value(text.trim().trim_end_matches(':')))
            else {
                self.explain(Reason::NamedLabel);
                continue;
            };
            let known = cases(Direction::Case(value));
            self.n_compared += 1;
            self.n_taken += usize::from(region.is_taken[0]);
            if !known.contains(&region.is_taken[0]) {
                let place = format!("{}, line {}: {label}", function.name, region.line);
                self.complaints.push(format!("{place} taken: {}, in the program: {known:?}", region.is_taken[0]));
            }
        }
        let known = cases(Direction::Default);
        let n_taken = known.iter().filter(|&&is_taken| is_taken).count();
        self.n_compared += known.len();
        self.n_taken += n_taken;
        let has_ranges =
            function.regions.iter().any(|region| matches!(&region.role, Role::Label(label) if label.contains("...")));
        if has_ranges {
            self.explain(Reason::WideRange);
        } else if defaults != [known.len() - n_taken, n_taken] {
            let complaint = format!("{}: defaults {defaults:?}, in the program {known:?}", function.name);
            self.complaints.push(complaint);
        }
    }
}

/// The condition that a branch is: the same directions were taken, or there is a reason why not. Rather one that can't be
/// left over.
fn find(is_taken: [bool; 2], theirs: &[(Use, Region)], has_crashed: bool) -> Option<(usize, Option<Reason>)> {
    let uses = [Use::Whole, Use::Choice, Use::Operand];
    let position = |fits: &dyn Fn(&Region) -> bool| {
        uses.iter().find_map(|wanted| theirs.iter().position(|(of, region)| of == wanted && fits(region)))
    };
    let [if_true, if_false] = is_taken;
    let is_same = |region: &Region| region.is_taken == is_taken;
    let is_negated = |region: &Region| region.is_in_macro && region.is_taken == [if_false, if_true];
    let is_left = |region: &Region| {
        let n_more = (0..2).filter(|&way| region.is_taken[way] && !is_taken[way]).count();
        let n_less = (0..2).filter(|&way| is_taken[way] && !region.is_taken[way]).count();
        (region.has_call || has_crashed) && (n_more, n_less) == (1, 0)
    };
    position(&is_same)
        .map(|index| (index, None))
        .or_else(|| position(&is_negated).map(|index| (index, Some(Reason::NegatedArgument))))
        .or_else(|| position(&is_left).map(|index| (index, Some(Reason::NotReturned))))
}

/// Why the program has a branch in a statement with these conditions and this text that is none of the conditions. What
/// such a branch does some condition of the statement does, too.
fn our_reason(is_taken: [bool; 2], conditions: &[(Use, Region)], text: &str) -> Option<Reason> {
    let has = |of: Use| conditions.iter().any(|(other, _)| *other == of);
    let is_implied = (0..2).all(|way| !is_taken[way] || conditions.iter().any(|(_, region)| region.is_taken[way]));
    let is_loop = ["while", "for", "do", "}"].iter().any(|word| text.trim_start().starts_with(word));
    match text {
        _ if text.contains("va_arg") => Some(Reason::VariableArgument),
        _ if text.contains("atomic") => Some(Reason::Atomic),
        _ if text.contains("switch") || text.contains("...") => Some(Reason::WideRange),
        _ if has(Use::Operand) && is_loop && is_implied => Some(Reason::LoopCondition),
        _ if has(Use::Choice) && is_implied => Some(Reason::Arms),
        _ => None,
    }
}

/// The value of a number or character.
fn value(text: &str) -> Option<u64> {
    if let Some(character) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        let mut chars = character.chars();
        let value = match (chars.next()?, chars.next()) {
            ('\\', Some(escape)) => match escape {
                'n' => 10,
                't' => 9,
                'r' => 13,
                '0' => 0,
                '\\' | '\'' | '"' => escape as u64,
                _ => return None,
            },
            (c, None) => c as u64,
            _ => return None,
        };
        return Some(value);
    }
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if digits.starts_with('0') && digits.len() > 1 => u64::from_str_radix(&digits[1..], 8).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for (text, expected) in [("'a'", Some(97)), ("'\\n'", Some(10)), ("0x1fUL", Some(31)), ("010", Some(8))] {
            assert_eq!(value(text), expected, "{text}");
        }
        for text in ["RED", "'c' ... 'f'", "1 + 2", "-1"] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}
