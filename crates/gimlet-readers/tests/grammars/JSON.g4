// JSON with strings of small letters.
grammar JSON;

@header { package json; /* } */ }

json : value EOF ;

value
    : object # Braces
    | items=array # Brackets
    | STRING { count("}"); } # Text
    | NUMBER # Number
    | ('true' | 'false') # Truth
    | NULL # Nothing
    ;

object : '{' (pairs+=pair (',' pairs+=pair)*)? '}' ;
pair returns [int n] locals [String s = "]"] : STRING ':' value ;
array : '[' (value (',' value)*)? ']' ;

NULL : 'null' ;
STRING : '"' (LETTER | ESCAPE)* '"' ;
fragment LETTER : [a-z] ;
fragment ESCAPE : '\\' ["\\n] ;
NUMBER : '-'? INT ;
fragment INT : '0' | '1'..'9' [0-9]* ;
WS : [ \t\r\n]+ -> skip ;
COMMENT : '/*' .*? '*/' -> channel(HIDDEN) ;
