// SPDX-License-Identifier: Apache-2.0
// Checks of the checks: they must find each defect of an emulation.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/device/checks.test.hpp>

namespace imbrex::test {
namespace {

struct mutant {
  std::string name;
  emulation_defect defect;

  friend void PrintTo(const mutant& m, std::ostream* out) { *out << m.name; }
};

/// The names of the checks that find an error on such a device.
std::vector<std::string> finders(const device_kind& kind) {
  std::vector<std::string> names;
  for (const device_check& check : device_checks()) {
    if (check.only_exact && kind.seed) continue;
    subject in(kind);
    try {
      check.run(in);
    } catch (const error&) {
      names.push_back(check.name);
      continue;
    }
    if (!in.end().empty()) names.push_back(check.name);
  }
  return names;
}

class mutants : public ::testing::TestWithParam<mutant> {};

TEST_P(mutants, are_found_in_simulated_time) {
  std::vector<std::string> found = finders({.in_simulated_time = true, .defect = GetParam().defect});
  for (std::uint64_t seed = 1; seed <= 5 && found.empty(); ++seed)
    found = finders({.in_simulated_time = true, .seed = seed, .defect = GetParam().defect});
  EXPECT_FALSE(found.empty());
}

#ifdef __SANITIZE_THREAD__
constexpr bool races_are_refused = true;
#elif defined(__has_feature)
constexpr bool races_are_refused = __has_feature(thread_sanitizer);
#else
constexpr bool races_are_refused = false;
#endif

TEST_P(mutants, are_found_in_real_time) {
  if (races_are_refused) GTEST_SKIP() << "what a defect does is a data race, which ThreadSanitizer ends";
  EXPECT_FALSE(finders({.defect = GetParam().defect}).empty());
}

INSTANTIATE_TEST_SUITE_P(all, mutants,
                         ::testing::Values(mutant{"early_event", emulation_defect::early_event},
                                           mutant{"copy_jumps_queue", emulation_defect::copy_jumps_queue},
                                           mutant{"lost_notice", emulation_defect::lost_callback},
                                           mutant{"ignored_wait", emulation_defect::ignored_wait},
                                           mutant{"ignored_priority", emulation_defect::ignored_priority},
                                           mutant{"ignored_graph_order",
                                                  emulation_defect::ignored_graph_order}),
                         [](const auto& of) { return of.param.name; });

TEST(no_mutant, the_checks_find_nothing_without_a_defect) {
  EXPECT_EQ(finders({.in_simulated_time = true}), std::vector<std::string>{});
}

}  // namespace
}  // namespace imbrex::test
