def fact: if . <= 1 then 1 else . * (. - 1 | fact) end;
def twice(f): f | f;
(5 | fact), (2 | twice(. * 3)), ([3, 1, 2] | sort, min, index(1)), ([1, [2, [3]]] | flatten),
(label $out | 1, break $out, 2), ([1, 2] as [$a, $b] | {$a, $b})
