%token LET ID NUM
%%
s: '(' LET '(' '(' ID s ')' ')' s ')' | '(' op s s ')' | NUM | ID ;
op: '+' | '-' ;
