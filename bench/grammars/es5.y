/* ECMAScript 5, after Annex A of the standard (ECMA-262, 5.1), for mujs 1.3.2: tokens have the numbers of its jslex.h.
   Semicolons are always written. Left out is what the parser of mujs refuses, and reserved words as names of properties.
   Where rules are others than the standard's, a note says so: the strings are the same but for what it says. */

%token TK_IDENTIFIER 256 TK_NUMBER 257 TK_STRING 258 TK_REGEXP 259

%token TK_LE 260 TK_GE 261 TK_EQ 262 TK_NE 263 TK_STRICTEQ 264 TK_STRICTNE 265
%token TK_SHL 266 TK_SHR 267 TK_USHR 268 TK_AND 269 TK_OR 270
%token TK_ADD_ASS 271 TK_SUB_ASS 272 TK_MUL_ASS 273 TK_DIV_ASS 274 TK_MOD_ASS 275
%token TK_SHL_ASS 276 TK_SHR_ASS 277 TK_USHR_ASS 278 TK_AND_ASS 279 TK_OR_ASS 280 TK_XOR_ASS 281
%token TK_INC 282 TK_DEC 283

%token TK_BREAK 284 TK_CASE 285 TK_CATCH 286 TK_CONTINUE 287 TK_DEBUGGER 288 TK_DEFAULT 289 TK_DELETE 290 TK_DO 291
%token TK_ELSE 292 TK_FALSE 293 TK_FINALLY 294 TK_FOR 295 TK_FUNCTION 296 TK_IF 297 TK_IN 298 TK_INSTANCEOF 299
%token TK_NEW 300 TK_NULL 301 TK_RETURN 302 TK_SWITCH 303 TK_THIS 304 TK_THROW 305 TK_TRUE 306 TK_TRY 307
%token TK_TYPEOF 308 TK_VAR 309 TK_VOID 310 TK_WHILE 311 TK_WITH 312

/* To the scanner of mujs these two are identifiers (256), and its parser compares their texts. */
%token TK_GET 313 TK_SET 314

/* An else belongs to the nearest if. */
%expect 1

%start Program

%%

/* Functions and programs */

Program: SourceElementsOpt ;

SourceElementsOpt: %empty | SourceElementsOpt SourceElement ;

SourceElement: Statement | FunctionDeclaration ;

FunctionDeclaration: TK_FUNCTION TK_IDENTIFIER '(' FormalParameterListOpt ')' '{' SourceElementsOpt '}' ;

FunctionExpression: TK_FUNCTION IdentifierOpt '(' FormalParameterListOpt ')' '{' SourceElementsOpt '}' ;

IdentifierOpt: %empty | TK_IDENTIFIER ;

FormalParameterListOpt: %empty | FormalParameterList ;

FormalParameterList: TK_IDENTIFIER | FormalParameterList ',' TK_IDENTIFIER ;

/* Statements */

Statement:
    Block
  | TK_VAR VariableDeclarationList ';'
  | ';'
  | ExpressionStatement
  | TK_IF '(' Expression ')' Statement TK_ELSE Statement
  | TK_IF '(' Expression ')' Statement
  | IterationStatement
  | TK_CONTINUE IdentifierOpt ';'
  | TK_BREAK IdentifierOpt ';'
  | TK_RETURN ExpressionOpt ';'
  | TK_WITH '(' Expression ')' Statement
  | TK_IDENTIFIER ':' Statement
  | TK_SWITCH '(' Expression ')' CaseBlock
  | TK_THROW Expression ';'
  | TryStatement
  | TK_DEBUGGER ';'
  ;

Block: '{' StatementListOpt '}' ;

StatementListOpt: %empty | StatementListOpt Statement ;

VariableDeclarationList: VariableDeclaration | VariableDeclarationList ',' VariableDeclaration ;

VariableDeclarationListNoIn: VariableDeclarationNoIn | VariableDeclarationListNoIn ',' VariableDeclarationNoIn ;

VariableDeclaration: TK_IDENTIFIER | TK_IDENTIFIER '=' AssignmentExpression ;

VariableDeclarationNoIn: TK_IDENTIFIER | TK_IDENTIFIER '=' AssignmentExpressionNoIn ;

