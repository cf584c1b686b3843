// SPDX-License-Identifier: Apache-2.0
// Runs the program linked with this library as IMAGE_COPIES copies on IMAGE_THREADS threads. A copy that
// yields continues on the next free thread. The exit status is the worst of all copies'. IMAGE_LIBRARIES
// names libraries of which each copy has its own; IMAGE_ORIGINAL runs the program itself.
#include "driver.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/image/program_copy.hpp>
#include <imbrex/mpi/image/program_image.hpp>
#include <imbrex/mpi/image/start.hpp>

namespace {

using imbrex::mpi::copy_host;
using imbrex::mpi::program_copy;
using imbrex::mpi::program_image;
using imbrex::mpi::program_start;

constexpr std::size_t stack_bytes = 1 << 20;

struct fiber final : copy_host {
  void end(int with) override;
  void end_on_thread(int with) override;
  bool sleep_for(std::chrono::nanoseconds time) override;

  std::unique_ptr<program_copy> copy;
  ucontext_t inside{};
  ucontext_t* outside = nullptr;  // context of the thread that runs the copy
  std::array<void*, 2> caught{};  // the C++ runtime's exception state while the copy does not run
  int number = 0;
  int status = 0;
  bool ended = false;
  bool must_take_signals = false;
};

std::vector<fiber> fibers;
const program_start* program = nullptr;
std::mutex mutex;
std::condition_variable change;
std::deque<fiber*> ready;
std::size_t num_ended = 0;
thread_local fiber* here = nullptr;
thread_local int this_thread = 0;

// Reads the thread_local variable in a function that is not inlined: its address must not be kept over a
// switch of threads.
[[gnu::noinline]] fiber*& current() {
  asm volatile("");
  return here;
}

int number_in(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

void fiber::end(int with) {
  status = with;
  ended = true;
  ::setcontext(outside);
  std::abort();
}

void fiber::end_on_thread(int with) {
  std::fprintf(stderr, "copy %d has ended on a thread with the status %d\n", number, with);
  std::_Exit(with);
}

bool fiber::sleep_for(std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    copy_yield();
  } while (std::chrono::steady_clock::now() < end);
  return true;
}

void run_fiber() {
  fiber& f = *current();
  int status = 0;
  try {
    status = f.copy->call_main(program->argc, program->argv, program->environment);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "main of copy %d threw: %s\n", f.number, e.what());
    status = 99;
  }
  f.end(status);
}

void exchange_exceptions(fiber& f) {
  std::swap(*reinterpret_cast<std::array<void*, 2>*>(abi::__cxa_get_globals()), f.caught);
}

void run_thread(int number) {
  this_thread = number;
  ucontext_t outside;
  for (;;) {
    fiber* f = nullptr;
    {
      std::unique_lock hold(mutex);
      change.wait(hold, [] { return !ready.empty() || num_ended == fibers.size(); });
      if (ready.empty()) return;
      f = ready.front();
      ready.pop_front();
    }
    here = f;
    f->outside = &outside;
    f->must_take_signals = f->copy->enter();
    exchange_exceptions(*f);
    ::swapcontext(&outside, &f->inside);
    exchange_exceptions(*f);
    f->copy->leave();
    here = nullptr;
    const std::lock_guard hold(mutex);
    if (f->ended)
      ++num_ended;
    else
      ready.push_back(f);
    change.notify_all();
  }
}

void prepare(fiber& f, const program_image& image, int number) {
  f.number = number;
  f.copy = std::make_unique<program_copy>(
      image, f, std::getenv("IMAGE_PREFIX") == nullptr ? "" : "[" + std::to_string(number) + "] ");
  const int access = PROT_READ | PROT_WRITE | (image.needs_executable_stack() ? PROT_EXEC : 0);
  void* stack = ::mmap(nullptr, stack_bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) throw imbrex::error("no memory for a stack");
  ::getcontext(&f.inside);
  f.inside.uc_stack.ss_sp = stack;
  f.inside.uc_stack.ss_size = stack_bytes;
  ::makecontext(&f.inside, &run_fiber, 0);
}

int run_copies(const program_start& start) {
  program = &start;
  std::vector<std::string> libraries;
  if (const char* names = std::getenv("IMAGE_LIBRARIES")) {
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ',');) libraries.push_back(name);
  }
  static const program_image image(start, libraries);
  for (const std::string& warning : image.warnings()) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  fibers = std::vector<fiber>(static_cast<std::size_t>(number_in("IMAGE_COPIES", 3)));
  for (std::size_t i = 0; i < fibers.size(); ++i) {
    prepare(fibers[i], image, static_cast<int>(i));
    ready.push_back(&fibers[i]);
  }
  std::vector<std::thread> threads;
  for (int i = 1; i < number_in("IMAGE_THREADS", 1); ++i) threads.emplace_back(&run_thread, i);
  run_thread(0);
  for (std::thread& t : threads) t.join();
  int worst = 0;
  for (const fiber& f : fibers) worst = std::max(worst, f.status);
  for (fiber& f : fibers) f.copy.reset();
  return worst;
}

}  // namespace

namespace imbrex::mpi {

int run_program(const program_start& start) {
  try {
    return std::getenv("IMAGE_ORIGINAL") == nullptr ? run_copies(start) : start.call_original();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "refused: %s\n", e.what());
    return 98;
  }
}

}  // namespace imbrex::mpi

extern "C" {

[[gnu::visibility("default")]] int copy_number() { return current() == nullptr ? -1 : current()->number; }
[[gnu::visibility("default")]] int copy_count() { return static_cast<int>(fibers.size()); }
[[gnu::visibility("default")]] void copy_yield() {
  fiber* const f = current();
  if (f == nullptr) return;
  ::swapcontext(&f->inside, f->outside);
  if (f->must_take_signals) f->copy->take_signals();
}
[[gnu::visibility("default")]] [[gnu::noinline]] int thread_number() { return this_thread; }
}
