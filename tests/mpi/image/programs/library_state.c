/* SPDX-License-Identifier: Apache-2.0 */
/* What the C library keeps for a process is kept for a copy. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <getopt.h>
#include <grp.h>
#include <locale.h>
#include <math.h>
#include <pwd.h>
#include <sched.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"

#define CHECK(condition)                                                            \
  if (!(condition)) {                                                               \
    fprintf(stderr, "copy %d, line %d: %s\n", copy_number(), __LINE__, #condition); \
    exit(1);                                                                        \
  }

static volatile sig_atomic_t own_signals, all_signals;
static void on_own(int number) { own_signals += number == SIGUSR1; }
static void on_all(int number, siginfo_t *info, void *context) {
  (void)context;
  all_signals += number == SIGUSR2 && info->si_pid == getpid();
}
int exported = 11;

static void options(int argc, char **argv) {
  static const struct option longs[] = {{"size", required_argument, NULL, 's'}, {"verbose", no_argument, NULL, 'v'}, {0}};
  int size = 0, verbose = 0, flags = 0, c;
  while ((c = getopt_long(argc, argv, "abs:v", longs, NULL)) != -1) {
    copy_yield();
    if (c == 's') size = atoi(optarg);
    if (c == 'v') ++verbose;
    if (c == 'a' || c == 'b') ++flags;
  }
  CHECK(size == 42 && verbose == 2 && flags == 3);
  CHECK(optind == argc - 2 && strcmp(argv[optind], "file") == 0 && strcmp(argv[optind + 1], "-x") == 0);
  optind = 1;
  CHECK(getopt(argc, argv, "abs:v") == 'a');
}

static void random_numbers(void) {
  CHECK(rand() == 1804289383 && rand() == 846930886);
  copy_yield();
  CHECK(rand() == 1681692777);
  srand(copy_number() + 1);
  const int first = rand();
  srandom(copy_number() + 1);
  copy_yield();
  CHECK(random() == first && (first == 1804289383) == (copy_number() == 0));
  char words[64];
  char *before = initstate(7, words, sizeof words);
  const long seventh = random();
  copy_yield();
  setstate(before);
  random();
  setstate(words);
  initstate(7, words, sizeof words);
  CHECK(random() == seventh);
  setstate(before);
  srand48(5);
  const double one = drand48();
  copy_yield();
  const long two = lrand48(), three = mrand48();
  copy_yield();
  srand48(5);
  CHECK(drand48() == one && lrand48() == two && mrand48() == three);
  unsigned short seed[3] = {1, 2, 3};
  CHECK(seed48(seed) != NULL && erand48(seed) >= 0 && nrand48(seed) >= 0);
}

static void texts(void) {
  char text[32];
  snprintf(text, sizeof text, "a%d,b%d;c%d", copy_number(), copy_number(), copy_number());
  const char letters[] = "abc";
  int n = 0;
  for (char *token = strtok(text, ",;"); token != NULL; token = strtok(NULL, ",;"), ++n) {
    CHECK(token[0] == letters[n] && atoi(token + 1) == copy_number());
    copy_yield();
  }
  CHECK(n == 3);
  const time_t day = 86400 * (1 + copy_number());
  const struct tm *when = gmtime(&day);
  copy_yield();
  CHECK(when->tm_mday == 2 + copy_number());
  const char *output = asctime(when);
  copy_yield();
  CHECK(atoi(output + 8) == 2 + copy_number());
  const time_t noon = day + 43200;
  CHECK(localtime(&noon) == localtime(&noon) && ctime(&noon) != NULL);
  tzset();
  CHECK(timezone == -3600 && strcmp(tzname[0], "XYZ") == 0);
  const volatile double x = copy_number() == 1 ? -0.5 : 0.5, result = lgamma(x);
  copy_yield();
  CHECK(result > 0 && signgam == (copy_number() == 1 ? -1 : 1));
}

static void databases(void) {
  CHECK(hcreate(10) != 0);
  ENTRY number = {"number", (void *)(long)copy_number()}, key = {"number", NULL};
  CHECK(hsearch(number, ENTER) != NULL);
  copy_yield();
  const ENTRY *found = hsearch(key, FIND);
  CHECK(found != NULL && found->data == (void *)(long)copy_number());
  hdestroy();
  const struct in_addr address = {htonl((10u << 24) + (unsigned)copy_number())};
  char expected_output[100];
  snprintf(expected_output, sizeof expected_output, "10.0.0.%d", copy_number());
  const char *output = inet_ntoa(address);
  copy_yield();
  CHECK(strcmp(output, expected_output) == 0);
  snprintf(expected_output, sizeof expected_output, "Unknown error %d", 5000 + copy_number());
  output = strerror(5000 + copy_number());
  copy_yield();
  CHECK(strcmp(output, expected_output) == 0);
  const struct passwd *user = getpwuid(copy_number() % 2 == 0 ? 0 : 1);
  copy_yield();
  CHECK(user != NULL && user->pw_uid == (copy_number() % 2 == 0 ? 0u : 1u));
  const struct group *users = getgrgid(copy_number() % 2 == 0 ? 0 : 1);
  copy_yield();
  CHECK(users != NULL && users->gr_gid == (copy_number() % 2 == 0 ? 0u : 1u));
  CHECK(getpwnam("no such user") == NULL && getgrnam("no such group") == NULL);
}

static void locales(void) {
  CHECK(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
  CHECK(setlocale(LC_ALL, "no such locale") == NULL);
  if (copy_number() % 2 == 1) {
    CHECK(strcmp(setlocale(LC_CTYPE, "C.UTF-8"), "C.UTF-8") == 0);
  }
  for (int i = 0; i < 3; ++i) {
    copy_yield();
    CHECK(MB_CUR_MAX == (copy_number() % 2 == 1 ? 6 : 1));
    CHECK(strcmp(setlocale(LC_CTYPE, NULL), copy_number() % 2 == 1 ? "C.UTF-8" : "C") == 0);
    CHECK((strstr(setlocale(LC_ALL, NULL), "LC_CTYPE=C.UTF-8;LC_NUMERIC=C") != NULL) == (copy_number() % 2 == 1));
  }
}

static void signals(void) {
  CHECK(signal(SIGUSR1, on_own) == SIG_DFL);
  struct sigaction action = {.sa_sigaction = on_all, .sa_flags = SA_SIGINFO}, before;
  CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
  copy_yield();
  raise(SIGUSR1);
  CHECK(own_signals == 1);
  copy_yield();
  CHECK(own_signals == 1);
  CHECK(sigaction(SIGUSR2, NULL, &before) == 0 && before.sa_sigaction == on_all);
  while (all_signals == 0) { /* one that another copy has sent will do; it may come to another thread */
    kill(getpid(), SIGUSR2);
    copy_yield();
  }
  CHECK(signal(SIGUSR1, SIG_IGN) == on_own);
  raise(SIGUSR1);
  CHECK(own_signals == 1);
}

