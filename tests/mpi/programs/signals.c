/* SPDX-License-Identifier: Apache-2.0 */
/* Timers and masks of signals are the rank's that has set them. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks, wrong = 0;
static volatile sig_atomic_t alarms, users, timers, from_timer;
static sigjmp_buf place;

static void check(int holds, int line) {
  if (holds) return;
  ++wrong;
  fprintf(stderr, "rank %d, line %d\n", rank, line);
}
#define CHECK(condition) check((condition), __LINE__)

static void on_alarm(int number) { alarms += number == SIGALRM; }
static void on_user(int number) { users += number == SIGUSR1; }
static void on_timer(int number, siginfo_t *info, void *context) {
  (void)context;
  timers += number == SIGUSR2;
  from_timer = info->si_value.sival_int;
}
static void leave(int number) { siglongjmp(place, number); }

static void set(int which, long first, long interval) {
  const struct itimerval time = {{0, interval}, {0, first}};
  CHECK(setitimer(which, &time, NULL) == 0);
}

/* Each rank's timer, some of which are off. */
static void intervals(void) {
  signal(SIGALRM, on_alarm);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank % 2 == 0) set(ITIMER_REAL, 1000, 1000);
  if (rank % 2 == 0)
    while (alarms < 3) { /* computes */
    }
  if (rank % 2 == 0)
    while (alarms < 6) MPI_Barrier(MPI_COMM_SELF);
  if (rank % 2 == 0)
    while (alarms < 9) usleep(100);
  set(ITIMER_REAL, 0, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(rank % 2 == 0 || alarms == 0);

  alarms = 0;
  if (rank == 0) {
    CHECK(alarm(1) == 0);
    unsigned left = 0;
    while (alarms == 0) left = sleep(100); /* the machine's time may be faster than the alarm's */
    CHECK(left > 0 && alarms == 1);
    ualarm(1000, 1000); /* again and again: one may come before the pause */
    CHECK(pause() == -1 && errno == EINTR && alarms >= 2);
    alarm(0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(rank == 0 || alarms == 0);

  struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR2, &action, NULL);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR2;
  event.sigev_value.sival_int = 100 + rank;
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec time = {{0, 0}, {0, 1000000}};
  CHECK(timer_settime(timer, 0, &time, NULL) == 0);
  while (timers == 0) usleep(100);
  CHECK(timers == 1 && from_timer == 100 + rank && timer_delete(timer) == 0);
}

static void masks(void) {
  signal(SIGUSR1, on_user);
  sigset_t user, now;
  sigemptyset(&user);
  sigaddset(&user, SIGUSR1);
  if (rank % 2 == 0) CHECK(sigprocmask(SIG_BLOCK, &user, NULL) == 0);
  for (int k = 0; k < 3; ++k) {
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(sigprocmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, SIGUSR1) == (rank % 2 == 0));
  }
  raise(SIGUSR1);
  CHECK(users == rank % 2);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(users == rank % 2);
  kill(getpid(), SIGUSR1);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(users == (rank % 2 == 0 ? 0 : 2));
  CHECK(sigpending(&now) == 0 && sigismember(&now, SIGUSR1) == (rank % 2 == 0));
  if (rank % 2 == 0) {
    int number = 0;
    CHECK(sigwait(&user, &number) == 0 && number == SIGUSR1 && users == 0);
    raise(SIGUSR1);
    MPI_Barrier(MPI_COMM_SELF);
    sigset_t none;
    sigemptyset(&none);
    CHECK(sigsuspend(&none) == -1 && errno == EINTR && users == 1);
    raise(SIGUSR1);
    CHECK(users == 1 && pthread_sigmask(SIG_UNBLOCK, &user, NULL) == 0 && users == 2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(users == 2);
}

static void jumps(void) {
  for (int k = 0; k < 3; ++k) {
    signal(SIGUSR1, leave);
    volatile int left = 0;
    if (sigsetjmp(place, 1) == 0) {
      raise(SIGUSR1);
      CHECK(0);
    } else {
      left = 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(left);
    signal(SIGFPE, leave);
    left = 0;
    if (sigsetjmp(place, 1) == 0) {
      raise(SIGFPE);
      CHECK(0);
    } else {
      left = 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(left);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  intervals();
  masks();
  jumps();
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("wrong: %d\n", all);
  MPI_Finalize();
  return 0;
}
