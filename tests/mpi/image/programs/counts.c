/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose library has state, too. LOADED: it loads the library of its argument. */
#include <dlfcn.h>
#include <stdio.h>

#include "driver.h"

#ifdef LOADED
static int *counter_of_library;
static int (*count)(void);
#define counter (*counter_of_library)

static int load(const char *file) {
  void *const library = dlopen(file, RTLD_NOW);
  if (library == NULL) return 0;
  counter_of_library = dlsym(library, "counter");
  count = (int (*)(void))dlsym(library, "count");
  return counter_of_library != NULL && count != NULL;
}
#else
extern int counter;
int count(void);

static int load(const char *file) { return file == NULL; }
#endif

int main(int argc, char **argv) {
  (void)argc;
  if (!load(argv[1])) return 2;
  counter = 10 * copy_number();
  copy_yield();
  const int next = count();
  copy_yield();
  printf("copy %d counts %d, has %d\n", copy_number(), next, counter);
  return 0;
}
