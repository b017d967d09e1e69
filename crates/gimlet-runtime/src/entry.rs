//! The symbols that instrumented code calls: one small thunk for each entry point.

use gimlet_trace::thunks;

use crate::atomics::*;
use crate::calls::*;
use crate::memory::*;
use crate::ops::*;
use crate::region::gimlet_rt_region;
use crate::server::gimlet_rt_register;
use crate::tokens::*;
use crate::walks::*;

gimlet_trace::entry_points!(thunks);
