// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/extension/report.hpp>
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/devices.test.hpp>
#include <imbrex/resident/host_cells.test.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/resident/symmetric_heap.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::resident::test {
namespace {

using testing::error_of;

struct place {
  std::string backend;
  std::uint32_t gpus = 1;
};
std::string name_of(const ::testing::TestParamInfo<place>& info) {
  return info.param.backend + (info.param.gpus == 1 ? "" : "_" + std::to_string(info.param.gpus) + "_gpus");
}

class resident_errors : public ::testing::TestWithParam<place> {
 protected:
  void SetUp() override {
    devices_ = devices_here(GetParam().backend);
    if (devices_.empty()) GTEST_SKIP() << "there is no GPU";
  }
  device& gpu() { return *devices_.front(); }
  static settings small() {
    settings s;
    s.pes = 2;
    s.gpus = GetParam().gpus;
    s.crossing = 2;
    s.mailbox = 2;
    s.outbox = 10;
    s.early = 2;
    s.parcels = 3;
    return s;
  }
  template <auto Entry, class... A>
  std::string failure_of(const A&... arguments) {
    program<culprit> p(gpu(), small(), {4, 2});
    return error_of<error>([&] { p.run<Entry>({2, 0}, arguments...); });
  }

 private:
  std::vector<std::unique_ptr<device>> devices_;
};
INSTANTIATE_TEST_SUITE_P(, resident_errors, ::testing::Values(place{"emulated"}, place{"emulated", 2}),
                         name_of);
#if IMBREX_HAS_CUDA
INSTANTIATE_TEST_SUITE_P(cuda, resident_errors, ::testing::Values(place{"cuda"}), name_of);
#endif

TEST_P(resident_errors, name_a_missing_element_and_who_sent_to_it) {
  EXPECT_EQ(failure_of<&culprit::send_astray>(),
            "entry send_astray of culprit(2, 0) on PE 0 sent entry send_astray to culprit(1, 7), which there "
            "is not: the array has the extents (4, 2)");
}

TEST_P(resident_errors, name_who_failed) {
  EXPECT_EQ(failure_of<&culprit::fail>(std::uint64_t{17}),
            "entry fail of culprit(2, 0) on PE 0 failed with number 17");
}

TEST_P(resident_errors, say_that_an_outbox_is_full) {
  EXPECT_EQ(failure_of<&culprit::flood>(),
            "entry flood of culprit(2, 0) on PE 0 had 10 messages for full mailboxes and one more for PE 1: "
            "send less at once, or raise settings::outbox or settings::mailbox");
}

TEST_P(resident_errors, say_that_no_parcel_is_left) {
  EXPECT_EQ(failure_of<&culprit::pour>(),
            "entry pour of culprit(2, 0) on PE 0 sent more than 8 bytes, and all 3 parcels of its PE are in "
            "flight: request them by prepare(), or raise settings::parcels");
}

TEST_P(resident_errors, say_that_a_parcel_is_too_small) {
  EXPECT_EQ(failure_of<&culprit::ask_for_much>(),
            "entry ask_for_much of culprit(2, 0) on PE 0 requested a message of 8000016 bytes: raise "
            "settings::parcel_bytes, now 1024");
}

TEST_P(resident_errors, say_that_a_payload_was_prepared_for_another_entry) {
  EXPECT_EQ(
      failure_of<&culprit::send_what_was_for_another>(),
      "entry send_what_was_for_another of culprit(2, 0) on PE 0 sent a payload that was prepared for an "
      "entry with other fixed arguments: prepare it for the entry that it is sent to");
}

TEST_P(resident_errors, say_that_a_trigger_is_on_another_gpu) {
  if (GetParam().gpus == 1) GTEST_SKIP() << "it has no other GPU";
  const settings s = small();
  program<culprit> p(gpu(), s, {4, 2});
  EXPECT_EQ(
      error_of<error>([&] { p.run<&culprit::signal_to_its_own>({2, 0}); }),
      "entry signal_to_its_own of culprit(2, 0) on PE 0 signalled to a trigger that is not on the GPU of "
      "the chare whose entry it runs: have it in that chare");
}

TEST_P(resident_errors, name_a_trigger_of_too_many_signals) {
  if (GetParam().gpus == 1) GTEST_SKIP() << "it has no other GPU";
  EXPECT_EQ(failure_of<&culprit::signal_often>(std::uint32_t{1} << 24U),
            "entry signal_often of culprit(2, 0) on PE 0 signalled to a trigger of 16777216 signals: on "
            "several GPUs 16777215 are the most");
}

TEST_P(resident_errors, name_a_trigger_of_no_signals) {
  EXPECT_EQ(
      failure_of<&culprit::signal_often>(std::uint32_t{0}),
      "entry signal_often of culprit(2, 0) on PE 0 signalled to a trigger of no signals: 1 is the least");
}

TEST_P(resident_errors, name_a_gpu_that_is_not_there) {
  EXPECT_EQ(failure_of<&culprit::put_astray>(std::uint32_t{7}),
            "entry put_astray of culprit(2, 0) on PE 0 accessed the memory of GPU 7, which it has not "
            "mapped: its GPUs are among 0 to " +
                std::to_string(GetParam().gpus - 1));
}

/// Error of a run that begins with that entry of stranger(1, 0), on 1 or 2 emulated GPUs of one PE each.
template <auto Entry, class A>
std::string failure_on(std::uint32_t gpus, const A& argument) {
  const auto devices = devices_here("emulated");
  const symmetric_heap heap(*devices.front(), gpus, std::size_t{1} << 20U);
  const auto words = heap.make<std::uint32_t>(4);
  settings s;
  s.pes = gpus;
  s.threads = 2;
  program<stranger> p(heap, s, {2, 2});
  std::vector<stranger> all(4);
  for (stranger& one : all) one.words = words.what();
  p.write(all);
  return error_of<error>([&] { p.run<Entry>({1, 0}, argument); });
}

TEST(resident_errors_of_names, are_the_same_of_whatever_names_what_is_not_there) {
  const std::string chare = ", which there is not: the array has the extents (2, 2)";
  for (const std::uint32_t gpus : {1U, 2U}) {
    const auto says = [](const char* entry, const std::string& what) {
      return "entry " + std::string(entry) + " of stranger(1, 0) on PE 0 " + what;
    };
    EXPECT_EQ(failure_on<&stranger::name_chare>(gpus, 2), says("name_chare", "named stranger(2, 1)" + chare));
    EXPECT_EQ(failure_on<&stranger::name_chare>(gpus, -1),
              says("name_chare", "named stranger(-1, 1)" + chare));
    EXPECT_EQ(failure_on<&stranger::name_chare_by_all>(gpus, 7),
              says("name_chare_by_all", "named stranger(7, 1)" + chare));
    EXPECT_EQ(failure_on<&stranger::ask_for_pe>(gpus, 9), says("ask_for_pe", "named stranger(9, 0)" + chare));
    EXPECT_EQ(failure_on<&stranger::ask_for_gpu>(gpus, 9),
              says("ask_for_gpu", "named stranger(9, 0)" + chare));
    const std::string last = std::to_string(gpus - 1);
    EXPECT_EQ(failure_on<&stranger::spend_on>(gpus, gpus),
              says("spend_on",
                   "named PE " + std::to_string(gpus) + ", which there is not: there are 0 to " + last));
    const std::string no_gpu = "accessed the memory of GPU " + std::to_string(gpus) +
                               ", which it has not mapped: its GPUs are among 0 to " + last;
    EXPECT_EQ(failure_on<&stranger::broadcast_of>(gpus, gpus), says("broadcast_of", no_gpu));
    EXPECT_EQ(failure_on<&stranger::write_to>(gpus, gpus), says("write_to", no_gpu));
    const auto outside = [&](const char* entry, const std::string& text) {
      EXPECT_TRUE(text.starts_with(says(entry, "named symmetric memory from byte "))) << text;
      EXPECT_TRUE(text.ends_with("on, which ends outside its heap: take smaller parts"));
    };
    outside("put_part", failure_on<&stranger::put_part>(gpus, std::uint64_t{1} << 20U));
    outside("put_part", failure_on<&stranger::put_part>(gpus, ~std::uint64_t{0}));
    outside("write_part", failure_on<&stranger::write_part>(gpus, std::uint64_t{1} << 20U));
    outside("wait_part", failure_on<&stranger::wait_part>(gpus, std::uint64_t{1} << 20U));
    outside("reduce_part", failure_on<&stranger::reduce_part>(gpus, std::uint64_t{1} << 40U));
  }
}

TEST(resident_errors_of_payloads, say_that_one_is_sent_again) {
  const std::string text =
      " of stranger(1, 0) on PE 0 sent a payload that it has sent already, or that an entry before it was "
      "given: prepare another for each message";
  for (const std::uint32_t gpus : {1U, 2U})
    for (const std::uint32_t count : {0U, 4U}) {
      EXPECT_EQ(failure_on<&stranger::send_twice>(gpus, count), "entry send_twice" + text);
      EXPECT_EQ(failure_on<&stranger::pass_on_twice>(gpus, count), "entry take_and_pass_on" + text);
    }
}

TEST_P(resident_errors, name_heaps_that_cannot_be) {
  EXPECT_EQ(error_of<usage_error>([this] { symmetric_heap(gpu(), 0, 1'000); }),
            "a symmetric heap of 0 GPUs is impossible: give 1 to 96");
  EXPECT_EQ(error_of<usage_error>([this] { symmetric_heap(gpu(), 1, SIZE_MAX); }),
            "a symmetric heap of 18446744073709551615 bytes is impossible: give less than 2^40");
  const symmetric_heap heap(gpu(), 1, 4'096);
  EXPECT_EQ(error_of<usage_error>([&] { heap.make<double>(SIZE_MAX / 4); }),
            "symmetric memory of 4611686018427387903 elements is impossible: it exceeds the address space");
  EXPECT_EQ(
      error_of<usage_error>([&] { heap.make<char>(SIZE_MAX); }),
      "a symmetric heap of 4096 bytes, of which 0 are used, has no room for 18446744073709551615 more in "
      "one piece: make it larger");
  const auto some = heap.make<double>(100);
  EXPECT_EQ(error_of<usage_error>([&] { heap.make<double>(500); }),
            "a symmetric heap of 4096 bytes, of which 1024 are used, has no room for 4096 more in one piece: "
            "make it larger");
  EXPECT_EQ(error_of<usage_error>([&] { some.read(1); }),
            "a process reads or writes the memory of GPU 1 of a symmetric heap, which is another process's");
  EXPECT_EQ(error_of<usage_error>([&] { some.write(0, std::vector<double>(3)); }),
            "symmetric memory of 100 elements is written with 3");
}

TEST_P(resident_errors, say_that_too_many_messages_are_early) {
  EXPECT_EQ(failure_of<&culprit::number_ahead>(),
            "PE 1 had 2 messages whose numbers are not accepted, and one more: raise settings::early");
}

TEST_P(resident_errors, say_that_a_reduction_is_too_far_ahead) {
  EXPECT_EQ(failure_of<&culprit::reduce_ahead>(),
            "entry reduce_ahead of culprit(2, 0) on PE 0 is 4 rounds of the reduction for reduced ahead of "
            "another element: wait for a result in between");
}

/// A PE detects the error outside of entries, when another PE's later rounds arrive too early.
TEST_P(resident_errors, name_the_pe_that_is_too_far_ahead_of_one_above_it) {
  program<culprit> p(gpu(), small(), {2, 1});
  EXPECT_EQ(error_of<error>([&] { p.run<&culprit::reduce_ahead>({1, 0}); }),
            "PE 1 is 4 rounds of the reduction for reduced ahead of another element: wait for a result in "
            "between");
}

TEST_P(resident_errors, name_messages_that_nobody_accepts) {
  settings s = small();
  s.early = 5;
  program<culprit> p(gpu(), s, {4, 2});
  EXPECT_EQ(
      error_of<error>([&] { p.run<&culprit::number_ahead>({2, 0}); }),
      "a program inside a GPU is quiet, but 3 messages wait for a number that is not accepted, such as entry "
      "numbered of culprit(1, 1) with number 1");
}

/// The host's parcels are in messages that no chare accepts, so later messages of the host cannot arrive.
TEST_P(resident_errors, say_that_the_host_has_no_parcel_left) {
  settings s = small();
  s.early = 5;
  program<culprit> p(gpu(), s, {4, 2});
  p.open();
  p.start<&culprit::rest>({0, 0});
  const std::vector<double> values(2);
  for (int n = 0; n < 4; ++n)
    p.send<&culprit::numbered_long>({1, 1}, reference(n + 1), std::span<const double>(values));
  p.close();
  p.stream().synchronize();
  EXPECT_EQ(error_of<error>([&] { p.end(); }),
            "PE 0 has a message of the host of more than 8 bytes, and all 3 parcels of the host are in "
            "messages whose numbers are not accepted: send less ahead, or raise settings::parcels");
}

TEST_P(resident_errors, name_settings_that_cannot_be) {
  const auto refusal = [this](const std::function<void(settings&)>& change) {
    settings s = small();
    change(s);
    return error_of<usage_error>([&] { program<ring>(gpu(), s, {4}); });
  };
  EXPECT_EQ(refusal([](settings& s) { s.pes = 1000; }),
            "a program inside a GPU cannot have 1000 PEs: give 1 to 256");
  EXPECT_EQ(refusal([](settings& s) { s.threads = 513; }),
            "a program inside a GPU cannot have 513 threads in a block: give 1 to 512");
  EXPECT_EQ(
      refusal([](settings& s) { s.mailbox = 12; }),
      "a program inside a GPU cannot have mailboxes of 12 messages: give a power of two from 2 to 2^20");
  EXPECT_EQ(refusal([](settings& s) { s.parcel_bytes = 100; }),
            "a program inside a GPU cannot have parcels of 100 bytes: give a multiple of 16, from 128 on");
  EXPECT_EQ(refusal([](settings& s) { s.host_bytes = (1U << 24U) + 16; }),
            "a program inside a GPU cannot have messages of 16777232 bytes to the host: give a multiple of "
            "16 from 192 to 2^24");
  EXPECT_EQ(error_of<usage_error>([this] { program<ring>(gpu(), small(), {0}); }),
            "a program inside a GPU cannot have an array of ring with an extent of 0");
  EXPECT_EQ(
      error_of<usage_error>([this] { program<culprit>(gpu(), small(), {5000, 5000}); }),
      "a program inside a GPU cannot have an array of 25000000 elements of culprit: the most are 16777215");
}

TEST_P(resident_errors, refuse_a_program_that_runs) {
  program<ring> p(gpu(), small(), {4});
  EXPECT_EQ(error_of<error>([&] { p.end(); }), "end() of a program inside a GPU was called before start()");
  p.start<&ring::token>(0, std::uint64_t{3});
  EXPECT_EQ(error_of<error>([&] { p.read<ring>(); }),
            "a program inside a GPU is used while it runs: await its stream and call end() before");
  p.stream().synchronize();
  EXPECT_EQ(p.end().value, 7U);
  EXPECT_EQ(error_of<usage_error>([&] { p.write(std::vector<ring>(3)); }),
            "an array inside a GPU is written with 3 elements, but has 4");
  EXPECT_EQ(error_of<usage_error>([&] { p.run<&ring::token>(4, std::uint64_t{3}); }),
            "a run inside a GPU cannot begin with ring(4), which there is not: the array has the extents "
            "(4)");
}

TEST_P(resident_errors, of_an_entry_that_hangs_are_the_watchdogs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto found = devices_here(GetParam().backend);
        settings s = small();
        s.patience = nanoseconds(300'000'000);
        program<culprit> p(*found.front(), s, {4, 2});
        p.run<&culprit::hang>({2, 1});
      },
      ::testing::ExitedWithCode(1),
      "imbrex: no PE of a program inside a GPU has begun an entry for 0\\.[3-9] s:\n  PE 1 is in entry hang "
      "of culprit\\(2, 1\\)");
}

TEST_P(resident_errors, of_an_entry_that_hangs_are_shown_in_reports) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto found = devices_here(GetParam().backend);
        program<culprit> p(*found.front(), small(), {4, 2});
        std::thread([&p] { p.run<&culprit::hang>({2, 1}); }).detach();
        std::vector<std::string> lines;
        while (lines.empty() || lines.front().find("hang") == std::string::npos)
          lines = extension::report_source::describe_all();
        std::fputs(lines.front().c_str(), stderr);
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0), "PE 1 is in entry hang of culprit\\(2, 1\\)");
}

