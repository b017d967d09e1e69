%token STRING NUMBER TRUE FALSE NULL_
%%
value: object | array | STRING | NUMBER | TRUE | FALSE | NULL_ ;
object: '{' '}' | '{' members '}' ;
members: member | members ',' member ;
member: STRING ':' value ;
array: '[' ']' | '[' elements ']' ;
elements: value | elements ',' value ;
