%{
#include "ftpd.h"

static int port[6];
%}
%token SP CRLF COMMA
%token USER PASS CWD CDUP PWD MKD RMD DELE RNFR RNTO RETR STOR TYPE PORT SITE NOOP QUIT
%token UMASK IDLE ASCII IMAGE LOCAL
%token STRING NUMBER
%%
session:
    commands
  | commands QUIT CRLF               { reply(221, "Goodbye."); YYACCEPT; }
  ;
commands:
    /* empty */
  | commands command
  | commands error CRLF              { yyerrok; }
  ;
command:
    USER SP STRING CRLF              { user(argument); }
  | PASS SP STRING CRLF              { pass(argument); }
  | CWD SP STRING CRLF               { change_directory(argument); }
  | CWD CRLF                         { change_directory("/"); }
  | CDUP CRLF                        { change_to_parent(); }
  | PWD CRLF                         { print_directory(); }
  | MKD SP STRING CRLF               { make_directory(argument); }
  | RMD SP STRING CRLF               { remove_directory(argument); }
  | DELE SP STRING CRLF              { delete_file(argument); }
  | RNFR SP STRING CRLF              { rename_from(argument); }
  | RNTO SP STRING CRLF              { rename_to(argument); }
  | RETR SP STRING CRLF              { retrieve(argument); }
  | STOR SP STRING CRLF              { store(argument); }
  | TYPE SP type CRLF                { set_type($3); }
  | PORT SP host COMMA service CRLF  { set_port(port); }
  | SITE SP UMASK SP NUMBER CRLF     { set_mask($5); }
  | SITE SP IDLE SP NUMBER CRLF      { set_idle($5); }
  | NOOP CRLF                        { reply(200, "NOOP command successful."); }
  | CRLF
  ;
type:
    ASCII                            { $$ = 'A'; }
  | IMAGE                            { $$ = 'I'; }
  | LOCAL SP NUMBER                  { $$ = $3 == 8 ? 'I' : 'L'; }
  ;
host:
    NUMBER COMMA NUMBER COMMA NUMBER COMMA NUMBER
        {
            port[0] = $1;
            port[1] = $3;
            port[2] = $5;
            port[3] = $7;
        }
  ;
service:
    NUMBER COMMA NUMBER              { port[4] = $1; port[5] = $3; }
  ;
