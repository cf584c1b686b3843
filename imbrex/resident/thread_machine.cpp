// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/thread_machine.hpp>

#include <pthread.h>

#include <array>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

namespace imbrex::resident::detail {

class thread_barrier {
 public:
  explicit thread_barrier(std::uint32_t threads) {
    for (pthread_barrier_t& b : barriers_) pthread_barrier_init(&b, nullptr, threads);
  }
  thread_barrier(const thread_barrier&) = delete;
  thread_barrier& operator=(const thread_barrier&) = delete;
  ~thread_barrier() {
    for (pthread_barrier_t& b : barriers_) pthread_barrier_destroy(&b);
  }
  void wait(std::uint32_t turn) { pthread_barrier_wait(&barriers_[turn]); }

 private:
  std::array<pthread_barrier_t, 2> barriers_{};
};

void wait_at(thread_barrier& at, std::uint32_t turn) { at.wait(turn); }

namespace {

struct pe_of_threads {
  pe_state state;
  std::vector<std::uint32_t> tickets;
  thread_barrier barrier;

  pe_of_threads(const machine& m, std::uint32_t pe) : tickets(m.pes), barrier(m.threads) {
    state.prepare(m, pe, tickets.data());
  }
};

}  // namespace

void run_on_threads(const machine& m, void (*serve)(const machine&, pe_state&, team&, std::uint32_t pe)) {
  std::deque<pe_of_threads> pes;
  for (std::uint32_t pe = 0; pe < m.pes; ++pe) pes.emplace_back(m, pe);
  std::vector<std::thread> threads;
  for (std::uint32_t pe = 0; pe < m.pes; ++pe)
    for (std::uint32_t thread = 0; thread < m.threads; ++thread)
      threads.emplace_back([&m, serve, pe, thread, &of = pes[pe]] {
        team view(thread, m.threads, &of.barrier);
        serve(m, of.state, view, pe);
      });
  for (std::thread& t : threads) t.join();
}

}  // namespace imbrex::resident::detail
