// SPDX-License-Identifier: Apache-2.0
// A chare of the host gives work to chares inside a GPU, and more work when they report results.
//   build/release/bin/resident_dialogue --device emulated --pes 2
#include <cstdint>
#include <cstdio>

#include <imbrex/resident.hpp>

#include "walker.hpp"

namespace {

constexpr int walkers = 8;
constexpr std::uint32_t last = 100;

class guide : public imbrex::chare<guide> {
 public:
  imbrex::task<int> find_the_longest_way() {
    // A thread of the program calls this function, not a PE: so it makes the guide's PE send.
    walkers_.on<arrived>(
        [to = self(), here = imbrex::make_executor()](std::uint32_t from, std::uint32_t steps) {
          here.post([=] { imbrex::send<&guide::hear>(to, from, steps); });
        });
    walkers_.open();
    walkers_.start<&walker::walk>(0, next_++);
    for (int n = 1; n < walkers; ++n) walkers_.send<&walker::walk>(n, next_++);
    co_await walkers_.stream().done();
    walkers_.end();
    co_return static_cast<int>(most_);
  }
  void hear(std::uint32_t from, std::uint32_t steps) {
    if (steps > most_) most_ = steps;
    if (next_ <= last)
      walkers_.send<&walker::walk>(static_cast<int>(from % walkers), next_++);
    else if (++arrived_ == walkers)
      walkers_.close();
  }

 private:
  imbrex::resident::program<walker> walkers_{imbrex::gpu(), {}, {walkers}};
  std::uint32_t next_ = 1, most_ = 0;
  int arrived_ = 0;
};

imbrex::task<int> ask() {
  const auto one = imbrex::make_chare<guide>();
  const int most = co_await one.call<&guide::find_the_longest_way>();
  std::printf("no number up to %u is more than %d steps away\n", last, most);
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) { return imbrex::run(argc, argv, ask); }
