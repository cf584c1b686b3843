// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/chunked_array.hpp>
#include <imbrex/cells/distributed_map.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::cells::collections_test {

class collections : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, collections, ::testing::ValuesIn(machines()), name_of_machine);

/// Chare that has element or entry n after a step; all chares can compute it.
int place_of(std::int64_t n, int step, int members) {
  random dice(static_cast<std::uint64_t>(n * 31 + step));
  return static_cast<int>(dice.below(static_cast<std::uint64_t>(members)));
}

constexpr std::int64_t count = 60;
constexpr int steps = 4;

class member : public chare<member> {
 public:
  /// Moves entries between chares. Returns the number of wrong entries.
  task<int> carry_entries() {
    const int members = peers().shape()[0];
    for (std::int64_t n = 0; n < count; ++n)
      if (place_of(n, 0, members) == where()[0])
        map_.put("entry " + std::to_string(n), {static_cast<int>(n)});
    int wrong = 0;
    for (int step = 1; step <= steps; ++step) {
      for (std::int64_t n = 0; n < count; ++n)
        if (place_of(n, step - 1, members) == where()[0])
          map_.move_at_sync("entry " + std::to_string(n), place_of(n, step, members));
      co_await map_.sync(*this);
      std::size_t here = 0;
      for (std::int64_t n = 0; n < count; ++n) {
        auto* const entry = map_.find("entry " + std::to_string(n));
        const bool is_local = place_of(n, step, members) == where()[0];
        here += is_local ? 1 : 0;
        if ((entry != nullptr) != is_local || (is_local && entry->front() != n)) ++wrong;
      }
      if (map_.size() != here) ++wrong;
    }
    co_return wrong;
  }

  /// Moves ranges of ten between chares. Returns the number of wrong elements.
  task<int> carry_ranges() {
    const int members = peers().shape()[0];
    if (where()[0] == 0) array_.add({0, count}, [](std::int64_t n) { return std::vector<std::int64_t>{n}; });
    int wrong = 0;
    for (int step = 1; step <= steps; ++step) {
      for (std::int64_t first = 0; first < count; first += 10)
        array_.move_at_sync({first - 3, first + 2}, 0);  // overruled by the next call
      for (std::int64_t first = 0; first < count; first += 10)
        array_.move_at_sync({first, first + 10}, place_of(first, step, members));
      co_await array_.sync(*this);
      std::int64_t here = 0;
      for (std::int64_t n = 0; n < count; ++n) {
        const bool is_local = place_of(n / 10 * 10, step, members) == where()[0];
        here += is_local ? 1 : 0;
        const auto* const element = array_.find(n);
        if ((element != nullptr) != is_local || (is_local && element->front() != n)) ++wrong;
      }
      if (array_.size() != here) ++wrong;
      std::int64_t last = -1;
      array_.for_each([&](std::int64_t n, const std::vector<std::int64_t>&) {
        if (n <= last) ++wrong;
        last = n;
      });
    }
    co_return wrong;
  }

  std::string errors() {
    std::string text;
    const auto tell = [&](const auto& does) { text += error_of<error>(does) + "\n"; };
    tell([&] { map_.move_at_sync("nothing", 0); });
    array_.add({5, 9}, [](std::int64_t) { return std::vector<std::int64_t>(); });
    for (const number_range r : {number_range{8, 12}, {2, 6}, {6, 7}, {3, 3}})
      tell([&] { array_.add(r, [](std::int64_t) { return std::vector<std::int64_t>(); }); });
    return text;
  }

 private:
  distributed_map<std::string, std::vector<int>> map_;
  chunked_array<std::vector<std::int64_t>> array_;
};

TEST_P(collections, have_each_entry_once_after_a_synchronisation) {
  run([]() -> task<> {
    const auto all = make_array<member>(5);
    const int wrong = co_await all.reduce<&member::carry_entries>(sum);
    EXPECT_EQ(wrong, 0);
    co_await all.destroy();
  });
}

TEST_P(collections, have_each_element_once_after_a_synchronisation) {
  run([]() -> task<> {
    const auto all = make_array<member>(5);
    const int wrong = co_await all.reduce<&member::carry_ranges>(sum);
    EXPECT_EQ(wrong, 0);
    co_await all.destroy();
  });
}

TEST(collections_errors, say_what_cannot_be) {
  const int status = imbrex::run(seeded(1, 1), []() -> task<> {
    const auto all = make_array<member>(1);
    const std::string text = co_await all[0].call<&member::errors>();
    EXPECT_EQ(text,
              "a distributed map cannot move an entry that is not here: call find first\n"
              "a chunk from 8 to before 12 cannot be added: it is empty, or some of it is here already\n"
              "a chunk from 2 to before 6 cannot be added: it is empty, or some of it is here already\n"
              "a chunk from 6 to before 7 cannot be added: it is empty, or some of it is here already\n"
              "a chunk from 3 to before 3 cannot be added: it is empty, or some of it is here already\n");
  });
  EXPECT_EQ(status, 0);
}

}  // namespace imbrex::cells::collections_test
