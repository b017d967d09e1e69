select 1 + 2 * 3, 7 / 2, 7.0 / 2, 'a' || 'b', 5 between 1 and 9, null is null, x'4142', 0x1f, 1e3;
select case when 2 > 1 then 'yes' else 'no' end, coalesce(null, 3), abs(-4), substr('hello', 2, 3), 'x' like 'X%';
select cast('12abc' as integer), typeof(1.0), round(2.567, 2), hex('az'), quote('it''s'), printf('%05d|%s', 42, 'q');
