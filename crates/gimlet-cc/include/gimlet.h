/* What a program can say to Gimlet.
 *
 * Compiled by gimlet-cc and run by gimlet, these functions do what is said
 * below. In the plain build (PROG.plain), and in an instrumented program that
 * runs without a driver, gimlet_symbolic leaves the memory as it is, a false
 * assumption ends the program at once with status 0, and a false assertion aborts it.
 */
#ifndef GIMLET_H
#define GIMLET_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the N bytes at P input: their values are the next N bytes of the source
 * NAME, or stay what they are if the source has none. Calls with one name
 * read one source, one after the other. */
void gimlet_symbolic(void *p, size_t n, const char *name);

/* Only runs in which C holds are of interest: the run ends here if it is 0. */
void gimlet_assume(int c);

/* C holds in every run: a run in which it is 0 is a finding. */
void gimlet_assert(int c);

#ifdef __cplusplus
}
#endif

#endif
