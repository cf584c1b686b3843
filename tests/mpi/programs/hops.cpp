// SPDX-License-Identifier: Apache-2.0
// Each rank goes from PE to PE many times, with all that a program can have on its stack and in its heap, and
// with objects of MPI. usage: hops PES HOPS [BYTES]
#include <mpi.h>
#include <pthread.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

static int pes, rank, ranks;
static long faults = 0, hops = 0;
static thread_local long own_hops = 0;
static std::string name_of_program = "hops";

static volatile std::sig_atomic_t signals = 0;
static void count_signal(int) { signals = signals + 1; }

static void expect(bool holds, const char* what) {
  if (holds) return;
  ++faults;
  std::fprintf(stderr, "rank %d, hop %ld: %s\n", rank, hops, what);
}

static void hop() {
  ++hops;
  ++own_hops;
  const int to = static_cast<int>((rank * 7 + hops * 5 + hops / 3) % pes);
  if (MPIX_Migrate(to) != MPI_SUCCESS) expect(false, "MPIX_Migrate");
  int pe = -1, first = 0, count = 0;
  MPIX_Get_pe(&pe, &first, &count);
  expect(pe == to, "another PE");
}

struct shape {
  virtual ~shape() = default;
  virtual double area() const = 0;
};
struct square final : shape {
  explicit square(double of) : side(of) {}
  double area() const override { return side * side; }
  double side;
};

[[gnu::noinline]] static double deep(int n, const std::function<double(int)>& at_end) {
  double kept[16];
  for (int i = 0; i < 16; ++i) kept[i] = n + i;
  double result = 0;
  if (n == 0) {
    hop();
    result = at_end(1);
  } else {
    result = deep(n - 1, at_end);
  }
  for (int i = 0; i < 16; ++i) expect(kept[i] == n + i, "a variable on the stack");
  return result + kept[3];
}

/// Keys that are made in one process and deleted in another one; each has the value of its rank.
static void hop_with_keys() {
  static std::vector<pthread_key_t> keys;
  pthread_key_t next;
  expect(pthread_key_create(&next, nullptr) == 0, "a key");
  for (const pthread_key_t each : keys) expect(each != next, "a new key");
  keys.push_back(next);
  pthread_setspecific(next, &keys);
  hop();
  for (const pthread_key_t each : keys) expect(pthread_getspecific(each) == &keys, "the value of a key");
  if (keys.size() < 10) return;
  for (const pthread_key_t each : keys) expect(pthread_key_delete(each) == 0, "the end of a key");
  keys.clear();
}

static void block(int how) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  sigprocmask(how, &one, nullptr);
}

/// One signal is handled at once, and another one waits during a hop.
static void hop_with_signals() {
  const int before = signals;
  block(SIG_BLOCK);
  std::raise(SIGUSR1);
  std::raise(SIGUSR2);
  expect(signals == before + 1, "a signal before a hop");
  hop();
  expect(signals == before + 1, "a blocked signal");
  block(SIG_UNBLOCK);
  expect(signals == before + 2, "a signal that waited during a hop");
}

static void hop_in_catch(int i) {
  const std::string text = "thrown before hop " + std::to_string(i) + ", with a text that lies in the heap";
  try {
    throw std::runtime_error(text);
  } catch (const std::exception& e) {
    hop();
    expect(text == e.what(), "the text of a caught exception");
    try {
      throw;
    } catch (const std::runtime_error& again) {
      expect(text == again.what(), "an exception that is thrown again");
    }
  }
}

/// Objects of MPI that live over all hops.
struct objects {
  MPI_Comm copy = MPI_COMM_NULL, half = MPI_COMM_NULL, grid = MPI_COMM_NULL;
  MPI_Datatype column = MPI_DATATYPE_NULL, nested = MPI_DATATYPE_NULL;
  MPI_Op largest = MPI_OP_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  int key = MPI_KEYVAL_INVALID;
  static int errors;
  int value = 4711;

