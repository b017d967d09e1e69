int value_of(int name);
void assign(int name, int value);
void yyerror(const char *message);
