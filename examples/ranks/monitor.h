/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a library of chares (monitor.cpp) that the ranks of heat.cpp call. */
#ifndef MONITOR_H
#define MONITOR_H

#ifdef __cplusplus
extern "C" {
#endif

enum { monitor_handle_size = 64 };

/* Makes the chares that watch `parts` parts of a rod. All ranks use the handle, which one rank makes. */
void monitor_make(int parts, char handle[monitor_handle_size]);
/* Sends the cells of a part to its chare, and goes on at once. */
void monitor_show(const char handle[monitor_handle_size], int part, int step, const double* cells, int count);
/* Waits for all chares to have seen `steps` steps, and returns the largest cell that they saw at the last. */
double monitor_largest(const char handle[monitor_handle_size], int steps);

#ifdef __cplusplus
}
#endif

#endif
