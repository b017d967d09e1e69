--[[ a long
comment ]] --[==[ and another ]==]
local s = [[
raw text]]
print(s, "tab\tquote\"hex\x41dec\066", 'single')
print("line \
continued", #"\z
   skipped")
goto over
print("not printed")
::over::
print(3 // 2, 5 & 6, 1 << 4, ~0, "a" .. 1 .. 2)
