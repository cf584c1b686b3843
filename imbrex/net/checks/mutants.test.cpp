// SPDX-License-Identifier: Apache-2.0
// Checks of the checks: they must find fabrics with hidden faults.
#include <imbrex/net/checks/checks.test.hpp>

#include <gtest/gtest.h>

#include <imbrex/base/error.hpp>
#include <imbrex/net/checks/kinds.test.hpp>

namespace imbrex::test {
namespace {

struct mutant {
  std::string name;
  loopback::faults wrong;

  friend void PrintTo(const mutant& m, std::ostream* out) { *out << m.name; }
};

class mutants : public ::testing::TestWithParam<mutant> {};

TEST_P(mutants, are_found) {
  for (const fabric_check& check : fabric_checks()) {
    subject in(loopback_kind(GetParam().name, {.wrong = GetParam().wrong}), check.pes);
    check.run(in);
    if (!in.end().empty()) return;
  }
  ADD_FAILURE() << "no check finds it";
}

INSTANTIATE_TEST_SUITE_P(of_loopback, mutants,
                         ::testing::Values(mutant{"loses", {.lost = 5, .are_hidden = true}},
                                           mutant{"doubles", {.duplicated = 5, .are_hidden = true}},
                                           mutant{"reorders", {.reordered = 50, .are_hidden = true}},
                                           mutant{"changes", {.corrupted = 5, .are_hidden = true}},
                                           mutant{"forgets", {.unnoted = 50, .are_hidden = true}}),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace imbrex::test
