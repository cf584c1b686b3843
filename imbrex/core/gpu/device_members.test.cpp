// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/counting_kernels.test.hpp>
#include <imbrex/core/gpu/device_choice.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/device/buffer.hpp>

namespace imbrex::device_members_test {

using test::compare;
using test::count_from;
using test::first_of;

/// Adds a number to each cell, slowly.
constexpr kernel<device_span<std::int64_t>, std::int64_t> add{
    .name = "add",
    .host =
        [](device_span<std::int64_t> to, std::int64_t number) {
          for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] += number;
        },
    .work = [](device_span<std::int64_t>, std::int64_t) { return work_size{.time = nanoseconds(30'000)}; }};

constexpr std::size_t cells = 1'000;

/// Objects of a device that do not migrate.
struct bench {
  stream work{gpu(), stream_priority::normal, "work"};
  stream beside{gpu(), stream_priority::normal, "beside"};
  device_buffer<std::int64_t> scratch{gpu(), cells};
};

/// A chare with members on its device. It awaits none of the work on them before it moves.
class traveller : public chare<traveller> {
 public:
  void settle() {
    own_ = device_buffer<std::int64_t>(gpu(), cells);
    here().work.launch(count_from, own_.span(), first_of(where()[0], 0));
    for (std::size_t i = 0; i < 3; ++i) {
      others_.emplace_back(gpu(), cells + i);
      here().work.launch(count_from, others_.back().span(), first_of(where()[0], int(i) + 1));
    }
    copy_ = pinned_buffer<std::int64_t>(gpu(), cells);
    wrong_ = device_buffer<std::int64_t>(gpu(), 1);
    here().work.fill(wrong_.span(), std::byte(0));
  }

  task<> travel(int steps, std::uint64_t seed) {
    check_place();
    while (step_ < steps) {
      work_once();
      ++step_;
      random dice(seed * 1'000 + std::uint64_t(97 * where()[0] + step_));
      migrate_to(int(dice.below(std::uint64_t(num_pes()))));
      co_await balance_point<&traveller::travel>(steps, seed);
    }
    check_cells();
    co_await here().work.done();
  }
  /// Moves from an entry that ends.
  void hop(int to) {
    check_place();
    work_once();
    ++step_;
    migrate_to(to);
  }
  task<int> count_wrong() {
    check_place();
    check_cells();
    pinned_buffer<std::int64_t> seen(gpu(), 1);
    here().work.copy(seen.span(), std::as_const(wrong_).span());
    co_await here().work.done();
    co_return static_cast<int>(seen[0]) + misplaced_;
  }
  int on() const { return pe(); }
  std::int64_t blocks() {
    return std::int64_t(gpu().memory(memory_kind::device).counts().blocks_in_use +
                        gpu().memory(memory_kind::pinned).counts().blocks_in_use);
  }

  void serialize(auto& ar) { ar(own_, others_, nothing_, copy_, wrong_, step_, misplaced_, has_left_); }
  void departs() { has_left_ = true; }
  void arrived() {
    if (own_.device() != gpu().info().id) ++misplaced_;
  }

 private:
  bench& here() {
    if (!bench_) bench_.emplace();
    return *bench_;
  }
  void work_once() {
    bench& b = here();
    b.work.launch(add, own_.span(), 1);
    for (auto& other : others_) b.work.launch(add, other.span(), 1);
    b.work.copy(copy_.span(), std::as_const(own_).span());
    b.work.copy(b.scratch.span(), std::as_const(own_).span());
  }
  /// All members are on this PE's device. What was not named has stayed behind.
  void check_place() {
    const void* const here_id = gpu().info().id;
    bool are_here = own_.device() == here_id && wrong_.device() == here_id && copy_.device() == here_id;
    for (const auto& other : others_) are_here = are_here && other.device() == here_id;
    if (bench_) are_here = are_here && bench_->scratch.device() == here_id;
    misplaced_ += are_here && nothing_.size() == 0 ? 0 : 1;
    // A chare that was made anew has no work in progress.
    if (has_left_ && !bench_)
      for (std::size_t i = 0; i < cells; ++i)
        misplaced_ += copy_[i] == first_of(where()[0], 0) + std::int64_t(i) + step_ ? 0 : 1;
    has_left_ = false;
  }
  void check_cells() {
    bench& b = here();
    b.work.launch(compare, own_.span(), first_of(where()[0], 0) + step_, wrong_.span());
    for (std::size_t i = 0; i < others_.size(); ++i)
      b.work.launch(compare, others_[i].span(), first_of(where()[0], int(i) + 1) + step_, wrong_.span());
  }

  device_buffer<std::int64_t> own_, nothing_, wrong_;
  std::vector<device_buffer<std::int64_t>> others_;
  pinned_buffer<std::int64_t> copy_;
  int step_ = 0, misplaced_ = 0;
  bool has_left_ = false;
  std::optional<bench> bench_;
};

class device_members : public on_machine {
 protected:
  template <class Main>
  void run_with(int devices, device_path path, const Main& main) {
    for (options settings : GetParam().runs) {
      settings.device = "emulated";
      settings.devices = devices;
      settings.gpu_path = path;
      EXPECT_EQ(run_once(settings, main), 0);
      if (!HasFailure()) continue;
      ADD_FAILURE() << "with " << text_of(settings) << ", " << devices << " devices";
      return;
    }
  }
  template <class Main>
  void run_all(const Main& main) {
    run_with(1, device_path::any, main);
    run_with(2, device_path::any, main);
    run_with(3, device_path::host, main);
  }
};

INSTANTIATE_TEST_SUITE_P(on, device_members, ::testing::ValuesIn(machines()), name_of_machine);

TEST_P(device_members, travel_with_their_chare) {
  std::uint64_t seed = 0;
  run_all([&seed]() -> task<> {
    auto all = make_array<traveller>({4});
    co_await all.call<&traveller::settle>();
    co_await all.call<&traveller::travel>(6, ++seed);
    EXPECT_EQ((co_await all.reduce<&traveller::count_wrong>(sum)), 0);
  });
}

TEST_P(device_members, leave_nothing_behind) {
  run_all([]() -> task<> {
    auto all = make_array<traveller>({2});
    co_await all.call<&traveller::settle>();
    for (int p = num_pes() - 1; p >= 0; --p) {
      send<&traveller::hop>(all, p);
      co_await quiescence();
      EXPECT_EQ((co_await all[0].call<&traveller::on>()), p);
      EXPECT_EQ((co_await all.reduce<&traveller::count_wrong>(sum)), 0);
    }
    co_await all.destroy();
    auto probes = make_group<traveller>();
    EXPECT_EQ((co_await probes.reduce<&traveller::blocks>(sum)), 0);
  });
}

TEST(device_members, travel_between_modelled_hosts) {
  for (const bool serializes : {false, true})
    for (const device_path path : {device_path::any, device_path::host}) {
      options settings{.pes = 12, .machine = machine_kind::simulated, .serialize_always = serializes};
      settings.device = "emulated";
      settings.device_model = "summit";
      settings.gpu_path = path;
      EXPECT_EQ(imbrex::run(settings,
                            []() -> task<> {
                              auto all = make_array<traveller>({12});
                              co_await all.call<&traveller::settle>();
                              co_await all.call<&traveller::travel>(4, 7);
                              EXPECT_EQ((co_await all.reduce<&traveller::count_wrong>(sum)), 0);
                            }),
                0);
    }
}

TEST(device_members, need_a_device_where_they_arrive) {
  options settings{.pes = 2};
  settings.device = "emulated";
  settings.choose_device = [](const device_choice& pe) {
    return pe.pe == 0 ? std::optional(0) : std::nullopt;
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(imbrex::run(settings,
                        []() -> task<> {
                          auto one = make_chare_on<traveller>(0);
                          co_await one.call<&traveller::settle>();
                          send<&traveller::hop>(one, 1);
                          co_await quiescence();
                        }),
            1);
  const std::string output = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(output.find("traveller"), std::string::npos) << output;
  EXPECT_NE(output.find("PE 1 has no device"), std::string::npos) << output;
}

}  // namespace imbrex::device_members_test
