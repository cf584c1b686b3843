// SPDX-License-Identifier: Apache-2.0
// Full mailboxes: kept messages are sent between other work, and they are never more than there is room for.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/resident/devices.test.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/resident/stepped.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::resident::test {
namespace {

/// Sends the first element more messages at once than its mailbox holds.
template <class Kind>
struct pourer : chare<pourer<Kind>> {
  using pe = Kind;
  std::uint32_t got = 0;

  /// Sends from another PE, and then computes for longer than the sends take.
  IMBREX_DEVICE void pour(context<pourer>& here, std::uint32_t of_first, std::uint32_t of_others) {
    if (here.pe() == 0) return;
    const std::uint32_t messages = 2 * here.number() == here.size() ? of_first : of_others;
    for (std::uint32_t n = 0; n < messages; ++n) here.template send<&pourer::take>(0);
    here.spend(1'000'000);
  }
  IMBREX_DEVICE void take(context<pourer>& here) {
    if (here.leads()) ++got;
  }
  /// Computes for longer than the host takes to send.
  IMBREX_DEVICE void ponder(context<pourer>& here) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    while (std::chrono::steady_clock::now() < until) {
    }
    take(here);
  }
  using entries = resident::entries<&pourer::pour, &pourer::take, &pourer::ponder>;
};
using alone = pourer<block>;
using in_pairs = pourer<block_of_cluster<2>>;

}  // namespace
}  // namespace imbrex::resident::test

namespace imbrex::resident {

// These classes have no kernels.
template <>
void native<test::alone>::launch(native_stream, detail::machine) {
  throw error("this program of a test has no kernel");
}
template <>
std::uint32_t native<test::alone>::most_pes(std::uint32_t) {
  return 0;
}
template <>
void native<test::in_pairs>::launch(native_stream, detail::machine) {
  throw error("this program of a test has no kernel");
}
template <>
std::uint32_t native<test::in_pairs>::most_pes(std::uint32_t) {
  return 0;
}

namespace test {
namespace {

settings narrow(std::uint32_t outbox) {
  settings s;
  s.pes = 2;
  s.threads = 1;
  s.mailbox = s.crossing = 2;
  s.outbox = outbox;
  return s;
}

/// Half of 64 elements are on the second PE. The first of them sends more than the mailbox holds. The others
/// send as many as leave the PE while the next one runs. If kept messages were not retried between elements,
/// those of all would be kept.
TEST(resident_full_mailboxes, are_tried_between_the_elements_of_a_broadcast) {
  for (const std::uint32_t gpus : {1U, 2U}) {
    const auto pour = [gpus]() -> task<int> {
      settings s = narrow(32);
      s.gpus = gpus;
      s.placed = placement::blocks;
      program<alone> p(gpu(), s, {64});
      p.run_all<&alone::pour>(std::uint32_t{6}, std::uint32_t{2});
      EXPECT_EQ(p.read<alone>()[0].got, 6U + 31U * 2U);
      co_return 0;
    };
    run_whole(stepped(machine_kind::simulated), pour);
  }
}

TEST(resident_full_mailboxes, of_a_cluster_are_said_to_overflow) {
  const auto pour = []() -> task<int> {
    program<in_pairs> p(gpu(), narrow(10), {2});
    const std::string error_text =
        testing::error_of<error>([&] { p.run<&in_pairs::pour>(1, std::uint32_t{100}, std::uint32_t{0}); });
    EXPECT_NE(error_text.find("had 10 messages for full mailboxes and one more for PE 0"), std::string::npos)
        << error_text;
    co_return 0;
  };
  run_whole(stepped(machine_kind::simulated), pour);
}

/// Messages of the host wait in its ring: the PE that forwards them keeps no more than it has room for.
TEST(resident_full_mailboxes, let_messages_of_the_host_wait) {
  const auto devices = devices_here("emulated");
  settings s = narrow(32);
  s.host_slots = 256;
  s.placed = placement::blocks;
  program<alone> p(*devices.front(), s, {2});
  p.open();
  p.start<&alone::take>(0);
  for (int n = 0; n < 400; ++n) p.send<&alone::ponder>(1);
  p.close();
  p.stream().synchronize();
  p.end();
  EXPECT_EQ(p.read<alone>()[1].got, 400U);
}

}  // namespace
}  // namespace test
}  // namespace imbrex::resident
