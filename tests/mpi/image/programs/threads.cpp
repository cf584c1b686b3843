// SPDX-License-Identifier: Apache-2.0
// Functions of the C library use a copy's state on each thread that the copy starts, while other copies run.
#include <dlfcn.h>
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <future>
#include <string>
#include <thread>

#include "driver.h"

namespace {

std::atomic<int> failures = 0;
void check(bool holds, int line) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "copy %d, line %d\n", copy_number(), line);
}
#define CHECK(condition) check((condition), __LINE__)

int own = -1;  // the copy's number
int* const own_address = &own;
thread_local int* of_thread = &own;
std::atomic<int> destroyed = 0, handled = 0;
struct counts_destruction {
  int value = 1;
  ~counts_destruction() { destroyed += value; }
};
thread_local counts_destruction counted;

void on_signal(int) { handled += 1; }
void say_end() { std::printf("atexit of copy %d\n", own); }

void use_library() {
  CHECK(of_thread == own_address && *of_thread == own);
  CHECK(counted.value == 1);
  std::srand(static_cast<unsigned>(own) + 7);
  const int first = std::rand();
  std::srand(static_cast<unsigned>(own) + 7);
  CHECK(std::rand() == first);
  char text[] = "a,b";
  CHECK(std::strcmp(std::strtok(text, ","), "a") == 0 && std::strcmp(std::strtok(nullptr, ","), "b") == 0);
  const std::time_t day = 86400 * (1 + own);
  CHECK(std::gmtime(&day)->tm_mday == 2 + own && std::localtime(&day) != nullptr &&
        std::ctime(&day) != nullptr);
  CHECK(std::setlocale(LC_CTYPE, own % 2 == 1 ? "C.UTF-8" : "C") != nullptr);
  CHECK(MB_CUR_MAX == (own % 2 == 1 ? 6U : 1U));
  const volatile double x = own % 2 == 1 ? -0.5 : 0.5, logarithm = lgamma(x);
  CHECK(logarithm > 0 && signgam == (own % 2 == 1 ? -1 : 1));
  CHECK(std::signal(SIGUSR1, &on_signal) != SIG_ERR);
  handled = 0;
  std::raise(SIGUSR1);
  CHECK(handled == 1);
  char program[] = "program", flag[] = "-a";
  char* words[] = {program, flag, nullptr};
  optind = 0;
  CHECK(getopt(2, words, "a") == 'a');
  Dl_info info;
  CHECK(dladdr(reinterpret_cast<void*>(&say_end), &info) != 0 && info.dli_fbase != nullptr);
  CHECK(dlsym(RTLD_DEFAULT, "strlen") != nullptr);
  CHECK(std::atexit(&say_end) == 0);
  CHECK(setenv("IMAGE_TEST_OF_THREAD", "set", 1) == 0);
  std::puts(("puts of copy " + std::to_string(own)).c_str());
  std::printf("printf of copy %d\n", own);
  const std::string line = "write of copy " + std::to_string(own) + "\n";
  CHECK(::write(1, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
}

void* begin(void*) {
  use_library();
  return nullptr;
}

pthread_key_t key;
void end_value(void*) { std::puts("the value of a key ends with a thread of the runtime"); }

}  // namespace

int main(int argc, char** argv) {
  own = copy_number();
  CHECK(pthread_key_create(&key, &end_value) == 0 && pthread_setspecific(key, &own) == 0);
  pthread_t by_c;
  if (pthread_create(&by_c, nullptr, &begin, nullptr) != 0) return 2;
  copy_yield();
  pthread_join(by_c, nullptr);
  thrd_t by_c11;
  if (thrd_create(&by_c11, [](void*) { return use_library(), own + 3; }, nullptr) != thrd_success) return 2;
  copy_yield();
  int result = 0;
  CHECK(thrd_join(by_c11, &result) == thrd_success && result == own + 3);
  std::thread by_cpp(&use_library);
  copy_yield();
  by_cpp.join();
  std::future<void> done = std::async(std::launch::async, &use_library);
  copy_yield();
  done.get();
  CHECK(destroyed == 4 && pthread_getspecific(key) == &own);
  if (argc > 1 && own == 1) std::thread([argv] { std::exit(std::atoi(argv[1])); }).join();
  std::thread([] {
    for (;;) ::pause();  // outlives the copy
  }).detach();
  return failures == 0 ? 0 : 1;
}
