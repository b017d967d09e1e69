// What the grammar and the scanner of the FTP commands share with the server.
#ifndef FTPD_H
#define FTPD_H

enum { MAXPATHLEN = 1024, MAX_ARGUMENT = 2048 };

// What the scanner has read last behind a command.
extern char argument[MAX_ARGUMENT];

void set_argument(const char *text, int length);
void reply(int code, const char *text);

void user(const char *name);
void pass(const char *password);
void change_directory(const char *path);
void change_to_parent(void);
void print_directory(void);
void make_directory(const char *path);
void remove_directory(const char *path);
void delete_file(const char *path);
void rename_from(const char *path);
void rename_to(const char *path);
void retrieve(const char *path);
void store(const char *path);
void set_type(int type);
void set_port(const int *numbers);
void set_mask(int mask);
void set_idle(int seconds);

int yylex(void);
int yyparse(void);
void yyerror(const char *message);

#endif
