// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/checkpoint/driver/checkpoint.hpp>
#include <imbrex/checkpoint/driver/test_folder.test.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/gpu/counting_kernels.test.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/gpu/persistent_channel.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/testing/machines.hpp>

namespace imbrex::checkpoint_device_members_test {

using checkpoints_test::restarted;
using checkpoints_test::test_folder;
using checkpoints_test::with_folder;
using testing::machine_by_name;

constexpr int count = 7;
constexpr int steps = 40;

/// A chare whose device memory counts from a number that follows from its step.
class holder : public chare<holder> {
 public:
  task<int> run(int limit) {
    if (cells_.size() == 0) {
      cells_ = device_buffer<std::int64_t>(gpu(), size());
      others_.emplace_back(gpu(), 3);
      seen_ = pinned_buffer<std::int64_t>(gpu(), 1);
    }
    while (step_ < limit) {
      stream work(gpu(), stream_priority::normal, "work");
      if (step_ > 0) co_await compare_all(work);
      ++step_;
      work.launch(test::count_from, cells_.span(), first());
      work.launch(test::count_from, others_.front().span(), -first());
      // The last kernel may still run when the checkpoint is made.
      if (step_ % 3 != 0) co_await work.done();
      cells_.ready_after(work);
      others_.front().ready_after(work);
      co_await balance_point<&holder::run>(limit);
    }
    co_return wrong_;
  }
  int step() const { return step_; }
  void serialize(auto& ar) { ar(step_, wrong_, cells_, others_, nothing_, seen_); }

 private:
  std::size_t size() const { return static_cast<std::size_t>(1 + 1000 * where()[0]); }
  std::int64_t first() const { return 1'000 * where()[0] + step_; }
  task<> compare_all(stream& work) {
    device_buffer<std::int64_t> wrong(gpu(), 1);
    work.wait(cells_.ready());
    work.wait(others_.front().ready());
    work.fill(wrong.span(), std::byte(0));
    work.launch(test::compare, std::as_const(cells_).span(), first(), wrong.span());
    work.launch(test::compare, std::as_const(others_.front()).span(), -first(), wrong.span());
    work.copy(seen_.span(), std::as_const(wrong).span());
    co_await work.done();
    wrong_ += static_cast<int>(seen_[0]);
    if (cells_.size() != size() || cells_.device() != gpu().info().id) ++wrong_;
  }

  int step_ = 0;
  int wrong_ = 0;
  device_buffer<std::int64_t> cells_, nothing_;
  std::vector<device_buffer<std::int64_t>> others_;
  pinned_buffer<std::int64_t> seen_;
};

/// Chares 2i and 2i + 1 are connected by a channel that is bound to their members. At each balance point an
/// array may be unread at either end.
class linked : public chare<linked> {
 public:
  persistent_channel<std::int64_t> line;

  task<int> run(int limit) {
    stream work(gpu(), stream_priority::normal, "work");
    if (out_.size() == 0) {
      out_ = device_buffer<std::int64_t>(gpu(), 2 * cells);
      in_ = device_buffer<std::int64_t>(gpu(), 2 * cells);
      line.connect<&linked::line>(peers()[other()]);
      std::vector<device_span<const std::int64_t>> from{half_of(out_, 0), half_of(out_, 1)};
      std::vector<device_span<std::int64_t>> to{half_of(in_, 0), half_of(in_, 1)};
      co_await line.bind(from, to);
    }
    while (step_ < limit) {
      work.launch(test::count_from, half_of(out_, step_), first(where()[0], step_));
      co_await line.send(work);
      if (step_ > 0) co_await compare_next(work);
      ++step_;
      co_await work.done();
      co_await balance_point<&linked::run>(limit);
    }
    co_await compare_next(work);
    co_return wrong_;
  }
  int step() const { return step_; }
  /// The number of wrong cells, once all steps are done.
  int wrong(int limit) const { return wrong_ + (step_ == limit && read_ == limit ? 0 : 1); }
  void serialize(auto& ar) { ar(line, step_, read_, wrong_, out_, in_); }

 private:
  static constexpr std::size_t cells = 300;

