// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/resident/index.hpp>
#include <imbrex/resident/layout.hpp>
#include <imbrex/resident/machine.hpp>

namespace imbrex::resident {
namespace {

TEST(divisor, divides_as_a_division_does) {
  constexpr std::uint32_t most = 1U << 24U;
  constexpr std::uint32_t divisors[] = {
      1, 2, 3, 5, 7, 8, 127, 132, 255, 256, 1'000, 65'535, 65'537, 999'983, most / 2 + 1, most - 1, most};
  for (const std::uint32_t by : divisors) {
    const divisor d(by);
    for (std::uint32_t n = 0; n < most; n += 9'973) ASSERT_EQ(d.quotient(n), n / by) << n << " / " << by;
    for (std::uint32_t q = 1; q <= 3; ++q)  // where the quotient changes
      for (const std::uint32_t n : {q * by - 1, q * by})
        if (std::uint64_t{q} * by < most) ASSERT_EQ(d.quotient(n), n / by) << n << " / " << by;
    ASSERT_EQ(d.quotient(most - 1), (most - 1) / by);
  }
}

/// Each element has one PE and one index there. PEs without elements are the last.
TEST(placement, gives_each_element_its_own_place) {
  for (const placement placed : {placement::round_robin, placement::blocks})
    for (const std::uint32_t pes : {1U, 2U, 3U, 7U, 132U, 256U})
      for (const int count : {1, 2, 5, 131, 132, 133, 1'000}) {
        settings s;
        s.pes = pes;
        s.threads = 1;
        s.placed = placed;
        const detail::layout plan(s, {{"cell", 8, {count}, 0, 0}}, 1);
        std::vector<std::byte> image(plan.image_bytes());
        const detail::machine m = plan.at(image.data());
        const detail::array_layout& a = m.arrays[0];
        std::vector<std::uint32_t> found(pes);
        for (std::uint32_t e = 0; e < a.count; ++e) {
          const std::uint32_t pe = a.pe_of(e);
          ASSERT_LT(pe, a.active_pes);
          ASSERT_EQ(a.element(pe, a.local(e)), e);
          ASSERT_LT(a.local(e), a.local_count(pe));
          ++found[pe];
        }
        std::uint32_t most = 0, least = a.count;
        for (std::uint32_t pe = 0; pe < pes; ++pe) {
          ASSERT_EQ(found[pe], a.local_count(pe));
          ASSERT_EQ(found[pe] == 0, pe >= a.active_pes);
          if (found[pe] > most) most = found[pe];
          if (found[pe] != 0 && found[pe] < least) least = found[pe];
        }
        ASSERT_EQ(most, (a.count + pes - 1) / pes);
        if (placed == placement::round_robin) ASSERT_LE(most - least, 1U);
      }
}

TEST(index, is_of_as_many_numbers_as_dimensions) {
  constexpr index<3> i(1, 2, 3);
  static_assert(i[0] == 1 && i[2] == 3 && i == index<3>(1, 2, 3) && i != index<3>(1, 2, 4));
  const index<1> one = 7;
  EXPECT_EQ(one[0], 7);
  EXPECT_EQ(index<2>(), index<2>(0, 0));
}

}  // namespace
}  // namespace imbrex::resident
