// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/checks/checks.test.hpp>

#include <gtest/gtest.h>

#include <tuple>

#include <imbrex/net/checks/kinds.test.hpp>
#include <imbrex/net/connect/fabric_kinds.hpp>
#include <imbrex/net/connect/fabrics.hpp>
#include <imbrex/net/endpoint/network_endpoint.hpp>

namespace imbrex::test {
namespace {

/// Each fabric of this build, also with endpoints that call it through a pointer; and loopbacks with delays.
std::vector<fabric_kind> kinds() {
  std::vector<fabric_kind> all;
  for (const fabric_entry& one : fabrics()) {
    if (!find_fabric(one.name).is_built()) continue;
    const std::string name(one.name);
    all.push_back({name, one.make, one.make_endpoint, name == "loopback"});
    if (name != "loopback")
      all.push_back(
          {name + "_through_a_pointer", one.make, &endpoints::make_network_endpoint<fabric_worker>, false});
  }
  all.push_back(loopback_kind("little_room", {.most_unread_messages = 2}));
  all.push_back(loopback_kind("offers", {.longest_unoffered = 100, .most_unread_messages = 8}));
  all.push_back(loopback_kind("no_header", {.longest_header = 0}));
  for (const std::uint64_t seed : {1U, 2U, 3U})
    all.push_back(loopback_kind("delays_" + std::to_string(seed), {.seed = seed, .wrong = {.delayed = 300}}));
  return all;
}

class every_fabric : public ::testing::TestWithParam<std::tuple<fabric_kind, fabric_check>> {};

TEST_P(every_fabric, keeps_the_rules) {
  const auto& [kind, check] = GetParam();
  subject in(kind, check.pes);
  ASSERT_TRUE(in.can().reliable);
  check.run(in);
  for (const std::string& wrong : in.end()) ADD_FAILURE() << wrong;
}

INSTANTIATE_TEST_SUITE_P(
    all, every_fabric, ::testing::Combine(::testing::ValuesIn(kinds()), ::testing::ValuesIn(fabric_checks())),
    [](const auto& of) { return std::get<0>(of.param).name + "_" + std::get<1>(of.param).name; });

}  // namespace
}  // namespace imbrex::test
