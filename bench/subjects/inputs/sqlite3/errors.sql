select from;
select * from missing;
create table t(a; 
insert into t values (1);
select 'unclosed;
