grammar Sql;
options { caseInsensitive = true; }
file : (statement ';')* EOF ;
statement : select | insert | delete ;
select : SELECT (STAR | column (COMMA column)*) FROM ID (WHERE condition)? (ORDER BY ID (ASC | DESC)?)? (LIMIT INT)? ;
insert : INSERT INTO ID ('(' ID (COMMA ID)* ')')? VALUES '(' value (COMMA value)* ')' ;
delete : DELETE FROM ID (WHERE condition)? ;
column : value (AS? ID)? ;
condition : <assoc=left> condition AND condition | condition OR condition | NOT condition | '(' condition ')'
    | value ('=' | '<>' | '<' | '>') value | value IS NOT? NULL | value IN '(' value (COMMA value)* ')' ;
value : ID ('.' ID)? | INT | STRING | NULL | value ('+' | '-' | STAR | '/') value ;
SELECT : 'select' ; FROM : 'from' ; WHERE : 'where' ; ORDER : 'order' ; BY : 'by' ; LIMIT : 'limit' ;
INSERT : 'insert' ; INTO : 'into' ; VALUES : 'values' ; DELETE : 'delete' ; AS : 'as' ; ASC : 'asc' ; DESC : 'desc' ;
AND : 'and' ; OR : 'or' ; NOT : 'not' ; IS : 'is' ; IN : 'in' ; NULL : 'null' ; STAR : '*' ; COMMA : ',' ;
ID : [a-z_] [a-z_0-9]* | '"' ~["\r\n]+ '"' ;
INT : [0-9]+ ;
STRING : '\'' (~'\'' | '\'\'')* '\'' ;
COMMENT : '--' ~[\n]* -> skip ;
SPACE : [ \t\n\r]+ -> skip ;
