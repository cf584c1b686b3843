/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of each kind belong to one copy; constructors and destructors run once in each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static int initialised = 7;
int zeroed[3000];
static const char *names[] = {"zero", "one", "two"};
static int *pointer = &initialised;
static int twice(int n) { return 2 * n; }
static int (*function)(int) = twice;
extern void nobody_defines_this(void) __attribute__((weak));
static int constructed, checks;

__attribute__((constructor)) static void construct(void) { ++constructed; }
__attribute__((destructor)) static void destruct(void) {
  printf("destructor %d of copy %d\n", checks, copy_number());
}
static void at_exit(void) {
  ++checks;
  printf("atexit %d of copy %d\n", checks, copy_number());
}
static int count_call(void) {
  static int calls;
  return ++calls;
}

#define CHECK(condition)                                                                   \
  if (!(condition)) {                                                                      \
    fprintf(stderr, "copy %d, line %d: %s\n", copy_number(), __LINE__, #condition);        \
    return 1;                                                                              \
  }

int main(int argc, char **argv) {
  const int me = copy_number();
  CHECK(constructed == 1);
  CHECK(initialised == 7 && zeroed[2999] == 0);
  atexit(at_exit);
  initialised = 100 + me;
  zeroed[2999] = me;
  names[0] = argv[0];
  if (argc > 1) argv[1][0] = (char)('a' + me);
  for (int i = 0; i < 5; ++i) {
    copy_yield();
    CHECK(count_call() == i + 1);
    CHECK(initialised == 100 + me && *pointer == 100 + me && zeroed[2999] == me);
    CHECK(function(me) == 2 * me && function == twice);
    CHECK(nobody_defines_this == NULL);
    CHECK(argc == 1 || argv[1][0] == 'a' + me);
  }
  CHECK(strcmp(names[2], "two") == 0 && names[0] == argv[0]);
  printf("copy %d of %d\n", me, copy_count());
  if (me == 1) exit(0);
  return 0;
}
