// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/mpi/rank/run.hpp>

namespace imbrex::mpi {

/// Code of ranks: a function of the test program.
class function_code final : public rank_code {
 public:
  explicit function_code(const std::function<int()>& function) : function_(function) {}
  int run() override { return function_(); }

 private:
  const std::function<int()>& function_;
};

/// A test whose program runs as ranks on each machine.
class on_ranks : public on_machine {
 protected:
  /// Runs a function as the code of each rank, in each run of the machine. The function returns nothing or an
  /// exit status.
  template <class Code>
  void run_ranks(int ranks, const Code& code) {
    for (const options& settings : GetParam().runs) {
      SCOPED_TRACE(text_of(settings));
      EXPECT_EQ(run_ranks_once(settings, ranks, code), 0);
    }
  }
  template <class Code>
  int run_ranks_once(const options& settings, int ranks, const Code& code) {
    const std::function<int()> function = [&code] {
      if constexpr (std::is_void_v<std::invoke_result_t<const Code&>>) {
        code();
        return 0;
      } else {
        return code();
      }
    };
    program what = program_of_test();
    what.ranks = ranks;
    what.stack = std::size_t{256} << 10U;
    what.make_code = [&function](int) { return std::make_unique<function_code>(function); };
    const program_selection selection(what);
    return run_once(settings, [&what] { return ranks_of(what); });
  }
  /// Runs a program that fails, and expects these texts in its error output.
  template <class Code>
  void ranks_fail(int ranks, const Code& code, const std::vector<std::string>& expected, int status = 1) {
    for (const options& settings : GetParam().runs) {
      SCOPED_TRACE(text_of(settings));
      ::testing::internal::CaptureStderr();
      const int found = run_ranks_once(settings, ranks, code);
      const std::string text = ::testing::internal::GetCapturedStderr();
      EXPECT_EQ(found, status) << text;
      for (const auto& e : expected)
        EXPECT_NE(text.find(e), std::string::npos) << e << "\nis not in\n" << text;
    }
  }
  virtual program program_of_test() { return {}; }
};

}  // namespace imbrex::mpi