  static void keep_largest(void* in, void* into, int* count, MPI_Datatype*) {
    for (int i = 0; i < *count; ++i)
      static_cast<int*>(into)[i] = std::max(static_cast<int*>(in)[i], static_cast<int*>(into)[i]);
  }
  static void note_error(MPI_Comm*, int*, ...) { ++errors; }

  void make() {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_set_name(half, "half of all");
    int lengths[2] = {0, 0};
    const int periodic[2] = {1, 0};
    MPI_Dims_create(ranks, 2, lengths);
    MPI_Cart_create(MPI_COMM_WORLD, 2, lengths, periodic, 0, &grid);
    MPI_Type_vector(4, 1, 3, MPI_INT, &column);
    MPI_Type_commit(&column);
    const int blocks[2] = {2, 1};
    const MPI_Aint places[2] = {0, 100};
    const MPI_Datatype types[2] = {column, MPI_DOUBLE};
    MPI_Type_create_struct(2, blocks, places, types, &nested);
    MPI_Type_commit(&nested);
    MPI_Type_set_name(column, "column");
    MPI_Op_create(&keep_largest, 1, &largest);
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    MPI_Comm_group(half, &group);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(copy, key, &value);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(reinterpret_cast<MPI_Comm_errhandler_function*>(&note_error), &handler);
    MPI_Comm_set_errhandler(copy, handler);
    MPI_Errhandler_free(&handler);
  }

