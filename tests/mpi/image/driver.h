/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the programs of this folder call, in place of MPI. They run as several copies in one
   process, each on a stack of its own. */
#ifndef IMBREX_TESTS_MPI_IMAGE_DRIVER_H
#define IMBREX_TESTS_MPI_IMAGE_DRIVER_H

#ifdef __cplusplus
extern "C" {
#endif

int copy_number(void);
int copy_count(void);
/* Lets the other copies run, as a call does that waits. Goes on on whatever thread. */
void copy_yield(void);
/* The number of the thread that runs the caller now. */
int thread_number(void);

#ifdef __cplusplus
}
#endif

#endif
