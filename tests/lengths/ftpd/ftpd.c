// An FTP server without files: commands are scanned by flex and parsed by bison, directories and files are names in
// memory. As in wu-ftpd, the check before a directory and a name are joined asks for the room of a slash at the root,
// which needs none: a name of 1,014 bytes in /home/ftp is too long by one.
//~ STDIN: "USER ftp\nPASS me@a.de\nMKD new\nQUIT\n"
//~ OPTIONS: --grammar FOLDER/ftpcmd.y --lexer FOLDER/ftplex.l
//~ FINDS: stack-out-of-bounds fb_realpath
#include "ftpd.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ENTRIES = 24 };

enum kind { NOTHING, A_DIRECTORY, A_FILE };

struct entry {
    enum kind kind;
    char path[MAXPATHLEN];
};

char argument[MAX_ARGUMENT];

static struct entry entries[MAX_ENTRIES] = {
    { A_DIRECTORY, "/" },         { A_DIRECTORY, "/home" },     { A_DIRECTORY, "/home/ftp" },
    { A_DIRECTORY, "/pub" },      { A_FILE, "/pub/welcome.msg" }, { A_FILE, "/home/ftp/notes" },
};
static char cwd[MAXPATHLEN] = "/home/ftp";
static char renamed[MAXPATHLEN];
static char user_name[32];
static int is_logged_in;
static int mask = 022;

void set_argument(const char *text, int length)
{
    if (length >= MAX_ARGUMENT)
        length = MAX_ARGUMENT - 1;
    memcpy(argument, text, (size_t)length);
    argument[length] = '\0';
}

void reply(int code, const char *text)
{
    printf("%d %s\n", code, text);
}

void yyerror(const char *message)
{
    (void)message;
    reply(500, "Command not understood.");
}

static struct entry *find(const char *path)
{
    for (int i = 0; i < MAX_ENTRIES; i++)
        if (entries[i].kind != NOTHING && strcmp(entries[i].path, path) == 0)
            return &entries[i];
    return NULL;
}

static int create(enum kind kind, const char *path)
{
    for (int i = 0; i < MAX_ENTRIES; i++) {
        if (entries[i].kind == NOTHING) {
            entries[i].kind = kind;
            strcpy(entries[i].path, path);
            return 0;
        }
    }
    return -1;
}

// Where a directory is in the tree: as it is, or below the current one.
static struct entry *find_directory(const char *path)
{
    char full[2 * MAXPATHLEN];
    if (path[0] == '/')
        strcpy(full, path);
    else
        snprintf(full, sizeof full, "%s/%s", cwd[1] ? cwd : "", path);
    struct entry *found = find(full);
    return found && found->kind == A_DIRECTORY ? found : NULL;
}

// Brings PATH into the form that the tree has, in MAXPATHLEN bytes at RESOLVED: -1 if there is no such directory, or
// it is too long.
static int fb_realpath(const char *path, char *resolved)
{
    char wbuf[MAXPATHLEN];
    const char *last;
    const char *directory = cwd;
    int rootd;

    if (strlen(path) >= MAXPATHLEN)
        return -1;
    strcpy(resolved, path);
    char *slash = strrchr(resolved, '/');
    if (!slash) {
        last = resolved;
    } else {
        last = slash + 1;
        if (slash == resolved) {
            directory = "/";
        } else {
            while (slash > resolved + 1 && slash[-1] == '/')
                slash--;
            *slash = '\0';
            struct entry *found = find_directory(resolved);
            if (!found)
                return -1;
            directory = found->path;
        }
    }
    if (strcmp(last, "..") == 0)
        return -1;
    strcpy(wbuf, strcmp(last, ".") == 0 ? "" : last);
    strcpy(resolved, directory);

    // Joins them; the last component may be empty, and the directory the root.
    if (resolved[0] == '/' && resolved[1] == '\0')
        rootd = 1;
    else
        rootd = 0;
    if (*wbuf) {
#ifdef FIXED
        if (strlen(resolved) + strlen(wbuf) + (size_t)!rootd + 1 > MAXPATHLEN)
            return -1;
#else
        if (strlen(resolved) + strlen(wbuf) + (size_t)rootd + 1 > MAXPATHLEN)
            return -1;
#endif
        if (rootd == 0)
            strcat(resolved, "/");
        strcat(resolved, wbuf); //~ HERE
    }
    return 0;
}

void user(const char *name)
{
    is_logged_in = 0;
    if (strlen(name) >= sizeof user_name) {
        reply(501, "Name too long.");
        return;
    }
    strcpy(user_name, name);
    reply(331, "Password required.");
}

void pass(const char *password)
{
    int is_guest = strcmp(user_name, "ftp") == 0 || strcmp(user_name, "anonymous") == 0;
    if (user_name[0] == '\0') {
        reply(503, "Login with USER first.");
    } else if (is_guest ? strchr(password, '@') == NULL : strcmp(password, "secret") != 0) {
        user_name[0] = '\0';
        reply(530, "Login incorrect.");
    } else {
        is_logged_in = 1;
        reply(230, "User logged in.");
    }
}

