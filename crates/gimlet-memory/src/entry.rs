//! The symbols that instrumented code calls: one small thunk for each entry point.

use gimlet_trace::thunks;

use crate::check::*;
use crate::decisions::gimlet_mem_decide;
use crate::find::*;
use crate::frames::*;
use crate::fresh::gimlet_mem_fresh;
use crate::globals::*;
use crate::leaks::gimlet_mem_main_ends;
use crate::variadic::*;

gimlet_trace::memory_entry_points!(thunks);