  int other() { return where()[0] ^ 1; }
  static std::int64_t first(int of, int step) { return 1'000 * of + step; }
  static device_span<std::int64_t> half_of(device_buffer<std::int64_t>& all, int step) {
    return all.span().subspan(static_cast<std::size_t>(step % 2) * cells, cells);
  }
  task<> compare_next(stream& work) {
    device_buffer<std::int64_t> wrong(gpu(), 1);
    pinned_buffer<std::int64_t> seen(gpu(), 1);
    work.fill(wrong.span(), std::byte(0));
    const device_span<std::int64_t> got = co_await line.receive(work);
    EXPECT_EQ(got.data(), half_of(in_, read_).data());
    work.launch(test::compare, got, first(other(), read_++), wrong.span());
    line.release(work);
    work.copy(seen.span(), std::as_const(wrong).span());
    co_await work.done();
    wrong_ += static_cast<int>(seen[0]);
  }

  int step_ = 0;
  int read_ = 0;
  int wrong_ = 0;
  device_buffer<std::int64_t> out_, in_;
};

template <class T>
task<> make_checkpoint(array<T> all) {
  while (co_await all.template reduce<&T::step>(min) < steps / 4) co_await give_way();
  co_await checkpoint();
  imbrex::exit(0);
}

task<> run_holders(bool to_checkpoint) {
  auto holders = restored<holder>("holders");
  EXPECT_EQ(holders.has_value(), !to_checkpoint);
  if (!holders) holders = make_array<holder>(dense({count}).named("holders"));
  auto wrong = holders->reduce<&holder::run>(sum, steps);
  if (to_checkpoint) co_await make_checkpoint(*holders);
  const int all = co_await wrong;
  EXPECT_EQ(all, 0);
}

task<> run_linked(bool to_checkpoint) {
  auto all = restored<linked>("linked");
  EXPECT_EQ(all.has_value(), !to_checkpoint);
  if (!all) {
    all = make_array<linked>(dense({6}).named("linked"));
    send<&linked::run>(*all, steps);
    co_await make_checkpoint(*all);
  }
  co_await quiescence();
  const int wrong = co_await all->reduce<&linked::wrong>(sum, steps);
  EXPECT_EQ(wrong, 0);
}

options with_devices(options settings, int devices) {
  settings.device = "emulated";
  settings.devices = devices;
  return settings;
}

struct two_machines {
  const char* first;
  const char* second;
};

class checkpoint_device_members : public ::testing::TestWithParam<two_machines> {};
INSTANTIATE_TEST_SUITE_P(
    on, checkpoint_device_members,
    ::testing::Values(two_machines{"threads_3", "threads_2"}, two_machines{"threads_2", "threads_2"},
                      two_machines{"deterministic_2", "simulated"},
                      two_machines{"simulated", "deterministic_2"}, two_machines{"shuffled_2", "threads_4"}),
    [](const auto& info) { return std::string(info.param.first) + "_to_" + info.param.second; });

TEST_P(checkpoint_device_members, are_restored_to_other_devices) {
  for (const options& first : machine_by_name(GetParam().first).runs) {
    SCOPED_TRACE(testing::text_of(first));
    const test_folder folder;
    ASSERT_EQ(run(with_devices(with_folder(first, folder), 2), [] { return run_holders(true); }), 0);
    for (const options& second : machine_by_name(GetParam().second).runs)
      EXPECT_EQ(run(with_devices(restarted(second, folder.path()), 1), [] { return run_holders(false); }), 0)
          << testing::text_of(second);
  }
}

TEST_P(checkpoint_device_members, are_bound_again_to_their_channels) {
  for (const options& first : machine_by_name(GetParam().first).runs) {
    SCOPED_TRACE(testing::text_of(first));
    const test_folder folder;
    ASSERT_EQ(run(with_devices(with_folder(first, folder), 2), [] { return run_linked(true); }), 0);
    for (const options& second : machine_by_name(GetParam().second).runs)
      EXPECT_EQ(run(with_devices(restarted(second, folder.path()), 1), [] { return run_linked(false); }), 0)
          << testing::text_of(second);
  }
}

TEST(checkpoint_device_members_of_processes, are_restored_to_other_devices) {
  for (task<> (*const program)(bool) : {&run_holders, &run_linked}) {
    const test_folder folder;
    const options settings = with_devices(testing::threads(2), 2);
    ASSERT_EQ(testing::run_in_processes(2, with_folder(settings, folder), [=] { return program(true); }), 0);
    const options after = restarted(settings, folder.path());
    EXPECT_EQ(testing::run_in_processes(3, after, [=] { return program(false); }), 0);
  }
}

TEST(checkpoint_device_members_without_devices, are_refused_in_words) {
  const test_folder folder;
  const options settings = with_devices(testing::threads(2), 1);
  ASSERT_EQ(run(with_folder(settings, folder), [] { return run_holders(true); }), 0);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(restarted(testing::threads(2), folder.path()), [] { return run_holders(false); }), 2);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("reading holder("), std::string::npos) << text;
  EXPECT_NE(text.find("--device"), std::string::npos) << text;
}

}  // namespace imbrex::checkpoint_device_members_test
