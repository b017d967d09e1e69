create table t(g, v); insert into t values ('a', 1), ('a', 5), ('b', 3), ('b', 2), ('b', 9);
select g, v, row_number() over (partition by g order by v), sum(v) over (order by v rows 1 preceding) from t;
select rank() over w, lag(v, 1, 0) over w from t window w as (order by v desc);
