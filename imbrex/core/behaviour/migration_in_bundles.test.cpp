// SPDX-License-Identifier: Apache-2.0
// Elements that leave together for the same PE.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/extension/load.hpp>
#include <imbrex/core/run/pe_attachment.hpp>

namespace imbrex::migration_in_bundles_test {

/// Counts the messages of runs by their kinds.
class message_count final : public observer {
 public:
  void sent(const departing_message& m) override {
    const std::string_view name = static_cast<const detail::message&>(m.message()).kind().purpose.what;
    if (name == "migration of elements") ++bundles;
    if (name == "migration") ++single_moves;
    if (name == "report where an element is") ++single_reports;
  }
  std::atomic<int> bundles = 0, single_moves = 0, single_reports = 0;
};

class box : public chare<box> {
 public:
  void put(int n) { sum_ += n; }
  std::int64_t sum() const { return sum_; }
  int on() const { return pe(); }
  void die() { destroy(); }
  void serialize(auto& ar) { ar(sum_, content_); }

 private:
  std::int64_t sum_ = 0;
  std::string content_ = "forty letters, so that they are allocated";
};

class mover : public chare<mover> {
 public:
  void scatter(std::uint64_t seed) {
    random draw(seed + static_cast<std::uint64_t>(pe()));
    for (const auto& each : extension::local_loads::here().elements())
      each.move(static_cast<int>(draw.below(static_cast<std::uint64_t>(num_pes()))));
  }
};

class migration_in_bundles : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, migration_in_bundles, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(migration_in_bundles, loses_no_message) {
  constexpr int boxes_count = 60, rounds = 6;
  for (const options& settings : GetParam().runs) {
    const int status = run_once(settings, [&]() -> task<> {
      const auto boxes = make_array<box>({boxes_count});
      const auto others = make_array<box>({21});
      const auto movers = make_group<mover>();
      for (int round = 0; round < rounds; ++round) {
        send<&mover::scatter>(movers, 100 * round);
        for (int i = 0; i < boxes_count; ++i) send<&box::put>(boxes[i], 1);
        send<&box::put>(boxes, 1000);
        send<&box::put>(others, 1);
        if (round % 2 == 0) co_await quiescence();
      }
      co_await quiescence();
      EXPECT_EQ(co_await boxes.reduce<&box::sum>(sum), boxes_count * rounds * 1001);
      EXPECT_EQ(co_await others.reduce<&box::sum>(sum), 21 * rounds);
      send<&mover::scatter>(movers, 1);
      for (int i = 0; i < boxes_count; i += 2) send<&box::die>(boxes[i]);
      co_await quiescence();
      EXPECT_EQ(co_await boxes.reduce<&box::sum>(sum), boxes_count / 2 * rounds * 1001);
    });
    EXPECT_EQ(status, 0);
  }
}

TEST_P(migration_in_bundles, takes_a_message_for_each_pair_of_pes) {
  constexpr int boxes_count = 64;
  for (const options& settings : GetParam().runs) {
    message_count count;
    int pes = 0;
    const pe_attachment attachment([&](detail::scheduler& pe) { pe.attach(count); });
    const int status = run_once(settings, [&]() -> task<> {
      const auto boxes = make_array<box>({boxes_count});
      const auto movers = make_group<mover>();
      co_await boxes.created();
      pes = num_pes();
      send<&mover::scatter>(movers, 5);
      co_await quiescence();
      EXPECT_EQ(co_await boxes.reduce<&box::sum>(sum), 0);
    });
    EXPECT_EQ(status, 0);
    EXPECT_LE(count.single_reports, count.single_moves);
    EXPECT_LE(count.bundles + count.single_moves, pes * (pes - 1));
    if (pes > 1) {
      EXPECT_GE(count.bundles, 1);
    }
  }
}

}  // namespace imbrex::migration_in_bundles_test
