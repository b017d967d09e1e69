create table a(x, y); create table b(y, z);
insert into a values (1, 'p'), (2, 'q'), (3, 'r');
insert into b values ('p', 10), ('q', 20), ('s', 40);
select * from a join b using (y);
select x, z from a left join b on a.y = b.y order by x;
select x from a where y in (select y from b) union select 9 except select 1;
explain query plan select * from a, b where a.y = b.y;
