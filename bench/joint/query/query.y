/* What parser.c accepts. The numbers of tokens are those in ast.h. */
%token SELECT 258 FROM 259 WHERE 260 GROUP 261 BY 262 ORDER 263 ASC 264 DESC 265 LIMIT 266 OFFSET 267
%token AS 268 AND 269 OR 270 NOT 271 BETWEEN 272 COUNT 273 SUM 274 MIN 275 MAX 276
%token NAME 277 NUMBER 278 STRING 279
%token EQ 280 NE 281 LT 282 LE 283 GT 284 GE 285
%token PLUS 286 MINUS 287 STAR 288 SLASH 289 OPEN 290 CLOSE 291 COMMA 292 SEMICOLON 293

%start queries

%%

queries
	: statement
	| queries statement
	;

statement
	: SELECT items FROM NAME where group order limit SEMICOLON
	;

items
	: item
	| items COMMA item
	;

item
	: STAR
	| sum
	| sum AS NAME
	;

where
	: %empty
	| WHERE condition
	;

group
	: %empty
	| GROUP BY NAME
	;

order
	: %empty
	| ORDER BY NAME
	| ORDER BY NAME ASC
	| ORDER BY NAME DESC
	;

limit
	: %empty
	| LIMIT NUMBER
	| LIMIT NUMBER OFFSET NUMBER
	;

condition
	: conjunction
	| condition OR conjunction
	;

conjunction
	: negation
	| conjunction AND negation
	;

negation
	: comparison
	| NOT comparison
	;

comparison
	: sum
	| sum relation sum
	| sum BETWEEN sum AND sum
	;

relation
	: EQ
	| NE
	| LT
	| LE
	| GT
	| GE
	;

sum
	: product
	| sum PLUS product
	| sum MINUS product
	;

product
	: primary
	| product STAR primary
	| product SLASH primary
	;

primary
	: NUMBER
	| NAME
	| STRING
	| aggregate OPEN NAME CLOSE
	| OPEN condition CLOSE
	;

aggregate
	: COUNT
	| SUM
	| MIN
	| MAX
	;
