function f(x){return /a+b/.test(x)?1e3:null}f("aab")
