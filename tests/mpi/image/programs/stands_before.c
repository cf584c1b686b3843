/* SPDX-License-Identifier: Apache-2.0 */
/* A library stands before the C library, as allocators do, with a function of that without a version. */
#ifdef LIBRARY
long labs(long x) { return x + 1; }
#else
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  long (*volatile function)(long) = labs;
  printf("%ld\n", function(-5));
  return 0;
}
#endif