  void check(int step) const {
    int most = rank * 10 + step;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, largest, copy);
    expect(most == (ranks - 1) * 10 + step, "a reduction by an own operation");
    int sum = 1, members = 0, own = -1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_size(half, &members);
    MPI_Comm_rank(half, &own);
    expect(sum == members, "a reduction of half of all");
    int known = -2;
    MPI_Group_rank(group, &known);
    expect(known == own, "a group");
    int lower = 0, upper = 0;
    MPI_Cart_shift(grid, 0, 1, &lower, &upper);
    int got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, upper, 3, &got, 1, MPI_INT, lower, 3, grid, MPI_STATUS_IGNORE);
    expect(got == lower, "a neighbour of a grid");
    int matrix[12], column_of_other[4] = {0, 0, 0, 0};
    for (int i = 0; i < 12; ++i) matrix[i] = 100 * rank + i;
    MPI_Sendrecv(matrix + 1, 1, column, (rank + 1) % ranks, 1, column_of_other, 4, MPI_INT,
                 (rank + ranks - 1) % ranks, 1, copy, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; ++i)
      expect(column_of_other[i] == 100 * ((rank + ranks - 1) % ranks) + 1 + 3 * i, "a column");
    int size = 0;
    MPI_Aint lowest = 0, extent = 0;
    MPI_Type_size(nested, &size);
    MPI_Type_get_extent(nested, &lowest, &extent);
    expect(size == 40 && lowest == 0 && extent == 108 + 4, "a structure");
    char text[MPI_MAX_OBJECT_NAME];
    int length = 0, is_there = 0;
    MPI_Type_get_name(column, text, &length);
    expect(std::string(text) == "column", "the name of a type");
    MPI_Comm_get_name(half, text, &length);
    expect(std::string(text) == "half of all", "the name of a communicator");
    MPI_Info_get(info, "key", sizeof text - 1, text, &is_there);
    expect(is_there == 1 && std::string(text) == "value", "an info");
    void* found = nullptr;
    MPI_Comm_get_attr(copy, key, &found, &is_there);
    expect(is_there == 1 && found == &value, "an attribute");
    const int before = errors;
    MPI_Send(&sum, 1, MPI_INT, ranks + 5, 0, copy);
    expect(errors == before + 1, "an error handler");
  }
};
int objects::errors = 0;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  pes = std::atoi(argv[1]);
  const int steps = std::atoi(argv[2]);
  const std::size_t numbers = argc > 3 ? std::strtoul(argv[3], nullptr, 10) / sizeof(double) : 1000;

  std::vector<double> big(numbers);
  for (std::size_t i = 0; i < numbers; ++i) big[i] = static_cast<double>(i) * 0.5 + rank;
  std::map<std::string, std::vector<int>> table;
  std::ostringstream text;
  std::vector<std::unique_ptr<shape>> shapes;
  const auto shared = std::make_shared<std::string>("shared by pointers, in the heap");
  const std::weak_ptr<std::string> seen = shared;
  std::FILE* const output = stdout;
  std::srand(static_cast<unsigned>(rank) + 1);
  long random_sum = 0;
  char words[] = "one two three four five six seven eight nine ten";
  char* word = std::strtok(words, " ");
  std::cout << std::hex;
  objects of_mpi;
  of_mpi.make();

  std::signal(SIGUSR1, &count_signal);
  std::signal(SIGUSR2, &count_signal);
  double began = 0;
  for (int i = 0; i < steps; ++i) {
    if (i == steps / 2) began = MPI_Wtime();
    table["step " + std::to_string(i)].push_back(i);
    if (table.size() > 50) table.erase(table.begin());
    text << i << ' ';
    shapes.push_back(std::make_unique<square>(i));
    if (shapes.size() > 100) shapes.clear();
    random_sum += std::rand() % 1000;
    const int to = (rank + 1) % ranks;
    int sent = i * 3 + rank;
    if (i % 5 == 0) MPI_Send(&sent, 1, MPI_INT, to, 77, MPI_COMM_WORLD);  // received after the next hop
    switch (i % 6) {
      case 0: hop(); break;
      case 1: expect(deep(20, [&](int) { return double(table.size()); }) > 1, "a result"); break;
      case 2: hop_in_catch(i); break;
      case 3: hop_with_keys(); break;
      case 4: hop_with_signals(); break;
      default:
        hop();
        try {
          throw std::logic_error("after a hop");
        } catch (const std::logic_error&) {
        }
    }
    if (i % 5 == 0) {
      int got = -1;
      MPI_Recv(&got, 1, MPI_INT, (rank + ranks - 1) % ranks, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect(got == i * 3 + (rank + ranks - 1) % ranks, "a message from before a hop");
    }
    for (const auto& each : shapes) expect(each->area() >= 0, "a virtual function");
    expect(seen.lock() == shared && shared->size() == 31, "a shared pointer");
    expect(own_hops == hops, "a thread_local variable");
    if (i % 25 == 0) of_mpi.check(i);
    if (word != nullptr && i % 10 == 0) word = std::strtok(nullptr, " ");
  }
  const double took = MPI_Wtime() - began;

  for (std::size_t i = 0; i < numbers; ++i) expect(big[i] == static_cast<double>(i) * 0.5 + rank, "the heap");
  std::istringstream read(text.str());
  for (int i = 0, value = -1; read >> value; ++i) expect(value == i, "a stream");
  std::srand(static_cast<unsigned>(rank) + 1);
  for (int i = 0; i < steps; ++i) random_sum -= std::rand() % 1000;
  expect(random_sum == 0, "random numbers");
  expect(name_of_program == "hops" && std::string(argv[0]).find("hops") != std::string::npos, "a word");
  if (rank == 0) {
    std::fprintf(output, "part of a line, ");
    hop();
    std::fprintf(output, "and its end\n");
    std::cout << 255 << std::endl;
    if (std::getenv("SHOW_TIMES") != nullptr)
      std::fprintf(stderr, "%.1f us a hop\n", took / (steps - steps / 2) * 1e6);
  }
  long all = 0;
  MPI_Allreduce(&faults, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%ld faults in %d hops of %d ranks\n", all, steps, ranks);
  MPI_Finalize();
  return all != 0;
}