static volatile sig_atomic_t alarms;
static void on_alarm(int number) { alarms += number == SIGALRM; }

/* A child is a process of its own, with no other copy in it. */
static void children(void) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGALRM, on_alarm);
    sched_yield();
    ualarm(1000, 1000); /* again and again: one may come before the pause */
    while (alarms == 0) usleep(100);
    const int result = pause();
    _exit(result == -1 && errno == EINTR ? 7 : 8);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  CHECK(alarms == 0);
}

static void environment(void) {
  char name[32];
  for (int i = 0; i < 4; ++i) {
    snprintf(name, sizeof name, "IMAGE_TEST_%d_%d", copy_number(), i);
    setenv(name, "set", 1);
    copy_yield();
  }
  int here = 0;
  for (char **e = environ; *e != NULL; ++e) here += strcmp(*e, "TZ=XYZ-1") == 0;
  CHECK(here == 1);
}

void function(void) {}

static void loader(void) {
  CHECK(dlsym(RTLD_DEFAULT, "exported") == &exported);
  Dl_info info;
  CHECK(dladdr(&exported, &info) != 0 && info.dli_saddr == &exported && strcmp(info.dli_sname, "exported") == 0);
  CHECK(dlsym(RTLD_NEXT, "strlen") != NULL && dlsym(RTLD_NEXT, "exported") == NULL);
  void *place = (void *)&function;
  char **symbols = backtrace_symbols(&place, 1);
  CHECK(symbols != NULL && strstr(symbols[0], "function") != NULL);
  free(symbols);
}

int main(int argc, char **argv) {
  putenv("TZ=XYZ-1");
  options(argc, argv);
  random_numbers();
  texts();
  databases();
  locales();
  signals();
  children();
  environment();
  loader();
  printf("copy %d ", copy_number());
  copy_yield();
  fflush(stdout);
  copy_yield();
  puts("is done");
  putchar('x');
  fputs("y", stdout);
  write(fileno(stdout), "direct ", 7);
  write(1, "line\n", 5);
  return 0;
}
