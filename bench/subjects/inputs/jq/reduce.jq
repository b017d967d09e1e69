reduce range(5) as $i ([]; . + [$i * $i]) | foreach .[] as $x (0; . + $x; [$x, .]),
  (map(select(. % 2 == 0)) | add), (to_entries | map("\(.key)=\(.value)") | join(",")), (limit(2; .[]))
