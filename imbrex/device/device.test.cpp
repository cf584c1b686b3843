// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/device.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/device/checks.test.hpp>

namespace imbrex::test {
namespace {

struct suite {
  std::string name;
  std::vector<device_kind> kinds;

  friend void PrintTo(const suite& s, std::ostream* out) { *out << s.name; }
};

std::vector<suite> suites() {
  suite seeds{"fifty_seeds", {}};
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    seeds.kinds.push_back({.in_simulated_time = true, .seed = seed});
  return {{"threads", {{}}},
          {"simulated_time", {{.in_simulated_time = true}}},
          seeds,
          {"cuda", {{.backend = "cuda"}}}};
}

std::string text_of(const device_kind& kind) {
  if (kind.backend != "emulated") return kind.backend;
  if (!kind.in_simulated_time) return "threads";
  return kind.seed ? "seed " + std::to_string(*kind.seed) : "simulated time";
}

class every_device : public ::testing::TestWithParam<std::tuple<suite, device_check>> {};

TEST_P(every_device, keeps_the_rules) {
  const auto& [on, check] = GetParam();
  for (const device_kind& kind : on.kinds) {
    if (kind.backend == "cuda") try {
        devices("cuda");
      } catch (const error& e) {
#if IMBREX_HAS_STAND_IN
        FAIL() << e.what();
#else
        GTEST_SKIP() << e.what();
#endif
      }
    subject in(kind);
    if (check.only_exact && !in.is_exact()) GTEST_SKIP() << "here the order is open";
    check.run(in);
    for (const std::string& wrong : in.end()) ADD_FAILURE() << text_of(kind) << ": " << wrong;
  }
}

INSTANTIATE_TEST_SUITE_P(all, every_device,
                         ::testing::Combine(::testing::ValuesIn(suites()),
                                            ::testing::ValuesIn(device_checks())),
                         [](const auto& of) {
                           return std::get<0>(of.param).name + "_" + std::get<1>(of.param).name;
                         });

}  // namespace
}  // namespace imbrex::test
