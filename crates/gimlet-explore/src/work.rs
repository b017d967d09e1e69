//! What a search does at the moment, for whoever shows it.

use crate::strategy::Task;

/// What a search does at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Work {
    /// It looks at the program, or takes up what an earlier search left.
    #[default]
    Beginning,
    /// It runs one input on the instrumented build.
    Tracing,
    Mutating,
    Solving,
}

impl Work {
    pub const ALL: [Work; 4] = [Work::Beginning, Work::Tracing, Work::Mutating, Work::Solving];

    pub fn of(task: &Task) -> Work {
        match task {
            Task::Run(_) | Task::TakeString | Task::Grow | Task::Pursue => Work::Tracing,
            Task::Expand { .. } => Work::Solving,
            Task::Mutate => Work::Mutating,
        }
    }
}
