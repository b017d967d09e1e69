void move(int dx, int dy);
void yyerror(const char *message);