// What a path means for one who has logged in.
static int resolve(const char *path, char *resolved)
{
    if (!is_logged_in) {
        reply(530, "Please login with USER and PASS.");
        return -1;
    }
    if (fb_realpath(path, resolved) != 0) {
        reply(550, "No such file or directory, or its name is too long.");
        return -1;
    }
    return 0;
}

void change_directory(const char *path)
{
    char resolved[MAXPATHLEN];
    if (resolve(path, resolved) != 0)
        return;
    struct entry *found = find(resolved);
    if (!found || found->kind != A_DIRECTORY) {
        reply(550, "Not a directory.");
        return;
    }
    strcpy(cwd, resolved);
    reply(250, "CWD command successful.");
}

void change_to_parent(void)
{
    if (!is_logged_in) {
        reply(530, "Please login with USER and PASS.");
        return;
    }
    char *slash = strrchr(cwd, '/');
    slash[slash == cwd ? 1 : 0] = '\0';
    reply(250, "CDUP command successful.");
}

void print_directory(void)
{
    printf("257 \"%s\" is the current directory.\n", cwd);
}

void make_directory(const char *path)
{
    char resolved[MAXPATHLEN];
    if (resolve(path, resolved) != 0)
        return;
    if (find(resolved)) {
        reply(521, "It exists.");
        return;
    }
    if (create(A_DIRECTORY, resolved) != 0) {
        reply(550, "No space left.");
        return;
    }
    printf("257 \"%s\" directory created.\n", resolved);
}

static void remove_entry(const char *path, enum kind kind)
{
    char resolved[MAXPATHLEN];
    if (resolve(path, resolved) != 0)
        return;
    struct entry *found = find(resolved);
    if (!found || found->kind != kind || strcmp(resolved, "/") == 0 || strcmp(resolved, cwd) == 0) {
        reply(550, "It can't be removed.");
        return;
    }
    found->kind = NOTHING;
    reply(250, "It is gone.");
}

void remove_directory(const char *path)
{
    remove_entry(path, A_DIRECTORY);
}

void delete_file(const char *path)
{
    remove_entry(path, A_FILE);
}

void rename_from(const char *path)
{
    char resolved[MAXPATHLEN];
    renamed[0] = '\0';
    if (resolve(path, resolved) != 0)
        return;
    struct entry *found = find(resolved);
    if (!found || found->kind != A_FILE) {
        reply(550, "No such file.");
        return;
    }
    strcpy(renamed, resolved);
    reply(350, "File exists, ready for destination name.");
}

void rename_to(const char *path)
{
    char resolved[MAXPATHLEN];
    struct entry *found = renamed[0] ? find(renamed) : NULL;
    if (!found) {
        reply(503, "Bad sequence of commands.");
        return;
    }
    if (resolve(path, resolved) != 0)
        return;
    if (find(resolved)) {
        reply(553, "It exists.");
        return;
    }
    strcpy(found->path, resolved);
    renamed[0] = '\0';
    reply(250, "RNTO command successful.");
}

void retrieve(const char *path)
{
    char resolved[MAXPATHLEN];
    if (resolve(path, resolved) != 0)
        return;
    struct entry *found = find(resolved);
    if (found && found->kind == A_FILE)
        reply(226, "Transfer complete.");
    else
        reply(550, "No such file.");
}

void store(const char *path)
{
    char resolved[MAXPATHLEN];
    if (resolve(path, resolved) != 0)
        return;
    struct entry *found = find(resolved);
    if (found ? found->kind != A_FILE : create(A_FILE, resolved) != 0)
        reply(553, "It can't be stored.");
    else
        reply(226, "Transfer complete.");
}

void set_type(int type)
{
    if (type == 'L')
        reply(504, "Byte size must be 8.");
    else
        printf("200 Type set to %c.\n", type);
}

void set_port(const int *numbers)
{
    for (int i = 0; i < 6; i++) {
        if (numbers[i] > 255) {
            reply(501, "Not an address.");
            return;
        }
    }
    printf("200 Port %d.\n", numbers[4] * 256 + numbers[5]);
}

void set_mask(int value)
{
    if (value > 0777) {
        reply(501, "Bad UMASK value.");
        return;
    }
    printf("200 UMASK set to %03o (was %03o).\n", (unsigned)value, (unsigned)mask);
    mask = value;
}

void set_idle(int seconds)
{
    if (seconds < 30 || seconds > 7200)
        reply(501, "Between 30 and 7200 seconds.");
    else
        printf("200 Idle time limit set to %d seconds.\n", seconds);
}

int main(void)
{
    reply(220, "FTP server ready.");
    return yyparse();
}
