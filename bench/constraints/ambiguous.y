/* Ambiguous without bound: empty parts, chains that come back, and every way to bracket a list. */
%token A B
%%
s: s s | a s b | e | A ;
a: A | e a e | ;
b: B | a | b B ;
e: | e e | s ;
