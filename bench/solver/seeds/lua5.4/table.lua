local t={1,"a"} t[1]=0x2
