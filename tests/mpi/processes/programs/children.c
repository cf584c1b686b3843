/* SPDX-License-Identifier: Apache-2.0 */
/* Each rank makes children in all ways; their ends are theirs alone. Says which of them were not right. */
#define _GNU_SOURCE
#include <mpi.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int report_pipe[2]; /* a pipe */
static int rank, failures;

static void send_report(void) {
  if (write(report_pipe[1], "x", 1) != 1) abort();
}

static int has_report(void) {
  char byte = 0;
  return read(report_pipe[0], &byte, 1) == 1 && byte == 'x';
}

static void expect(int right, const char* what) {
  if (right) return;
  printf("rank %d: %s is wrong\n", rank, what);
  ++failures;
}

static int status_of(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}

static int has_status(pid_t child, int expected) {
  const int status = status_of(child);
  return WIFEXITED(status) && WEXITSTATUS(status) == expected;
}

static int has_signal(pid_t child, int expected) {
  const int status = status_of(child);
  return WIFSIGNALED(status) && WTERMSIG(status) == expected;
}

static void ends(void) {
  pid_t child = fork();
  if (child == 0) _exit(7 + rank);
  expect(has_status(child, 7 + rank), "_exit");
  if ((child = fork()) == 0) {
    atexit(&send_report);
    exit(17 + rank);
  }
  expect(has_status(child, 17 + rank) && has_report(), "exit");
  if ((child = fork()) == 0) {
    at_quick_exit(&send_report);
    quick_exit(27 + rank);
  }
  expect(has_status(child, 27 + rank) && has_report(), "quick_exit");
  if ((child = fork()) == 0) abort();
  expect(has_signal(child, SIGABRT), "abort");
  if ((child = fork()) == 0) *(volatile int*)8 = 1;
  expect(has_signal(child, SIGSEGV), "a crash");
  if ((child = vfork()) == 0) _exit(37);
  expect(has_status(child, 37), "vfork");
}

static void other_programs(void) {
  pid_t child = fork();
  if (child == 0) {
    execl("/no/such/program", "program", NULL);
    _exit(127);
  }
  expect(has_status(child, 127), "execl of nothing");
  if ((child = fork()) == 0) {
    for (int descriptor = 3; descriptor < 1000; ++descriptor) close(descriptor);
    execl("/bin/sh", "sh", "-c", "exit 5", NULL);
    _exit(127);
  }
  expect(has_status(child, 5), "execl");
  char* words[] = {"sh", "-c", "exit 6", NULL};
  expect(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0 && has_status(child, 6), "posix_spawn");
  const int status = system("exit 3");
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 3, "system");
  char line[64] = "";
  FILE* output = popen("echo some words", "r");
  expect(output != NULL && fgets(line, sizeof line, output) != NULL && strcmp(line, "some words\n") == 0 &&
             pclose(output) == 0,
         "popen");
  if ((child = fork()) == 0) {
    dup2(report_pipe[1], STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", "printf x", NULL);
    _exit(127);
  }
  expect(has_status(child, 0) && has_report(), "dup2 before execl");
}

static void handle(int number) {
  (void)number;
  send_report();
}

/* A child sleeps by itself, and what is sent to it is not for other ranks. */
static void sleeps_and_signals(void) {
  signal(SIGUSR1, &handle);
  MPI_Barrier(MPI_COMM_WORLD); /* all handle it */
  const pid_t child = fork();
  if (child == 0) {
    usleep(1000);
    sleep(0);
    kill(getpid(), SIGUSR1);
    _exit(9);
  }
  expect(has_status(child, 9) && has_report(), "a child's sleep and signal");
  MPI_Barrier(MPI_COMM_WORLD);
  fcntl(report_pipe[0], F_SETFL, O_NONBLOCK);
  char byte = 0;
  expect(read(report_pipe[0], &byte, 1) == -1, "a signal to another rank's child");
  fcntl(report_pipe[0], F_SETFL, 0);
}

static void daemons(void) {
  const pid_t child = fork();
  if (child == 0) {
    if (daemon(1, 1) != 0) _exit(1);
    send_report();
    _exit(0);
  }
  expect(has_status(child, 0) && has_report(), "daemon");
}

/* Whether a file, which is removed, holds a text. */
static int holds(const char* name, const char* expected) {
  char text[64] = "";
  FILE* file = fopen(name, "r");
  if (file == NULL) return 0;
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  remove(name);
  return size == strlen(expected) && strcmp(text, expected) == 0;
}

/* A child's end writes what it has buffered, and nothing of its parent's. */
static void files(void) {
  char of_parent[64], of_child[64];
  snprintf(of_parent, sizeof of_parent, "parent.%d", rank);
  snprintf(of_child, sizeof of_child, "child.%d", rank);
  FILE* file = fopen(of_parent, "w");
  fputs("once", file);
  const pid_t child = fork();
  if (child == 0) {
    fputs("words", fopen(of_child, "w"));
    exit(0);
  }
  expect(has_status(child, 0) && holds(of_child, "words"), "a child's file");
  fclose(file);
  expect(holds(of_parent, "once"), "the parent's file");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (pipe(report_pipe) != 0) return 1;
  if (argc > 1 && strcmp(argv[1], "calls MPI") == 0) {
    pid_t child = fork();
    if (child == 0) MPI_Barrier(MPI_COMM_WORLD);
    expect(has_status(child, 1), "MPI in a child");
    if ((child = fork()) == 0) {
      int is_finalized = 0;
      MPI_Finalized(&is_finalized);
      _exit(is_finalized);
    }
    expect(has_status(child, 1), "MPI_Finalized in a child");
  } else {
    ends();
    other_programs();
    sleeps_and_signals();
    daemons();
    files();
    const pid_t child = fork();
    if (child == 0) return 47;
    expect(has_status(child, 47), "the end of main");
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) puts("right");
  MPI_Finalize();
  return 0;
}
