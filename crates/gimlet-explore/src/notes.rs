//! What the user may want to know before a search begins, one line each.

/// Things of a kind that are named; the others are counted by whoever calls.
const N_NAMED: usize = 10;

/// Who is told.
pub struct Notes<'a> {
    tell: &'a mut dyn FnMut(&str),
}

impl<'a> Notes<'a> {
    pub fn to(tell: &'a mut dyn FnMut(&str)) -> Notes<'a> {
        Notes { tell }
    }

    pub fn say(&mut self, text: &str) {
        (self.tell)(text);
    }

    /// The same of one thing of a kind, given its number from 1 on, where there may be thousands.
    pub fn say_some(&mut self, number: usize, text: impl FnOnce() -> String) {
        if number <= N_NAMED {
            self.say(&text());
        } else if number == N_NAMED + 1 {
            self.say("there are more of these, which are only counted");
        }
    }
}
