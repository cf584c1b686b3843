// SPDX-License-Identifier: Apache-2.0
// A rank has what keeps it in its process; MPIX_Migrate says so. usage: stays WHAT [BARRIERS]
#include <mpi.h>

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static void* nothing(void* argument) { return argument; }

static int migrate_in_callback(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  return MPIX_Migrate(1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) {
    const char* const what = argc > 1 ? argv[1] : "";
    int place = 0, code = MPI_SUCCESS;
    MPI_Win window;
    MPI_Request request;
    if (strcmp(what, "stream") == 0) (void)fopen(argv[0], "r");
    if (strcmp(what, "descriptor") == 0) (void)open(argv[0], O_RDONLY);
    if (strcmp(what, "closed") == 0) {
      fclose(fopen(argv[0], "r"));
      close(open(argv[0], O_RDONLY));
      munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
    }
    if (strcmp(what, "socket") == 0) (void)socket(AF_UNIX, SOCK_STREAM, 0);
    if (strcmp(what, "memory") == 0) (void)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (strcmp(what, "signal") == 0) signal(SIGUSR2, SIG_IGN);
    if (strcmp(what, "locale") == 0) setlocale(LC_ALL, "C.UTF-8");
    if (strcmp(what, "output") == 0) (void)freopen("output.txt", "w", stdout);
    if (strcmp(what, "thread") == 0) {
      pthread_t thread;
      pthread_create(&thread, NULL, &nothing, NULL);
      pthread_join(thread, NULL);
    }
    if (strcmp(what, "window") == 0) MPI_Win_create(&place, sizeof place, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
    if (strcmp(what, "request") == 0) MPI_Irecv(&place, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
    if (strcmp(what, "persistent") == 0) MPI_Recv_init(&place, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
    if (strcmp(what, "callback") == 0) {
      int key = 0;
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &migrate_in_callback, &key, NULL);
      MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
      code = MPI_Comm_delete_attr(MPI_COMM_SELF, key) == MPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_OTHER;
    } else {
      code = MPIX_Migrate(strcmp(what, "none") == 0 ? 99 : 1);
    }
    char text[MPI_MAX_ERROR_STRING];
    int length = 0, pe = 0, first = 0, count = 0;
    MPI_Error_string(code, text, &length);
    MPIX_Get_pe(&pe, &first, &count);
    fprintf(stderr, "on PE %d: %s\n", pe, code == MPI_SUCCESS ? "success" : text);
    if (strcmp(what, "request") == 0) {
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
    if (strcmp(what, "persistent") == 0) MPI_Request_free(&request);
    if (strcmp(what, "window") == 0) MPI_Win_free(&window);
  }
  for (int i = 0; argc > 2 && i < atoi(argv[2]); ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
