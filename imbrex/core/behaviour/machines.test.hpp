// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/channel.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/section_reduction.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/coro/when_all.hpp>
#include <imbrex/coro/when_any.hpp>

namespace imbrex {

/// The settings with which a test is to run. Shared, since googletest copies a parameter several times for
/// each test.
class ways_to_run {
 public:
  ways_to_run(std::initializer_list<options> ways) : ways_to_run(std::vector(ways)) {}
  ways_to_run(std::vector<options> ways) : ways_(std::make_shared<std::vector<options>>(std::move(ways))) {}

  auto begin() const { return ways_->begin(); }
  auto end() const { return ways_->end(); }

 private:
  std::shared_ptr<const std::vector<options>> ways_;
};

struct machine_under_test {
  std::string name;
  ways_to_run runs;
  int processes = 1;  ///< number of runtimes connected only by the network, each with the PEs of `runs`

  friend void PrintTo(const machine_under_test& m, std::ostream* out) { *out << m.name; }
};

std::string text_of(const options& settings);

options threads(int pes);
options seeded(int pes, std::uint64_t seed);
/// Messages between PEs take at least 20 us.
options delayed();
options serializing(options settings);

/// Delayed messages that are also serialised, as between processes.
machine_under_test delayed_link();
/// Simulated time, with and without a message delay.
machine_under_test in_simulated_time();
machine_under_test shuffled(std::uint64_t seeds);
machine_under_test deterministic_seeds(std::uint64_t seeds);
/// Machines of every kind.
std::vector<machine_under_test> machines();

/// Runs a program in several runtimes, as in a job whose processes are threads of this process; the network
/// treats them as processes. Returns the greatest exit status.
int run_in_processes(int processes, const options& settings, const std::function<task<int>()>& main);
template <class Main>
int run_in_processes(int processes, const options& settings, const Main& main) {
  return run_in_processes(processes, settings, detail::main_function(std::ref(main)));
}

/// A test that runs its program on each of several machines.
class on_machine : public testing::TestWithParam<machine_under_test> {
 protected:
  /// Runs a program with the given settings. Returns the (greatest) exit status.
  template <class Main>
  int run_once(const options& settings, const Main& main) {
    return run_so(settings, detail::main_function(std::ref(main)));
  }

  template <class Main>
  void run(const Main& main) {
    run_all_ways(detail::main_function(std::ref(main)));
  }

 private:
  int run_so(const options& settings, const std::function<task<int>()>& main);
  void run_all_ways(const std::function<task<int>()>& main);
};

std::string name_of_machine(const testing::TestParamInfo<machine_under_test>& m);

}  // namespace imbrex
