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
            Task::Run(_) | Task::TakeString | Task::Grow | Task::Goal | Task::Stretch | Task::TakeUp(_) => {
                Work::Tracing
            }
            Task::Expand { .. } | Task::Retry(_) => Work::Solving,
            Task::Mutate | Task::PressOn | Task::Draw => Work::Mutating,
        }
    }
}
