// SPDX-License-Identifier: Apache-2.0
// checkpoint_storm seeds MACHINE FIRST LAST: for each seed a program runs undisturbed, and then again, in
// several runs: each ends at a random moment, and the next begins from a checkpoint on another number of PEs.
// Fails unless both have equal results. checkpoint_storm once SEED STEPS PAUSE: the program alone, with
// options of the runtime and a pause of so many milliseconds in each step; prints its result.
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/base/random.hpp>
#include <imbrex/checkpoint/folder.hpp>
#include <imbrex/testing/machines.hpp>

#include "tests/checkpoint/storm.hpp"

namespace {

using imbrex::options;

/// A run, or a part of one, on a machine.
struct setting {
  options how;
  int processes = 1;
};

constexpr std::array pes{1, 2, 3, 4, 7};

template <class List>
auto one_of(const List& list, imbrex::random& dice) {
  return list[dice.below(list.size())];
}

setting machine_by_chance(std::string_view machine, imbrex::random& dice) {
  const int count = one_of(pes, dice);
  if (machine == "deterministic") return {imbrex::testing::seeded(count, dice.below(1'000'000))};
  if (machine == "threads") return {imbrex::testing::threads(count)};
  if (machine == "processes")
    return {imbrex::testing::threads(1 + static_cast<int>(dice.below(2))), std::min(count, 4)};
  if (machine == "simulated") {
    options how;
    how.machine = imbrex::machine_kind::simulated;
    how.pes = count;
    return {how};
  }
  throw imbrex::error("unknown machine " + std::string(machine));
}

bool has_checkpoint(const std::string& folder) {
  if (!std::filesystem::exists(folder)) return false;
  const auto all = imbrex::checkpoints::checkpoint_folder(folder).list();
  return std::ranges::any_of(all, [](const auto& each) { return each.problem.empty(); });
}

std::string run(const setting& on, std::uint64_t seed, std::int64_t events) {
  std::string result;
  storm::end_after(events);
  const int status = imbrex::testing::run_in_processes(
      on.processes, on.how, [&]() -> imbrex::task<> { co_await storm::run(seed, result); });
  if (status != 0) throw imbrex::error("the run has the status " + std::to_string(status));
  return result;
}

/// Returns the number of restarts.
int check(std::string_view machine, std::uint64_t seed, const std::string& folder) {
  imbrex::random dice(seed);
  const std::string expected = run({imbrex::testing::seeded(2, seed)}, seed, 0);
  const auto events = static_cast<std::uint64_t>(storm::events());
  const std::uint64_t most_ends = 1 + dice.below(4);
  int restarts = 0;
  for (std::uint64_t ends = 0;; ++ends) {
    setting on = machine_by_chance(machine, dice);
    on.how.checkpoint.folder = folder;
    on.how.checkpoint.every_points = 1 + dice.below(8);
    on.how.checkpoint.keep = 1 + static_cast<int>(dice.below(3));
    if (has_checkpoint(folder)) {
      on.how.checkpoint.restart = folder;
      ++restarts;
    }
    const std::array strategies{"none", "rotate", "random"};
    on.how.balance.strategy = one_of(strategies, dice);
    on.how.balance.every_points = 2;
    const std::int64_t end = ends == most_ends ? 0 : 1 + static_cast<std::int64_t>(dice.below(events));
    std::string result;
    const std::string where = "seed " + std::to_string(seed) + ", run " + std::to_string(ends + 1) + ", in " +
                              std::to_string(on.processes) + " processes with " +
                              imbrex::testing::text_of(on.how);
    try {
      result = run(on, seed, end);
    } catch (const std::exception& why) {
      throw imbrex::error(where + ": " + why.what());
    }
    if (result.empty() && end > 0) continue;
    if (result != expected)
      throw imbrex::error(where + " has the result\n" + result + "and not\n" + expected);
    return restarts;
  }
}

int check_seeds(std::string_view machine, std::uint64_t first, std::uint64_t last) {
  imbrex::set_log_level(imbrex::log_level::error);  // runs end while messages are on their way
  std::string place = "/dev/shm/imbrex-storm-XXXXXX";
  if (::mkdtemp(place.data()) == nullptr) throw imbrex::error("there is no folder for checkpoints");
  std::exception_ptr problem;
  int restarts = 0;
  try {
    for (std::uint64_t seed = first; seed <= last; ++seed)
      restarts += check(machine, seed, place + "/" + std::to_string(seed));
  } catch (...) {
    problem = std::current_exception();
  }
  std::filesystem::remove_all(place);
  if (problem) std::rethrow_exception(problem);
  std::printf("%d restarts\n", restarts);
  return restarts > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  try {
    if (word == "seeds" && argc == 5)
      return check_seeds(argv[2], std::strtoull(argv[3], nullptr, 10), std::strtoull(argv[4], nullptr, 10));
    if (word != "once" || argc < 5) return imbrex::usage_error::exit_status;
    std::string result;
    const std::uint64_t seed = std::strtoull(argv[2], nullptr, 10);
    storm::set_length(std::atoi(argv[3]), std::chrono::milliseconds(std::atoi(argv[4])));
    return imbrex::run(argc, argv, [&]() -> imbrex::task<> {
      co_await storm::run(seed, result);
      std::fputs(result.c_str(), stdout);
    });
  } catch (const std::exception& why) {
    std::fprintf(stderr, "%s\n", why.what());
    return 1;
  }
}
