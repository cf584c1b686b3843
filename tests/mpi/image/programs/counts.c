/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose library has state, too. */
#include <stdio.h>

#include "driver.h"

extern int counter;
int count(void);

int main(void) {
  counter = 10 * copy_number();
  copy_yield();
  const int next = count();
  copy_yield();
  printf("copy %d counts %d, has %d\n", copy_number(), next, counter);
  return 0;
}
