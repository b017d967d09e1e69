with recursive c(n) as (select 1 union all select n + 1 from c where n < 50000)
select count(*), sum(n * n), max(n % 97), min(hex(n)) from c;
with recursive fib(a, b) as (values (0, 1) union all select b, a + b from fib limit 20) select a from fib;
