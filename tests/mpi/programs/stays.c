// SPDX-License-Identifier: Apache-2.0
// Rank 0 has what keeps it in its process; MPIX_Migrate and MPIX_Checkpoint say so. usage: stays WHAT [BARRIERS]
#define _GNU_SOURCE
#include <mpi.h>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* what;
static int is(const char* word) { return strcmp(what, word) == 0; }

static void* nothing(void* argument) { return argument; }

static int of_callback = MPI_SUCCESS;
static int migrate_in_callback(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  of_callback = MPIX_Migrate(1);
  return MPI_SUCCESS;
}

static pid_t child = 0;

static void hold_of_system(const char* program) {
  static char path[] = "stays_XXXXXX";
  char* const sleeps[] = {"sleep", "1000", NULL};
  const struct itimerval hour = {{0, 0}, {3600, 0}};
  sigset_t none;
  int ends[2];
  sigemptyset(&none);
  if (is("stream")) (void)fopen(program, "r");
  if (is("temporary stream")) (void)tmpfile();
  if (is("descriptor")) (void)open(program, O_RDONLY);
  if (is("closed")) {
    fclose(fopen(program, "r"));
    close(open(program, O_RDONLY));
    close(dup(STDERR_FILENO));
    closedir(opendir("."));
    munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
    if ((child = fork()) == 0) _exit(0);
    waitpid(child, NULL, 0);
    child = 0;
  }
  if (is("socket")) (void)socket(AF_UNIX, SOCK_STREAM, 0);
  if (is("pipe") && pipe(ends) != 0) abort();
  if (is("event")) (void)eventfd(0, 0);
  if (is("epoll")) (void)epoll_create1(0);
  if (is("clock")) (void)timerfd_create(CLOCK_MONOTONIC, 0);
  if (is("signals")) (void)signalfd(-1, &none, 0);
  if (is("inotify")) (void)inotify_init();
  if (is("memfd")) (void)memfd_create("memory", 0);
  if (is("temporary")) (void)mkstemp(path);
  if (is("folder")) (void)opendir(".");
  if (is("duplicate") && dup(STDERR_FILENO) < 0) abort();
  if (is("duplicate of fcntl")) (void)fcntl(STDERR_FILENO, F_DUPFD, 50);
  if (is("memory")) (void)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (is("timer")) setitimer(ITIMER_REAL, &hour, NULL);
  if (is("locale")) setlocale(LC_ALL, "C.UTF-8");
  if (is("table")) hcreate(10);
  if (is("output") && freopen("output.txt", "w", stdout) == NULL) abort();
  if (is("library")) (void)dlopen("libm.so.6", RTLD_NOW);
  if (is("child") && (child = fork()) == 0) execvp(sleeps[0], sleeps);
  if (is("spawned")) posix_spawnp(&child, sleeps[0], NULL, NULL, sleeps, environ);
  if (is("thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, &nothing, NULL);
    pthread_join(thread, NULL);
  }
}

static int place = 0;
static MPI_Win window;
static MPI_File file;
static MPI_Request request = MPI_REQUEST_NULL;

static void hold_of_mpi(void) {
  MPI_Message message;
  if (is("window")) MPI_Win_create(&place, sizeof place, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
  if (is("file"))
    MPI_File_open(MPI_COMM_SELF, "stays_file", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
  if (is("request")) MPI_Irecv(&place, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
  if (is("persistent")) MPI_Recv_init(&place, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
  if (is("probed")) {
    MPI_Send(&place, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    MPI_Mprobe(0, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  }
}

static void release(void) {
  if (is("request")) MPI_Cancel(&request);
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  if (is("window")) MPI_Win_free(&window);
  if (is("file")) MPI_File_close(&file);
  if (child > 0) kill(child, SIGKILL);
}

static int hop(void) {
  int key = 0;
  if (!is("callback")) return MPIX_Migrate(is("none") ? 99 : 1);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &migrate_in_callback, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  return of_callback;
}

static void tell(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0, pe = 0, first = 0, count = 0;
  MPI_Error_string(code, text, &length);
  MPIX_Get_pe(&pe, &first, &count);
  fprintf(stderr, "on PE %d: %s\n", pe, code == MPI_SUCCESS ? "success" : text);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  what = argc > 1 ? argv[1] : "";
  if (rank == 0) {
    hold_of_system(argv[0]);
    hold_of_mpi();
    tell(hop());
  }
  if (argc == 2) {
    const int code = MPIX_Checkpoint("saved");
    if (rank == 0) tell(code);
  }
  if (rank == 0) release();
  for (int i = 0; argc > 2 && i < atoi(argv[2]); ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
