// SPDX-License-Identifier: Apache-2.0
// Programs that omit one ordering that device memory in messages requires. The deterministic machine must
// detect each omission with one of a few seeds, and report nothing if none is omitted.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/gpu/device_argument.hpp>
#include <imbrex/core/gpu/device_channel.hpp>
#include <imbrex/core/gpu/device_loan.hpp>
#include <imbrex/core/gpu/persistent_channel.hpp>
#include <imbrex/device/buffer.hpp>

namespace imbrex::dropped_orders_test {

enum class dropped : std::uint8_t {
  none,
  send_before_kernel,       ///< a buffer is sent while a kernel still fills it
  share_before_kernel,      ///< a loan is sent while a kernel of another stream still fills it
  put_before_kernel,        ///< bound memory is sent while a kernel still fills it
  receive_before_copy,      ///< a received buffer is read before it is ready
  read_beside_place,        ///< an array with a place is read by another stream
  reuse_before_completion,  ///< shared memory is overwritten before the loan is done
  release_before_read,      ///< bound memory is released while a kernel still reads it
  post_after_data,          ///< another stream than the place's fills the place
};

using cells = device_span<std::int64_t>;

constexpr kernel<cells, std::int64_t> write_all{
    .name = "write_all",
    .host =
        [](cells to, std::int64_t value) {
          for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = value;
        },
    .work = [](cells, std::int64_t) { return work_size{.time = nanoseconds(30'000)}; }};
constexpr kernel<device_span<const std::int64_t>, std::int64_t, cells> compare{
    .name = "compare",
    .host =
        [](device_span<const std::int64_t> of, std::int64_t value, cells wrong) {
          for (std::size_t i = 0; i < of.size(); ++i)
            if (of.data()[i] != value) ++wrong.data()[0];
        },
    .work = [](device_span<const std::int64_t>, std::int64_t,
               cells) { return work_size{.time = nanoseconds(20'000)}; }};

constexpr std::size_t size = 500;
constexpr int rounds = 4;

/// The first of two ends sends, the second receives.
class end : public chare<end> {
 public:
  mailbox<device_buffer<std::int64_t>> handed;
  mailbox<int> placed;
  device_channel<std::int64_t> line;
  persistent_channel<std::int64_t> bound;

  void begin(dropped what) {
    what_ = what;
    line.connect<&end::line>(other());
    bound.connect<&end::bound>(other());
    fill_.fill(wrong_.span(), std::byte(0));
    fill_.fill(wrong_late_.span(), std::byte(0));
    look_.wait(shared_event(fill_));
    late_.wait(shared_event(fill_));
  }

  task<> send_all() {
    co_await bound.bind({std::as_const(out_).span()}, {in_.span()});
    for (int i = 0; i < rounds; ++i) {
      device_buffer<std::int64_t> buffer(gpu(), size);
      fill_.launch(write_all, buffer.span(), i);
      if (what_ != dropped::send_before_kernel) buffer.ready_after(fill_);
      imbrex::send<&end::handed>(other(), std::move(buffer));

      fill_.launch(write_all, shared_.span(), 100 + i);
      stream& of_loan = what_ == dropped::share_before_kernel ? idle_ : fill_;
      const auto by_channel = line.send(std::as_const(shared_).span(), of_loan);
      const auto by_message = zero_copy(std::as_const(shared_).span(), of_loan);
      imbrex::send<&end::take>(other(), i, by_message);
      if (what_ == dropped::reuse_before_completion) {
        fill_.launch(write_all, shared_.span(), -1);
        fill_.launch(write_all, shared_.span(), -1);
      }
      co_await by_channel.done();
      co_await by_message.done();

      fill_.launch(write_all, out_.span(), 200 + i);
      co_await bound.send(what_ == dropped::put_before_kernel ? idle_ : fill_);
      if (what_ == dropped::put_before_kernel) co_await fill_.done();
    }
  }
  task<> receive_all() {
    co_await bound.bind({std::as_const(out_).span()}, {in_.span()});
    for (int i = 0; i < rounds; ++i) {
      const auto got = co_await handed.receive();
      if (what_ != dropped::receive_before_copy) look_.wait(got);
      look_.launch(compare, got.span(), i, wrong_.span());

      co_await line.receive(line_.span(), look_);
      look_.launch(compare, std::as_const(line_).span(), 100 + i, wrong_.span());
      co_await placed.receive(i);

      const auto put = co_await bound.receive(late_);
      if (what_ == dropped::release_before_read) bound.release(idle_);
      for (int k = 0; k < 20; ++k) late_.launch(write_all, scratch_.span(), k);
      late_.launch(compare, put, 200 + i, wrong_late_.span());
      if (what_ != dropped::release_before_read) bound.release(late_);
    }
    co_await look_.done();
    co_await late_.done();
  }
  device_place<std::int64_t> place(int, std::size_t) {
    if (what_ == dropped::post_after_data)
      for (int k = 0; k < 20; ++k) fill_.launch(write_all, place_.span(), -2);
    return {place_.span(), look_};
  }
  void take(int round, device_argument<std::int64_t, &end::place> came) {
    stream& reads = what_ == dropped::read_beside_place ? idle_ : look_;
    reads.launch(compare, came.span(), 100 + round, wrong_.span());
    if (&reads != &look_) look_.wait(shared_event(reads));
    imbrex::send<&end::placed>(self(), round, 0);
  }
  task<std::int64_t> wrong() {
    look_.copy(seen_.span(), std::as_const(wrong_).span());
    co_await look_.done();
    const std::int64_t early = seen_[0];
    look_.copy(seen_.span(), std::as_const(wrong_late_).span());
    co_await look_.done();
    co_return early + seen_[0];
  }

 private:
  element<end> other() { return peers()[1 - where()[0]]; }

  dropped what_ = dropped::none;
  stream fill_{gpu(), stream_priority::normal, "fill"}, look_{gpu(), stream_priority::normal, "look"},
      idle_{gpu(), stream_priority::normal, "idle"}, late_{gpu(), stream_priority::normal, "late"};
  device_buffer<std::int64_t> shared_{gpu(), size}, line_{gpu(), size}, place_{gpu(), size},
      out_{gpu(), size}, in_{gpu(), size}, wrong_{gpu(), 1}, wrong_late_{gpu(), 1}, scratch_{gpu(), size};
  pinned_buffer<std::int64_t> seen_{gpu(), 1};
};

/// The number of wrong cells with this seed.
std::int64_t wrong_cells(dropped what, std::uint64_t seed, int devices) {
  options settings = seeded(2, seed);
  settings.device = "emulated";
  settings.devices = devices;
  std::int64_t found = -1;
  EXPECT_EQ(run(settings,
                [&]() -> task<> {
                  auto ends = make_array<end>({2});
                  co_await ends.call<&end::begin>(what);
                  co_await when_all(ends[0].call<&end::send_all>(), ends[1].call<&end::receive_all>());
                  found = co_await ends.reduce<&end::wrong>(sum);
                }),
            0);
  return found;
}

class dropped_orders : public ::testing::TestWithParam<std::pair<const char*, dropped>> {};

TEST_P(dropped_orders, are_found) {
  for (const int devices : {1, 2}) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      found += wrong_cells(GetParam().second, seed, devices) != 0 ? 1 : 0;
    EXPECT_EQ(found != 0, GetParam().second != dropped::none) << devices << " devices";
  }
}

INSTANTIATE_TEST_SUITE_P(all, dropped_orders,
                         ::testing::Values(std::pair("none", dropped::none),
                                           std::pair("send_before_kernel", dropped::send_before_kernel),
                                           std::pair("lend_before_kernel", dropped::share_before_kernel),
                                           std::pair("put_before_kernel", dropped::put_before_kernel),
                                           std::pair("receive_before_copy", dropped::receive_before_copy),
                                           std::pair("read_beside_place", dropped::read_beside_place),
                                           std::pair("reuse_before_notice", dropped::reuse_before_completion),
                                           std::pair("release_before_read", dropped::release_before_read),
                                           std::pair("post_after_data", dropped::post_after_data)),
                         [](const auto& of) { return std::string(of.param.first); });

}  // namespace imbrex::dropped_orders_test
