//! Functions that stand for the library's, under names that the pass calls.

/// Exports functions with this before their names: `name`, or `name: function` for a function that stands for several names.
///
/// The symbols are weak: a program that defines a function of this name keeps its own.
#[macro_export]
macro_rules! exported_functions {
    ($prefix:literal $($name:ident $(: $function:ident)?),* $(,)?) => {
        $($crate::exported_function!($prefix $name $($function)?);)*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! exported_function {
    ($prefix:literal $name:ident) => {
        $crate::exported_function!($prefix $name $name);
    };
    ($prefix:literal $name:ident $function:ident) => {
        core::arch::global_asm!(
            concat!(".weak ", $prefix, stringify!($name)),
            concat!(".type ", $prefix, stringify!($name), ", @function"),
            concat!(".set ", $prefix, stringify!($name), ", {function}"),
            function = sym $function,
        );
    };
}

#[cfg(test)]
mod tests {
    extern "C" fn twice(n: i32) -> i32 {
        2 * n
    }

    extern "C" fn next(n: i32) -> i32 {
        n + 1
    }

    crate::exported_functions!("gimlet_test_" twice, double: twice, next);

    unsafe extern "C" {
        fn gimlet_test_twice(n: i32) -> i32;
        fn gimlet_test_double(n: i32) -> i32;
        fn gimlet_test_next(n: i32) -> i32;
    }

    #[test]
    fn functions_have_their_names() {
        // SAFETY: they are the functions above.
        unsafe {
            assert_eq!((gimlet_test_twice(3), gimlet_test_double(4), gimlet_test_next(5)), (6, 8, 6));
            assert_eq!(gimlet_test_twice as *const u8, gimlet_test_double as *const u8);
        }
    }
}
