//! What is kept.

use gimlet_trace::Input;

/// Hash of an input's content.
pub type InputId = u128;

/// What the makers of tests begin with that a teammate has made, and asks about.
pub const TEAM: &str = "team:";

/// One thing that a search did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// An input waits to be run.
    Made(Record),
    /// The same for one that another search leaves to this one, who may have given it away before or know it as a test.
    Taken(Record),
    /// An input was run. A program can ask for more than the input has: it `became` what it was given in the end, and
    /// that is the input of the run.
    Ran {
        id: InputId,
        became: InputId,
        input: Input,
        run: u64,
        bound: u64,
        /// Nothing is left to ask of it.
        is_closed: bool,
    },
    /// Nothing is left to ask of a run.
    Closed { run: u64 },
    /// Another search asks about a run.
    Given { run: u64 },
    /// A path that no earlier run took.
    Path(u64),
    /// A question was asked, by a hash of it; `layer` is whoever answered.
    Asked { question: u64, verdict: Verdict, layer: Option<u8> },
    /// What is known of a branch of the program, in whatever form the search likes; it replaces what was known of that place.
    Branch { place: String, known: String },
    /// An input is a test.
    Kept { id: InputId, input: Input, maker: String, kept: Kept },
    /// Something is wrong with the program; an earlier finding of this number is replaced.
    Found(Finding),
    /// The same was found once more.
    FoundAgain { id: u64, n_runs: u64 },
    /// Another search's tests up to this number are known.
    Synced { member: String, last: u64 },
    /// Counters, in whatever form the search likes.
    Progress(String),
}

/// An input and what became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub id: InputId,
    pub input: Input,
    /// What made it, in a word.
    pub maker: String,
    /// The run that it was made from.
    pub parent: Option<u64>,
    /// Steps before this one have been looked at in other runs.
    pub bound: u64,
    /// Where it is to leave the path of its parent.
    pub aim: Option<Aim>,
    pub state: State,
    pub kept: Option<Kept>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Waiting,
    /// It was run; not everything has been asked of it.
    Open {
        run: u64,
    },
    /// It was run, and nothing is left to ask.
    Closed {
        run: u64,
    },
    /// It was run, and the program asked for more: what it became has the story.
    Replaced,
}

impl State {
    pub fn run(self) -> Option<u64> {
        match self {
            State::Waiting | State::Replaced => None,
            State::Open { run } | State::Closed { run } => Some(run),
        }
    }
}

/// A step of a run, and which way to go there: a code and a value that mean something to the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Aim {
    pub step: u64,
    pub way: Option<(u8, u64)>,
}

/// An input as a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    pub number: u64,
    /// Of its file.
    pub name: String,
}

/// What came of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Sat,
    Unsat,
    Unknown,
    /// Too hard for a first attempt; it is to be asked again with more patience.
    Deferred,
    /// No solver was needed: an input of another length.
    Resized,
}

impl Verdict {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Sat => "sat",
            Verdict::Unsat => "unsat",
            Verdict::Unknown => "unknown",
            Verdict::Deferred => "deferred",
            Verdict::Resized => "resized",
        }
    }

    pub fn from_name(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    }

    const ALL: [Verdict; 5] = [Verdict::Sat, Verdict::Unsat, Verdict::Unknown, Verdict::Deferred, Verdict::Resized];

    pub fn code(self) -> u8 {
        self as u8
    }

    pub fn from_code(code: u8) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.code() == code)
    }
}

/// Something that is wrong with the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub id: u64,
    pub kind: String,
    pub signature: u64,
    /// The run that showed it, if it was noted.
    pub run: Option<u64>,
    /// Functions that were running, in whatever form the search likes.
    pub stack: String,
    /// A set of builds, in whatever form the search likes; 1 in stores of earlier versions: confirmed.
    pub shown_by: u8,
    pub input: Input,
    /// Of its file, below the folder of results.
    pub path: String,
    pub n_runs: u64,
    /// How the program ended, in words.
    pub ended: String,
}

/// All that a search knew.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct History {
    /// Hash of what tells one build of the program from another.
    pub build: u64,
    pub progress: Option<String>,
    /// All inputs that were ever made.
    pub known: Vec<InputId>,
    /// Those that wait or are tests, in the order in which they were made.
    pub records: Vec<Record>,
    /// Runs that have something left to ask, the first one first.
    pub open: Vec<u64>,
    /// The number after that of the last run.
    pub next_run: u64,
    pub paths: Vec<u64>,
    pub findings: Vec<Finding>,
    pub synced: Vec<(String, u64)>,
    /// What is known of branches.
    pub branches: Vec<String>,
}

/// What can be told of a search in a few figures.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overview {
    pub build: u64,
    pub progress: Option<String>,
    /// Inputs that were ever made.
    pub n_inputs: u64,
    /// Those that were not run yet, and runs that have something left to ask.
    pub n_waiting: u64,
    pub n_open: u64,
    /// How many tests each maker has made.
    pub tests: Vec<(String, u64)>,
    pub n_paths: u64,
    pub findings: Vec<Finding>,
    /// What is known of branches.
    pub branches: Vec<String>,
}
