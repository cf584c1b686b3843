// SPDX-License-Identifier: Apache-2.0
#include <imbrex/serial/kokkos.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <imbrex/serial/bytes.hpp>

namespace imbrex {
namespace {

/// Initialises Kokkos, which views need.
class kokkos : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { Kokkos::initialize(); }
  static void TearDownTestSuite() { Kokkos::finalize(); }
};

template <class T>
T again(const T& value) {
  return from_bytes<T>(to_bytes(value));
}

template <class View>
void check_two_dimensions() {
  View cells;
  if constexpr (View::rank_dynamic == 2)
    cells = View("cells", 4, 3);
  else
    cells = View("cells", 4);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) cells(i, j) = 10 * i + j;
  const View copy = again(cells);
  EXPECT_EQ(copy.label(), "cells");
  EXPECT_NE(copy.data(), cells.data());
  ASSERT_EQ(copy.extent(0), 4U);
  ASSERT_EQ(copy.extent(1), 3U);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(copy(i, j), 10 * i + j);
}

TEST_F(kokkos, views_arrive_with_their_elements_and_extents) {
  check_two_dimensions<Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>>();
  check_two_dimensions<Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace>>();
  check_two_dimensions<Kokkos::View<float* [3], Kokkos::LayoutRight, Kokkos::HostSpace>>();
  Kokkos::View<double, Kokkos::HostSpace> one("one");
  one() = 2.5;
  EXPECT_EQ(again(one)(), 2.5);
  const Kokkos::View<int*, Kokkos::HostSpace> none;
  EXPECT_EQ(again(none).data(), nullptr);
  const Kokkos::View<int*, Kokkos::HostSpace> empty("empty", 0);
  EXPECT_EQ(again(empty).extent(0), 0U);
}

TEST_F(kokkos, parts_of_views_are_sent_by_themselves) {
  using cells = Kokkos::View<int**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
  cells all("all", 5, 4);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j) all(i, j) = 10 * i + j;
  const cells part = Kokkos::subview(all, std::pair(1, 3), std::pair(2, 4));
  ASSERT_FALSE(part.span_is_contiguous());
  const cells copy = again(part);
  ASSERT_EQ(copy.size(), 4U);
  EXPECT_EQ(copy(0, 0), 12);
  EXPECT_EQ(copy(1, 1), 23);
}

TEST_F(kokkos, bytes_that_are_no_such_view_are_refused) {
  using line = Kokkos::View<double*, Kokkos::HostSpace>;
  const auto bytes = to_bytes(line("line", 6));
  for (std::size_t kept = 0; kept < bytes.size(); ++kept)
    EXPECT_THROW(from_bytes<line>(std::span(bytes).first(kept)), serial_error);
  const auto huge = to_bytes(std::tuple(true, std::string("line"), std::uint64_t{1} << 60U));
  EXPECT_THROW(from_bytes<line>(huge), serial_error);
  using fixed = Kokkos::View<double[5], Kokkos::HostSpace>;
  EXPECT_THROW(from_bytes<fixed>(bytes), serial_error);
}

}  // namespace
}  // namespace imbrex
