create table t(a integer primary key, b text, c real);
insert into t values (1, 'one', 1.5), (2, 'two', -2), (3, 'three', null);
select a, upper(b), c from t where a > 1 order by c desc;
select count(*), sum(a), avg(c), group_concat(b, ';') from t group by a % 2 having count(*) > 0;
