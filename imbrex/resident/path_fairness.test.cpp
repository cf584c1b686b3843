// SPDX-License-Identifier: Apache-2.0
// Messages that reach a PE by several paths: each path has its turn.
#include <gtest/gtest.h>

#include <cstdint>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/resident/stepped.test.hpp>

namespace imbrex::resident::test {
namespace {

/// One chare floods the first one, and then makes another chare call the first one.
template <class Kind>
struct crowd : chare<crowd<Kind>> {
  using pe = Kind;
  static constexpr std::uint32_t messages = 60;
  std::uint32_t taken = 0, taken_before_call = 0;

  IMBREX_DEVICE void flood(context<crowd>& here, std::uint32_t caller) {
    for (std::uint32_t n = 0; n < messages; ++n) here.template send<&crowd::take>(0);
    here.template send<&crowd::ask>(static_cast<int>(caller));
  }
  IMBREX_DEVICE void ask(context<crowd>& here) { here.template send<&crowd::call>(0); }
  /// Takes longer to run than to send.
  IMBREX_DEVICE void take(context<crowd>& here) {
    for (int n = 0; n < 8; ++n) here.sync();
    here.spend(100'000);
    if (here.leads()) ++taken;
  }
  IMBREX_DEVICE void call(context<crowd>& here) {
    if (here.leads()) taken_before_call = taken;
  }
  using entries = resident::entries<&crowd::flood, &crowd::ask, &crowd::take, &crowd::call>;
};
using in_blocks = crowd<block>;
using in_pairs = crowd<block_of_cluster<2>>;

}  // namespace
}  // namespace imbrex::resident::test

namespace imbrex::resident {

// These classes have no kernels.
template <>
void native<test::in_blocks>::launch(native_stream, detail::machine) {
  throw error("this program of a test has no kernel");
}
template <>
std::uint32_t native<test::in_blocks>::most_pes(std::uint32_t) {
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

/// One chare on each of 4 PEs. The call arrives by the mailbox while most of the flood waits.
template <class Crowd>
void expect_call_in_its_turn(std::uint32_t gpus, int flooder, std::uint32_t caller) {
  for (std::uint32_t seed = 0; seed < 3; ++seed)
    for (const auto kind : {machine_kind::deterministic, machine_kind::simulated})
      run_whole(stepped(kind, seed), [&]() -> task<int> {
        settings s;
        s.pes = 4;
        s.gpus = gpus;
        s.threads = 1;
        program<Crowd> p(gpu(), s, {4});
        p.template run<&Crowd::flood>(flooder, caller);
        const Crowd first = p.template read<Crowd>()[0];
        EXPECT_EQ(first.taken, Crowd::messages);
        EXPECT_LT(first.taken_before_call, Crowd::messages / 2) << "seed " << seed;
        co_return 0;
      });
}

TEST(resident_turns, of_a_mailbox_come_between_messages_of_other_gpus) {
  expect_call_in_its_turn<in_blocks>(2, 2, 1);
}

TEST(resident_turns, of_a_mailbox_come_between_messages_of_a_cluster) {
  expect_call_in_its_turn<in_pairs>(1, 1, 2);
}

/// The flood arrives by the mailbox, and the call from the other GPU.
TEST(resident_turns, of_other_gpus_come_between_messages_of_a_mailbox) {
  expect_call_in_its_turn<in_blocks>(2, 1, 2);
}

TEST(resident_turns, of_a_cluster_come_between_messages_of_a_mailbox) {
  expect_call_in_its_turn<in_pairs>(1, 2, 1);
}

}  // namespace
}  // namespace test
}  // namespace imbrex::resident
