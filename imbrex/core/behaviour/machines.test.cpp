// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex {

int on_machine::run_so(const options& settings, const std::function<task<int>()>& main) {
  return run_in_processes(GetParam().processes, settings, main);
}

void on_machine::run_all_ways(const std::function<task<int>()>& main) {
  for (const options& settings : GetParam().runs) {
    EXPECT_EQ(run_so(settings, main), 0);
    if (HasFailure()) {
      ADD_FAILURE() << "with " << text_of(settings);
      return;
    }
  }
}

std::string name_of_machine(const ::testing::TestParamInfo<testing::machine>& m) { return m.param.name; }

}  // namespace imbrex
