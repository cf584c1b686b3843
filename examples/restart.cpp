// SPDX-License-Identifier: Apache-2.0
// A computation that restarts from files: walkers write their state after half of the steps. Others, as of a
// later run, are created from these files, and walk the rest. Shows: to_file, from_file, an object that is
// serialised as messages are.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include <imbrex/imbrex.hpp>
#include <imbrex/random.hpp>
#include <imbrex/serial/file.hpp>

#include "arguments.hpp"

/// The complete state of a walker, between two steps. Files of version 0 lack the places that it has visited.
struct state {
  static constexpr int version = 1;
  int step = 0;
  std::int64_t place = 0;
  std::vector<std::int64_t> visited;

  void serialize(auto& ar) {
    ar(step, place);
    if (ar.version() >= 1) ar(visited);
  }
};

class walker : public imbrex::chare<walker> {
 public:
  walker() = default;
  /// Restores the walker of this index from its file in the folder.
  explicit walker(const std::string& folder) : now_(imbrex::from_file<state>(file(folder))) {}

  /// Walks to a step; each move depends on the positions of all walkers.
  imbrex::task<> walk(int to) {
    while (now_.step < to) {
      const std::int64_t all = co_await all_reduce(now_.place, imbrex::sum);
      imbrex::random dice(std::uint64_t(all) * 1'000 + std::uint64_t(where()[0]));
      now_.place += std::int64_t(dice.below(7)) - 3;
      now_.visited.push_back(now_.place);
      ++now_.step;
    }
  }
  void write(const std::string& folder) const { imbrex::to_file(file(folder), now_); }
  std::vector<std::int64_t> visited() const { return now_.visited; }

 private:
  std::string file(const std::string& folder) const {
    return folder + "/walker" + std::to_string(where()[0]);
  }

  state now_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "restart [WALKERS [STEPS]]");
    const int walkers = command_line.next("WALKERS", 9, 1'000);
    const int steps = command_line.next("STEPS", 40, 10'000);
    command_line.finish();

    const auto temporary = std::filesystem::temp_directory_path();
    const std::string folder = temporary / ("imbrex_restart" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);

    const auto first = imbrex::make_array<walker>(walkers);
    co_await first.call<&walker::walk>(steps / 2);
    co_await first.call<&walker::write>(folder);
    const auto second = imbrex::make_array<walker>(walkers, folder);
    co_await second.call<&walker::walk>(steps);
    const auto restarted = co_await second.reduce<&walker::visited>(imbrex::gather);
    std::filesystem::remove_all(folder);

    co_await first.call<&walker::walk>(steps);  // the first walkers continue as if no files had been written
    const auto unbroken = co_await first.reduce<&walker::visited>(imbrex::gather);
    const bool right = restarted == unbroken;
    std::printf("%d walkers went on from their files %s\n", walkers, right ? "as if unbroken" : "elsewhere");
    co_return right ? 0 : 1;
  });
}
