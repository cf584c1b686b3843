// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <stdexcept>
#include <string>

#include <imbrex/imbrex.hpp>
#include <imbrex/testing/awaited_error_of.hpp>
#include <imbrex/testing/error_of.hpp>
#include <imbrex/testing/machines.hpp>

struct greeter : imbrex::chare<greeter> {
  int greet(int n) {
    if (n < 0) throw std::invalid_argument("no greeting for " + std::to_string(n));
    return n + 1;
  }
};

int main() {
  const std::string text = imbrex::testing::error_of([] { imbrex::testing::machine_by_name("abacus"); });
  if (!text.starts_with("there is no machine \"abacus\"")) return 1;
  for (const auto& machine : imbrex::testing::machines({"threads_2", "deterministic_3", "processes_2"})) {
    const int status = imbrex::testing::run_on(machine, []() -> imbrex::task<int> {
      auto all = imbrex::make_array<greeter>({5});
      const int next = co_await all[4].call<&greeter::greet>(17);
      const std::string refusal =
          co_await imbrex::testing::awaited_error_of(all[3].call<&greeter::greet>(-1));
      co_return next == 18 && refusal == "no greeting for -1" ? 0 : 1;
    });
    if (status != 0) return status;
  }
  std::puts("tested");
}
