try error("x") catch ., (.a? // "none"), (try ("a" | tonumber) catch "no number"), ([1, "a", null] | map(type)),
  (try ({} | .[0]) catch .)
