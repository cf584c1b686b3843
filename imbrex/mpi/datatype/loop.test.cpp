// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/datatype/loop.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using imbrex::mpi::loop;
using imbrex::mpi::loop_ref;
using runs = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct recorder {
  runs seen;
  void run(std::uintptr_t at, std::int64_t bytes) { seen.emplace_back(std::int64_t(at), bytes); }
  void strided(std::uintptr_t at, std::int64_t bytes, std::int64_t stride, std::int64_t count) {
    for (; count > 0; --count, at += std::uintptr_t(stride)) run(at, bytes);
  }
};

runs runs_of(const loop_ref& l, std::int64_t begin, std::int64_t end) {
  recorder r;
  l->walk(0, begin, end, r);
  return r.seen;
}

TEST(loop, of_adjoining_runs_is_one_run) {
  const loop_ref l = loop::repeat(8, 5, 4, loop::run(0, 4));
  EXPECT_TRUE(l->is_run());
  EXPECT_EQ(l->size(), 20);
  EXPECT_EQ(runs_of(l, 3, 9), (runs{{11, 6}}));
}

TEST(loop, of_regular_loops_is_one_repetition) {
  const loop_ref row = loop::repeat(0, 4, 8, loop::run(0, 4));
  const loop_ref rows = loop::repeat(0, 1000, 32, row);
  EXPECT_EQ(rows->cost(), row->cost());
  EXPECT_EQ(rows->size(), 16000);

  loop::builder list;
  for (int i = 0; i < 1000; ++i) list.add(i * 24, loop::run(0, 8));
  EXPECT_EQ(list.build()->cost(), 1);
}

TEST(loop, walks_from_any_packed_byte_to_any_other) {
  loop::builder list;
  list.add(100, loop::repeat(0, 3, 10, loop::run(1, 2)));
  list.add(0, loop::run(0, 3));
  list.add(3, loop::run(0, 1));
  list.add(50, loop::repeat(0, 2, -7, loop::run(0, 2)));
  const loop_ref l = loop::repeat(1000, 2, 500, list.build());
  const runs all = runs_of(l, 0, l->size());
  EXPECT_EQ(all, (runs{{1101, 2},
                       {1111, 2},
                       {1121, 2},
                       {1000, 4},
                       {1050, 2},
                       {1043, 2},
                       {1601, 2},
                       {1611, 2},
                       {1621, 2},
                       {1500, 4},
                       {1550, 2},
                       {1543, 2}}));
  std::vector<std::int64_t> bytes;
  for (const auto& [at, count] : all)
    for (std::int64_t i = 0; i < count; ++i) bytes.push_back(at + i);
  for (std::int64_t begin = 0; begin <= l->size(); ++begin)
    for (std::int64_t end = begin; end <= l->size(); ++end) {
      std::vector<std::int64_t> seen;
      for (const auto& [at, count] : runs_of(l, begin, end))
        for (std::int64_t i = 0; i < count; ++i) seen.push_back(at + i);
      EXPECT_EQ(seen, std::vector<std::int64_t>(bytes.begin() + begin, bytes.begin() + end));
    }
}

TEST(loop, of_nothing_shows_nothing) {
  EXPECT_EQ(loop::repeat(0, 0, 8, loop::run(0, 4))->size(), 0);
  EXPECT_EQ(loop::builder().build()->size(), 0);
  EXPECT_EQ(runs_of(loop::run(0, 0), 0, 0), runs{});
}

}  // namespace
