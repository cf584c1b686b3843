// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/problem.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include <imbrex/balance/snapshot.hpp>
#include <imbrex/base/error.hpp>

namespace imbrex::balance {
namespace {

snapshot two_objects() {
  snapshot s;
  s.pes = 3;
  s.pe = {0, 2};
  s.load = {1, 2};
  s.node = {0, 0, 1};
  s.device = {0, 0, 1};
  s.free_memory = {10, 20};
  s.dimensions = 2;
  s.coordinates = {0, 0, 1, 0};
  s.first_edge = {0, 1, 1};
  s.edge_to = {1};
  return s;
}

/// The answer of `check` after a change; empty if it accepts it.
std::string complaint(const std::function<void(snapshot&)>& change) {
  snapshot s = two_objects();
  change(s);
  try {
    check(s.view());
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

TEST(problem, accepts_what_makes_sense) {
  EXPECT_EQ(complaint([](snapshot&) {}), "");
  EXPECT_EQ(complaint([](snapshot& s) { s.load = {}; }), "");
  EXPECT_EQ(complaint([](snapshot& s) { s = {}, s.pes = 1; }), "");
  EXPECT_EQ(complaint([](snapshot& s) { s.curve = {1, 0}; }), "");
}

TEST(problem, refuses_the_rest_with_the_value_and_the_remedy) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint([](snapshot& s) { s.pes = 0; }), "a machine of 0 PEs: give one or more");
  EXPECT_EQ(complaint([nan](snapshot& s) { s.load[1] = nan; }),
            "the load of object 1 is nan: give finite seconds, 0 or more");
  EXPECT_EQ(complaint([](snapshot& s) { s.device_load = {-1, 0}; }),
            "the device load of object 0 is -1.000000: give finite seconds, 0 or more");
  EXPECT_EQ(complaint([](snapshot& s) { s.load.pop_back(); }),
            "the array of loads has 1 values, not 2: give one for each object, or none");
  EXPECT_EQ(complaint([](snapshot& s) { s.pe[1] = 3; }), "object 1 has the PE 3: give a number from 0 to 2");
  EXPECT_EQ(complaint([](snapshot& s) { s.node[0] = -1; }),
            "PE 0 has the node -1: give a number from 0 to 2");
  EXPECT_EQ(complaint([](snapshot& s) { s.node[1] = 1; }),
            "device 0 has PEs on the nodes 0 and 1: give devices of different nodes different numbers");
  EXPECT_EQ(complaint([](snapshot& s) { s.speed = {1, 0, 1}; }),
            "the speed of PE 1 is 0.000000: give a finite one above 0");
  EXPECT_EQ(complaint([](snapshot& s) { s.free_memory = {1}; }),
            "the array of free memory has 1 values, not 2: give one for each device, or none");
  EXPECT_EQ(complaint([](snapshot& s) { s.dimensions = 7; }), "coordinates of 7 dimensions: give 0 to 6");
  EXPECT_EQ(complaint([](snapshot& s) { s.dimensions = 3; }),
            "there are 4 coordinates, not 6: give 3 for each object");
  EXPECT_EQ(complaint([](snapshot& s) { s.coordinates[3] = std::numeric_limits<float>::infinity(); }),
            "a coordinate of object 1 is inf: give finite ones");
  EXPECT_EQ(complaint([](snapshot& s) { s.curve = {1, 1}; }),
            "the curve has object 1 twice: give each object once");
  EXPECT_EQ(complaint([](snapshot& s) { s.edge_to[0] = 2; }),
            "edge 0 has the other object 2: give a number from 0 to 1");
  EXPECT_EQ(complaint([](snapshot& s) { s.first_edge = {0, 2, 1}; }),
            "the first edge of object 1 is 2: give 0 to 1");
  EXPECT_EQ(complaint([](snapshot& s) { s.first_edge = {0, 0, 0}; }),
            "the edges end at 0, and there are 1: let the last first edge be their number");
  EXPECT_EQ(complaint([](snapshot& s) { s.first_edge = {}; }),
            "1 edges belong to no object: give the first edge of each");
  EXPECT_EQ(complaint([](snapshot& s) { s.edge_bytes = {-1}; }),
            "the bytes of edge 0 are -1.000000: give a finite number, 0 or more");
}

}  // namespace
}  // namespace imbrex::balance