IterationStatement:
    TK_DO Statement TK_WHILE '(' Expression ')' ';'
  | TK_WHILE '(' Expression ')' Statement
  | TK_FOR '(' ExpressionNoInOpt ';' ExpressionOpt ';' ExpressionOpt ')' Statement
  | TK_FOR '(' TK_VAR VariableDeclarationListNoIn ';' ExpressionOpt ';' ExpressionOpt ')' Statement
  | TK_FOR '(' LeftHandSideExpression TK_IN Expression ')' Statement
  | TK_FOR '(' TK_VAR VariableDeclarationNoIn TK_IN Expression ')' Statement
  ;

CaseBlock: '{' CaseClausesOpt '}' | '{' CaseClausesOpt DefaultClause CaseClausesOpt '}' ;

CaseClausesOpt: %empty | CaseClausesOpt CaseClause ;

CaseClause: TK_CASE Expression ':' StatementListOpt ;

DefaultClause: TK_DEFAULT ':' StatementListOpt ;

TryStatement: TK_TRY Block Catch | TK_TRY Block Finally | TK_TRY Block Catch Finally ;

Catch: TK_CATCH '(' TK_IDENTIFIER ')' Block ;

Finally: TK_FINALLY Block ;

/* The expression of a statement begins neither with { nor with function. It does not begin with a regular expression
   either: behind ) and } the scanner of mujs takes a slash as a division. So what is at the start has rules of its own.
   They have no precedences: behind the first operand and an operator any ConditionalExpression may stand. */

ExpressionStatement: StatementExpression ';' | StatementExpression ',' Expression ';' ;

StatementExpression:
    UnaryAtStart
  | UnaryAtStart BinaryOperator ConditionalExpression
  | UnaryAtStart '?' AssignmentExpression ':' AssignmentExpression
  | LeftAtStart AssignmentOperator AssignmentExpression
  ;

UnaryAtStart:
    LeftAtStart
  | LeftAtStart TK_INC
  | LeftAtStart TK_DEC
  | LeftAtStart '/' UnaryExpression
  | UnaryOperator UnaryExpression
  ;

LeftAtStart: CallAtStart | TK_NEW NewExpression ;

CallAtStart:
    PrimaryExpression
  | TK_NEW MemberExpression Arguments
  | CallAtStart Arguments
  | CallAtStart '[' Expression ']'
  | CallAtStart '.' TK_IDENTIFIER
  ;

BinaryOperator: BinaryOperatorNoIn | TK_IN ;

BinaryOperatorNoIn:
    MultiplicativeOperator
  | AdditiveOperator
  | ShiftOperator
  | RelationalOperator
  | EqualityOperator
  | '&'
  | '^'
  | '|'
  | TK_AND
  | TK_OR
  ;

/* Expressions. Objects, functions and regular expressions are not in PrimaryExpression, as statements don't begin with
   them. */

PrimaryExpression:
    TK_THIS
  | TK_IDENTIFIER
  | Literal
  | ArrayLiteral
  | '(' Expression ')'
  ;

Literal: TK_NULL | TK_TRUE | TK_FALSE | TK_NUMBER | TK_STRING ;

ArrayLiteral: '[' ElisionOpt ']' | '[' ElementList ']' | '[' ElementList ',' ElisionOpt ']' ;

ElementList: ElisionOpt AssignmentExpression | ElementList ',' ElisionOpt AssignmentExpression ;

ElisionOpt: %empty | ElisionOpt ',' ;

ObjectLiteral: '{' '}' | '{' PropertyNameAndValueList '}' | '{' PropertyNameAndValueList ',' '}' ;

PropertyNameAndValueList: PropertyAssignment | PropertyNameAndValueList ',' PropertyAssignment ;

PropertyAssignment:
    PropertyName ':' AssignmentExpression
  | TK_GET PropertyName '(' ')' '{' SourceElementsOpt '}'
  | TK_SET PropertyName '(' TK_IDENTIFIER ')' '{' SourceElementsOpt '}'
  ;

PropertyName: TK_IDENTIFIER | TK_STRING | TK_NUMBER ;

MemberExpression:
    PrimaryExpression
  | FunctionExpression
  | ObjectLiteral
  | MemberExpression '[' Expression ']'
  | MemberExpression '.' TK_IDENTIFIER
  | TK_REGEXP '[' Expression ']'
  | TK_REGEXP '.' TK_IDENTIFIER
  | TK_NEW MemberExpression Arguments
  ;

