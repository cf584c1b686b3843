// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/program.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/sanitized.test.hpp>
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/devices.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::resident::test {
namespace {

/// A device, and sizes of the machine.
struct shape {
  std::string backend = "emulated";
  std::uint32_t pes = 1, threads = 1;
  placement placed = placement::round_robin;
  std::uint32_t mailbox = 64, parcels = 64;
  std::uint32_t gpus = 1, crossing = 64;
};
std::string name_of(const ::testing::TestParamInfo<shape>& info) {
  const shape& s = info.param;
  return s.backend + "_" + (s.gpus == 1 ? "" : std::to_string(s.gpus) + "_gpus_") + std::to_string(s.pes) +
         "_pes_of_" + std::to_string(s.threads) + (s.placed == placement::blocks ? "_in_blocks" : "") +
         "_mailbox_" + std::to_string(s.mailbox);
}

class resident_program : public ::testing::TestWithParam<shape> {
 protected:
  void SetUp() override {
    devices_ = devices_here(GetParam().backend);
    if (devices_.empty()) GTEST_SKIP() << "there is no GPU";
  }
  device& gpu() { return *devices_.front(); }
  settings chosen() const {
    const shape& s = GetParam();
    settings all;
    all.pes = s.pes;
    all.threads = s.threads;
    all.placed = s.placed;
    all.mailbox = s.mailbox;
    all.parcels = s.parcels;
    all.gpus = s.gpus;
    all.crossing = s.crossing;
    all.parcel_bytes = 512;
    all.first_ticket = static_cast<std::uint32_t>(-50);
    return all;
  }

 private:
  std::vector<std::unique_ptr<device>> devices_;
};
const std::vector<shape> on_threads{
    {},
    {.pes = 3},
    {.pes = 4, .threads = 3},
    {.pes = 8, .placed = placement::blocks, .mailbox = 2, .parcels = 1},
    {.pes = 64},
    {.pes = 2, .gpus = 2},
    {.pes = 6, .threads = 2, .placed = placement::blocks, .gpus = 3},
    {.pes = 8, .mailbox = 2, .parcels = 1, .gpus = 4, .crossing = 2},
};
INSTANTIATE_TEST_SUITE_P(, resident_program, ::testing::ValuesIn(on_threads), name_of);
#if IMBREX_HAS_CUDA
const std::vector<shape> on_a_gpu{
    {.backend = "cuda"},
    {.backend = "cuda", .pes = 3, .threads = 32},
    {.backend = "cuda", .pes = 8, .threads = 64, .placed = placement::blocks, .mailbox = 2, .parcels = 1},
    {.backend = "cuda", .pes = 0, .threads = 256},
};
INSTANTIATE_TEST_SUITE_P(cuda, resident_program, ::testing::ValuesIn(on_a_gpu), name_of);
#endif

TEST_P(resident_program, passes_a_token_round) {
  program<ring> p(gpu(), chosen(), {5});
  const outcome end = p.run<&ring::token>(2, std::uint64_t{1'002});
  EXPECT_EQ(end.value, 7U);
  std::uint32_t got = 0;
  for (const ring& r : p.read<ring>()) got += r.got;
  EXPECT_EQ(got, 1'003U);
  EXPECT_EQ(p.read<ring>()[4].got, 201U);
}

template <class Kind>
void check_crew(device& gpu, const settings& chosen, std::uint32_t blocks) {
  constexpr std::uint32_t chares = 5, rounds = 61;
  program<crew<Kind>> p(gpu, chosen, {static_cast<int>(chares)});
  EXPECT_FALSE((p.template run<&crew<Kind>::pass>(1, rounds).value));
  std::uint32_t got = 0;
  for (const crew<Kind>& c : p.template read<crew<Kind>>()) {
    got += c.got;
    EXPECT_EQ(c.wrong, 0U);
    if (blocks != 0) {
      EXPECT_EQ(c.threads, blocks * p.chosen().threads);
    }
  }
  EXPECT_EQ(got, rounds + 1);
}

TEST_P(resident_program, has_clusters_as_pes) { check_crew<cluster<2>>(gpu(), chosen(), 2); }

TEST_P(resident_program, has_whole_gpus_as_pes) {
  settings s = chosen();
  s.parcel_bytes = 1U << 19U;  // one word per thread
  s.pes = s.gpus;
  check_crew<whole_gpu>(gpu(), s, GetParam().backend == "emulated" ? 2 : 0);
  s.pes = s.gpus + s.gpus;
  const std::string error_text =
      testing::error_of<usage_error>([&] { program<crew<whole_gpu>> refused(gpu(), s, {3}); });
  EXPECT_NE(error_text.find("a PE is a whole GPU, so there is one on each"), std::string::npos) << error_text;
}

TEST_P(resident_program, runs_again_with_what_the_last_run_left) {
  program<ring> p(gpu(), chosen(), {4});
  for (int n = 0; n < 3; ++n) p.run<&ring::token>(0, std::uint64_t{7});
  for (const ring& r : p.read<ring>()) EXPECT_EQ(r.got, 6U);
  p.write(std::vector<ring>(4));
  p.run<&ring::token>(0, std::uint64_t{0});
  EXPECT_EQ(p.read<ring>()[0].got, 1U);
}

TEST_P(resident_program, loses_nothing_in_a_storm) {
  constexpr std::uint32_t chares = 40, messages = 60;
  program<storm> p(gpu(), chosen(), {chares});
  const outcome end = p.run_all<&storm::start>(messages);
  EXPECT_FALSE(end.value) << "it ends when all is quiet";
  std::uint32_t sent = 0, got = 0, wrong = 0;
  for (const storm& s : p.read<storm>()) {
    sent += s.sent;
    got += s.got;
    wrong += s.wrong;
  }
  EXPECT_EQ(sent, chares * messages * 3);
  EXPECT_EQ(got, sent);
  EXPECT_EQ(wrong, 0U);
}

/// A million messages on three PEs, of which many find their mailbox full. Fewer where a million would take
/// long.
TEST_P(resident_program, carries_each_of_many_messages_once) {
  const bool is_long =
      (GetParam().backend == "cuda" || GetParam().pes == 3) && !imbrex::test::memory_is_kept_back;
  constexpr std::uint32_t chares = 50, tokens = 4;
  const std::uint32_t hops = is_long ? 4'999 : 49;
  settings s = chosen();
  if (s.mailbox > 16) s.mailbox = 16;
  program<wanderer> p(gpu(), s, {chares});
  const outcome end = p.run_all<&wanderer::start>(tokens, hops);
  EXPECT_FALSE(end.value);
  std::uint64_t got = 0;
  for (const wanderer& w : p.read<wanderer>()) got += w.got;
  EXPECT_EQ(got, std::uint64_t{chares} * tokens * (hops + 1));
  EXPECT_GE(end.entries, got);
}

/// Resident memory of this process, in bytes.
std::size_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// A hundred million messages, of successive programs, with full mailboxes and crossings, and tickets that
/// wrap. Runs at night: resident.many_messages.
TEST(resident_program_at_night, DISABLED_carries_each_message_once_and_keeps_no_memory) {
  const auto devices = devices_here("emulated");
  constexpr std::uint32_t chares = 53, tokens = 4, hops = 4'999;
  constexpr std::uint64_t all = imbrex::test::memory_is_kept_back ? 2'000'000 : 100'000'000;
  std::uint64_t messages = 0;
  std::size_t before = 0;
  for (std::uint32_t round = 0; messages < all; ++round) {
    settings s;
    s.gpus = 1 + round % 2;
    s.pes = s.gpus * (1 + round / 2 % 3);
    s.mailbox = 2U << round % 9;
    s.crossing = 2U << round % 5;
    s.parcels = 1 + round % 7;
    s.outbox = 1U << 16U;  // all messages to one PE may be kept at once
    s.first_ticket = static_cast<std::uint32_t>(-1'000) - 977 * round;
    {
      program<wanderer> p(*devices.front(), s, {chares});
      p.run_all<&wanderer::start>(tokens, hops);
      std::uint64_t got = 0;
      for (const wanderer& w : p.read<wanderer>()) got += w.got;
      ASSERT_EQ(got, std::uint64_t{chares} * tokens * (hops + 1)) << "in round " << round;
      messages += got;
    }
    {
      program<storm> p(*devices.front(), s, {chares});
      p.run_all<&storm::start>(300 + round);
      std::uint64_t sent = 0, got = 0;
      for (const storm& one : p.read<storm>()) {
        sent += one.sent;
        got += one.got;
        ASSERT_EQ(one.wrong, 0U) << "in round " << round;
      }
      ASSERT_EQ(sent, std::uint64_t{chares} * 3 * (300 + round));
      ASSERT_EQ(got, sent) << "in round " << round;
      messages += 2 * got;  // each is sent by a message that its sender sends itself
    }
    if (round == 17) before = resident_memory();
  }
  if (before != 0) EXPECT_LT(resident_memory(), before + (std::size_t{16} << 20U));
}

TEST_P(resident_program, reduces_in_three_dimensions) {
  program<cube> p(gpu(), chosen(), {3, 1, 4});
  EXPECT_FALSE(p.run_all<&cube::start>().value);
  const std::vector<cube> all = p.read<cube>();
  for (const cube& c : all) {
    EXPECT_EQ(c.got, 66U);
    EXPECT_EQ(c.total, 12 * 66U);
  }
  EXPECT_EQ(all[0].largest, 5.5);
  EXPECT_EQ(all[1].largest, 0.0) << "a reduction ends on the first element";
}

TEST_P(resident_program, orders_early_messages_by_reference_numbers) {
  program<stepper> p(gpu(), chosen(), {3, 3});
  EXPECT_EQ(p.run_all<&stepper::start>(std::uint32_t{20}).value, 9U);
  for (const stepper& s : p.read<stepper>()) {
    EXPECT_EQ(s.step, 21U);
    EXPECT_EQ(s.wrong, 0U);
  }
}

TEST_P(resident_program, fires_triggers_when_all_have_signalled) {
  program<boss, worker> p(gpu(), chosen(), {1}, {10});
  EXPECT_EQ(p.run<&boss::start>(0, std::uint32_t{15}).value, 14U);
  const boss b = p.read<boss>().front();
  EXPECT_EQ(b.fired, 15U);
  EXPECT_EQ(b.wrong, 0U);
}

TEST_P(resident_program, carries_values_by_channels) {
  constexpr std::uint32_t size = 40;
  const symmetric_heap heap(gpu(), GetParam().gpus, std::size_t{1} << 24U);
  const auto memory = heap.make<float>(std::size_t{2} * 3 * size);
  program<caller> p(heap, chosen(), {2});
  std::vector<caller> two(2);
  for (std::uint32_t c = 0; c < 2; ++c) {
    two[c].in = two[1 - c].of_other = {memory.what().part(std::size_t{c} * 3 * size, std::size_t{2} * size)};
    two[c].out = memory.what().part((std::size_t{c} * 3 + 2) * size, size);
  }
  p.write(two);
  EXPECT_EQ(p.run<&caller::start>(0, std::uint32_t{50}).value, 50U);
  for (const caller& c : p.read<caller>()) EXPECT_EQ(c.wrong, 0U);
}

TEST_P(resident_program, ends_in_the_midst_of_traffic) {
  program<culprit> p(gpu(), chosen(), {4, 2});
  EXPECT_EQ(p.run_all<&culprit::traffic>(std::uint32_t{200}).value, 99U);
}

TEST_P(resident_program, of_two_runs_at_once_each_has_its_own) {
  settings s = chosen();
  if (s.pes == 0 || s.pes > 8) s.pes = 8 / s.gpus * s.gpus;
  program<ring> one(gpu(), s, {5}), other(gpu(), s, {3});
  one.start<&ring::token>(0, std::uint64_t{500});
  other.start<&ring::token>(0, std::uint64_t{300});
  one.stream().synchronize();
  other.stream().synchronize();
  EXPECT_EQ(one.end().value, 7U);
  EXPECT_EQ(other.end().value, 7U);
  std::uint32_t got = 0;
  for (const ring& r : one.read<ring>()) got += r.got;
  EXPECT_EQ(got, 501U);
}

}  // namespace
}  // namespace imbrex::resident::test
