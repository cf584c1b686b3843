/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of chares.cpp that the ranks of ranks.cpp call. Each returns the number of wrong results. */
#ifndef IMBREX_TESTS_MPI_CHARES_H
#define IMBREX_TESTS_MPI_CHARES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Each rank makes an array and calls it. */
int calls_of_own_arrays(int rank);
/* Awaits several things of the runtime side by side. */
int waits_for_several(void);
/* Exceptions of entries arrive in the rank. */
int exceptions_of_entries(void);
/* Awaits a value that nobody sends. */
void wait_for_ever(void);
/* Fails the run while the rank waits. */
void fail_while_waiting(void);
/* A chare that calls `wait` in an entry gets an error. */
int wait_in_an_entry(void);

#ifdef __cplusplus
}
#endif

#endif
