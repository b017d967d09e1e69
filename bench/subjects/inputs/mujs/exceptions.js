function f(x) { try { if (x) throw new TypeError("bad " + x); return "fine"; } catch (e) { return e.name + ":" + e.message; } finally { print("finally"); } }
print(f(0));
print(f(1));
try { undefined_name; } catch (e) { print(e instanceof ReferenceError); }
try { null.x; } catch (e) { print(e); }
try { eval("var ="); } catch (e) { print(e.name); }