/// A parcel is returned after the host's message has found none, and before all is quiet. So the GPU must not
/// report that its host waits in vain.
TEST(resident_waves, are_not_answered_while_the_hosts_message_finds_a_parcel) {
  const detail::layout plan(
      [] {
        settings s;
        s.pes = s.gpus = 2;
        s.threads = 1;
        s.outbox = s.early = s.parcels = 4;
        return s;
      }(),
      {detail::kind_of<ring>({4})}, 1);
  alignas(256) static std::byte memory[1U << 18U];
  ASSERT_LE(2 * plan.bytes(), sizeof(memory));
  for (std::uint32_t g = 0; g < 2; ++g) plan.write(memory + g * plan.bytes());
  detail::machine m = plan.at(memory + plan.bytes());
  m.gpu = m.first_pe = m.host.first_pe = 1;
  for (std::uint32_t g = 0; g < 2; ++g) m.links.heaps.at[g] = memory + g * plan.bytes();
  std::uint32_t ticket = 0;
  detail::pe_state me;
  me.prepare(m, 1, &ticket);
  const detail::gpu_report& report = m.on(0, m.links.reports)[1];
  me.host.is_open = me.host.lacks_parcel = true;
  detail::attend_waves(m, me, [&me] {
    me.host.lacks_parcel = false;
    return true;
  });
  EXPECT_EQ(report.answer.wave, 0U);
  me.host.lacks_parcel = true;
  detail::attend_waves(m, me, [] { return false; });
  EXPECT_EQ(report.answer.wave, 1U);
  EXPECT_EQ(report.is_stuck, 1U);
}

TEST(resident_report, names_a_message_for_an_entry_that_is_not) {
  const detail::layout plan(
      [] {
        settings s;
        s.pes = s.threads = 1;
        s.outbox = s.early = s.parcels = 4;
        return s;
      }(),
      {detail::kind_of<ring>({4})}, 1);
  // No program can send this message. The run must end by it.
  alignas(256) static std::byte memory[1U << 17U];
  ASSERT_LE(plan.bytes(), sizeof(memory));
  plan.write(memory);
  plan.write(memory, 0, {5, detail::meta_of(9, 3)});
  const detail::machine m = plan.at(memory);
  detail::run_on_host<chares<ring>>(m);
  EXPECT_EQ(m.end->first.kind, detail::failure_kind::wrong_entry);
  const detail::entry_names names{{{"token", 0, false}}, {}};
  EXPECT_EQ(
      detail::reporter(plan, names).text_of(m.end->first, 0),
      "PE 0 got a message for entry number 9 of element 3, which there is not: memory of the runtime was "
      "overwritten");
}

}  // namespace
}  // namespace imbrex::resident::test
