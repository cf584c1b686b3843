// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/thread_machine.hpp>

#include <pthread.h>

#include <array>
#include <cstddef>
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
  near_part near;
  thread_barrier barrier;

  pe_of_threads(const machine& m, std::uint32_t pe)
      : tickets(m.pes_here), barrier(m.shape.blocks * m.shape.threads) {
    state.prepare(m, pe, tickets.data());
    near.prepare(m.first_ticket);
  }
};

}  // namespace

void run_on_threads(const machine& m, void (*serve)(const machine&, pe_state&, team&, std::uint32_t pe)) {
  std::deque<machine> gpus;
  std::deque<pe_of_threads> pes;
  std::vector<std::thread> threads;
  for (std::uint32_t g = m.gpu; g < m.gpu + m.gpus_of_process; ++g) {
    const machine& gpu = gpus.emplace_back(m.seen_by(g));
    for (std::uint32_t pe = gpu.first_pe; pe < gpu.first_pe + gpu.pes_here; ++pe) pes.emplace_back(gpu, pe);
  }
  for (std::size_t n = 0; n < pes.size(); ++n)
    pes[n].state.cluster.join(m, m.first_pe + static_cast<std::uint32_t>(n),
                              [&](std::uint32_t pe) { return &pes[pe - m.first_pe].near; });
  for (std::size_t n = 0; n < pes.size(); ++n)
    for (std::uint32_t thread = 0; thread < m.shape.blocks * m.shape.threads; ++thread)
      threads.emplace_back([&gpu = gpus[n / m.pes_here], pe = m.first_pe + static_cast<std::uint32_t>(n),
                            serve, thread, &of = pes[n]] {
        team view(thread, gpu.shape.blocks * gpu.shape.threads, &of.barrier);
        serve(gpu, of.state, view, pe);
      });
  for (std::thread& t : threads) t.join();
}

}  // namespace imbrex::resident::detail
