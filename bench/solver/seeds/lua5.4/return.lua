if x>2.5 then return x//3 end