NewExpression: MemberExpression | TK_NEW NewExpression ;

CallExpression:
    MemberExpression Arguments
  | CallExpression Arguments
  | CallExpression '[' Expression ']'
  | CallExpression '.' TK_IDENTIFIER
  ;

Arguments: '(' ')' | '(' ArgumentList ')' ;

ArgumentList: AssignmentExpression | ArgumentList ',' AssignmentExpression ;

LeftHandSideExpression: NewExpression | CallExpression ;

/* Behind ++, -- and a regular expression the scanner of mujs sees no division, but another regular expression. So a
   regular expression alone is here, where it can't be divided, called, created by new or assigned to. */

PostfixExpression:
    LeftHandSideExpression
  | LeftHandSideExpression TK_INC
  | LeftHandSideExpression TK_DEC
  | TK_REGEXP
  ;

/* Divisions are here, not in MultiplicativeExpression: what is divided ends with a LeftHandSideExpression. */

UnaryExpression:
    PostfixExpression
  | UnaryOperator UnaryExpression
  | LeftHandSideExpression '/' UnaryExpression
  ;

UnaryOperator: TK_DELETE | TK_VOID | TK_TYPEOF | TK_INC | TK_DEC | '+' | '-' | '~' | '!' ;

MultiplicativeExpression: UnaryExpression | MultiplicativeExpression MultiplicativeOperator UnaryExpression ;

MultiplicativeOperator: '*' | '%' ;

AdditiveExpression: MultiplicativeExpression | AdditiveExpression AdditiveOperator MultiplicativeExpression ;

AdditiveOperator: '+' | '-' ;

ShiftExpression: AdditiveExpression | ShiftExpression ShiftOperator AdditiveExpression ;

ShiftOperator: TK_SHL | TK_SHR | TK_USHR ;

RelationalExpression:
    ShiftExpression
  | RelationalExpression RelationalOperator ShiftExpression
  | RelationalExpression TK_IN ShiftExpression
  ;

RelationalOperator: '<' | '>' | TK_LE | TK_GE | TK_INSTANCEOF ;

EqualityExpression: RelationalExpression | EqualityExpression EqualityOperator RelationalExpression ;

EqualityOperator: TK_EQ | TK_NE | TK_STRICTEQ | TK_STRICTNE ;

BitwiseANDExpression: EqualityExpression | BitwiseANDExpression '&' EqualityExpression ;

BitwiseXORExpression: BitwiseANDExpression | BitwiseXORExpression '^' BitwiseANDExpression ;

BitwiseORExpression: BitwiseXORExpression | BitwiseORExpression '|' BitwiseXORExpression ;

LogicalANDExpression: BitwiseORExpression | LogicalANDExpression TK_AND BitwiseORExpression ;

LogicalORExpression: LogicalANDExpression | LogicalORExpression TK_OR LogicalANDExpression ;

ConditionalExpression:
    LogicalORExpression
  | LogicalORExpression '?' AssignmentExpression ':' AssignmentExpression
  ;

/* Without precedences, as at the start of a statement: this saves a second set of all the rules above. */

ConditionalExpressionNoIn:
    UnaryExpression
  | UnaryExpression BinaryOperatorNoIn ConditionalExpressionNoIn
  | UnaryExpression '?' AssignmentExpression ':' AssignmentExpressionNoIn
  ;

AssignmentExpression:
    ConditionalExpression
  | LeftHandSideExpression AssignmentOperator AssignmentExpression
  ;

AssignmentExpressionNoIn:
    ConditionalExpressionNoIn
  | LeftHandSideExpression AssignmentOperator AssignmentExpressionNoIn
  ;

AssignmentOperator:
    '=' | TK_MUL_ASS | TK_DIV_ASS | TK_MOD_ASS | TK_ADD_ASS | TK_SUB_ASS | TK_SHL_ASS | TK_SHR_ASS | TK_USHR_ASS
  | TK_AND_ASS | TK_XOR_ASS | TK_OR_ASS
  ;

Expression: AssignmentExpression | Expression ',' AssignmentExpression ;

ExpressionNoIn: AssignmentExpressionNoIn | ExpressionNoIn ',' AssignmentExpressionNoIn ;

ExpressionOpt: %empty | Expression ;

ExpressionNoInOpt: %empty | ExpressionNoIn ;
