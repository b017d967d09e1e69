%token AND BREAK DO ELSE ELSEIF END FALSE FOR FUNCTION IF IN LOCAL NIL NOT OR REPEAT RETURN THEN TRUE UNTIL WHILE
%token NAME NUMBER STRING DOTS CONCAT EQ NE LE GE
%left OR
%left AND
%left '<' '>' LE GE NE EQ
%right CONCAT
%left '+' '-'
%left '*' '/' '%'
%left UNARY
%right '^'
%%
chunk: block ;
block: statements | statements last ;
statements: | statements statement | statements ';' ;
last: RETURN | RETURN expressions | BREAK ;
statement: variables '=' expressions
    | call
    | DO block END
    | WHILE expression DO block END
    | REPEAT block UNTIL expression
    | IF expression THEN block elseifs else END
    | FOR NAME '=' expression ',' expression step DO block END
    | FOR names IN expressions DO block END
    | FUNCTION function_name body
    | LOCAL FUNCTION NAME body
    | LOCAL names
    | LOCAL names '=' expressions ;
elseifs: | elseifs ELSEIF expression THEN block ;
else: | ELSE block ;
step: | ',' expression ;
function_name: dotted | dotted ':' NAME ;
dotted: NAME | dotted '.' NAME ;
variables: variable | variables ',' variable ;
variable: NAME | prefix '[' expression ']' | prefix '.' NAME ;
names: NAME | names ',' NAME ;
expressions: expression | expressions ',' expression ;
expression: NIL | FALSE | TRUE | NUMBER | STRING | DOTS | FUNCTION body | prefix | table
    | expression OR expression | expression AND expression
    | expression '<' expression | expression '>' expression | expression LE expression | expression GE expression
    | expression NE expression | expression EQ expression | expression CONCAT expression
    | expression '+' expression | expression '-' expression | expression '*' expression | expression '/' expression
    | expression '%' expression | expression '^' expression
    | NOT expression %prec UNARY | '#' expression %prec UNARY | '-' expression %prec UNARY ;
prefix: variable | call | '(' expression ')' ;
call: prefix arguments | prefix ':' NAME arguments ;
arguments: '(' ')' | '(' expressions ')' | table | STRING ;
body: '(' ')' block END | '(' parameters ')' block END ;
parameters: names | names ',' DOTS | DOTS ;
table: '{' '}' | '{' fields '}' | '{' fields separator '}' ;
fields: field | fields separator field ;
field: '[' expression ']' '=' expression | NAME '=' expression | expression ;
separator: ',' | ';' ;
