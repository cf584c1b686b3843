// SPDX-License-Identifier: Apache-2.0
// PEs that are blocks of clusters. Their messages go from one block's shared memory to another's.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/sanitized.test.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/devices.test.hpp>
#include <imbrex/resident/host_cells.test.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/resident/stepped.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::resident::test {
namespace {

settings narrow(std::uint32_t pes, std::uint32_t gpus = 1, std::uint32_t threads = 1) {
  settings s;
  s.pes = pes;
  s.gpus = gpus;
  s.threads = threads;
  s.mailbox = s.crossing = 2;
  s.parcels = 2;
  s.first_ticket = static_cast<std::uint32_t>(-50);  // tickets wrap
  return s;
}

using kind = block_of_cluster<4>;

void expect_all(program<gossip<kind>>& p, std::uint32_t chares, std::uint32_t messages) {
  std::uint32_t got = 0;
  for (const gossip<kind>& one : p.read<gossip<kind>>()) {
    got += one.got;
    EXPECT_EQ(one.wrong, 0U);
  }
  EXPECT_EQ(got, chares * messages * 3);
}

void check_on_threads(const settings& s, std::uint32_t chares, std::uint32_t messages) {
  const auto devices = devices_here("emulated");
  program<gossip<kind>> p(*devices.front(), s, {static_cast<int>(chares)});
  for (int n = 0; n < 2; ++n) {
    p.write(std::vector<gossip<kind>>(chares));
    EXPECT_FALSE(p.run_all<&gossip<kind>::start>(messages).value) << "it ends when all is quiet";
    expect_all(p, chares, messages);
  }
}

TEST(resident_clusters, lose_nothing_and_keep_order_on_threads) {
  check_on_threads(narrow(4, 1, 3), 5, 30);
  check_on_threads(narrow(8), 24, 30);
  check_on_threads(narrow(8, 2), 11, 20);
}

TEST(resident_clusters, refuse_pes_that_are_left_over) {
  const auto devices = devices_here("emulated");
  EXPECT_EQ(
      testing::error_of<usage_error>([&] { program<gossip<kind>> p(*devices.front(), narrow(6), {3}); }),
      "a program inside a GPU cannot have 6 PEs on a GPU: its classes say that 4 of them are a "
      "cluster, so give a multiple of that");
}

TEST(resident_clusters, lose_nothing_and_keep_order_by_seeds) {
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    run_whole(stepped(machine_kind::deterministic, seed), [seed]() -> task<int> {
      program<gossip<kind>> p(gpu(), narrow(8, 1 + static_cast<std::uint32_t>(seed % 2)), {13});
      p.start_all<&gossip<kind>::start>(std::uint32_t{20});
      co_await p.stream().done();
      p.end();
      expect_all(p, 13, 20);
      co_return 0;
    });
}

template <bool Marks>
void pass_hints() {
  const auto devices = devices_here("emulated");
  program<hint<Marks>> p(*devices.front(), narrow(4, 1, 2), {4});
  p.template run<&hint<Marks>::give>(0, std::uint32_t{200});
  std::uint32_t got = 0, wrong = 0;
  for (const hint<Marks>& one : p.template read<hint<Marks>>()) {
    got += one.got;
    wrong += one.wrong;
  }
  EXPECT_EQ(got, 201U);
  if (Marks) EXPECT_EQ(wrong, 0U);
}

TEST(resident_clusters, order_memory_by_ordered_messages) { pass_hints<true>(); }

#ifdef __SANITIZE_THREAD__
constexpr bool races_are_seen = true;
#elif defined(__has_feature)
constexpr bool races_are_seen = __has_feature(thread_sanitizer);
#else
constexpr bool races_are_seen = false;
#endif

/// Plain messages within a cluster order no other memory, on the host neither.
TEST(resident_clusters, do_not_order_memory_by_plain_messages) {
  if (!races_are_seen) GTEST_SKIP() << "ThreadSanitizer sees what is forgotten";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        pass_hints<false>();
        std::exit(0);
      },
      [](int status) { return status != 0; }, "data race");
}

}  // namespace
}  // namespace imbrex::resident::test
