/* What a program can say to Gimlet.
 *
 * Compiled by gimlet-cc and run by gimlet, these functions do what is said
 * below. In the plain build (PROG.plain), and in an instrumented program that
 * runs without a driver, gimlet_symbolic leaves the memory as it is, a false
 * assumption ends the program at once with status 0, and a false assertion aborts it.
 */
#ifndef GIMLET_H
#define GIMLET_H

/* The type of sizes, without a header: a program may have a size_t of its own. */
#ifdef __SIZE_TYPE__
#define GIMLET_SIZE __SIZE_TYPE__
#else
#define GIMLET_SIZE unsigned long
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the N bytes at P input: their values are the next N bytes of the source
 * NAME, or stay what they are if the source has none. Calls with one name
 * read one source, one after the other. */
void gimlet_symbolic(void *p, GIMLET_SIZE n, const char *name);

/* Makes a string of the MAX bytes at P, its terminator included: PREFIX
 * characters that are symbolic, then one of them that is repeated, as often as
 * there is room for. How often is symbolic, too: a bug that needs 1,000
 * characters is found by their number. Each call has a source of its own, NAME,
 * then NAME#2 and so on; where the input has none, the prefix is what is in
 * memory. */
void gimlet_symbolic_string(char *p, GIMLET_SIZE prefix, GIMLET_SIZE max, const char *name);

/* Only runs in which C holds are of interest: the run ends here if it is 0. */
void gimlet_assume(int c);

/* C holds in every run: a run in which it is 0 is a finding. */
void gimlet_assert(int c);

/* Puts into the trace what the N bytes at P are: their expression over the
 * input, if they depend on it, and their value. With N = 0 it marks a place;
 * `gimlet audit --observed` takes it as the beginning of a case.
 *
 * Without a driver, and in the plain build, it appends a line to the file that
 * the environment variable GIMLET_OBSERVATIONS names, if there is one: N, the
 * bytes in hexadecimal, the name, separated by blanks. */
void gimlet_observe(const void *p, GIMLET_SIZE n, const char *name);

#ifdef __cplusplus
}
#endif

#endif
