/* Statements and expressions of ECMAScript 3, without semicolons that nobody wrote. */
%token BREAK CASE CATCH CONTINUE DEFAULT DELETE DO ELSE FINALLY FOR FUNCTION IF IN INSTANCEOF NEW RETURN SWITCH THIS THROW
%token TRY TYPEOF VAR VOID WHILE WITH NULL_ TRUE FALSE ID NUMBER STRING REGEXP
%token LE GE EQ NE SAME DIFFERENT INC DEC SHL SHR USHR AND OR ASSIGN
%%
program: elements ;
elements: | elements element ;
element: statement | FUNCTION ID '(' formals ')' '{' elements '}' ;
formals: | formal_list ;
formal_list: ID | formal_list ',' ID ;
block: '{' statements '}' ;
statements: | statements statement ;
statement: block | VAR variables ';' | ';' | expression ';'
    | IF '(' expression ')' statement | IF '(' expression ')' statement ELSE statement
    | DO statement WHILE '(' expression ')' ';' | WHILE '(' expression ')' statement
    | FOR '(' optional ';' optional ';' optional ')' statement
    | FOR '(' VAR variables ';' optional ';' optional ')' statement
    | FOR '(' left IN expression ')' statement | FOR '(' VAR ID IN expression ')' statement
    | CONTINUE label ';' | BREAK label ';' | RETURN optional ';' | WITH '(' expression ')' statement
    | SWITCH '(' expression ')' '{' cases '}' | ID ':' statement | THROW expression ';'
    | TRY block CATCH '(' ID ')' block | TRY block FINALLY block | TRY block CATCH '(' ID ')' block FINALLY block ;
label: | ID ;
optional: | expression ;
cases: | cases CASE expression ':' statements | cases DEFAULT ':' statements ;
variables: variable | variables ',' variable ;
variable: ID | ID '=' assignment ;
primary: THIS | ID | NULL_ | TRUE | FALSE | NUMBER | STRING | REGEXP | array | object | '(' expression ')' ;
array: '[' ']' | '[' items ']' | '[' items ',' ']' ;
items: assignment | items ',' assignment ;
object: '{' '}' | '{' properties '}' ;
properties: property | properties ',' property ;
property: name ':' assignment ;
name: ID | STRING | NUMBER ;
member: primary | FUNCTION '(' formals ')' '{' elements '}' | FUNCTION ID '(' formals ')' '{' elements '}'
    | member '[' expression ']' | member '.' ID | NEW member arguments ;
new: member | NEW new ;
call: member arguments | call arguments | call '[' expression ']' | call '.' ID ;
arguments: '(' ')' | '(' items ')' ;
left: new | call ;
postfix: left | left INC | left DEC ;
unary: postfix | DELETE unary | VOID unary | TYPEOF unary | INC unary | DEC unary | '+' unary | '-' unary | '~' unary | '!' unary ;
product: unary | product '*' unary | product '/' unary | product '%' unary ;
sum: product | sum '+' product | sum '-' product ;
shift: sum | shift SHL sum | shift SHR sum | shift USHR sum ;
relation: shift | relation '<' shift | relation '>' shift | relation LE shift | relation GE shift
    | relation INSTANCEOF shift | relation IN shift ;
equality: relation | equality EQ relation | equality NE relation | equality SAME relation | equality DIFFERENT relation ;
bit_and: equality | bit_and '&' equality ;
bit_xor: bit_and | bit_xor '^' bit_and ;
bit_or: bit_xor | bit_or '|' bit_xor ;
and: bit_or | and AND bit_or ;
or: and | or OR and ;
conditional: or | or '?' assignment ':' assignment ;
assignment: conditional | left '=' assignment | left ASSIGN assignment ;
expression: assignment | expression ',' assignment ;
