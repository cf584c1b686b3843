// SPDX-License-Identifier: Apache-2.0
// Swarms of particles, some large and some small, are balanced once by the loads that they expect.
//
//   balancing --pes 4 --balance greedy
#include <cstddef>
#include <cstdio>
#include <vector>

#include <imbrex/imbrex.hpp>

class swarm : public imbrex::chare<swarm> {
 public:
  swarm() = default;
  explicit swarm(int most) : particles_(static_cast<std::size_t>(1000 * (most - where()[0]))) {}

  double expected_load() const { return 1e-6 * static_cast<double>(particles_.size()); }
  void departs() { neighbours_.clear(); }  // a cache, which is made anew where it is needed
  void arrived() { ++moves_; }
  int moves() const { return moves_; }
  void serialize(auto& ar) { ar(particles_, moves_); }

 private:
  std::vector<double> particles_;
  std::vector<int> neighbours_;
  int moves_ = 0;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, []() -> imbrex::task<> {
    const auto swarms = imbrex::make_array<swarm>({16}, 16);
    co_await swarms.created();
    const imbrex::rebalance_result result = co_await imbrex::rebalance(swarms);
    co_await imbrex::quiescence();
    const bool all_moved =
        co_await swarms.reduce<&swarm::moves>(imbrex::sum) == static_cast<int>(result.moved);
    std::printf("%s: max/avg %.2f -> %.2f, %s\n", result.strategy.c_str(), result.before, result.after,
                all_moved ? "each move was made" : "some moves are missing");
  });
}
