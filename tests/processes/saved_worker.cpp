// SPDX-License-Identifier: Apache-2.0
// A job that is killed and begins again from checkpoints, for restart_test.py:
//   saved_worker STEPS    a ring of cells, of which each checks what it receives in each step
// Each process writes "process RANK pid PID" at its start. Process 0 writes "begins at step N", and then
// "right" or "wrong".
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <imbrex/checkpoint.hpp>
#include <imbrex/imbrex.hpp>

namespace {

using namespace std::chrono_literals;

constexpr int count = 24;

class announcer : public imbrex::chare<announcer> {
 public:
  void announce() {
    std::printf("process %d pid %d\n", imbrex::process(), static_cast<int>(::getpid()));
    std::fflush(stdout);
  }
};

class cell : public imbrex::chare<cell> {
 public:
  imbrex::mailbox<std::vector<std::int64_t>> words;

  imbrex::task<std::int64_t> run(int steps) {
    const int me = where()[0];
    while (step_ < steps) {
      imbrex::send<&cell::words>(
          peers()[(me + 1) % count], step_,
          std::vector<std::int64_t>(static_cast<std::size_t>(step_ % 50 + 1), me + step_));
      const std::vector<std::int64_t> word = co_await words.receive(step_);
      for (const std::int64_t each : word) sum_ += each;
      co_await imbrex::sleep_for(1ms);
      ++step_;
      co_await balance_point<&cell::run>(steps);
    }
    co_return sum_;
  }
  int step() const { return step_; }
  void serialize(auto& ar) { ar(words, step_, sum_); }

 private:
  int step_ = 0;
  std::int64_t sum_ = 0;
};

std::int64_t expected_sum(int steps) {
  std::int64_t sum = 0;
  for (int me = 0; me < count; ++me)
    for (int step = 0; step < steps; ++step) sum += static_cast<std::int64_t>(step % 50 + 1) * (me + step);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    const int steps = argc > 1 ? std::atoi(argv[1]) : 100;
    co_await imbrex::make_group<announcer>().call<&announcer::announce>();
    auto cells = imbrex::restored<cell>("cells");
    if (!cells) cells = imbrex::make_array<cell>(imbrex::dense({count}).named("cells"));
    const int first = co_await cells->reduce<&cell::step>(imbrex::min);
    std::printf("begins at step %d\n", first);
    std::fflush(stdout);
    const std::int64_t sum = co_await cells->reduce<&cell::run>(imbrex::sum, steps);
    std::printf("%s\n", sum == expected_sum(steps) ? "right" : "wrong");
    co_return 0;
  });
}
