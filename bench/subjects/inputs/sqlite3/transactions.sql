create table t(v); begin; insert into t values (1); savepoint s; insert into t values (2);
rollback to s; release s; commit; select * from t;
create trigger r after insert on t begin update t set v = v + 100 where rowid = new.rowid; end;
insert into t values (5); select * from t; update t set v = 0 returning v; vacuum;
