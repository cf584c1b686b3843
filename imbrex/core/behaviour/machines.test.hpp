// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/channel.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/section_reduction.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/coro/when_all.hpp>
#include <imbrex/coro/when_any.hpp>
#include <imbrex/testing/awaited_error_of.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/testing/machines.hpp>

namespace imbrex {
namespace testing {

inline void PrintTo(const machine& m, std::ostream* out) { *out << m.name; }

}  // namespace testing

using testing::awaited_error_of;
using testing::delayed;
using testing::error_of;
using testing::machine_by_name;
using testing::machines;
using testing::run_in_processes;
using testing::seeded;
using testing::serializing;
using testing::text_of;
using testing::threads;

/// A test that runs its program on each of several machines.
class on_machine : public ::testing::TestWithParam<testing::machine> {
 protected:
  /// Runs a program with the given settings. Returns the exit status.
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

std::string name_of_machine(const ::testing::TestParamInfo<testing::machine>& m);

}  // namespace imbrex
